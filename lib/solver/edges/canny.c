/*
 * canny.c - edges after Canny, in plain C
 *
 * This is the reference, in integers, so that all solvers give the same bytes. The method is that of
 * IEEE Transactions on Pattern Analysis and Machine Intelligence 8(6), 1986, with the steps and
 * apertures of OpenVX 1.2, "Canny Edge Detector":
 *
 * 1. Samples become values: integers in units of 1/16 of an 8-bit step, or of a 16-bit step. A Gaussian
 *    whose weights are multiples of 1/4096 smoothes them, down and across, rounded once, halves up.
 * 2. Sobel's kernels of 3, 5 or 7 taps give the gradient's components; its size is |gx| + |gy| or
 *    gx^2 + gy^2. A pixel of several colours has the largest of their gradients, of equal ones the
 *    first. Beyond the image gradients are 0.
 * 3. Non-maximum suppression: a pixel is kept if its gradient is above LOW and the largest across the
 *    edge, in the nearest of four directions. Of two equal gradients along a row or column the first
 *    is kept; along a diagonal neither.
 * 4. Hysteresis: a kept pixel is an edge if its gradient is above HIGH, or if it touches an edge by a
 *    side or corner.
 */
#include "solver/edges/canny.h"

#include "device/tuning.h"
#include "solver/solver.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers --------------------------------------------------------------------------------- */

/* The cumulative sums from the tail on are rounded and weights are their differences: each weight is
 * within 1 of the exact one, and their sum is exact. Weights of 0 at the end are cut off. */
static void set_weights(struct imf_canny_parameters *n, double sigma) {
    int radius = (int)ceil(4 * sigma);
    double g[IMF_CANNY_RADIUS + 1] = {1}, sum = 1, tail = 0;
    uint32_t one = 1 << IMF_CANNY_BITS, used = 0;
    for (int i = 1; i <= radius; i++) {
        g[i] = exp(-(i / sigma) * (i / sigma) / 2);
        sum += 2 * g[i];
    }
    for (int i = radius; i >= 1; i--) {
        tail += g[i];
        n->weight[i] = (uint32_t)rint(one * (tail / sum)) - used;
        used += n->weight[i];
        if (used && !n->radius)
            n->radius = i;
    }
    n->weight[0] = one - 2 * used;
}

/* A threshold as an integer. A product that is an integer except for its rounding becomes that
 * integer. */
static int64_t threshold(double fraction, double one, bool squares) {
    double v = fraction * one, whole = rint(v);
    v = fabs(v - whole) <= 4 * DBL_EPSILON * v ? whole : v;
    return (int64_t)floor(squares ? v * v : v);
}

void imf_canny_parameters(struct imf_canny_parameters *n, const struct imf_problem *p) {
    static const int smooth[][IMF_CANNY_APERTURE] = {
        {1, 2, 1}, {1, 4, 6, 4, 1}, {1, 6, 15, 20, 15, 6, 1}};
    static const int derive[][IMF_CANNY_APERTURE] = {
        {-1, 0, 1}, {-1, -2, 0, 2, 1}, {-1, -4, -5, 0, 5, 4, 1}};
    const struct imf_canny *c = p->canny;
    double full = p->epilogue.full, one = 0, sum = 0;
    *n = (struct imf_canny_parameters){.scale = full > 255 ? 1 : 16, .half = c->aperture / 2};
    set_weights(n, c->sigma);
    for (int i = 0; i < c->aperture; i++) {
        n->smooth[i] = smooth[n->half - 1][i];
        n->derive[i] = derive[n->half - 1][i];
        sum += n->smooth[i];
        one += n->derive[i] > 0 ? n->derive[i] : 0;
    }
    one *= sum * full * n->scale;
    n->low = threshold(c->low, one, c->squares);
    n->high = threshold(c->high, one, c->squares);
}

/* The value of sample v. */
static int value_of_sample(const struct imf_canny_parameters *n, const struct imf_problem *p,
                           double v) {
    return (int)rint(fmin(fmax(v, 0), p->epilogue.full) * n->scale);
}

/* ---- the reference --------------------------------------------------------------------------- */

#define ROWS 3 /* rows of gradients that are kept */

static const struct imf_canny_parameters *numbers_of(const struct imf_job *job) {
    return job->own;
}

/* The host's memory: */
enum memory {
    DOWN,       /* int64_t, smoothed in one direction: a row and its margins; */
    VALUES,     /* int, smoothed: IMF_CANNY_APERTURE such rows; */
    SIZES,      /* int64_t: ROWS rows of gradients' sizes with a pixel more at both ends, */
    DIRECTIONS, /* bytes, and of directions; */
    MAP         /* bytes, of the image: 0: no edge, 1: an edge if it touches one, 2: an edge */
};

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    (void)shape;
    size_t reach = IMF_CANNY_APERTURE / 2 + (size_t)ceil(4 * p->canny->sigma);
    size_t width = (size_t)p->width, row = width + 2 * reach;
    return imf_size_mul(row, sizeof(int64_t), &bytes[DOWN]) &&
           imf_size_mul(row, IMF_CANNY_APERTURE * sizeof(int) * (size_t)p->colors,
                        &bytes[VALUES]) &&
           imf_size_mul(width + 2, ROWS * sizeof(int64_t), &bytes[SIZES]) &&
           imf_size_mul(width, ROWS, &bytes[DIRECTIONS]) &&
           imf_size_mul(width, (size_t)p->height, &bytes[MAP]);
}

/* Row y of those that are kept, from pixel 0 on, or of values from half the aperture before it. */
static int *value_row(const struct imf_job *job, int y) {
    size_t all = (size_t)(job->p.width + 2 * numbers_of(job)->half) * (size_t)job->p.colors;
    return (int *)job->memory[VALUES] +
           (size_t)((y + IMF_CANNY_APERTURE) % IMF_CANNY_APERTURE) * all;
}

static int64_t *size_row(const struct imf_job *job, int y) {
    return (int64_t *)job->memory[SIZES] + ((y + ROWS) % ROWS) * ((ptrdiff_t)job->p.width + 2) + 1;
}

static unsigned char *direction_row(const struct imf_job *job, int y) {
    return (unsigned char *)job->memory[DIRECTIONS] + y % ROWS * (ptrdiff_t)job->p.width;
}

static unsigned char *map_row(const struct imf_job *job, int y) {
    return (unsigned char *)job->memory[MAP] + y * (ptrdiff_t)job->p.width;
}

/* Smooth row y into the rows of values. */
static void smooth_row(const struct imf_job *job, const struct imf_surface *in, int y) {
    const struct imf_problem *p = &job->p;
    const struct imf_canny_parameters *n = numbers_of(job);
    int from = -n->half - n->radius, end = p->width + n->half + n->radius;
    int64_t *down = job->memory[DOWN];
    int *to = value_row(job, y);
    for (int c = 0; c < p->colors; c++) {
        for (int x = from; x < end; x++) {
            int64_t sum = 0;
            for (int k = -n->radius; k <= n->radius; k++) {
                double v = imf_sample_get(imf_surface_row(in, y + k), in->sample,
                                          (ptrdiff_t)x * p->channels + c);
                sum += (int64_t)n->weight[abs(k)] * value_of_sample(n, p, v);
            }
            down[x - from] = sum;
        }
        for (int x = -n->half; x < p->width + n->half; x++) {
            int64_t sum = 1 << (2 * IMF_CANNY_BITS - 1);
            for (int k = -n->radius; k <= n->radius; k++)
                sum += n->weight[abs(k)] * down[x + k - from];
            to[(x + n->half) * p->colors + c] = (int)(sum >> (2 * IMF_CANNY_BITS));
        }
    }
}

static int direction_of(int64_t gx, int64_t gy) {
    int64_t x = gx < 0 ? -gx : gx, y = gy < 0 ? -gy : gy;
    if (y * 32768 < x * IMF_CANNY_TANGENT)
        return IMF_CANNY_ALONG_X;
    if (x * 32768 < y * IMF_CANNY_TANGENT)
        return IMF_CANNY_ALONG_Y;
    return (gx < 0) == (gy < 0) ? IMF_CANNY_FALLS : IMF_CANNY_RISES;
}

/* The size of the gradient at (x, y); sets its direction. */
static int64_t gradient(const struct imf_job *job, int x, int y, unsigned char *direction) {
    const struct imf_canny_parameters *n = numbers_of(job);
    int64_t most = -1;
    for (int c = 0; c < job->p.colors; c++) {
        int64_t gx = 0, gy = 0;
        for (int i = 0; i <= 2 * n->half; i++)
            for (int k = 0; k <= 2 * n->half; k++) {
                int64_t v = value_row(job, y + i - n->half)[(x + k) * job->p.colors + c];
                gx += n->smooth[i] * n->derive[k] * v;
                gy += n->derive[i] * n->smooth[k] * v;
            }
        int64_t size = job->p.canny->squares ? gx * gx + gy * gy : llabs(gx) + llabs(gy);
        if (size > most) {
            most = size;
            *direction = (unsigned char)direction_of(gx, gy);
        }
    }
    return most;
}

/* Sizes and directions of row y; values are those of the row above. */
static void gradient_row(const struct imf_job *job, const struct imf_surface *in, int y) {
    int half = numbers_of(job)->half, width = job->p.width;
    int64_t *size = size_row(job, y);
    memset(size - 1, 0, ((size_t)width + 2) * sizeof *size);
    if (y < 0 || y >= job->p.height)
        return;
    for (int next = y ? y + half : -half; next <= y + half; next++)
        smooth_row(job, in, next);
    for (int x = 0; x < width; x++)
        size[x] = gradient(job, x, y, &direction_row(job, y)[x]);
}

/* Non-maximum suppression of row y, into the map. */
static void thin_row(const struct imf_job *job, int y) {
    static const int step[][2] = {[IMF_CANNY_ALONG_X] = {1, 0},
                                  [IMF_CANNY_ALONG_Y] = {0, 1},
                                  [IMF_CANNY_FALLS] = {1, 1},
                                  [IMF_CANNY_RISES] = {-1, 1}};
    const struct imf_canny *canny = job->p.canny;
    const struct imf_canny_parameters *n = numbers_of(job);
    for (int x = 0; x < job->p.width; x++) {
        int direction = direction_row(job, y)[x], dx = step[direction][0], dy = step[direction][1];
        bool diagonal = dx != 0 && dy != 0;
        if (!diagonal) {
            dx *= canny->first_x;
            dy *= canny->first_y;
        }
        int64_t size = size_row(job, y)[x], before = size_row(job, y - dy)[x - dx];
        int64_t behind = size_row(job, y + dy)[x + dx];
        bool largest = size > before && (size > behind || (size == behind && !diagonal));
        bool remains = largest && size > n->low;
        map_row(job, y)[x] = remains + (remains && size > n->high);
    }
}

static bool touches(const struct imf_job *job, int x, int y) {
    for (int v = imf_max(y - 1, 0); v <= imf_min(y + 1, job->p.height - 1); v++)
        for (int u = imf_max(x - 1, 0); u <= imf_min(x + 1, job->p.width - 1); u++)
            if (map_row(job, v)[u] == 2)
                return true;
    return false;
}

/* Hysteresis: pass forwards and backwards over all pixels until nothing changes. */
static void trace(const struct imf_job *job) {
    int width = job->p.width, height = job->p.height;
    bool changed = true;
    for (bool back = false; changed; back = !back) {
        changed = false;
        for (int r = 0; r < height; r++)
            for (int s = 0; s < width; s++) {
                int y = back ? height - 1 - r : r, x = back ? width - 1 - s : s;
                unsigned char *at = &map_row(job, y)[x];
                if (*at == 1 && touches(job, x, y)) {
                    *at = 2;
                    changed = true;
                }
            }
    }
}

/* Milliseconds: samples * (canny + taps * canny_tap) * 1e-6, in the host's nanoseconds. */
static void canny_propose(const struct imf_problem *p, const struct imf_device *d,
                          struct imf_proposal *out) {
    (void)d;
    if (!imf_proposal_buffers(out, p))
        return;
    out->feasible = true;
    out->error = 0;
    double taps = p->canny->sigma > 0 ? 2 * ceil(4 * p->canny->sigma) : 0;
    double each = imf_host_rates.canny + taps * imf_host_rates.canny_tap;
    out->ms = (double)p->width * p->height * p->channels * each * 1e-6;
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "plain C, edges of %dx%d gradients",
             p->canny->aperture, p->canny->aperture);
}

static enum imf_status canny_prepare(struct imf_job *job, struct imf_error *err) {
    (void)err;
    imf_canny_parameters(job->own, &job->p);
    return IMF_OK;
}

static enum imf_status canny_run(struct imf_job *job, const struct imf_surface *in,
                                 const struct imf_surface *out, struct imf_error *err) {
    const struct imf_problem *p = &job->p;
    struct imf_levels levels;
    (void)err;
    gradient_row(job, in, -1);
    gradient_row(job, in, 0);
    for (int y = 0; y < p->height; y++) {
        gradient_row(job, in, y + 1);
        thin_row(job, y);
    }
    trace(job);
    imf_levels_make(&levels, p, out->sample);
    for (int y = 0; y < p->height; y++)
        for (ptrdiff_t x = 0; x < p->width; x++)
            for (int c = 0; c < p->channels; c++) {
                bool edge = map_row(job, y)[x] == 2;
                ptrdiff_t at = x * p->channels + c;
                double alpha = imf_sample_get(imf_surface_row(in, y), in->sample, at);
                imf_sample_put(imf_surface_row(out, y), out->sample, at,
                               c < p->colors ? levels.v[edge] : alpha);
            }
    return IMF_OK;
}

const struct imf_solver imf_solver_canny = {
    .name = "cpu",
    .backend = IMF_BACKEND_CPU,
    .float64 = true,
    .kinds = 1u << IMF_CANNY,
    .propose = canny_propose,
    .own = sizeof(struct imf_canny_parameters),
    .sizes = sizes,
    .prepare = canny_prepare,
    .run = canny_run,
};
