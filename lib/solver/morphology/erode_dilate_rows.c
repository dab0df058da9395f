/*
 * erode_dilate_rows.c - the inner loops of solver/morphology/erode_dilate.c
 *
 * Every step is the minimum or maximum of some rows, sample by sample: loops that compilers
 * vectorise, over as many rows at once as fit in registers.
 */
#include "solver/morphology/erode_dilate_rows.h"

#include "base/clones.h"
#include "base/image/surface.h"

#define TIMES2(step, k) step(k) step(k + 1)
#define TIMES4(step) TIMES2(step, 0) TIMES2(step, 2)
#define TIMES8(step) TIMES4(step) TIMES2(step, 4) TIMES2(step, 6)

#define ERODE(k) v = p[k][i] < v ? p[k][i] : v;
#define DILATE(k) v = p[k][i] > v ? p[k][i] : v;

/* Combine `count` rows into `to`: with the contents of `to`, or starting with the first of them. */
#define TAKE(type, count, start, steps)                                                            \
    do {                                                                                           \
        const type *p[count];                                                                      \
        for (int k = 0; k < (count); k++)                                                          \
            p[k] = at[k];                                                                          \
        for (int i = 0; i < n; i++) {                                                              \
            type v = start;                                                                        \
            steps to[i] = v;                                                                       \
        }                                                                                          \
        at += (count), left -= (count);                                                            \
    } while (0)

#define ERODE_DILATE(name, type, step)                                                             \
    IMF_CLONES static void name(type *restrict to, const void *const *at, int count, int n) {      \
        int left = count;                                                                          \
        n &= -IMF_SLACK; /* which it is: loops need no scalar remainder */                         \
        if (left >= 8)                                                                             \
            TAKE(type, 8, p[0][i], TIMES8(step));                                                  \
        else if (left >= 4)                                                                        \
            TAKE(type, 4, p[0][i], TIMES4(step));                                                  \
        else if (left == 3)                                                                        \
            TAKE(type, 3, p[0][i], TIMES2(step, 1));                                               \
        else if (left == 2)                                                                        \
            TAKE(type, 2, p[0][i], step(1));                                                       \
        else                                                                                       \
            TAKE(type, 1, p[0][i], );                                                              \
        while (left > 0) {                                                                         \
            if (left >= 8)                                                                         \
                TAKE(type, 8, to[i], TIMES8(step));                                                \
            else if (left >= 4)                                                                    \
                TAKE(type, 4, to[i], TIMES4(step));                                                \
            else if (left >= 2)                                                                    \
                TAKE(type, 2, to[i], TIMES2(step, 0));                                             \
            else                                                                                   \
                TAKE(type, 1, to[i], step(0));                                                     \
        }                                                                                          \
    }
ERODE_DILATE(erode_bytes, uint8_t, ERODE)
ERODE_DILATE(erode_words, uint16_t, ERODE)
ERODE_DILATE(erode_floats, float, ERODE)
ERODE_DILATE(erode_doubles, double, ERODE)
ERODE_DILATE(dilate_bytes, uint8_t, DILATE)
ERODE_DILATE(dilate_words, uint16_t, DILATE)
ERODE_DILATE(dilate_floats, float, DILATE)
ERODE_DILATE(dilate_doubles, double, DILATE)

void imf_erode_dilate_rows(enum imf_sample sample, bool dilate, void *to, const void *const *at,
                           int count, int n) {
    if (sample == IMF_U8)
        (dilate ? dilate_bytes : erode_bytes)(to, at, count, n);
    else if (sample == IMF_U16)
        (dilate ? dilate_words : erode_words)(to, at, count, n);
    else if (sample == IMF_F64)
        (dilate ? dilate_doubles : erode_doubles)(to, at, count, n);
    else
        (dilate ? dilate_floats : erode_floats)(to, at, count, n);
}
