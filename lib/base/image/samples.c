/* samples.c - rows of samples of every type as float64, and back */
#include "base/image/samples.h"

#include "base/clones.h"

#include <string.h>

size_t imf_sample_size(enum imf_sample sample) {
    static const size_t size[] = {[IMF_U8] = 1, [IMF_U16] = 2, [IMF_F32] = 4, [IMF_F64] = 8};
    return size[sample];
}

/* Each type has a function of its own, so that the compiler sees one loop over one type. */
#define SAMPLES(name, type, sample)                                                                \
    IMF_CLONES static void from_##name(double *restrict to, const type *restrict row,              \
                                       size_t count) {                                             \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = (double)row[i];                                                                \
    }                                                                                              \
    IMF_CLONES static void to_##name(type *restrict row, const double *restrict v, size_t count) { \
        for (size_t i = 0; i < count; i++)                                                         \
            imf_sample_put(row, sample, (ptrdiff_t)i, v[i]);                                       \
    }
SAMPLES(bytes, uint8_t, IMF_U8)
SAMPLES(words, uint16_t, IMF_U16)
SAMPLES(floats, float, IMF_F32)

void imf_samples_widen(double *restrict to, const void *row, enum imf_sample sample,
                       ptrdiff_t first, size_t count) {
    switch (sample) {
    case IMF_U8:
        from_bytes(to, (const uint8_t *)row + first, count);
        break;
    case IMF_U16:
        from_words(to, (const uint16_t *)row + first, count);
        break;
    case IMF_F32:
        from_floats(to, (const float *)row + first, count);
        break;
    case IMF_F64:
        memcpy(to, (const double *)row + first, count * sizeof *to);
        break;
    }
}

void imf_samples_narrow(void *row, enum imf_sample sample, const double *v, size_t count) {
    switch (sample) {
    case IMF_U8:
        to_bytes(row, v, count);
        break;
    case IMF_U16:
        to_words(row, v, count);
        break;
    case IMF_F32:
        to_floats(row, v, count);
        break;
    case IMF_F64:
        memcpy(row, v, count * sizeof *v);
        break;
    }
}

/* With a constant type, so that the compiler sees one loop over one type. */
static inline void widen_channel(double *restrict to, const void *row, enum imf_sample sample,
                                 ptrdiff_t first, int step, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = imf_sample_get(row, sample, first + (ptrdiff_t)i * step);
}

static inline void narrow_channel(void *restrict row, enum imf_sample sample, ptrdiff_t first,
                                  int step, const double *restrict v, size_t count) {
    for (size_t i = 0; i < count; i++)
        imf_sample_put(row, sample, first + (ptrdiff_t)i * step, v[i]);
}

void imf_channel_widen(double *restrict to, const void *row, enum imf_sample sample,
                       ptrdiff_t first, int step, size_t count) {
    if (sample == IMF_U8)
        widen_channel(to, row, IMF_U8, first, step, count);
    else if (sample == IMF_U16)
        widen_channel(to, row, IMF_U16, first, step, count);
    else if (sample == IMF_F32)
        widen_channel(to, row, IMF_F32, first, step, count);
    else
        widen_channel(to, row, IMF_F64, first, step, count);
}

void imf_channel_narrow(void *row, enum imf_sample sample, ptrdiff_t first, int step,
                        const double *v, size_t count) {
    if (sample == IMF_U8)
        narrow_channel(row, IMF_U8, first, step, v, count);
    else if (sample == IMF_U16)
        narrow_channel(row, IMF_U16, first, step, v, count);
    else if (sample == IMF_F32)
        narrow_channel(row, IMF_F32, first, step, v, count);
    else
        narrow_channel(row, IMF_F64, first, step, v, count);
}

/* x - x is 0 of what is finite, and NaN else. Blocks without a branch inside vectorise. */
#define FINITE(type)                                                                               \
    for (int i = 0, n; i < count; i += n) {                                                        \
        const type *v = (const type *)row + i;                                                     \
        type sum = 0;                                                                              \
        n = count - i < BLOCK ? count - i : BLOCK;                                                 \
        for (int k = 0; k < n; k++)                                                                \
            sum = v[k] - v[k] == 0 ? sum : 1;                                                      \
        for (int k = 0; k < n && sum != 0; k++)                                                    \
            if (!isfinite(v[k]))                                                                   \
                return i + k;                                                                      \
    }

IMF_CLONES static int finite_floats(const float *row, int count) {
    enum { BLOCK = 256 };
    FINITE(float)
    return count;
}

IMF_CLONES static int finite_doubles(const double *row, int count) {
    enum { BLOCK = 256 };
    FINITE(double)
    return count;
}

int imf_samples_finite(const void *row, enum imf_sample sample, int count) {
    return sample == IMF_F32 ? finite_floats(row, count) : finite_doubles(row, count);
}
