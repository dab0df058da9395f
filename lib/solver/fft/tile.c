/*
 * tile.c - how an image is cut into tiles for convolution by transforms
 *
 * Overlap-save: a tile of n x n samples yields (n - K + 1) x (n - K + 1) outputs. Large tiles waste less,
 * small ones need fewer stages and stay in cache, and whole tiles should fit the image's size. All
 * products of small primes are tried; the cheapest is taken.
 */
#include "solver/fft/tile.h"

#include "device/tuning.h"

#include <math.h>

/* A larger plane of a tile is shared by all work-items, with one launch for each pass. */
#define SHARED_BYTES ((size_t)24 << 20)

size_t imf_fft_tiling_scratch(const struct imf_fft_tiling *t) {
    size_t work, plane, all, groups = (size_t)t->groups, item = 2 * sizeof(float);
    if (!imf_size_mul((size_t)t->y.length, groups * IMF_FFT_VEC * item, &work) ||
        !imf_size_mul((size_t)t->x.length * (size_t)t->y.length, item, &plane) ||
        !imf_size_mul(plane, t->shared ? 1 : groups, &plane) || !imf_size_add(work, plane, &all))
        return 0;
    return all;
}

int imf_fft_tiling_step(const struct imf_fft_tiling *t) {
    return (t->bound.alone ? 1 : 2) * t->valid_y;
}

/* Bands end between tiles. A row of pairs of tiles reads and writes at most so many bytes, and the image
 * has at least so many such rows, unless the kernel is too tall or the image small. */
#define STEP_BYTES 28e6
#define STEPS 6
#define SMALL_BYTES 4e6

static double most_rows(const struct imf_problem *p) {
    double row =
        (double)p->width * p->channels * (double)(imf_sample_size(p->in) + imf_sample_size(p->out));
    if (row * p->height < SMALL_BYTES)
        return INFINITY;
    return fmax(fmin((double)p->height / STEPS, STEP_BYTES / row), 2.0 * p->kernel[0]->height);
}

/* Nanoseconds of one transform for each element of a tile. */
static double stages_ns(const struct imf_fft_plan *plan) {
    double sum = 0;
    for (int s = 0; s < plan->stages; s++)
        sum += imf_fft_stage_ns[plan->radix[s]];
    return sum;
}

/*
 * rounds * (elements * (stages + misses) + outputs * (load and store + proof) + start) * channels,
 * where rounds is the number of pairs of tiles of a unit and each the nanoseconds of an element's
 * stages, forward and inverse.
 */
static double estimate_ms(const struct imf_fft_tiling *t, double elements, double each,
                          const struct imf_problem *p, const struct imf_device *d) {
    const struct imf_tuning *rate = imf_tuning(d);
    double outputs = (t->bound.alone ? 1.0 : 2.0) * t->valid_x * t->valid_y;
    double miss = rate->fft_miss * fmax(elements * 8e-6 - 1, 0);
    bool integers = p->exact && !imf_fft_near_tie(p, &t->bound, t->error);
    double output = rate->fft_output + (integers ? rate->fft_exact : 0);
    double units = d->compute_units > 0 ? d->compute_units : 1, pace = imf_tuning_units(d) / units;
    double rounds = t->shared ? t->pairs / units : ceil(t->pairs / units);
    each = rate->fft_stages * each + fmin(miss, rate->fft_miss_most);
    return rounds / pace * (elements * each + outputs * output + rate->fft_start) * p->channels *
           1e-6;
}

/* Divide an axis of `size` outputs into tiles. Sets the outputs of a tile, at least `least`; returns the
 * number of tiles, a multiple of `group`. */
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

/* A candidate for a tile's side. */
struct side {
    int length;
    int valid; /* outputs of a tile */
    int tiles;
    double ns; /* stages of an element, forward and inverse */
};

/* More than the number of products of small primes below 2^22 that are multiples of 4. */
#define SIDES 2048

/* List the lengths to try along an axis of `size` outputs, up to the first that covers it. */
static size_t list_sides(struct side *list, int taps, int size, int group, int least) {
    size_t count = 0;
    for (int n = taps + IMF_FFT_VEC - 1; count < SIDES && (n = imf_fft_length(n, IMF_FFT_VEC)) != 0;
         n++) {
        struct imf_fft_plan plan;
        struct side *s = &list[count];
        if (!imf_fft_plan_make(&plan, n))
            break;
        s->length = n;
        s->tiles = divide(&s->valid, n, taps, size, group, least);
        s->ns = 2 * stages_ns(&plan);
        count++;
        if (s->tiles == 1)
            break;
    }
    return count;
}

bool imf_fft_tiling_choose(struct imf_fft_tiling *best, const struct imf_problem *p,
                           const struct imf_device *d) {
    const struct imf_kernel *k = p->kernel[0];
    int units = d->compute_units > 0 ? (int)d->compute_units : 1;
    struct imf_fft_bound bound = imf_fft_bound(p);
    struct side x[SIDES], y[SIDES];
    size_t xs = list_sides(x, k->width, p->width, 1, IMF_FFT_VEC);
    size_t ys = list_sides(y, k->height, p->height, bound.alone ? 1 : 2, 1);
    struct imf_fft_tiling t = {.bound = bound};
    bool found = false;
    double most = most_rows(p);
    for (size_t j = 0; j < ys; j++) {
        t.valid_y = y[j].valid;
        if (found && imf_fft_tiling_step(&t) > most)
            continue;
        for (size_t i = 0; i < xs; i++) {
            t.x.length = x[i].length;
            t.y.length = y[j].length;
            t.valid_x = x[i].valid;
            t.valid_y = y[j].valid;
            t.tiles_x = x[i].tiles;
            t.pairs = x[i].tiles * y[j].tiles;
            double elements = (double)t.x.length * t.y.length;
            t.shared = elements * 8 > SHARED_BYTES;
            t.groups = t.shared ? 4 * units : t.pairs < units ? t.pairs : units;
            if (p->exact) /* the bound decides how exact sums are found */
                t.error = imf_fft_error(&bound, elements);
            t.ms = estimate_ms(&t, elements, x[i].ns + y[j].ns, p, d);
            if (found && t.ms >= best->ms)
                continue;
            size_t bytes = imf_fft_tiling_scratch(&t);
            if (bytes > 0 && bytes <= d->max_alloc) {
                *best = t;
                found = true;
            }
        }
    }
    if (found)
        best->error = imf_fft_error(&bound, (double)best->x.length * best->y.length);
    return found && imf_fft_plan_make(&best->x, best->x.length) &&
           imf_fft_plan_make(&best->y, best->y.length);
}
