/* float_row.c - the epilogue of rows of floats */
#include "solver/common/float_row.h"

#include "base/clones.h"

/* The nearest integers, ties to even: floats from 1.5 * 2^23 on have no fraction. */
#define NEAREST(type)                                                                              \
    do {                                                                                           \
        type *to = row;                                                                            \
        for (int i = 0; i < n; i++) {                                                              \
            float w = v[i] > 0 ? v[i] : 0;                                                         \
            w = w < full ? w : full;                                                               \
            to[i] = (type)(int)(w + 0x1.8p23f - 0x1.8p23f);                                        \
        }                                                                                          \
    } while (0)

IMF_CLONES static void store(void *restrict row, enum imf_sample sample, float *restrict v, int n,
                             const struct imf_epilogue *e) {
    float mul = (float)e->multiply, add = (float)e->offset, full = (float)e->full;
    float level = (float)e->level, *floats = row;
    for (int i = 0; i < n && e->absolute; i++)
        v[i] = v[i] < 0 ? -v[i] : v[i];
    for (int i = 0; i < n; i++)
        v[i] = v[i] * mul + add;
    for (int i = 0; i < n && e->threshold; i++)
        v[i] = v[i] >= level ? full : 0;
    if (sample == IMF_U8)
        NEAREST(uint8_t);
    else if (sample == IMF_U16)
        NEAREST(uint16_t);
    else
        for (int i = 0; i < n; i++)
            floats[i] = v[i];
}

void imf_float_row_store(void *row, enum imf_sample sample, float *v, int n,
                         const struct imf_epilogue *e) {
    store(row, sample, v, n, e);
}
