/*
 * guided_rows.c - the inner loops of solver/smoothing/guided.c
 */
#include "solver/smoothing/guided_rows.h"

#include "base/clones.h"

IMF_CLONES static void move(double *restrict sums, const int32_t *restrict line, double sign,
                            int n) {
    for (int i = 0; i < n; i++)
        sums[i] += sign * line[i];
}

void imf_guided_move(double *slopes, double *offsets, int32_t *const lines[2], double sign, int n) {
    move(slopes, lines[0], sign, n);
    move(offsets, lines[1], sign, n);
}

IMF_CLONES static void fit(const struct imf_guided_fit *f, const double *restrict sums,
                           const double *restrict squares, int32_t *restrict slopes,
                           int32_t *restrict offsets, int n) {
    const double share = f->share;
    const float eps = (float)f->eps;
    for (int i = 0; i < n; i++) {
        double mean = sums[i] * share, variance = squares[i] * share - mean * mean;
        float v = (float)variance;
        v = v > 0 ? v : 0;
        double flat = (double)(eps / (v + eps)); /* 1 - the slope */
        slopes[i] = (int32_t)((1 - flat) * IMF_GUIDED_STEPS);
        offsets[i] = (int32_t)(flat * mean * f->steps);
    }
}

void imf_guided_fit(const struct imf_guided_fit *f, const double *sums, const double *squares,
                    int32_t *slopes, int32_t *offsets, int n) {
    fit(f, sums, squares, slopes, offsets, n);
}

#define MIX(type, member)                                                                          \
    do {                                                                                           \
        const type *at = row;                                                                      \
        for (int i = 0; i < n; i++)                                                                \
            to[i] = (float)(slopes[i] * slope * at[i] + offsets[i] * offset);                      \
    } while (0)

IMF_CLONES static void mix(float *restrict to, const double *restrict slopes,
                           const double *restrict offsets, double slope, double offset,
                           enum imf_sample sample, const void *row, int n) {
    IMF_EACH_NARROW(sample, MIX);
}

void imf_guided_mix(float *to, const double *slopes, const double *offsets, double slope,
                    double offset, enum imf_sample sample, const void *row, int n) {
    mix(to, slopes, offsets, slope, offset, sample, row, n);
}
