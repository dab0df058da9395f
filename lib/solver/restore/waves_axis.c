/*
 * waves_axis.c - functions along an axis that vary slowly, as values at nodes
 *
 * Node j's function b(j) falls from 1 at the node to 0 at its neighbours, (1 + cos(pi t)) / 2, so that
 * all of them add up to 1; its transform falls by 18 dB an octave, which keeps frequencies
 * apart. The values c that fit samples f best solve G c = r with G(i,j) = sum b(i) b(j) and
 * r(j) = sum b(j) f. A coarser level's functions are sums P of the finest: G becomes P' G P, r
 * P' r. Beyond two off the diagonal there is nothing in either.
 *
 * The sums are over the axis alone: nothing is said of what lies beyond its ends.
 */
#include "solver/restore/waves_axis.h"

#include <math.h>
#include <stdlib.h>

#define BAND 3 /* of a symmetric matrix: the diagonal and two beside it */

static double fall(double t) {
    return 0.5 + 0.5 * cos(acos(-1.0) * t);
}

/* L and 1 / D of the matrix whose row i has m[i][k] in column i - k. */
static void factorize(double (*m)[BAND], int n) {
    for (int i = 0; i < n; i++) {
        double far = i > 1 ? m[i][2] : 0, near = i > 0 ? m[i][1] : 0, diagonal = m[i][0];
        if (i > 1) {
            near -= far * m[i - 1][1];
            m[i][2] = far * m[i - 2][0];
            diagonal -= far * m[i][2];
        }
        if (i > 0) {
            m[i][1] = near * m[i - 1][0];
            diagonal -= near * m[i][1];
        }
        m[i][0] = 1 / diagonal;
    }
}

static void set_parents(struct imf_wave_level *l, int cells, int coarse) {
    for (int j = 0; j <= cells; j++) {
        double at = (double)j * coarse / cells;
        int lower = coarse ? (int)fmin(floor(at), coarse - 1) : 0;
        l->lower[j] = lower;
        l->weight[j] = coarse ? fall(at - lower) : 1;
    }
}

/* Products of the level's functions from those of the finest ones, whose matrix is `fine`. */
static void set_products(struct imf_wave_level *l, double (*fine)[BAND], int cells) {
    for (int i = 0; i < l->nodes; i++)
        for (int k = 0; k < BAND; k++)
            l->factor[i][k] = 0;
    for (int j = 0; j <= cells; j++)
        for (int k = -1; k <= 1; k++) {
            int other = j + k;
            if (other < 0 || other > cells)
                continue;
            double product = k > 0 ? fine[other][1] : fine[j][-k];
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) {
                    int row = l->lower[j] + a, apart = row - l->lower[other] - b;
                    double weight = (a ? 1 - l->weight[j] : l->weight[j]) *
                                    (b ? 1 - l->weight[other] : l->weight[other]);
                    if (row < l->nodes && apart >= 0 && apart < BAND)
                        l->factor[row][apart] += product * weight;
                }
        }
}

static bool level_alloc(struct imf_wave_level *l, int cells, int coarse) {
    l->nodes = coarse + 1;
    l->lower = malloc(((size_t)cells + 1) * sizeof *l->lower);
    l->weight = malloc(((size_t)cells + 1) * sizeof *l->weight);
    l->factor = malloc((size_t)l->nodes * sizeof *l->factor);
    return l->lower && l->weight && l->factor;
}

enum imf_status imf_wave_axis_make(struct imf_wave_axis *out, int size, int spacing,
                                   struct imf_error *err) {
    int cells = (size - 1) / spacing + 1;
    *out = (struct imf_wave_axis){size, spacing, cells, (cells * spacing - size) / 2, NULL, {{0}}};
    out->weight = malloc((size_t)spacing * sizeof *out->weight);
    double(*fine)[BAND] = calloc((size_t)cells + 1, sizeof *fine);
    bool ok = out->weight && fine;
    for (int i = 0; ok && i < IMF_WAVE_LEVELS; i++) {
        int coarse = i + 1 < IMF_WAVE_LEVELS ? (int)rint((double)cells / (1 << i)) : 0;
        ok = level_alloc(&out->level[i], cells, coarse);
    }
    for (int i = 0; ok && i < spacing; i++)
        out->weight[i] = fall((i + 0.5) / spacing);
    for (int x = 0; ok && x < size; x++) {
        int cell = (x + out->start) / spacing;
        double first = out->weight[(x + out->start) % spacing], second = 1 - first;
        fine[cell][0] += first * first;
        fine[cell + 1][0] += second * second;
        fine[cell + 1][1] += first * second;
    }
    for (int i = 0; ok && i < IMF_WAVE_LEVELS; i++) {
        struct imf_wave_level *l = &out->level[i];
        set_parents(l, cells, l->nodes - 1);
        set_products(l, fine, cells);
        factorize(l->factor, l->nodes);
    }
    free(fine);
    if (ok)
        return IMF_OK;
    imf_wave_axis_free(out);
    return imf_fail_memory(err, (size_t)cells * IMF_WAVE_LEVELS * BAND * sizeof(double));
}

void imf_wave_axis_free(struct imf_wave_axis *a) {
    for (int i = 0; i < IMF_WAVE_LEVELS; i++) {
        free(a->level[i].lower);
        free(a->level[i].weight);
        free(a->level[i].factor);
    }
    free(a->weight);
    *a = (struct imf_wave_axis){0};
}

void imf_wave_gather(const struct imf_wave_axis *a, int level, double *out, const double *in,
                     size_t outer, size_t inner) {
    const struct imf_wave_level *l = &a->level[level];
    size_t nodes = (size_t)l->nodes, fine = (size_t)a->cells + 1;
    for (size_t o = 0; o < outer; o++, in += fine * inner, out += nodes * inner) {
        for (size_t i = 0; i < nodes * inner; i++)
            out[i] = 0;
        for (size_t j = 0; j < fine; j++) {
            double *to = out + (size_t)l->lower[j] * inner;
            double first = l->weight[j], second = 1 - first;
            for (size_t i = 0; i < inner; i++)
                to[i] += first * in[j * inner + i];
            if (second > 0)
                for (size_t i = 0; i < inner; i++)
                    to[inner + i] += second * in[j * inner + i];
        }
    }
}

void imf_wave_solve(const struct imf_wave_axis *a, int level, double *values, size_t outer,
                    size_t inner) {
    const struct imf_wave_level *l = &a->level[level];
    size_t nodes = (size_t)l->nodes;
    for (size_t o = 0; o < outer; o++, values += nodes * inner) {
        for (size_t j = 1; j < nodes; j++)
            for (size_t i = 0; i < inner; i++) {
                double *v = values + j * inner + i;
                *v -= l->factor[j][1] * v[-(ptrdiff_t)inner];
                if (j > 1)
                    *v -= l->factor[j][2] * v[-2 * (ptrdiff_t)inner];
            }
        for (size_t j = nodes; j-- > 0;)
            for (size_t i = 0; i < inner; i++) {
                double *v = values + j * inner + i;
                *v *= l->factor[j][0];
                if (j + 1 < nodes)
                    *v -= l->factor[j + 1][1] * v[inner];
                if (j + 2 < nodes)
                    *v -= l->factor[j + 2][2] * v[2 * inner];
            }
    }
}

void imf_wave_spread(const struct imf_wave_axis *a, int level, double *out, const double *in,
                     size_t outer, size_t inner) {
    const struct imf_wave_level *l = &a->level[level];
    size_t nodes = (size_t)l->nodes, fine = (size_t)a->cells + 1;
    for (size_t o = 0; o < outer; o++, in += nodes * inner, out += fine * inner)
        for (size_t j = 0; j < fine; j++) {
            const double *from = in + (size_t)l->lower[j] * inner;
            double first = l->weight[j], second = 1 - first;
            for (size_t i = 0; i < inner; i++)
                out[j * inner + i] = first * from[i] + (second > 0 ? second * from[inner + i] : 0);
        }
}
