/*
 * extreme_rows.c - the inner loops of solver/extreme.c
 *
 * All that the least or greatest in a window takes are rows of which the lesser or greater samples
 * are taken, one by one: loops that compilers make vectors of, with as many rows side by side as
 * stay in registers.
 */
#include "solver/extreme_rows.h"

#include "base/clones.h"
#include "base/surface.h"

#define TIMES2(step, k) step(k) step(k + 1)
#define TIMES4(step) TIMES2(step, 0) TIMES2(step, 2)
#define TIMES8(step) TIMES4(step) TIMES2(step, 4) TIMES2(step, 6)

#define LESSER(k) v = p[k][i] < v ? p[k][i] : v;
#define GREATER(k) v = p[k][i] > v ? p[k][i] : v;

/* Take some rows to what is there, or to the first of them. */
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

#define EXTREME(name, type, step)                                                                  \
    IMF_CLONES static void name(type *restrict to, const void *const *at, int count, int n) {      \
        int left = count;                                                                          \
        n &= -IMF_SLACK; /* which it is: loops need no rest */                                     \
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
EXTREME(least_bytes, uint8_t, LESSER)
EXTREME(least_words, uint16_t, LESSER)
EXTREME(least_floats, float, LESSER)
EXTREME(greatest_bytes, uint8_t, GREATER)
EXTREME(greatest_words, uint16_t, GREATER)
EXTREME(greatest_floats, float, GREATER)

void imf_extreme_rows(enum imf_sample sample, bool greatest, void *to, const void *const *at,
                      int count, int n) {
    if (sample == IMF_U8)
        (greatest ? greatest_bytes : least_bytes)(to, at, count, n);
    else if (sample == IMF_U16)
        (greatest ? greatest_words : least_words)(to, at, count, n);
    else
        (greatest ? greatest_floats : least_floats)(to, at, count, n);
}
