/*
 * samples.h - samples of every type as float64, and back
 *
 * Integers are rounded to nearest, ties to even, and limited to their range; floats are kept as
 * they are. Use the functions for single samples only where few are touched or each costs much.
 */
#ifndef IMF_BASE_IMAGE_SAMPLES_H
#define IMF_BASE_IMAGE_SAMPLES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum imf_sample { IMF_U8, IMF_U16, IMF_F32, IMF_F64 };

size_t imf_sample_size(enum imf_sample sample);
/* Full scale of a sample type: 255, 65535; floats hold the scale of the image they came from. */
static inline double imf_sample_max(enum imf_sample sample) {
    return sample == IMF_U8 ? 255.0 : sample == IMF_U16 ? 65535.0 : 1.0;
}

/* Expand text(type, member), a loop that is written once, for the C type of a sample: (uint8_t, u8) and so
 * on; IMF_EACH_NARROW: of samples that are not float64. */
#define IMF_EACH_NARROW(sample, text)                                                              \
    do {                                                                                           \
        if (sample == IMF_U8)                                                                      \
            text(uint8_t, u8);                                                                     \
        else if (sample == IMF_U16)                                                                \
            text(uint16_t, u16);                                                                   \
        else                                                                                       \
            text(float, f32);                                                                      \
    } while (0)
#define IMF_EACH_SAMPLE(sample, text)                                                              \
    do {                                                                                           \
        if (sample == IMF_F64)                                                                     \
            text(double, f64);                                                                     \
        else                                                                                       \
            IMF_EACH_NARROW(sample, text);                                                         \
    } while (0)

/* `count` samples of a row from sample `first` on, which may be before the row's own. */
void imf_samples_widen(double *restrict to, const void *row, enum imf_sample sample,
                       ptrdiff_t first, size_t count);
/* The first `count` samples of a row. */
void imf_samples_narrow(void *row, enum imf_sample sample, const double *v, size_t count);

/* One channel of `count` pixels, whose samples are `step` apart, from sample `first` of a row on. */
void imf_channel_widen(double *restrict to, const void *row, enum imf_sample sample,
                       ptrdiff_t first, int step, size_t count);
void imf_channel_narrow(void *row, enum imf_sample sample, ptrdiff_t first, int step,
                        const double *v, size_t count);

/* The first of `count` floats or float64 that is NaN or infinite; `count`: none. */
int imf_samples_finite(const void *row, enum imf_sample sample, int count);

static inline double imf_sample_get(const void *row, enum imf_sample sample, ptrdiff_t at) {
    switch (sample) {
    case IMF_U8:
        return ((const uint8_t *)row)[at];
    case IMF_U16:
        return ((const uint16_t *)row)[at];
    case IMF_F32:
        return (double)((const float *)row)[at];
    case IMF_F64:
    default:
        return ((const double *)row)[at];
    }
}

static inline bool imf_is_integer(double v) {
    return v == rint(v);
}

/* Rounded to nearest, ties to even, and limited to 0..max; NaN becomes 0. No branch and no call, so that loops vectorise: float64 has no fraction above 2^52. */
static inline double imf_sample_round(double v, double max) {
    double limited = v > 0 ? (v < max ? v : max) : 0;
    return limited + 0x1p52 - 0x1p52;
}

/* The same in float32, which has no fraction above 2^23. */
static inline float imf_sample_round_float(float v, float max) {
    float limited = v > 0 ? (v < max ? v : max) : 0;
    return limited + 0x1.8p23f - 0x1.8p23f;
}

static inline void imf_sample_put(void *row, enum imf_sample sample, ptrdiff_t at, double v) {
    switch (sample) {
    case IMF_U8:
        ((uint8_t *)row)[at] = (uint8_t)(int)imf_sample_round(v, 255);
        break;
    case IMF_U16:
        ((uint16_t *)row)[at] = (uint16_t)(int)imf_sample_round(v, 65535);
        break;
    case IMF_F32:
        ((float *)row)[at] = (float)v;
        break;
    case IMF_F64:
        ((double *)row)[at] = v;
        break;
    }
}

/* Rec. 709's luma, 0.2126 r + 0.7152 g + 0.0722 b, or that of other weights of green and blue; exactly
 * that of gray where the colours are equal. */
#define IMF_LUMA_GREEN 0.7152
#define IMF_LUMA_BLUE 0.0722
#define IMF_LUMA_BY(green, blue, r, g, b) ((r) + (green) * ((g) - (r)) + (blue) * ((b) - (r)))
#define IMF_LUMA(type, r, g, b) IMF_LUMA_BY((type)IMF_LUMA_GREEN, (type)IMF_LUMA_BLUE, r, g, b)

#endif
