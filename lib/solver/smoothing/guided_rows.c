/*
 * guided_rows.c - the inner loops of solver/smoothing/guided.c
 *
 * All sums are of integers that float64 holds exactly: running sums have no rounding errors.
 */
#include "solver/smoothing/guided_rows.h"

#include "base/clones.h"

#define INLINE static inline __attribute__((always_inline))
#define WHOLE 0x1.8p52 /* doubles of this size have no fraction */

#define ADD(type, value)                                                                           \
    do {                                                                                           \
        const type *in = comes, *out = goes;                                                       \
        for (int i = 0; i < n; i++) {                                                              \
            double v = in[i];                                                                      \
            v = value;                                                                             \
            sums[i] += v;                                                                          \
            squares[i] += v * v;                                                                   \
        }                                                                                          \
        for (int i = 0; i < n && out; i++) {                                                       \
            double v = out[i];                                                                     \
            v = value;                                                                             \
            sums[i] -= v;                                                                          \
            squares[i] -= v * v;                                                                   \
        }                                                                                          \
    } while (0)

IMF_CLONES static void add(double *restrict sums, double *restrict squares, enum imf_sample sample,
                           const void *comes, const void *goes, double scale, int n) {
    if (sample == IMF_U8)
        ADD(uint8_t, v);
    else if (sample == IMF_U16)
        ADD(uint16_t, v);
    else
        ADD(float, v *scale + WHOLE - WHOLE);
}

void imf_guided_add(double *sums, double *squares, enum imf_sample sample, const void *comes,
                    const void *goes, double scale, int n) {
    add(sums, squares, sample, comes, goes, scale, n);
}

IMF_CLONES static void move(double *restrict sums, const int32_t *restrict line, double sign,
                            int n) {
    for (int i = 0; i < n; i++)
        sums[i] += sign * line[i];
}

void imf_guided_move(double *slopes, double *offsets, int32_t *const lines[2], double sign, int n) {
    move(slopes, lines[0], sign, n);
    move(offsets, lines[1], sign, n);
}

/* Two rows at once: their additions do not depend on each other. */
INLINE void slide(double *restrict to0, double *restrict to1, const double *restrict from0,
                  const double *restrict from1, int side, int channels, int n) {
    double sum[2][4] = {{0}};
    int ahead = (side - 1) * channels;
    for (int i = 0; i < ahead; i += channels)
        for (int c = 0; c < channels; c++) {
            sum[0][c] += from0[i + c];
            sum[1][c] += from1[i + c];
        }
    for (int i = 0; i < n; i += channels)
        for (int c = 0; c < channels; c++) {
            to0[i + c] = sum[0][c] += from0[i + c + ahead];
            to1[i + c] = sum[1][c] += from1[i + c + ahead];
            sum[0][c] -= from0[i + c];
            sum[1][c] -= from1[i + c];
        }
}

void imf_guided_slide(double *to[2], const double *from[2], int side, int channels, int n) {
    if (channels == 1)
        slide(to[0], to[1], from[0], from[1], side, 1, n);
    else if (channels == 2)
        slide(to[0], to[1], from[0], from[1], side, 2, n);
    else if (channels == 3)
        slide(to[0], to[1], from[0], from[1], side, 3, n);
    else
        slide(to[0], to[1], from[0], from[1], side, 4, n);
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

#define MIX(type)                                                                                  \
    do {                                                                                           \
        const type *at = row;                                                                      \
        for (int i = 0; i < n; i++)                                                                \
            to[i] = (float)(slopes[i] * slope * at[i] + offsets[i] * offset);                      \
    } while (0)

IMF_CLONES static void mix(float *restrict to, const double *restrict slopes,
                           const double *restrict offsets, double slope, double offset,
                           enum imf_sample sample, const void *row, int n) {
    if (sample == IMF_U8)
        MIX(uint8_t);
    else if (sample == IMF_U16)
        MIX(uint16_t);
    else
        MIX(float);
}

void imf_guided_mix(float *to, const double *slopes, const double *offsets, double slope,
                    double offset, enum imf_sample sample, const void *row, int n) {
    mix(to, slopes, offsets, slope, offset, sample, row, n);
}
