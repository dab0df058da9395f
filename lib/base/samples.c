/* samples.c - rows of samples of every type as float64, and back */
#include "base/samples.h"

#include <string.h>

size_t imf_sample_size(enum imf_sample sample) {
    static const size_t size[] = {[IMF_U8] = 1, [IMF_U16] = 2, [IMF_F32] = 4, [IMF_F64] = 8};
    return size[sample];
}

/* Called with a constant type, so that the compiler sees one loop over one type. */
static inline void widen(double *restrict to, const void *row, enum imf_sample sample,
                         ptrdiff_t first, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = imf_sample_get(row, sample, first + (ptrdiff_t)i);
}

static inline void narrow(void *restrict row, enum imf_sample sample, const double *restrict v,
                          size_t count) {
    for (size_t i = 0; i < count; i++)
        imf_sample_put(row, sample, (ptrdiff_t)i, v[i]);
}

void imf_samples_widen(double *restrict to, const void *row, enum imf_sample sample,
                       ptrdiff_t first, size_t count) {
    switch (sample) {
    case IMF_U8:
        widen(to, row, IMF_U8, first, count);
        break;
    case IMF_U16:
        widen(to, row, IMF_U16, first, count);
        break;
    case IMF_F32:
        widen(to, row, IMF_F32, first, count);
        break;
    case IMF_F64:
        memcpy(to, (const double *)row + first, count * sizeof *to);
        break;
    }
}

void imf_samples_narrow(void *row, enum imf_sample sample, const double *v, size_t count) {
    switch (sample) {
    case IMF_U8:
        narrow(row, IMF_U8, v, count);
        break;
    case IMF_U16:
        narrow(row, IMF_U16, v, count);
        break;
    case IMF_F32:
        narrow(row, IMF_F32, v, count);
        break;
    case IMF_F64:
        memcpy(row, v, count * sizeof *v);
        break;
    }
}
