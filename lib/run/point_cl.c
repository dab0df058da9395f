/* point_cl.c - point passes on a device (cl/point.cl, cl/digits.cl) */
#include "run/point.h"

#include "base/srgb.h"
#include "device/clrt.h"
#include "device/tuning.h"

#include <math.h>
#include <stdlib.h>

struct imf_point_job {
    struct imf_queue *queue;
    int vec; /* samples a work-item takes, or 0: a pixel */
    cl_kernel point, range_rows, range_all;
    cl_mem table;  /* linear light of every sample value, or NULL */
    cl_mem range;  /* (min, max) of all, then of each row, or NULL */
    cl_mem doubts; /* number and list of pixels, or NULL */
    int capacity;  /* of the list */
};

static const int bits[] = {[IMF_U8] = 8, [IMF_U16] = 16, [IMF_F32] = 32};

static void defines(struct imf_defines *d, const struct imf_point *p, enum imf_sample in,
                    enum imf_sample out) {
    imf_define(d, "IN", "%d", bits[in]);
    imf_define(d, "OUT", "%d", bits[out]);
    imf_define(d, "C_IN", "%d", p->in_channels);
    imf_define(d, "C_OUT", "%d", p->out_channels);
    imf_define(d, "ALPHA", "%d", p->alpha);
    imf_define(d, "LINEARIZE", "%d", p->linearize);
    imf_define(d, "UNSHARP", "%d", p->unsharp);
    imf_define_float(d, "AMOUNT", p->amount);
    imf_define_float(d, "UNSHARP_LEVEL", p->level);
    imf_define(d, "UNPREMULTIPLY", "%d", p->unpremultiply);
    imf_define_float(d, "ALPHA_SCALE", p->alpha_scale);
    imf_define(d, "GRAY", "%d", p->gray);
    imf_define(d, "NORMALIZE", "%d", p->normalize);
    imf_define(d, "STRETCH_WHOLE", "%d", p->whole && p->rescale == 1 && out != IMF_F32);
    imf_define_float(d, "FLAT_SPREAD", p->flat);
    imf_define(d, "EPILOGUE", "%d", p->epilogue);
    imf_define(d, "E_ABS", "%d", p->e.absolute);
    imf_define_float(d, "E_MUL2", p->e.multiply);
    imf_define_float(d, "E_ADD2", p->e.offset);
    imf_define(d, "E_THRESHOLD", "%d", p->e.threshold);
    imf_define_float(d, "E_LEVEL", p->e.level);
    imf_define_float(d, "E_FULL", p->full);
    imf_define(d, "PREMULTIPLY", "%d", p->premultiply);
    imf_define(d, "DELINEARIZE", "%d", p->delinearize);
    imf_define_float(d, "RESCALE", p->rescale);
}

/* Those of cl/digits.cl. */
static void define_digits(struct imf_defines *d, const struct imf_point *p) {
    struct imf_places n = imf_point_places(p);
    double level = floor(p->e.level);
    imf_define(d, "BITS", "%d", p->digits);
    imf_define(d, "COLORS", "%d", (p->premultiply ? p->in_channels : p->out_channels) - 1);
    imf_define(d, "COLOR_PLACES", "%d", n.color);
    imf_define(d, "ALPHA_PLACES", "%d", n.alpha);
    imf_define(d, "X_ALPHA_SCALE", "%.0fL", p->alpha_scale);
    imf_define(d, "X_SIGN2", "%s", p->e.multiply < 0 ? "(-1)" : "1");
    imf_define(d, "X_OFFSET", "(%.0fL)", p->e.offset);
    imf_define(d, "X_LEVEL", "(%.0fL)", level);
    imf_define(d, "LEVEL_PARTS", "%.0fL", IMF_LEVEL_PARTS);
    imf_define(d, "X_LEVEL_PART", "%.0fL", (p->e.level - level) * IMF_LEVEL_PARTS);
}

/* Linear light of the sample values 0..full. */
static enum imf_status make_table(struct imf_point_job *job, double full, struct imf_error *err) {
    size_t n = (size_t)full, bytes = (n + 1) * sizeof(cl_float);
    cl_float *table = malloc(bytes);
    if (!table)
        return imf_fail_memory(err, bytes);
    for (size_t i = 0; i <= n; i++)
        table[i] = (cl_float)(full * imf_srgb_to_linear((double)i / full));
    cl_int code;
    job->table = clCreateBuffer(job->queue->rt->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                bytes, table, &code);
    free(table);
    return job->table ? IMF_OK : imf_cl_fail(err, code, "the table of a light curve");
}

static enum imf_status clear_doubts(const struct imf_point_job *job, struct imf_error *err) {
    cl_int zero = 0;
    cl_int code = clEnqueueFillBuffer(job->queue->handle, job->doubts, &zero, sizeof zero, 0,
                                      sizeof zero, 0, NULL, NULL);
    return code ? imf_cl_fail(err, code, "clearing a list") : IMF_OK;
}

static enum imf_status make_doubts(struct imf_point_job *job, int capacity, struct imf_error *err) {
    size_t bytes = ((size_t)capacity + 1) * sizeof(cl_int);
    job->capacity = capacity;
    enum imf_status st = imf_clrt_buffer(job->queue, CL_MEM_READ_WRITE, bytes, &job->doubts, err);
    return st ? st : clear_doubts(job, err);
}

enum imf_status imf_point_doubts(const struct imf_point_job *job, int *count, int **list,
                                 struct imf_error *err) {
    cl_command_queue queue = job->queue->handle;
    *list = NULL;
    *count = 0;
    if (!job->doubts)
        return IMF_OK;
    cl_int n,
        code = clEnqueueReadBuffer(queue, job->doubts, CL_TRUE, 0, sizeof n, &n, 0, NULL, NULL);
    if (!code && n > 0 && n <= job->capacity) {
        size_t bytes = (size_t)n * sizeof **list;
        if (!(*list = malloc(bytes)))
            return imf_fail_memory(err, bytes);
        code =
            clEnqueueReadBuffer(queue, job->doubts, CL_TRUE, sizeof n, bytes, *list, 0, NULL, NULL);
    }
    *count = n;
    enum imf_status st =
        code ? imf_cl_fail(err, code, "reading a list of pixels") : clear_doubts(job, err);
    if (st) {
        free(*list);
        *list = NULL;
    }
    return st;
}

enum imf_status imf_point_make(struct imf_point_job **out, struct imf_queue *queue,
                               const struct imf_point *p, enum imf_sample in,
                               enum imf_sample out_sample, int height,
                               const struct imf_doubt *doubt, struct imf_error *err) {
    struct imf_point_job *job = *out = calloc(1, sizeof *job);
    if (!job)
        return imf_fail_memory(err, sizeof *job);
    job->queue = queue;
    struct imf_defines d = {0};
    defines(&d, p, in, out_sample);
    if (p->digits) {
        define_digits(&d, p);
    } else if (doubt->error > 0) {
        imf_define(&d, "DOUBT", "1");
        imf_define_float(&d, "DOUBT_ERROR", doubt->error);
        imf_define_float(&d, "DOUBT_TOLERANCE", doubt->tolerance);
        imf_define(&d, "DOUBT_CAPACITY", "%d", doubt->capacity);
    } else if (!p->alpha && !p->gray) {
        job->vec = imf_tuning(imf_queue_device(queue))->vec[IMF_WIDTH_32];
        imf_define(&d, "FLAT", "1");
        imf_define(&d, "VEC", "%d", job->vec);
    }
    enum imf_status st = imf_clrt_kernel(queue, p->digits ? "digits.cl" : "point.cl", &d,
                                         job->vec ? "point_flat" : "point", &job->point, err);
    if (!st && p->normalize) {
        size_t bytes = 2 * sizeof(cl_float) * ((size_t)height + 1);
        st = imf_clrt_kernel(queue, "point.cl", &d, "range_rows", &job->range_rows, err);
        if (!st)
            st = imf_clrt_kernel(queue, "point.cl", &d, "range_all", &job->range_all, err);
        if (!st)
            st = imf_clrt_buffer(queue, CL_MEM_READ_WRITE, bytes, &job->range, err);
    }
    if (!st && doubt->error > 0)
        st = make_doubts(job, doubt->capacity, err);
    if (!st && p->linearize)
        st = make_table(job, p->full, err);
    imf_defines_free(&d);
    if (st)
        imf_point_free(out);
    return st;
}

/* Run with `items` work-items along each row of s, in groups of one size, so that nothing is
 * compiled twice. */
static enum imf_status launch(struct imf_queue *queue, cl_kernel kernel,
                              const struct imf_clrt_arg *args, unsigned count,
                              const struct imf_surface *s, size_t items, struct imf_error *err) {
    size_t group = imf_tuning_group(imf_queue_device(queue));
    const size_t local[2] = {group, 1};
    const size_t global[2] = {(items + group - 1) / group * group, (size_t)s->height};
    return imf_clrt_launch(queue, kernel, args, count, 2, global, local, err);
}

static enum imf_status find_range(struct imf_point_job *job, const struct imf_surface *in,
                                  struct imf_error *err) {
    cl_mem mem = in->mem->handle;
    cl_long origin = (cl_long)in->origin;
    cl_int pitch = (cl_int)in->pitch, width = in->width, height = in->height;
    struct imf_clrt_arg rows[] = {{sizeof mem, &mem},
                                  {sizeof origin, &origin},
                                  {sizeof pitch, &pitch},
                                  {sizeof width, &width},
                                  {sizeof job->range, &job->range}};
    struct imf_clrt_arg all[] = {{sizeof job->range, &job->range}, {sizeof height, &height}};
    size_t global = (size_t)height, one = 1;
    enum imf_status st =
        imf_clrt_launch(job->queue, job->range_rows, rows, 5, 1, &global, &one, err);
    return st ? st : imf_clrt_launch(job->queue, job->range_all, all, 2, 1, &one, &one, err);
}

enum imf_status imf_point_run(struct imf_point_job *job, const struct imf_surface *in,
                              const struct imf_surface *second, const struct imf_surface *out,
                              int row, struct imf_error *err) {
    if (job->range) {
        enum imf_status st = find_range(job, in, err);
        if (st)
            return st;
    }
    if (!second)
        second = in; /* an argument must be set; the kernel does not read it */
    cl_mem a = in->mem->handle, b = second->mem->handle, c = out->mem->handle;
    cl_mem table = job->table ? job->table : a, range = job->range ? job->range : a;
    cl_long ao = (cl_long)in->origin, bo = (cl_long)second->origin, co = (cl_long)out->origin;
    cl_int ap = (cl_int)in->pitch, bp = (cl_int)second->pitch, cp = (cl_int)out->pitch;
    cl_mem doubts = job->doubts ? job->doubts : a;
    cl_int width = in->width, first = row;
    struct imf_clrt_arg args[] = {
        {sizeof a, &a},           {sizeof ao, &ao},       {sizeof ap, &ap},
        {sizeof b, &b},           {sizeof bo, &bo},       {sizeof bp, &bp},
        {sizeof c, &c},           {sizeof co, &co},       {sizeof cp, &cp},
        {sizeof width, &width},   {sizeof table, &table}, {sizeof range, &range},
        {sizeof doubts, &doubts}, {sizeof first, &first}};
    size_t items = (size_t)width, vec = (size_t)job->vec;
    if (vec)
        items = (items * (size_t)in->channels + vec - 1) / vec;
    return launch(job->queue, job->point, args, sizeof args / sizeof *args, in, items, err);
}

enum imf_status imf_point_range(const struct imf_point_job *job, float range[2],
                                struct imf_error *err) {
    cl_int code = clEnqueueReadBuffer(job->queue->handle, job->range, CL_TRUE, 0, 2 * sizeof *range,
                                      range, 0, NULL, NULL);
    return code ? imf_cl_fail(err, code, "reading a response's range") : IMF_OK;
}

void imf_point_free(struct imf_point_job **job) {
    struct imf_point_job *j = *job;
    if (!j)
        return;
    cl_kernel kernels[] = {j->point, j->range_rows, j->range_all};
    for (int i = 0; i < 3; i++)
        if (kernels[i])
            clReleaseKernel(kernels[i]);
    if (j->table)
        clReleaseMemObject(j->table);
    if (j->range)
        clReleaseMemObject(j->range);
    if (j->doubts)
        clReleaseMemObject(j->doubts);
    free(j);
    *job = NULL;
}

struct imf_alpha_job {
    struct imf_queue *queue;
    cl_kernel kernel;
};

enum imf_status imf_alpha_make(struct imf_alpha_job **out, struct imf_queue *queue,
                               const struct imf_chain *chain, struct imf_error *err) {
    struct imf_alpha_job *job = *out = calloc(1, sizeof *job);
    if (!job)
        return imf_fail_memory(err, sizeof *job);
    job->queue = queue;
    struct imf_defines d = {0};
    struct imf_point p = {.in_channels = chain->channels_in,
                          .out_channels = chain->channels_out,
                          .alpha = true,
                          .alpha_scale = 1,
                          .e = {.scale = 1, .multiply = 1},
                          .full = chain->full,
                          .rescale = chain->rescale};
    defines(&d, &p, chain->in, chain->out);
    enum imf_status st = imf_clrt_kernel(queue, "point.cl", &d, "copy_alpha", &job->kernel, err);
    imf_defines_free(&d);
    if (st)
        imf_alpha_free(out);
    return st;
}

enum imf_status imf_alpha_run(struct imf_alpha_job *job, const struct imf_surface *in,
                              const struct imf_surface *out, struct imf_error *err) {
    cl_mem a = in->mem->handle, c = out->mem->handle;
    cl_long ao = (cl_long)in->origin, co = (cl_long)out->origin;
    cl_int ap = (cl_int)in->pitch, cp = (cl_int)out->pitch, width = in->width;
    struct imf_clrt_arg args[] = {{sizeof a, &a},        {sizeof ao, &ao}, {sizeof ap, &ap},
                                  {sizeof c, &c},        {sizeof co, &co}, {sizeof cp, &cp},
                                  {sizeof width, &width}};
    return launch(job->queue, job->kernel, args, 7, in, (size_t)width, err);
}

void imf_alpha_free(struct imf_alpha_job **job) {
    if (!*job)
        return;
    if ((*job)->kernel)
        clReleaseKernel((*job)->kernel);
    free(*job);
    *job = NULL;
}
