/* pass_run.c - the passes of a transform at work on a device */
#include "fourier/pass_run.h"

#include <stdlib.h>

/* Transforms up to ALONE_BYTES fit a core's part of the cache: one a work-item. Larger ones are
 * shared by all work-items, as many at once as fit the cache, pass by pass. */
#define ALONE_BYTES ((size_t)3 << 20)
#define TOGETHER_BYTES ((size_t)8 << 20)

static enum imf_status make_tables(struct imf_fft_pass_run *f, struct imf_error *err) {
    /* One more, as a buffer cannot be empty. */
    size_t floats = (f->passes.floats + 1) * sizeof(float);
    size_t ints = (f->passes.ints + 1) * sizeof(int32_t);
    float *twiddles = calloc(1, floats);
    int32_t *orders = calloc(1, ints);
    enum imf_status status = IMF_OK;
    if (!twiddles || !orders)
        status = imf_fail_memory(err, floats + ints);
    if (status == IMF_OK) {
        status = imf_fft_passes_tables(&f->passes, twiddles, orders, err);
    }
    if (status == IMF_OK)
        status = imf_buffer_table(&f->twiddles, f->queue, twiddles, floats, err);
    if (status == IMF_OK)
        status = imf_buffer_table(&f->orders, f->queue, orders, ints, err);
    free(twiddles);
    free(orders);
    return status;
}

/* One counter for each launch. */
static size_t counters_bytes(const struct imf_fft_pass_run *f) {
    return sizeof(int32_t) * IMF_FFT_PASSES * (size_t)((f->passes.z.batch - 1) / f->chunk + 1);
}

static enum imf_status make_buffers(struct imf_fft_pass_run *f, struct imf_error *err) {
    const struct imf_fft_transform *z = &f->passes.z;
    size_t item = 2 * sizeof(float), temp = item, work;
    size_t element = IMF_FFT_VEC * 2 * (f->wide ? sizeof(double) : sizeof(float));
    if (!imf_size_mul((size_t)z->size * (size_t)z->batch, item, &f->bytes) ||
        !imf_size_mul((size_t)z->work * element, f->groups, &work))
        return imf_fail(err, IMF_ERR_LIMIT,
                        "the transforms need more memory than can be addressed");
    if (f->passes.temp)
        temp = f->alone ? (size_t)z->size * item * f->groups : f->bytes;
    enum imf_status status = imf_buffer_make(&f->data, f->queue, IMF_BUFFER_MAPPED, f->bytes, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&f->temp, f->queue, IMF_BUFFER_WORK, temp, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&f->scratch, f->queue, IMF_BUFFER_WORK, work, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&f->counters, f->queue, IMF_BUFFER_WORK, counters_bytes(f), err);
    return status;
}

static enum imf_status make_program(struct imf_fft_pass_run *f, struct imf_error *err) {
    struct imf_defines defines = {0};
    imf_define(&defines, "FP64", "%d", f->wide);
    const struct imf_program_source source = {
        .file = "fft_transform.cl", .parts = imf_fft_parts(f->passes.primes), .defines = &defines};
    enum imf_status status = imf_program_make(&f->program, f->queue, &source, "fft_transform", err);
    imf_defines_free(&defines);
    return status;
}

enum imf_status imf_fft_pass_run_make(struct imf_fft_pass_run *f, struct imf_queue *queue,
                                      const struct imf_fft_shape_passes *shape, bool wide,
                                      struct imf_error *err) {
    *f = (struct imf_fft_pass_run){.queue = queue};
    const struct imf_device *d = imf_queue_device(f->queue);
    enum imf_status status = imf_fft_passes_make(&f->passes, shape, err);
    if (status != IMF_OK)
        return status;
    const struct imf_fft_transform *z = &f->passes.z;
    size_t units = d->compute_units > 0 ? d->compute_units : 1;
    f->wide = d->fp64 && (wide || f->passes.convolutions);
    f->alone = (size_t)z->batch >= 2 * units && (size_t)z->size <= ALONE_BYTES / 8;
    size_t chunk = TOGETHER_BYTES / 8 / (size_t)z->size;
    f->chunk = f->alone || chunk >= (size_t)z->batch ? z->batch : chunk > 1 ? (int32_t)chunk : 1;
    f->groups = d->gpu ? 8 * units : units;
    status = make_program(f, err);
    if (status == IMF_OK)
        status = make_tables(f, err);
    return status == IMF_OK ? make_buffers(f, err) : status;
}

static enum imf_status launch(struct imf_fft_pass_run *f, int counter, int pass, int first,
                              int items, struct imf_error *err) {
    const struct imf_arg args[] = {imf_arg_buffer(f->data),
                                   imf_arg_buffer(f->temp),
                                   imf_arg_buffer(f->scratch),
                                   imf_arg_buffer(f->twiddles),
                                   imf_arg_buffer(f->orders),
                                   imf_arg_buffer(f->counters),
                                   imf_arg_block(&f->passes.z, sizeof f->passes.z),
                                   imf_arg_int(f->alone),
                                   imf_arg_int(counter),
                                   imf_arg_int(pass),
                                   imf_arg_int(first),
                                   imf_arg_int(items)};
    const struct imf_grid grid = {f->groups, 1, 1};
    return imf_program_launch(f->queue, f->program, grid, args, err);
}

enum imf_status imf_fft_pass_run(struct imf_fft_pass_run *f, bool backwards,
                                 struct imf_error *err) {
    f->passes.z.backwards = backwards;
    enum imf_status cleared = imf_buffer_clear(f->queue, f->counters, 0, counters_bytes(f), err);
    if (cleared != IMF_OK)
        return cleared;
    int counter = 0, batch = f->passes.z.batch;
    for (int first = 0; first < batch; first += f->chunk) {
        int items = batch - first < f->chunk ? batch - first : f->chunk;
        int passes = f->alone && f->passes.z.passes > 1 ? 1 : f->passes.z.passes;
        for (int pass = 0; pass < passes; pass++) {
            enum imf_status status = launch(f, counter++, pass, first, items, err);
            if (status != IMF_OK)
                return status;
        }
    }
    return IMF_OK;
}

void imf_fft_pass_run_free(struct imf_fft_pass_run *f) {
    struct imf_buffer **buffers[] = {&f->data,     &f->temp,   &f->scratch,
                                     &f->twiddles, &f->orders, &f->counters};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        imf_buffer_free(buffers[i]);
    imf_program_free(&f->program);
}
