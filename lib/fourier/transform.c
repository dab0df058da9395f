/* transform.c - the library's transforms: imf_fft_*() of imfilter.h */
#include "base/arguments.h"
#include "device/open/context.h"
#include "device/tuning.h"
#include "fourier/chirp.h"
#include "fourier/pass_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Axes with prime factors from here on are transformed line by line (fourier/chirp.c): PRIME_ALONE
 * if lines are too few to fill a vector. */
#define PRIME_ALONE 4096
#define PRIME_MAX 65536

struct imf_fft {
    struct imf_queue *queue;
    struct imf_fft_pass_run passes;
    struct imf_fft_chirp *along_x, *along_y; /* axes that the passes leave out, or NULL */
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
    imf_fft_pass_run_free(&f->passes);
    imf_fft_chirp_free(&f->along_x);
    imf_fft_chirp_free(&f->along_y);
    imf_queue_close(&f->queue);
    free(f);
    *fft = NULL;
}

/* Whether an axis, which has so many lines, is done line by line. */
static bool line_by_line(int length, int64_t lines) {
    return imf_fft_largest_prime(length) > (lines < IMF_FFT_VEC / 2 ? PRIME_ALONE : PRIME_MAX);
}

static enum imf_status make(struct imf_fft *f, const struct imf_fft_shape *shape,
                            struct imf_error *err) {
    int nx = shape->nx, ny = shape->ny ? shape->ny : 1, batch = shape->batch ? shape->batch : 1;
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
    enum imf_status status = imf_fft_pass_run_make(&f->passes, f->queue, &passes, false, err);
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

enum imf_status imf_fft_create(struct imf_fft **out, struct imf_context *ctx,
                               const struct imf_fft_shape *shape, struct imf_error *err) {
    *out = NULL;
    enum imf_status status = imf_check_fft(shape, err);
    if (status)
        return status;
    struct imf_fft *f = *out = calloc(1, sizeof *f);
    if (!f)
        return imf_fail_memory(err, sizeof *f);
    struct imf_runtime *rt;
    status = imf_context_runtime(ctx, &rt, err);
    if (status == IMF_OK)
        status = imf_queue_open(&f->queue, rt, err);
    if (status == IMF_OK)
        status = make(f, shape, err);
    if (status != IMF_OK)
        imf_fft_free(out);
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */

enum imf_status imf_fft_transform(struct imf_fft *f, enum imf_fft_direction direction,
                                  struct imf_error *err) {
    enum imf_status status = imf_check_direction(direction, err);
    if (status)
        return status;
    if (f->mapped)
        return imf_fail(err, IMF_ERR_ARGUMENT, "the values are mapped: unmap them first");
    bool backwards = direction == IMF_FFT_INVERSE;
    status = imf_fft_pass_run(&f->passes, backwards, err);
    if (status == IMF_OK && f->along_x)
        status = imf_fft_chirp_run(f->along_x, f->passes.data, backwards, err);
    if (status == IMF_OK && f->along_y)
        status = imf_fft_chirp_run(f->along_y, f->passes.data, backwards, err);
    enum imf_status finished = imf_queue_finish(f->queue, status == IMF_OK ? err : NULL);
    return status == IMF_OK ? finished : status;
}

enum imf_status imf_fft_map(struct imf_fft *f, float **values, struct imf_error *err) {
    if (!f->mapped)
        f->mapped =
            imf_buffer_map(f->queue, f->passes.data, IMF_ACCESS_BOTH, 0, f->passes.bytes, err);
    *values = f->mapped;
    return f->mapped ? IMF_OK : IMF_ERR_DEVICE;
}

enum imf_status imf_fft_unmap(struct imf_fft *f, struct imf_error *err) {
    if (!f->mapped)
        return IMF_OK;
    enum imf_status status = imf_buffer_unmap(f->queue, f->passes.data, f->mapped, err);
    f->mapped = NULL;
    return status == IMF_OK ? imf_queue_finish(f->queue, err) : status;
}

enum imf_status imf_fft_run(struct imf_fft *f, const float *in, float *out,
                            enum imf_fft_direction direction, struct imf_error *err) {
    enum imf_status status = imf_check_direction(direction, err);
    if (status == IMF_OK)
        status = imf_fft_unmap(f, err);
    if (status != IMF_OK)
        return status;
    status = imf_buffer_upload(f->queue, f->passes.data, 0, in, f->passes.bytes, err);
    if (status == IMF_OK)
        status = imf_fft_transform(f, direction, err);
    return status == IMF_OK
               ? imf_buffer_download(f->queue, f->passes.data, 0, out, f->passes.bytes, err)
               : status;
}
