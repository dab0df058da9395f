/*
 * fft_gpu_tile.c - tiles of the GPU's convolution by transforms: lengths and cost
 *
 * Both lengths of a tile are powers of two, and the cheapest pair is taken.
 */
#include "solver/fft_gpu.h"

#include "device/tuning.h"

#include <math.h>

#define LENGTH_MIN 64
#define LENGTH_MAX 4096
#define SPECTRA_BYTES ((size_t)512 << 20) /* each of two buffers, where more than one pair */

double imf_fft_gpu_points(const struct imf_fft_gpu_tiling *t) {
    return (double)t->nx * t->ny;
}

int imf_fft_gpu_step(const struct imf_fft_gpu_tiling *t) {
    return t->bound.split ? t->valid_y : 2 * t->valid_y;
}

int imf_fft_gpu_pairs(const struct imf_fft_gpu_tiling *t, int height) {
    return (height - 1) / imf_fft_gpu_step(t) + 1;
}

int imf_round_up(int n, int multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

size_t imf_fft_gpu_bytes(const struct imf_fft_gpu_tiling *t, const struct imf_problem *p) {
    size_t bytes;
    if (!imf_size_mul((size_t)t->ny * (size_t)p->channels, (size_t)t->pitch_in, &bytes) ||
        !imf_size_mul(bytes, 2 * sizeof(float), &bytes))
        return SIZE_MAX;
    return bytes;
}

/* launches + (elements of columns * column + of rows * row + taps of doubtful pixels * again) /
 * units. */
static double estimate_ms(const struct imf_fft_gpu_tiling *t, const struct imf_problem *p,
                          const struct imf_device *d) {
    const struct imf_gpu_rates *g = &imf_tuning(d)->gpu;
    double lines = (double)t->pairs * t->ny * p->channels, again = 0;
    double columns =
        lines * t->pitch_in * g->column * pow(g->long_column, fmax(0, log2(t->ny / 256.0)));
    double rows = lines * t->tiles_x * t->nx * g->row * (t->nx > 256 ? g->long_row : 1);
    if (p->exact)
        again = (double)p->width * p->height * p->channels * t->doubtful * p->kernel[0]->width *
                p->kernel[0]->height * g->again;
    return g->fft_ms + (p->exact ? g->again_ms : 0) +
           (columns + rows + again) * 1e-6 / imf_tuning_units(d);
}

/* Sums that a float leaves in doubt are not looked at in integers first, as on a CPU: that pays
 * only where integers alone would not settle all. */
static void judge(struct imf_fft_gpu_tiling *t, const struct imf_problem *p) {
    t->error = imf_fft_error(&t->bound, imf_fft_gpu_points(t));
    t->near_tie = p->out == IMF_U8 && imf_fft_window(t->error) == t->error &&
                  imf_fft_near_tie(p, &t->bound, t->error);
    t->doubtful = t->near_tie ? fmin(1, 2 * imf_fft_tie(p, &t->bound, t->error))
                              : imf_fft_doubtful(p, &t->bound, t->error);
}

bool imf_fft_gpu_choose(struct imf_fft_gpu_tiling *best, const struct imf_problem *p,
                        const struct imf_device *d) {
    const struct imf_kernel *k = p->kernel[0];
    struct imf_fft_bound bound = imf_fft_bound(p);
    bool found = false;
    for (int ny = LENGTH_MIN; ny <= LENGTH_MAX; ny *= 2) {
        for (int nx = LENGTH_MIN; nx <= LENGTH_MAX; nx *= 2) {
            struct imf_fft_gpu_tiling t = {.nx = nx, .ny = ny, .bound = bound};
            /* whole sectors of memory; and no tile that is mostly overlap */
            t.valid_x = (nx - k->width + 1) / 4 * 4;
            t.valid_y = ny - k->height + 1;
            if (t.valid_x < nx / 8 || t.valid_y < ny / 8)
                continue;
            t.tiles_x = (p->width - 1) / t.valid_x + 1;
            t.pairs = imf_fft_gpu_pairs(&t, p->height);
            t.pitch_in = imf_round_up(p->width + k->width - 1, 16);
            t.pitch_out = imf_round_up(p->width, 16);
            judge(&t, p);
            t.ms = estimate_ms(&t, p, d);
            size_t bytes = imf_fft_gpu_bytes(&t, p);
            if (bytes > d->max_alloc || (double)ny * p->channels * t.tiles_x > INT32_MAX / 2 ||
                (found && t.ms >= best->ms))
                continue;
            size_t chunk = (SPECTRA_BYTES < d->max_alloc ? SPECTRA_BYTES : d->max_alloc) / bytes;
            double lines = (double)ny * p->channels * t.tiles_x;
            chunk = chunk > INT32_MAX / 2 / lines ? (size_t)(INT32_MAX / 2 / lines) : chunk;
            t.chunk = chunk < 1 ? 1 : chunk < (size_t)t.pairs ? (int)chunk : t.pairs;
            *best = t;
            found = true;
        }
    }
    return found;
}
