/*
 * reference.c - operations that map each sample value by the whole image's histogram, in plain C
 *
 * This is the reference. The other solvers (vector.c, device.c) count and look up faster, but take
 * the map from imf_histogram_op_map(), so that all give the same bytes.
 *
 * Equalization, as OpenVX and OpenCV define it for one channel: with c(v) samples of n not above v
 * and c0 of the least value that occurs, v becomes full * (c(v) - c0) / (n - c0), a quotient of
 * integers that is rounded to nearest, ties to even. The least value becomes 0 and the greatest
 * full scale. An image of equal samples is not changed. Where pixels are weighed by alpha, those under alpha 0 are not
 * among the n.
 *
 * Levels: the largest value with at most `black` of all samples below it becomes 0, the least with at most `white` of
 * them above it full scale, and what is between them ((v - b) / (w - b))^(1 / gamma) of it. Without a gamma that is a
 * quotient of integers again. Where both are one value the image is not changed.
 *
 * Otsu's threshold (IEEE Transactions on Systems, Man and Cybernetics 9(1), 1979) splits the
 * samples in two classes, up to t and above t, so that the variance between them is largest:
 * n0 n1 (m1 - m0)^2, of their numbers and means, in float64. Of several such t the least is taken,
 * and 0 for an image of equal samples. Samples above t become full scale, the others 0.
 */
#include "solver/histogram/reference.h"

#include "device/tuning.h"
#include "solver/solver.h"

#include <float.h>
#include <math.h>

int imf_histogram_op_full(const struct imf_problem *p) {
    return (int)p->epilogue.full;
}

static uint64_t total(const uint64_t *count, int full) {
    uint64_t n = 0;
    for (int v = 0; v <= full; v++)
        n += count[v];
    return n;
}

/* a / b, rounded to nearest, ties to even. */
static uint64_t rounded(uint64_t a, uint64_t b) {
    uint64_t q = a / b, rest = a % b;
    return q + (rest > b - rest || (rest == b - rest && q % 2));
}

static void equalize(double *value, const uint64_t *count, int full) {
    uint64_t n = total(count, full), sum = 0;
    int least = 0;
    while (least < full && !count[least])
        least++;
    for (int v = 0; v <= full; v++) {
        sum += v > least ? count[v] : 0;
        value[v] = count[least] == n ? v : (double)rounded(sum * (uint64_t)full, n - count[least]);
    }
}

static void stretch(double *value, const struct imf_problem *p, const uint64_t *count, int full) {
    uint64_t n = total(count, full), below = 0, above = 0;
    int black = 0, white = full;
    const double all = (double)n * (1 + 4 * DBL_EPSILON); /* 29% of 100 are 29 */
    while (black < full && (double)(below += count[black]) <= p->black * all)
        black++;
    while (white > 0 && (double)(above += count[white]) <= p->white * all)
        white--;
    for (int v = 0; v <= full; v++) {
        int step = imf_min(imf_max(v, black), white) - black, most = white - black;
        value[v] = black >= white ? v
                   : p->gamma == 1
                       ? (double)rounded((uint64_t)step * (uint64_t)full, (uint64_t)most)
                       : rint(full * pow((double)step / most, 1 / p->gamma));
    }
}

static int otsu(const uint64_t *count, int full) {
    uint64_t n = total(count, full), all = 0, n0 = 0, sum0 = 0;
    double most = 0;
    int best = 0;
    for (int v = 0; v <= full; v++)
        all += count[v] * (uint64_t)v;
    for (int v = 0; v < full; v++) {
        n0 += count[v];
        sum0 += count[v] * (uint64_t)v;
        if (n0 == 0 || n0 == n)
            continue;
        uint64_t n1 = n - n0;
        double apart = (double)(all - sum0) / (double)n1 - (double)sum0 / (double)n0;
        double between = (double)n0 * (double)n1 * (apart * apart);
        if (between > most * (1 + 1e-12)) { /* rounding makes equal variances differ */
            most = between;
            best = v;
        }
    }
    return best;
}

void imf_histogram_op_map(double *value, const struct imf_problem *p, const uint64_t *count) {
    int full = imf_histogram_op_full(p);
    if (p->histogram_op == IMF_HISTOGRAM_EQUALIZE) {
        equalize(value, count, full);
    } else if (p->histogram_op == IMF_HISTOGRAM_LEVELS) {
        stretch(value, p, count, full);
    } else {
        int level = otsu(count, full);
        for (int v = 0; v <= full; v++)
            value[v] = v > level ? full : 0;
    }
    for (int v = 0; v <= full; v++)
        value[v] = imf_epilogue_apply(&p->epilogue, value[v]);
}

/* ---- the reference --------------------------------------------------------------------------- */

struct own {
    double value[IMF_HISTOGRAM_SIZE];
    uint64_t count[IMF_HISTOGRAM_SIZE];
};

/* Milliseconds: samples * imf_host_rates.table * 1e-6. */
static void histogram_host_propose(const struct imf_problem *p, const struct imf_device *d,
                                   struct imf_proposal *out) {
    (void)d;
    out->feasible = true;
    out->ms = (double)p->width * p->height * p->channels * imf_host_rates.table * 1e-6;
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "plain C, histogram of %d values",
             imf_histogram_op_full(p) + 1);
}

static int value_of(const void *row, enum imf_sample sample, ptrdiff_t at, int full) {
    return (int)rint(fmin(fmax(imf_sample_get(row, sample, at), 0), full));
}

static enum imf_status histogram_host_run(struct imf_job *job, const struct imf_surface *in,
                                          const struct imf_surface *out, struct imf_error *err) {
    const struct imf_problem *p = &job->p;
    struct own *j = job->own;
    int full = imf_histogram_op_full(p);
    (void)err;
    for (int v = 0; v <= full; v++)
        j->count[v] = 0;
    for (int y = 0; y < in->height; y++)
        for (ptrdiff_t x = 0; x < p->width; x++) {
            const void *row = imf_surface_row(in, y);
            if (p->weigh && !value_of(row, in->sample, x * p->channels + p->colors, full))
                continue;
            for (int c = 0; c < p->colors; c++)
                j->count[value_of(row, in->sample, x * p->channels + c, full)]++;
        }
    imf_histogram_op_map(j->value, p, j->count);
    for (int y = 0; y < in->height; y++) {
        const void *from = imf_surface_row(in, y);
        void *to = imf_surface_row(out, y);
        for (ptrdiff_t x = 0; x < p->width; x++)
            for (int c = 0; c < p->channels; c++) {
                ptrdiff_t at = x * p->channels + c;
                imf_sample_put(to, out->sample, at,
                               c < p->colors ? j->value[value_of(from, in->sample, at, full)]
                                             : imf_sample_get(from, in->sample, at));
            }
    }
    return IMF_OK;
}

const struct imf_solver imf_solver_histogram_op_host = {
    .name = "cpu",
    .backend = IMF_BACKEND_CPU,
    .float64 = true,
    .kinds = 1u << IMF_HISTOGRAM_OP,
    .propose = histogram_host_propose,
    .own = sizeof(struct own),
    .run = histogram_host_run,
};
