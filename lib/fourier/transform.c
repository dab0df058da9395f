/* transform.c - the library's transforms: imf_fft_*() of imfilter.h */
#include "device/context.h"
#include "device/tuning.h"
#include "fourier/chirp.h"
#include "fourier/pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Transforms up to this size fit each core's share of the cache: one a work-item. Of larger ones
 * all work-items together take as many as fit it, pass by pass. */
#define ALONE_BYTES ((size_t)3 << 20)
#define TOGETHER_BYTES ((size_t)8 << 20)

/* Prime factors from here on are done line by line (fourier/chirp.c): the first where lines are too
 * few to fill the lanes. */
#define PRIME_ALONE 4096
#define PRIME_MAX 65536

struct imf_fft {
    struct imf_queue *queue, *own; /* own: NULL where the queue is another's */
    struct imf_fft_passes passes;
    struct imf_fft_chirp *along_x, *along_y; /* axes that the passes leave out, or NULL */
    bool wide;  /* work is done in float64, as convolutions double the error */
    bool alone; /* each work-item does whole transforms */
    int chunk;  /* transforms that are done before the next are begun */
    size_t groups, bytes;
    struct imf_program *program;
    struct imf_buffer *data, *temp, *scratch, *twiddles, *orders, *counters;
    float *mapped;
};

int imf_fft_good_length(int n) {
    if (n > IMF_FFT_MAX)
        return 0;
    int best = 0;
    double least = INFINITY;
    /* The next power of two is below 2 n, so nothing beyond it can be cheaper. */
    int64_t end = 2 * (int64_t)(n < 1 ? 1 : n);
    for (int i = imf_fft_length(n, 1); i > 0 && i < end && i <= IMF_FFT_MAX;
         i = imf_fft_length(i + 1, 1)) {
        struct imf_fft_plan plan;
        if (!imf_fft_plan_best(&plan, i, IMF_FFT_RADICES))
            break;
        double ns = i * (IMF_FFT_MEMORY_NS + imf_fft_plan_ns(&plan));
        if (ns < least) {
            least = ns;
            best = i;
        }
    }
    return best;
}

void imf_fft_free(struct imf_fft **fft) {
    struct imf_fft *f = *fft;
    if (!f)
        return;
    if (f->mapped)
        imf_fft_unmap(f, NULL);
    struct imf_buffer **buffers[] = {&f->data,     &f->temp,   &f->scratch,
                                     &f->twiddles, &f->orders, &f->counters};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        imf_buffer_free(buffers[i]);
    imf_program_free(&f->program);
    imf_fft_chirp_free(&f->along_x);
    imf_fft_chirp_free(&f->along_y);
    imf_queue_close(&f->own);
    free(f);
    *fft = NULL;
}

static enum imf_status make_tables(struct imf_fft *f, struct imf_error *err) {
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
static size_t counters_bytes(const struct imf_fft *f) {
    return sizeof(int32_t) * IMF_FFT_PASSES * (size_t)((f->passes.z.batch - 1) / f->chunk + 1);
}

static enum imf_status make_buffers(struct imf_fft *f, struct imf_error *err) {
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

static enum imf_status make_program(struct imf_fft *f, struct imf_error *err) {
    struct imf_defines defines = {0};
    imf_define(&defines, "FP64", "%d", f->wide);
    const struct imf_program_source source = {
        .file = "fft_transform.cl", .parts = imf_fft_parts(f->passes.primes), .defines = &defines};
    enum imf_status status = imf_program_make(&f->program, f->queue, &source, "fft_transform", err);
    imf_defines_free(&defines);
    return status;
}

/* All but the axes that are done line by line. */
static enum imf_status make_passes(struct imf_fft *f, const struct imf_fft_shape_passes *shape,
                                   bool inner, struct imf_error *err) {
    const struct imf_device *d = imf_queue_device(f->queue);
    enum imf_status status = imf_fft_passes_make(&f->passes, shape, err);
    if (status != IMF_OK)
        return status;
    const struct imf_fft_transform *z = &f->passes.z;
    size_t units = d->compute_units > 0 ? d->compute_units : 1;
    f->wide = d->fp64 && (inner || f->passes.convolutions);
    f->alone = (size_t)z->batch >= 2 * units && (size_t)z->size <= ALONE_BYTES / 8;
    size_t chunk = TOGETHER_BYTES / 8 / (size_t)z->size;
    f->chunk = f->alone || chunk >= (size_t)z->batch ? z->batch : chunk > 1 ? (int32_t)chunk : 1;
    f->groups = d->gpu ? 8 * units : units;
    status = make_program(f, err);
    if (status == IMF_OK)
        status = make_tables(f, err);
    return status == IMF_OK ? make_buffers(f, err) : status;
}

/* Whether an axis, which has so many lines, is done line by line. */
static bool line_by_line(int length, int64_t lines) {
    return imf_fft_largest_prime(length) > (lines < IMF_FFT_VEC / 2 ? PRIME_ALONE : PRIME_MAX);
}

static enum imf_status make(struct imf_fft *f, const struct imf_fft_shape *shape,
                            struct imf_error *err) {
    int nx = shape->nx, ny = shape->ny ? shape->ny : 1, batch = shape->batch ? shape->batch : 1;
    for (int i = 0; i < 2; i++) {
        int length = i ? ny : nx;
        if (length < 1 || length > IMF_FFT_MAX)
            return imf_fail(err, IMF_ERR_ARGUMENT,
                            "length %d cannot be transformed: use one from 1 to %d", length,
                            IMF_FFT_MAX);
    }
    unsigned radices =
        shape->radices ? shape->radices & IMF_FFT_RADICES : IMF_FFT_RADICES | IMF_FFT_PRIMES;
    bool any = radices & IMF_FFT_PRIMES;
    const struct imf_fft_shape_passes passes = {
        .nx = nx,
        .ny = ny,
        .batch = batch,
        .radices = radices,
        .skip_x = any && line_by_line(nx, (int64_t)ny * batch),
        .skip_y = any && line_by_line(ny, nx),
    };
    enum imf_status status = make_passes(f, &passes, false, err);
    if (status == IMF_OK && passes.skip_x)
        status = imf_fft_chirp_make(&f->along_x, f->queue,
                                    &(struct imf_fft_lines){.length = nx,
                                                            .lines = ny,
                                                            .sets = batch,
                                                            .element = 1,
                                                            .line = nx,
                                                            .set = (int64_t)nx * ny},
                                    err);
    if (status == IMF_OK && passes.skip_y)
        status = imf_fft_chirp_make(&f->along_y, f->queue,
                                    &(struct imf_fft_lines){.length = ny,
                                                            .lines = nx,
                                                            .sets = batch,
                                                            .element = nx,
                                                            .line = 1,
                                                            .set = (int64_t)nx * ny},
                                    err);
    return status;
}

enum imf_status imf_fft_create_inner(struct imf_fft **out, struct imf_queue *queue, int length,
                                     struct imf_error *err) {
    struct imf_fft *f = *out = calloc(1, sizeof *f);
    if (!f)
        return imf_fail_memory(err, sizeof *f);
    f->queue = queue;
    const struct imf_fft_shape_passes passes = {
        .nx = length, .ny = 1, .batch = 1, .radices = IMF_FFT_RADICES};
    enum imf_status status = make_passes(f, &passes, true, err);
    if (status != IMF_OK)
        imf_fft_free(out);
    return status;
}

struct imf_buffer *imf_fft_data(const struct imf_fft *fft) {
    return fft->data;
}

enum imf_status imf_fft_create(struct imf_fft **out, struct imf_context *ctx,
                               const struct imf_fft_shape *shape, struct imf_error *err) {
    struct imf_fft *f = *out = calloc(1, sizeof *f);
    if (!f)
        return imf_fail_memory(err, sizeof *f);
    struct imf_runtime *rt;
    enum imf_status status = imf_context_runtime(ctx, &rt, err);
    if (status == IMF_OK)
        status = imf_queue_open(&f->own, rt, err);
    f->queue = f->own;
    if (status == IMF_OK)
        status = make(f, shape, err);
    if (status != IMF_OK)
        imf_fft_free(out);
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */

static enum imf_status launch(struct imf_fft *f, int counter, int pass, int first, int items,
                              struct imf_error *err) {
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

static enum imf_status launch_all(struct imf_fft *f, struct imf_error *err) {
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

enum imf_status imf_fft_transform(struct imf_fft *f, enum imf_fft_direction direction,
                                  struct imf_error *err) {
    if (f->mapped)
        return imf_fail(err, IMF_ERR_ARGUMENT, "the values are mapped: unmap them first");
    f->passes.z.backwards = direction == IMF_FFT_INVERSE;
    enum imf_status status = imf_buffer_clear(f->queue, f->counters, 0, counters_bytes(f), err);
    if (status != IMF_OK)
        return status;
    status = launch_all(f, err);
    if (status == IMF_OK && f->along_x)
        status = imf_fft_chirp_run(f->along_x, f->data, direction == IMF_FFT_INVERSE, err);
    if (status == IMF_OK && f->along_y)
        status = imf_fft_chirp_run(f->along_y, f->data, direction == IMF_FFT_INVERSE, err);
    enum imf_status finished = imf_queue_finish(f->queue, status == IMF_OK ? err : NULL);
    return status == IMF_OK ? finished : status;
}

enum imf_status imf_fft_map(struct imf_fft *f, float **values, struct imf_error *err) {
    if (!f->mapped)
        f->mapped = imf_buffer_map(f->queue, f->data, IMF_ACCESS_BOTH, 0, f->bytes, err);
    *values = f->mapped;
    return f->mapped ? IMF_OK : IMF_ERR_DEVICE;
}

enum imf_status imf_fft_unmap(struct imf_fft *f, struct imf_error *err) {
    if (!f->mapped)
        return IMF_OK;
    enum imf_status status = imf_buffer_unmap(f->queue, f->data, f->mapped, err);
    f->mapped = NULL;
    return status == IMF_OK ? imf_queue_finish(f->queue, err) : status;
}

enum imf_status imf_fft_run(struct imf_fft *f, const float *in, float *out,
                            enum imf_fft_direction direction, struct imf_error *err) {
    enum imf_status status = imf_fft_unmap(f, err);
    if (status != IMF_OK)
        return status;
    status = imf_buffer_upload(f->queue, f->data, 0, in, f->bytes, err);
    if (status == IMF_OK)
        status = imf_fft_transform(f, direction, err);
    return status == IMF_OK ? imf_buffer_download(f->queue, f->data, 0, out, f->bytes, err)
                            : status;
}
