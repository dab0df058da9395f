/*
 * running_sums.c - the inner loops of sums over windows, in the same time for any size
 *
 * All sums are of integers that float64 holds exactly: running sums have no rounding errors.
 */
#include "solver/smoothing/running_sums.h"

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

void imf_running_add(double *sums, double *squares, enum imf_sample sample, const void *comes,
                     const void *goes, double scale, int n) {
    add(sums, squares, sample, comes, goes, scale, n);
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

void imf_running_slide(double *const to[2], double *const from[2], int side, int channels, int n) {
    if (channels == 1)
        slide(to[0], to[1], from[0], from[1], side, 1, n);
    else if (channels == 2)
        slide(to[0], to[1], from[0], from[1], side, 2, n);
    else if (channels == 3)
        slide(to[0], to[1], from[0], from[1], side, 3, n);
    else
        slide(to[0], to[1], from[0], from[1], side, 4, n);
}
