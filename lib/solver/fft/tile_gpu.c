/*
 * tile_gpu.c - tiles of the GPU's convolution by transforms: lengths and cost
 *
 * Both lengths of a tile are powers of two, and the cheapest pair is taken.
 */
#include "solver/fft/tile_gpu.h"

#include "device/tuning.h"

#include <math.h>

#define LENGTH_MIN 64
#define LENGTH_MAX 4096
#define SPECTRA_BYTES ((size_t)512 << 20) /* of each of two buffers, unless for one pair */
/* With longer columns the neighbouring columns of a group are less than a sector of memory. */
#define SECTOR_LENGTH 1024.0
#define AGAIN_STEPS 256 /* cost of adding the sums of a group's work-items, in steps */

double imf_fft_gpu_points(const struct imf_fft_gpu_tiling *t) {
    return (double)t->nx * t->ny;
}

int imf_fft_gpu_step(const struct imf_fft_gpu_tiling *t) {
    return t->bound.split ? t->valid_y : 2 * t->valid_y;
}

int imf_fft_gpu_pairs(const struct imf_fft_gpu_tiling *t, int height) {
    return (height - 1) / imf_fft_gpu_step(t) + 1;
}

size_t imf_fft_gpu_bytes(const struct imf_fft_gpu_tiling *t, const struct imf_problem *p) {
    size_t bytes;
    if (!imf_size_mul((size_t)t->ny * (size_t)p->channels, (size_t)t->pitch_in, &bytes) ||
        !imf_size_mul(bytes, 2 * sizeof(float), &bytes))
        return SIZE_MAX;
    return bytes;
}

int imf_fft_gpu_steps(const struct imf_kernel *k) {
    int steps = 0;
    for (int y = 0; y < k->height; y++)
        for (int x = 0; x <= k->width; x++)
            steps +=
                imf_fft_gpu_difference(k->taps + (size_t)y * (size_t)k->width, k->width, x) != 0;
    return steps;
}

int imf_fft_gpu_sums_pitch(const struct imf_problem *p) {
    return imf_round_up(p->width + p->kernel[0]->width, 16);
}

/* Whether doubtful pixels can be summed by `steps` ends of runs: sums along rows, modulo 2^32, suffice
 * and fit the buffer. */
static bool may_run(const struct imf_fft_gpu_tiling *t, const struct imf_problem *p, int steps,
                    size_t spectra) {
    const struct imf_kernel *k = p->kernel[0];
    double line = (double)p->channels * imf_fft_gpu_sums_pitch(p);
    return !t->bound.split && p->in_max * t->bound.abs_sum < INT32_MAX &&
           4 * line * (p->height + k->height - 1) <= (double)spectra * t->chunk &&
           line * k->height < INT32_MAX && (double)steps < (double)k->width * k->height;
}

/* Nanoseconds of a unit for doubtful pixels, by the cheaper of two ways, which it also chooses: pixels *
 * taps * again, or samples * sum + pixels * (steps + AGAIN_STEPS) * step. */
static double again_ns(struct imf_fft_gpu_tiling *t, const struct imf_problem *p, int steps,
                       size_t spectra, const struct imf_gpu_rates *g) {
    const struct imf_kernel *k = p->kernel[0];
    double pixels = (double)p->width * p->height * p->channels * t->doubtful;
    double taps = pixels * k->width * k->height * g->again;
    double samples = (double)imf_fft_gpu_sums_pitch(p) * p->channels * (p->height + k->height - 1);
    double runs = samples * g->sum + pixels * (steps + AGAIN_STEPS) * g->step;
    t->steps = runs < taps && may_run(t, p, steps, spectra) ? steps : 0;
    return t->steps ? runs : taps;
}

/* launches + (elements of columns * column + of rows * row + again) / units. steps: the kernel's;
 * spectra: bytes of a pair's. */
static double estimate_ms(struct imf_fft_gpu_tiling *t, const struct imf_problem *p,
                          const struct imf_device *d, int steps, size_t spectra) {
    const struct imf_tuning *u = imf_tuning(d);
    const struct imf_gpu_rates *g = &u->gpu;
    double lines = (double)t->pairs * t->ny * p->channels;
    double columns = lines * t->pitch_in * g->column *
                     pow(g->long_column, fmax(0, log2(t->ny / 256.0))) *
                     fmax(1, t->ny / SECTOR_LENGTH);
    double rows = lines * t->tiles_x * t->nx * g->row * (t->nx > 256 ? g->long_row : 1);
    double again = p->exact ? again_ns(t, p, steps, spectra, g) : 0;
    return g->fft_ms + (p->exact ? g->again_ms : 0) + (t->steps ? u->next_ms : 0) +
           (columns + rows + again) * 1e-6 / imf_tuning_units(d);
}

/* Unlike on a CPU, sums that a float leaves in doubt are not tested in integers first, unless integers
 * alone would not decide all. */
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
    int steps = p->exact ? imf_fft_gpu_steps(k) : 0;
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
            size_t bytes = imf_fft_gpu_bytes(&t, p);
            double lines = (double)ny * p->channels * t.tiles_x;
            if (bytes > d->max_alloc || lines > INT32_MAX / 2)
                continue;
            size_t chunk = (SPECTRA_BYTES < d->max_alloc ? SPECTRA_BYTES : d->max_alloc) / bytes;
            chunk = chunk > INT32_MAX / 2 / lines ? (size_t)(INT32_MAX / 2 / lines) : chunk;
            t.chunk = chunk < 1 ? 1 : chunk < (size_t)t.pairs ? (int)chunk : t.pairs;
            t.ms = estimate_ms(&t, p, d, steps, bytes);
            if (found && t.ms >= best->ms)
                continue;
            *best = t;
            found = true;
        }
    }
    return found;
}
