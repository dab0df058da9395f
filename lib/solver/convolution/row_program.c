/* row_program.c - a kernel as products of rows */
#include "solver/convolution/row_program.h"

#include "base/image/rounding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t nonzero(const double *taps, int n) {
    size_t count = 0;
    for (int j = 0; j < n; j++)
        count += taps[j] != 0;
    return count;
}

/* The factor c with row = c * other (exact: an integer), or 0 if there is none. */
static double factor(const double *row, const double *other, int n, bool exact) {
    int peak = 0;
    for (int j = 1; j < n; j++)
        if (fabs(other[j]) > fabs(other[peak]))
            peak = j;
    double c = row[peak] / other[peak];
    if (exact && c != rint(c))
        return 0;
    for (int j = 0; j < n; j++)
        if (fabs(row[j] - c * other[j]) > (exact ? 0 : 1e-12 * fabs(row[peak])))
            return 0;
    return c;
}

void imf_row_program_write(struct imf_row_program *g, const struct imf_kernel *k, bool exact) {
    const double *before = NULL;
    *g = (struct imf_row_program){0};
    int w = k->width, kept[IMF_ROW_PROGRAM_SIDE];
    for (int a = 0; a < k->height; a++) {
        const double *row = k->taps + (size_t)a * (size_t)w;
        g->of[a] = -1;
        if (!nonzero(row, w))
            continue;
        g->additions++;
        for (int d = 0; d < g->rows && g->of[a] < 0; d++) {
            g->coef[a] = factor(row, k->taps + (size_t)kept[d] * (size_t)w, w, exact);
            if (g->coef[a] != 0)
                g->of[a] = d;
        }
        if (g->of[a] >= 0)
            continue;
        int d = g->rows++;
        double *taps = g->taps[d];
        for (int j = 0; j < w; j++)
            taps[j] = before ? row[j] - before[j] : 0;
        g->chained[d] = before && nonzero(taps, w) < nonzero(row, w);
        if (!g->chained[d])
            memcpy(taps, row, (size_t)w * sizeof *taps);
        g->products += nonzero(taps, w);
        g->of[a] = d;
        g->coef[a] = 1;
        kept[d] = a;
        before = row;
    }
    if (g->rows == 0)
        g->rows = 1; /* a kernel without taps */
    for (int d = 0; d < g->rows; d++) {
        int users = 0;
        for (int a = 0; a < k->height; a++)
            if (g->of[a] == d && ++users)
                g->once[d] = a;
        if (users != 1 || g->chained[d] || (d + 1 < g->rows && g->chained[d + 1]))
            g->once[d] = -1;
        else
            g->additions--;
    }
}

double imf_row_program_error(const struct imf_row_program *g, const struct imf_kernel *k,
                             double in_max) {
    double taps[IMF_ROW_PROGRAM_SIDE][IMF_ROW_PROGRAM_SIDE], reach[IMF_ROW_PROGRAM_SIDE],
        variance[IMF_ROW_PROGRAM_SIDE];
    for (int d = 0; d < g->rows; d++) {
        reach[d] = variance[d] = 0;
        if (g->chained[d]) {
            reach[d] = reach[d - 1];
            variance[d] = variance[d - 1];
        }
        for (int j = 0; j < k->width; j++) {
            double tap = (double)(float)g->taps[d][j];
            taps[d][j] = tap + (g->chained[d] ? taps[d - 1][j] : 0);
            if (tap == 0)
                continue;
            reach[d] += fabs(tap) * in_max;
            variance[d] += imf_float_ulp(reach[d]) * imf_float_ulp(reach[d]) / 12;
        }
    }
    double wrong = 0, sum = 0, total = 0;
    for (int a = 0; a < k->height; a++) {
        int d = g->of[a];
        if (d < 0)
            continue;
        double c = (double)(float)g->coef[a];
        for (int j = 0; j < k->width; j++)
            wrong += fabs(k->taps[a * k->width + j] - c * taps[d][j]);
        if (g->once[d] < 0)
            total += c * c * variance[d];
        for (int j = 0; j < k->width && g->once[d] >= 0; j++) {
            double partial = sum += fabs(taps[d][j]) * in_max;
            total += taps[d][j] != 0 ? imf_float_ulp(partial) * imf_float_ulp(partial) / 12 : 0;
        }
        if (g->once[d] >= 0)
            continue;
        sum += fabs(c) * reach[d];
        total += imf_float_ulp(sum) * imf_float_ulp(sum) / 12;
    }
    return wrong * in_max + IMF_SIGMAS * sqrt(total);
}

void imf_row_program_define(struct imf_defines *d, const struct imf_row_program *g,
                            const struct imf_kernel *k, bool packed, const char *prefix) {
    void (*define)(struct imf_defines *, const char *, const double *, size_t) =
        packed ? imf_define_ints : imf_define_floats;
    double flat[IMF_ROW_PROGRAM_SIDE * IMF_ROW_PROGRAM_SIDE], numbers[IMF_ROW_PROGRAM_SIDE];
    char name[32];
    for (int r = 0; r < g->rows; r++)
        memcpy(flat + r * k->width, g->taps[r], (size_t)k->width * sizeof *flat);
    snprintf(name, sizeof name, "%s_N", prefix);
    imf_define(d, name, "%d", g->rows);
    snprintf(name, sizeof name, "%s_TAPS", prefix);
    define(d, name, flat, (size_t)(g->rows * k->width));
    snprintf(name, sizeof name, "%s_CHAINED", prefix);
    for (int r = 0; r < g->rows; r++)
        numbers[r] = g->chained[r];
    imf_define_ints(d, name, numbers, (size_t)g->rows);
    snprintf(name, sizeof name, "%s_OF", prefix);
    for (int a = 0; a < k->height; a++)
        numbers[a] = g->of[a];
    imf_define_ints(d, name, numbers, (size_t)k->height);
    snprintf(name, sizeof name, "%s_COEF", prefix);
    define(d, name, g->coef, (size_t)k->height);
    snprintf(name, sizeof name, "%s_ONCE", prefix);
    for (int r = 0; r < g->rows; r++)
        numbers[r] = g->once[r];
    imf_define_ints(d, name, numbers, (size_t)g->rows);
}
