/* run.c - what every program that transforms on a device needs: its text, axes and twiddles */
#include "fourier/run.h"

#include "base/embed.h"
#include "fourier/prime.h"

#include <stdlib.h>
#include <string.h>

int imf_fft_vec(const struct imf_device *d) {
    (void)d;
    return 8;
}

/* 4 and 8 always, so that fewer programs differ. */
static unsigned radices(const struct imf_fft_plan *plan) {
    unsigned set = 1u << 4 | 1u << 8;
    for (int s = 0; s < plan->stages; s++)
        set |= 1u << plan->radix[s];
    return set;
}

static void define_part(struct imf_defines *d, const char *name, const char *file) {
    for (const struct imf_embedded *e = imf_embedded_cl; e->name; e++) {
        if (strcmp(e->name, file) == 0)
            imf_define(d, name, "1\n#line 1 \"cl/%s\"\n%s", file, e->text);
    }
}

void imf_fft_define(struct imf_defines *d, int vec, const struct imf_fft_plan *x,
                    const struct imf_fft_plan *y) {
    imf_define(d, "VEC", "%d", vec);
    if (x) {
        imf_define(d, "RADICES", "%u", radices(x) | (y ? radices(y) : 0));
        imf_define(d, "MIDDLES", "%u", x->stages ? 1u << x->radix[x->stages - 1] : 0);
    }
    define_part(d, "FFT", "fft_stages.cl");
}

void imf_fft_define_primes(struct imf_defines *d) {
    define_part(d, "PRIME_STAGES", "fft_primes.cl");
}

void imf_fft_define_transpose(struct imf_defines *d) {
    define_part(d, "TRANSPOSE", "fft_transpose.cl");
}

void imf_fft_axis_set(struct imf_fft_axis *axis, const struct imf_fft_plan *plan) {
    axis->length = plan->length;
    axis->stages = plan->stages;
    for (int s = 0; s < plan->stages; s++)
        axis->radix[s] = plan->radix[s];
    axis->primes = plan->primes;
}

enum imf_status imf_fft_upload(struct imf_queue *queue, const void *data, size_t bytes, cl_mem *out,
                               struct imf_error *err) {
    enum imf_status status = imf_clrt_buffer(queue, CL_MEM_READ_ONLY, bytes, out, err);
    if (status != IMF_OK)
        return status;
    cl_int code = clEnqueueWriteBuffer(queue->handle, *out, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        return IMF_OK;
    clReleaseMemObject(*out);
    *out = NULL;
    return imf_cl_fail(err, code, "writing a table to the device");
}

enum imf_status imf_fft_twiddle_buffer(struct imf_queue *queue, const struct imf_fft_plan *x,
                                       const struct imf_fft_plan *y, struct imf_fft_axis *axis_x,
                                       struct imf_fft_axis *axis_y, cl_mem *out,
                                       struct imf_error *err) {
    size_t count_x = 2 * (size_t)x->twiddles, count_y = y ? 2 * (size_t)y->twiddles : 0;
    size_t primes_x = imf_fft_prime_floats(x), primes_y = y ? imf_fft_prime_floats(y) : 0;
    size_t bytes = (count_x + count_y + primes_x + primes_y + 1) * sizeof(float); /* never 0 */
    float *tw = calloc(1, bytes);
    *out = NULL;
    if (!tw)
        return imf_fail_memory(err, bytes);
    imf_fft_twiddles(x, tw);
    axis_x->twiddles = 0;
    axis_x->prime_tables = (cl_int)(count_x + count_y);
    enum imf_status status = imf_fft_prime_tables(x, tw, (size_t)axis_x->prime_tables, err);
    if (y && status == IMF_OK) {
        imf_fft_twiddles(y, tw + count_x);
        axis_y->twiddles = (cl_int)count_x;
        axis_y->prime_tables = (cl_int)(count_x + count_y + primes_x);
        status = imf_fft_prime_tables(y, tw, (size_t)axis_y->prime_tables, err);
    }
    if (status == IMF_OK)
        status = imf_fft_upload(queue, tw, bytes, out, err);
    free(tw);
    return status;
}

/* ---- separate lines ----------------------------------------------------------------------- */

struct lines {
    cl_kernel kernel;
    cl_mem re, im, twiddles, order, scratch;
};

static enum imf_status lines_buffers(struct lines *l, struct imf_queue *queue,
                                     const struct imf_fft_plan *plan, struct imf_fft_axis *axis,
                                     size_t bytes, size_t scratch, struct imf_error *err) {
    size_t order_bytes = (size_t)plan->length * sizeof(cl_int);
    cl_int *order = malloc(order_bytes);
    if (!order)
        return imf_fail_memory(err, order_bytes);
    imf_fft_order(plan, order);
    enum imf_status status = imf_fft_upload(queue, order, order_bytes, &l->order, err);
    free(order);
    if (status == IMF_OK)
        status = imf_fft_twiddle_buffer(queue, plan, NULL, axis, NULL, &l->twiddles, err);
    if (status == IMF_OK)
        status = imf_clrt_buffer(queue, CL_MEM_READ_WRITE, bytes, &l->re, err);
    if (status == IMF_OK)
        status = imf_clrt_buffer(queue, CL_MEM_READ_WRITE, bytes, &l->im, err);
    if (status == IMF_OK)
        status = imf_clrt_buffer(queue, CL_MEM_READ_WRITE, scratch, &l->scratch, err);
    return status;
}

static enum imf_status lines_run(struct lines *l, struct imf_queue *queue,
                                 struct imf_fft_axis *axis, float *re, float *im, size_t bytes,
                                 int count, int groups, int spare, bool backwards,
                                 struct imf_error *err) {
    cl_command_queue q = queue->handle;
    cl_int n = count, back = backwards, more = spare;
    const struct imf_clrt_arg args[] = {{sizeof l->re, &l->re},       {sizeof l->im, &l->im},
                                        {sizeof l->re, &l->twiddles}, {sizeof l->re, &l->order},
                                        {sizeof l->re, &l->scratch},  {sizeof *axis, axis},
                                        {sizeof more, &more},         {sizeof n, &n},
                                        {sizeof back, &back}};
    size_t global = (size_t)groups, local = 1;
    cl_int code = clEnqueueWriteBuffer(q, l->re, CL_TRUE, 0, bytes, re, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clEnqueueWriteBuffer(q, l->im, CL_TRUE, 0, bytes, im, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return imf_cl_fail(err, code, "writing to the device");
    enum imf_status status = imf_clrt_launch(queue, l->kernel, args, sizeof args / sizeof *args, 1,
                                             &global, &local, err);
    if (status != IMF_OK)
        return status;
    code = clEnqueueReadBuffer(q, l->re, CL_TRUE, 0, bytes, re, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(q, l->im, CL_TRUE, 0, bytes, im, 0, NULL, NULL);
    return code == CL_SUCCESS ? IMF_OK : imf_cl_fail(err, code, "reading from the device");
}

enum imf_status imf_fft_lines(struct imf_queue *queue, float *re, float *im, int n, int count,
                              bool backwards, struct imf_error *err) {
    struct imf_fft_plan plan;
    struct imf_fft_axis axis = {0};
    struct lines l = {0};
    size_t bytes, scratch;
    if (!imf_fft_plan_any(&plan, n) || count < 1)
        return imf_fail(err, IMF_ERR_ARGUMENT, "%d lines of length %d cannot be transformed", count,
                        n);
    int vec = imf_fft_vec(imf_queue_device(queue)), groups = count / vec + (count % vec != 0);
    size_t elements = (size_t)n + (size_t)imf_fft_prime_spare(&plan);
    if (!imf_size_mul((size_t)n * sizeof(float), (size_t)count, &bytes) ||
        !imf_size_mul(elements * (size_t)vec * 2 * sizeof(float), (size_t)groups, &scratch))
        return imf_fail(err, IMF_ERR_LIMIT, "%d lines of length %d are too many", count, n);
    imf_fft_axis_set(&axis, &plan);
    struct imf_defines d = {0};
    imf_fft_define(&d, vec, plan.primes ? NULL : &plan, NULL);
    if (plan.primes)
        imf_fft_define_primes(&d);
    enum imf_status status =
        imf_clrt_kernel(queue, "fft_lines.cl", &d, "fft_lines", &l.kernel, err);
    imf_defines_free(&d);
    if (status == IMF_OK)
        status = lines_buffers(&l, queue, &plan, &axis, bytes, scratch, err);
    if (status == IMF_OK)
        status = lines_run(&l, queue, &axis, re, im, bytes, count, groups,
                           imf_fft_prime_spare(&plan), backwards, err);
    cl_mem *mems[] = {&l.re, &l.im, &l.twiddles, &l.order, &l.scratch};
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
        if (*mems[i])
            clReleaseMemObject(*mems[i]);
    if (l.kernel)
        clReleaseKernel(l.kernel);
    return status;
}
