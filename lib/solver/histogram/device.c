/*
 * device.c - operations that map each sample value by the whole image's histogram, on a device
 * (cl/histogram_op.cl)
 *
 * The device counts and looks up; in between the host fetches the counts and makes the map (reference.c),
 * so that all devices give the same bytes.
 */
#include "device/tuning.h"
#include "solver/histogram/reference.h"
#include "solver/solver.h"

#define LOCAL_VALUES 256 /* at most: counts are in local memory */

enum { COUNTS, MAP };    /* buffers */
enum { COUNT, LOOK_UP }; /* programs */

struct own {
    uint32_t counted[IMF_HISTOGRAM_SIZE];
    uint64_t total[IMF_HISTOGRAM_SIZE];
    double value[IMF_HISTOGRAM_SIZE];
    union imf_histogram_map map;
};

static size_t values_of(const struct imf_problem *p) {
    return (size_t)imf_histogram_op_full(p) + 1;
}

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    (void)shape;
    bytes[COUNTS] = values_of(p) * sizeof(uint32_t);
    bytes[MAP] = values_of(p) * imf_sample_size(p->out);
    return true;
}

/* Milliseconds: two launches + samples * (count or count_wide) * 1e-6 / units. */
static void histogram_device_propose(const struct imf_problem *p, const struct imf_device *d,
                                     struct imf_proposal *out) {
    const struct imf_tuning *t = imf_tuning(d);
    double samples = (double)p->width * p->height * p->channels;
    if (samples > UINT32_MAX) {
        imf_proposal_refuse(out, "counts of so many samples exceed 32 bits");
        return;
    }
    bool few = values_of(p) <= LOCAL_VALUES;
    double ns = few ? t->filters.count : t->filters.count_wide;
    if (!imf_proposal_buffers(out, p))
        return;
    out->feasible = true;
    out->error = 0;
    out->bands = IMF_BANDS_WHOLE;
    out->ms = 2 * t->launch_ms + samples * ns * 1e-6 / imf_tuning_units(d);
    out->local = few ? LOCAL_VALUES * sizeof(uint32_t) : 0;
    snprintf(out->description, sizeof out->description, "histogram of %zu values", values_of(p));
}

static void define(struct imf_defines *d, const struct imf_job *job) {
    imf_define(d, "COLORS", "%d", job->p.colors);
    imf_define(d, "WEIGH", "%d", job->p.weigh);
    imf_define(d, "VALUES", "%zu", values_of(&job->p));
    imf_define(d, "LOCAL", "%d", values_of(&job->p) <= LOCAL_VALUES);
    imf_define(d, "GROUP", "%zu", imf_tuning_group(imf_queue_device(job->queue)));
}

static enum imf_status histogram_device_run(struct imf_job *job, const struct imf_surface *in,
                                            const struct imf_surface *out, struct imf_error *err) {
    const struct imf_device *d = imf_queue_device(job->queue);
    struct own *own = job->own;
    struct imf_buffer *counts = job->buffer[COUNTS];
    size_t values = values_of(&job->p), samples = (size_t)in->width * (size_t)in->channels;
    size_t bytes = values * sizeof *own->counted, units = d->compute_units ? d->compute_units : 1;
    size_t groups = (size_t)(imf_tuning(d)->groups_per_unit * (double)units);
    size_t height = (size_t)in->height;
    const struct imf_grid grid = {1, groups < height ? groups : height, imf_tuning_group(d)};
    enum imf_status st = imf_buffer_clear(job->queue, counts, 0, bytes, err);
    st = imf_job_then(st, job, COUNT, grid, err, IMF_ARG_SURFACE(in), imf_arg_int(in->width),
                      imf_arg_int(in->height), imf_arg_buffer(counts));
    st = st ? st : imf_buffer_download(job->queue, counts, 0, own->counted, bytes, err);
    if (st)
        return st;
    for (size_t v = 0; v < values; v++)
        own->total[v] = own->counted[v];
    imf_histogram_op_map(own->value, &job->p, own->total);
    imf_samples_narrow(&own->map, out->sample, own->value, values);
    st = imf_buffer_upload(job->queue, job->buffer[MAP], 0, &own->map,
                           values * imf_sample_size(out->sample), err);
    return imf_job_then(st, job, LOOK_UP, imf_job_grid(job, samples, (size_t)out->height), err,
                        IMF_ARG_SURFACE(in), IMF_ARG_SURFACE(out), imf_arg_int((int)samples),
                        IMF_ARG_OF(job, MAP));
}

const struct imf_solver imf_solver_histogram_op_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_HISTOGRAM_OP,
    .propose = histogram_device_propose,
    .own = sizeof(struct own),
    .program = "histogram_op",
    .parts = (const char *const[]){"common.cl", NULL},
    .entries = (const char *const[]){"histogram_count", "histogram_look_up", NULL},
    .define = define,
    .sizes = sizes,
    .run = histogram_device_run,
};
