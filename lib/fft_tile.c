/*
 * fft_tile.c - how an image is cut into tiles for convolution by transforms
 *
 * Overlap-save: a tile of n samples a side yields n - K + 1 outputs a side. Large tiles waste
 * less, small ones need fewer stages and stay in cache; the image's size should be met by a whole
 * number of tiles. All products of small primes are tried and the cheapest kept.
 *
 * Accuracy. A transform in floats with exact twiddles has a relative L2 error of about
 * 0.6 eps sqrt(log2 N), eps = 2^-24, spread evenly over its outputs. Through forward transform,
 * product and inverse, an error of relative size e in the input's spectrum reaches the result as
 * e * rms(x) * |w|_2, and the inverse adds e * rms(y). Without structure in the input
 * rms(y) = rms(x) |w|_2. In flat parts it is rms(x) |sum w|, all of it at the lowest frequencies,
 * so that few roundings matter. imf_fft_error adds 6 and 12 times these two for samples at the far
 * end of the range. Measured on noise, edges, gratings and constants, the largest error stays below
 * 0.95 of that for the first kind and 0.85 for the second.
 */
#include "fft_tile.h"

#include <float.h>
#include <math.h>

/* A tile's plane above this is shared by all work-items, one pass a launch. */
#define SHARED_BYTES ((size_t)24 << 20)

/* An integer within this distance of a computed sum is the true one if errors are below 1 - WINDOW;
 * where there is none, the error is larger than usual and the sum is taken again. */
#define WINDOW 0.3

/* Where sums are doubtful no further than this from a tie between two pixels, it is worth letting a
 * float decide the others. */
#define TIE_MAX 0.01

double imf_fft_middle(const struct imf_problem *p) {
    return p->in == IMF_U8 ? 128 : p->in == IMF_U16 ? 32768 : 0;
}

double imf_fft_error(const struct imf_problem *p, double points) {
    const struct imf_kernel *k = p->kernel[0];
    double squares = 0, sum = imf_kernel_sum(k);
    for (size_t i = 0, n = (size_t)k->width * (size_t)k->height; i < n; i++)
        squares += k->taps[i] * k->taps[i];
    double size = p->in == IMF_F32 ? p->in_max : imf_fft_middle(p);
    double rms = FLT_EPSILON / 2 * sqrt(log2(points)) * size * sqrt(squares);
    double flat = FLT_EPSILON / 2 * size * fabs(sum);
    return 6 * rms + 12 * flat;
}

double imf_fft_window(double error) {
    return error < 1 - WINDOW ? WINDOW : error;
}

double imf_fft_doubtful(const struct imf_problem *p, double error) {
    if (error < 1 - WINDOW)
        return erfc(WINDOW / (error / 6) * sqrt(0.5));
    return p->out == IMF_F32 ? 1 : fmin(1, 2 * error / fabs(p->epilogue.scale));
}

double imf_fft_tie(const struct imf_problem *p, double error) {
    const struct imf_epilogue *e = &p->epilogue;
    double mul = fabs(e->multiply / e->scale);
    double largest = p->in == IMF_F32 ? p->in_max : imf_fft_middle(p);
    double sum = largest * imf_kernel_abs_sum(p->kernel[0]) * mul;
    double add = fabs(e->add) + fabs(e->offset) + sum;
    return fmax(error, 1 - WINDOW) * mul + FLT_EPSILON / 2 * (sum + add + e->full);
}

bool imf_fft_near_tie(const struct imf_problem *p, double error) {
    const struct imf_epilogue *e = &p->epilogue;
    return p->exact && p->out != IMF_F32 && !e->absolute && !e->threshold &&
           imf_fft_tie(p, error) <= TIE_MAX;
}

size_t imf_fft_tiling_scratch(const struct imf_fft_tiling *t, int vec) {
    size_t work, plane, all, groups = (size_t)t->groups, item = 2 * sizeof(float);
    if (!imf_size_mul((size_t)t->y.length, groups * (size_t)vec * item, &work) ||
        !imf_size_mul((size_t)t->x.length * (size_t)t->y.length, item, &plane) ||
        !imf_size_mul(plane, t->shared ? 1 : groups, &plane) || !imf_size_add(work, plane, &all))
        return 0;
    return all;
}

/* Nanoseconds of one core for the stages of one element of one transform. These and what follows
 * are fitted to times on an AMD Zen 3 with eight lanes, disks of radius 7 to 100 and Gaussians up
 * to sigma 50, 4000x3000 RGB, each with several sizes of tiles: most come within 12 %, all within
 * 20 % of what is measured. */
static double stages_ns(const struct imf_fft_plan *plan) {
    static const double ns[] = {
        [2] = 0.076, [3] = 0.115, [4] = 0.113, [5] = 0.15, [7] = 0.25, [8] = 0.172};
    double sum = 0;
    for (int s = 0; s < plan->stages; s++)
        sum += ns[plan->radix[s]];
    return sum;
}

/* Loads, transposes and stores, an output sample; cache misses of an element, by the megabytes of a
 * plane above the first, up to the pace of main memory; how much slower a GPU runs these one-item
 * work-groups. */
#define OUTPUT_NS 1.8
/* Starting a channel of a pair: lines and pages that none before it has fetched. */
#define START_NS 6000
#define MISS_NS 0.32
#define MISS_NS_MAX 10.7
/* Proving an exact sum in integers and dividing it, an output sample. */
#define EXACT_NS 1.0
#define GPU_FACTOR 50.0

static double estimate_ms(const struct imf_fft_tiling *t, const struct imf_problem *p,
                          const struct imf_device *d) {
    double elements = (double)t->x.length * t->y.length, outputs = 2.0 * t->valid_x * t->valid_y;
    double miss = MISS_NS * fmax(elements * 8e-6 - 1, 0);
    double each = 2 * stages_ns(&t->x) + 2 * stages_ns(&t->y) + fmin(miss, MISS_NS_MAX);
    bool integers = p->exact && !imf_fft_near_tie(p, imf_fft_error(p, elements));
    double output = OUTPUT_NS + (integers ? EXACT_NS : 0);
    double units = d->compute_units > 0 ? d->compute_units : 1;
    double rounds = t->shared ? t->pairs / units : ceil(t->pairs / units);
    return rounds * (elements * each + outputs * output + START_NS) * p->channels * 1e-6 *
           (d->gpu ? GPU_FACTOR : 1);
}

/* Outputs of a tile and the number of tiles for an axis of `size` outputs; the number is a multiple
 * of `group`, and all tiles but the last yield equally many, at least `least`. */
static int divide(int *valid, int length, int taps, int size, int group, int least) {
    int most = length - taps + 1;
    int count = (size - 1) / most + 1;
    count = (count + group - 1) / group * group;
    *valid = (size - 1) / count + 1;
    if (*valid < least)
        *valid = least;
    count = (size - 1) / *valid + 1;
    return (count + group - 1) / group;
}

bool imf_fft_tiling_choose(struct imf_fft_tiling *best, const struct imf_problem *p,
                           const struct imf_device *d, int vec) {
    const struct imf_kernel *k = p->kernel[0];
    int units = d->compute_units > 0 ? (int)d->compute_units : 1;
    bool found = false;
    for (int ny = k->height + vec - 1; (ny = imf_fft_length(ny, vec)) != 0; ny++) {
        struct imf_fft_tiling t;
        if (!imf_fft_plan_make(&t.y, ny))
            break;
        int pairs_y = divide(&t.valid_y, ny, k->height, p->height, 2, 1);
        for (int nx = k->width + vec - 1; (nx = imf_fft_length(nx, vec)) != 0; nx++) {
            if (!imf_fft_plan_make(&t.x, nx))
                break;
            t.tiles_x = divide(&t.valid_x, nx, k->width, p->width, 1, vec);
            t.pairs = pairs_y * t.tiles_x;
            t.shared = (size_t)nx * (size_t)ny * 8 > SHARED_BYTES;
            t.groups = t.shared ? 4 * units : t.pairs < units ? t.pairs : units;
            size_t bytes = imf_fft_tiling_scratch(&t, vec);
            t.ms = estimate_ms(&t, p, d);
            if (bytes > 0 && bytes <= d->max_alloc && (!found || t.ms < best->ms)) {
                *best = t;
                found = true;
            }
            if (t.tiles_x == 1)
                break;
        }
        if (pairs_y == 1)
            break;
    }
    return found;
}
