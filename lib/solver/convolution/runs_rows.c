/* runs_rows.c - the inner loops of solver/convolution/runs.c, which compilers vectorise */
#include "solver/convolution/runs_rows.h"

#include "base/clones.h"

#include <string.h>

/* ---- prefix sums ------------------------------------------------------------------------------ */

#define AS_IT_IS(v) (v)
/* A float in units, rounded towards 0. */
#define UNITS(v) ((uint32_t)(int32_t)((v)*unit))

#define PREFIX(name, sum, sample, VALUE)                                                           \
    static inline void name##_of(sum *restrict to, const sample *restrict from, int channels,      \
                                 int n, float unit) {                                              \
        (void)unit;                                                                                \
        sum before[2 * IMF_CHANNELS_MAX] = {0}; /* twice as many, or gcc 12 warns */               \
        for (int i = 0; i < n; i += channels)                                                      \
            for (int c = 0; c < channels; c++) {                                                   \
                to[i + c] = before[c];                                                             \
                before[c] = (sum)(before[c] + VALUE(from[i + c]));                                 \
            }                                                                                      \
        memcpy(to + n, before, (size_t)channels * sizeof *to);                                     \
    }                                                                                              \
    static void name(sum *restrict to, const sample *restrict from, int channels, int n,           \
                     float unit) {                                                                 \
        if (channels == 1) /* constants, so that sums stay in registers */                         \
            name##_of(to, from, 1, n, unit);                                                       \
        else if (channels == 2)                                                                    \
            name##_of(to, from, 2, n, unit);                                                       \
        else if (channels == 3)                                                                    \
            name##_of(to, from, 3, n, unit);                                                       \
        else                                                                                       \
            name##_of(to, from, 4, n, unit);                                                       \
    }
PREFIX(prefix_bytes, uint16_t, uint8_t, AS_IT_IS)
PREFIX(prefix_wide_bytes, uint32_t, uint8_t, AS_IT_IS)
PREFIX(prefix_words, uint32_t, uint16_t, AS_IT_IS)
PREFIX(prefix_floats, uint32_t, float, UNITS)

void imf_runs_prefix(enum imf_sample in, bool wide, void *to, const void *from, int channels, int n,
                     float unit) {
    if (in == IMF_U8 && wide)
        prefix_wide_bytes(to, from, channels, n, 1);
    else if (in == IMF_U8)
        prefix_bytes(to, from, channels, n, 1);
    else if (in == IMF_U16)
        prefix_words(to, from, channels, n, 1);
    else
        prefix_floats(to, from, channels, n, unit);
}

/* ---- sums of runs ----------------------------------------------------------------------------- */

#define RUN(k) (to[k][i] - from[k][i])
#define RUNS2(k) RUN(k) + RUN(k + 1)
#define RUNS4(k) RUNS2(k) + RUNS2(k + 2)

/* Add `count` runs at once. */
#define TAKE(type, count, all)                                                                     \
    do {                                                                                           \
        const type *from[count], *to[count];                                                       \
        for (int k = 0; k < (count); k++) {                                                        \
            from[k] = runs->from[first + k];                                                       \
            to[k] = runs->to[first + k];                                                           \
        }                                                                                          \
        for (int i = 0; i < n; i++)                                                                \
            sum[i] = (type)((first ? sum[i] : 0u) + (all));                                        \
        first += (count);                                                                          \
    } while (0)

#define SUM(name, type)                                                                            \
    IMF_CLONES static void name(type *restrict sum, const struct imf_runs_batch *runs, int n) {    \
        int first = 0;                                                                             \
        if (runs->count == 8)                                                                      \
            TAKE(type, 8, RUNS4(0) + RUNS4(4));                                                    \
        if (runs->count - first >= 4)                                                              \
            TAKE(type, 4, RUNS4(0));                                                               \
        if (runs->count - first >= 2)                                                              \
            TAKE(type, 2, RUNS2(0));                                                               \
        if (runs->count - first >= 1)                                                              \
            TAKE(type, 1, RUN(0));                                                                 \
    }
SUM(runs_sum_words, uint16_t)
SUM(runs_sum_longs, uint32_t)

#define ADD(name, type)                                                                            \
    IMF_CLONES static void name(uint32_t *restrict sum, const type *restrict more, int32_t tap,    \
                                int n) {                                                           \
        if (tap == 1)                                                                              \
            for (int i = 0; i < n; i++)                                                            \
                sum[i] += more[i];                                                                 \
        else                                                                                       \
            for (int i = 0; i < n; i++)                                                            \
                sum[i] += (uint32_t)tap * more[i];                                                 \
    }
ADD(runs_add_words, uint16_t)
ADD(runs_add_longs, uint32_t)

void imf_runs_add(bool wide, uint32_t *sum, const struct imf_runs_batch *runs, int32_t tap,
                  void *spare, int n) {
    if (wide) {
        runs_sum_longs(spare, runs, n);
        runs_add_longs(sum, spare, tap, n);
    } else {
        runs_sum_words(spare, runs, n);
        runs_add_words(sum, spare, tap, n);
    }
}

IMF_CLONES static void runs_widen(double *restrict all, const uint32_t *restrict sum, double weight,
                                  int n) {
    for (int i = 0; i < n; i++)
        all[i] += weight * (int32_t)sum[i];
}

void imf_runs_widen(double *all, const uint32_t *sum, double weight, int n) {
    runs_widen(all, sum, weight, n);
}
