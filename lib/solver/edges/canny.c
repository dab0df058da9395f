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

struct canny_job {
    struct imf_problem p;
    struct imf_canny_parameters n;
    int64_t *down;                  /* smoothed in one direction: a row and its margins */
    int *value[IMF_CANNY_APERTURE]; /* rows of smoothed values, row y in y modulo their number */
    int next;                       /* the next row of values */
    int64_t *size[ROWS];            /* rows of gradients' sizes with a pixel more at both ends, */
    unsigned char *direction[ROWS]; /* and of directions */
    unsigned char *map;             /* 0: no edge, 1: an edge if it touches one, 2: an edge */
};

static void smooth_row(struct canny_job *j, const struct imf_surface *in, int y, int *to) {
    const struct imf_problem *p = &j->p;
    const struct imf_canny_parameters *n = &j->n;
    int from = -n->half - n->radius, end = p->width + n->half + n->radius;
    for (int c = 0; c < p->colors; c++) {
        for (int x = from; x < end; x++) {
            int64_t sum = 0;
            for (int k = -n->radius; k <= n->radius; k++) {
                double v = imf_sample_get(imf_surface_row(in, y + k), in->sample,
                                          (ptrdiff_t)x * p->channels + c);
                sum += (int64_t)n->weight[abs(k)] * value_of_sample(n, p, v);
            }
            j->down[x - from] = sum;
        }
        for (int x = -n->half; x < p->width + n->half; x++) {
            int64_t sum = 1 << (2 * IMF_CANNY_BITS - 1);
            for (int k = -n->radius; k <= n->radius; k++)
                sum += n->weight[abs(k)] * j->down[x + k - from];
            to[(x + n->half) * p->colors + c] = (int)(sum >> (2 * IMF_CANNY_BITS));
        }
    }
}

static int *value_row(struct canny_job *j, int y) {
    return j->value[(y + IMF_CANNY_APERTURE) % IMF_CANNY_APERTURE];
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
static int64_t gradient(struct canny_job *j, int x, int y, unsigned char *direction) {
    const struct imf_canny_parameters *n = &j->n;
    int64_t most = -1;
    for (int c = 0; c < j->p.colors; c++) {
        int64_t gx = 0, gy = 0;
        for (int i = 0; i <= 2 * n->half; i++)
            for (int k = 0; k <= 2 * n->half; k++) {
                int64_t v = value_row(j, y + i - n->half)[(x + k) * j->p.colors + c];
                gx += n->smooth[i] * n->derive[k] * v;
                gy += n->derive[i] * n->smooth[k] * v;
            }
        int64_t size = j->p.canny->squares ? gx * gx + gy * gy : llabs(gx) + llabs(gy);
        if (size > most) {
            most = size;
            *direction = (unsigned char)direction_of(gx, gy);
        }
    }
    return most;
}

static void gradient_row(struct canny_job *j, const struct imf_surface *in, int y) {
    int64_t *size = j->size[(y + ROWS) % ROWS];
    memset(size, 0, ((size_t)j->p.width + 2) * sizeof *size);
    if (y < 0 || y >= j->p.height)
        return;
    for (; j->next <= y + j->n.half; j->next++)
        smooth_row(j, in, j->next, value_row(j, j->next));
    for (int x = 0; x < j->p.width; x++)
        size[x + 1] = gradient(j, x, y, &j->direction[y % ROWS][x]);
}

/* Non-maximum suppression of row y, into the map. */
static void thin_row(struct canny_job *j, int y) {
    static const int step[][2] = {[IMF_CANNY_ALONG_X] = {1, 0},
                                  [IMF_CANNY_ALONG_Y] = {0, 1},
                                  [IMF_CANNY_FALLS] = {1, 1},
                                  [IMF_CANNY_RISES] = {-1, 1}};
    const struct imf_canny *canny = j->p.canny;
    for (int x = 0; x < j->p.width; x++) {
        int direction = j->direction[y % ROWS][x], dx = step[direction][0], dy = step[direction][1];
        bool diagonal = dx != 0 && dy != 0;
        if (!diagonal) {
            dx *= canny->first_x;
            dy *= canny->first_y;
        }
        int64_t size = j->size[y % ROWS][x + 1];
        int64_t before = j->size[(y - dy + ROWS) % ROWS][x - dx + 1];
        int64_t behind = j->size[(y + dy + ROWS) % ROWS][x + dx + 1];
        bool largest = size > before && (size > behind || (size == behind && !diagonal));
        bool remains = largest && size > j->n.low;
        j->map[(size_t)y * (size_t)j->p.width + (size_t)x] =
            remains + (remains && size > j->n.high);
    }
}

static bool touches(const struct canny_job *j, int x, int y) {
    for (int v = imf_max(y - 1, 0); v <= imf_min(y + 1, j->p.height - 1); v++)
        for (int u = imf_max(x - 1, 0); u <= imf_min(x + 1, j->p.width - 1); u++)
            if (j->map[(size_t)v * (size_t)j->p.width + (size_t)u] == 2)
                return true;
    return false;
}

/* Hysteresis: pass forwards and backwards over all pixels until nothing changes. */
static void trace(struct canny_job *j) {
    int width = j->p.width, height = j->p.height;
    bool changed = true;
    for (bool back = false; changed; back = !back) {
        changed = false;
        for (int r = 0; r < height; r++)
            for (int s = 0; s < width; s++) {
                int y = back ? height - 1 - r : r, x = back ? width - 1 - s : s;
                unsigned char *at = &j->map[(size_t)y * (size_t)width + (size_t)x];
                if (*at == 1 && touches(j, x, y)) {
                    *at = 2;
                    changed = true;
                }
            }
    }
}

/* Milliseconds: samples * (canny + taps * canny_tap) * 1e-6, in the host's nanoseconds. */
static void canny_propose(const struct imf_problem *p, const struct imf_device *d,
                          struct imf_proposal *out) {
    double row = p->width + 2.0 * (IMF_CANNY_RADIUS + IMF_CANNY_APERTURE);
    (void)d;
    out->feasible = true;
    out->error = 0;
    double taps = p->canny->sigma > 0 ? 2 * ceil(4 * p->canny->sigma) : 0;
    double each = imf_host_rates.canny + taps * imf_host_rates.canny_tap;
    out->ms = (double)p->width * p->height * p->channels * each * 1e-6;
    out->bytes = (double)p->width * p->height + row * (8 * (1 + ROWS) + ROWS + 28.0 * p->colors);
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "plain C, edges of %dx%d gradients",
             p->canny->aperture, p->canny->aperture);
}

static void canny_destroy(void **job) {
    struct canny_job *j = *job;
    if (!j)
        return;
    free(j->down);
    free(j->map);
    for (int i = 0; i < IMF_CANNY_APERTURE; i++)
        free(j->value[i]);
    for (int i = 0; i < ROWS; i++) {
        free(j->size[i]);
        free(j->direction[i]);
    }
    free(j);
    *job = NULL;
}

static enum imf_status canny_make(void **job, const struct imf_problem *p,
                                  const struct imf_proposal *proposal, struct imf_queue *queue,
                                  struct imf_error *err) {
    (void)proposal, (void)queue;
    struct canny_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->p = *p;
    imf_canny_parameters(&j->n, p);
    size_t width = (size_t)p->width, row = width + 2 * (size_t)(j->n.half + j->n.radius), pixels;
    bool good = imf_size_mul(width, (size_t)p->height, &pixels) && (j->map = malloc(pixels));
    good = good && (j->down = malloc(row * sizeof *j->down));
    for (int i = 0; good && i < IMF_CANNY_APERTURE; i++)
        good = (j->value[i] = malloc(row * (size_t)p->colors * sizeof **j->value));
    for (int i = 0; good && i < ROWS; i++)
        good = (j->size[i] = malloc((width + 2) * sizeof **j->size)) &&
               (j->direction[i] = malloc(width));
    if (good)
        return IMF_OK;
    canny_destroy(job);
    return imf_fail_memory(err, (size_t)proposal->bytes);
}

static enum imf_status canny_run(void *job, const struct imf_surface *in,
                                 const struct imf_surface *out, struct imf_error *err) {
    struct canny_job *j = job;
    const struct imf_problem *p = &j->p;
    struct imf_levels levels;
    (void)err;
    j->next = -j->n.half;
    gradient_row(j, in, -1);
    gradient_row(j, in, 0);
    for (int y = 0; y < p->height; y++) {
        gradient_row(j, in, y + 1);
        thin_row(j, y);
    }
    trace(j);
    imf_levels_make(&levels, p, out->sample);
    for (int y = 0; y < p->height; y++)
        for (ptrdiff_t x = 0; x < p->width; x++)
            for (int c = 0; c < p->channels; c++) {
                bool edge = j->map[(size_t)y * (size_t)p->width + (size_t)x] == 2;
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
    .old_make = canny_make,
    .old_run = canny_run,
    .old_destroy = canny_destroy,
};
