/* numbers.c - numbers that are not unsigned of 8 or 16 bits, as a TIFF packs them, and rows of floats */
#include "codec/tiff/numbers.h"

#include "base/image/info.h"
#include "codec/metadata/bytes.h"

#include <math.h>
#include <string.h>

#define BIG_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* ---- types ----------------------------------------------------------------------------------- */

struct imf_tiff_numbers imf_tiff_numbers_of(enum imf_type type, int bits) {
    bool integer = type == IMF_TYPE_UNSIGNED || type == IMF_TYPE_SIGNED;
    bool known =
        integer ? bits >= 1 && bits <= 32 : bits == 16 || bits == 24 || bits == 32 || bits == 64;
    int most = type == IMF_TYPE_UNSIGNED ? 24 : type == IMF_TYPE_SIGNED ? 25 : 32;
    if (type == IMF_TYPE_FLOAT && bits >= 32)
        type = IMF_TYPE_ROWS;
    return (struct imf_tiff_numbers){type, bits, !known ? 0 : bits <= most ? 32 : 64};
}

struct imf_tiff_numbers imf_tiff_numbers_of_info(const struct imf_info *info) {
    return (struct imf_tiff_numbers){(enum imf_type)info->type,
                                     info->type ? info->type_bits : info->depth,
                                     info->depth > 16 ? info->depth : 0};
}

/* ---- single numbers -------------------------------------------------------------------------- */

static inline uint64_t ones(int bits) {
    return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

/* Number i of a row. */
static inline uint64_t number_at(const unsigned char *row, size_t i, int bits) {
    uint64_t at = i * (uint64_t)bits, value = 0;
    uint16_t v16;
    uint32_t v32;
    switch (bits) {
    case 8:
        return row[i];
    case 16:
        memcpy(&v16, row + 2 * i, sizeof v16);
        return v16;
    case 32:
        memcpy(&v32, row + 4 * i, sizeof v32);
        return v32;
    case 64:
        memcpy(&value, row + 8 * i, sizeof value);
        return value;
    case 24:
        return imf_get(row + 3 * i, 3, BIG_ENDIAN_HOST);
    default:
        row += at / 8;
        int used = (int)(at % 8) + bits;
        for (int k = 0; k < used; k += 8)
            value = value << 8 | *row++;
        return value >> (-used & 7) & ones(bits);
    }
}

/* IEEE 754's half has 10 bits of mantissa and 5 of exponent, the float of 24 bits (Adobe's TIFF Technical Note 3) 16 and
 * 7. Moved to where float64 has them, its exponent is too small by a constant, which a product mends, of
 * denormals, too. */
static inline int mantissa_bits(int bits) {
    return bits == 16 ? 10 : 16;
}
static inline int bias_of(int bits) {
    return (1 << (bits - 2 - mantissa_bits(bits))) - 1;
}

static inline double widen(uint64_t number, int bits) {
    const int shift = 52 - mantissa_bits(bits), bias = bias_of(bits);
    uint64_t magnitude = (number & ones(bits - 1)) << shift, scale = (uint64_t)(2046 - bias) << 52;
    double value, factor;
    memcpy(&factor, &scale, sizeof factor); /* 2^(1023 - bias) */
    memcpy(&value, &magnitude, sizeof value);
    value *= factor;
    if (magnitude >> 52 == ones(bits - 1 - mantissa_bits(bits))) { /* infinity, NaN */
        magnitude |= ones(11) << 52;
        memcpy(&value, &magnitude, sizeof value);
    }
    return number >> (bits - 1) ? -value : value;
}

/* To nearest, ties to even. */
static inline uint64_t narrow(double v, int bits) {
    const int mantissa = mantissa_bits(bits), bias = bias_of(bits), shift = 52 - mantissa;
    const uint64_t infinity = ones(bits - 1 - mantissa) << mantissa;
    uint64_t number, all, sign;
    memcpy(&all, &v, sizeof all);
    sign = all >> 63 << (bits - 1);
    all &= ones(63);
    if (isnan(v))
        number = infinity | (all >> shift & ones(mantissa)) | (uint64_t)1 << (mantissa - 1);
    else if (isinf(v))
        number = infinity;
    else if (fabs(v) < ldexp(1, 1 - bias)) /* a denormal number, or 0 */
        number = (uint64_t)(fabs(v) * ldexp(1, bias - 1 + mantissa) + 0x1p52 - 0x1p52);
    else
        number = ((all + ones(shift - 1) + (all >> shift & 1)) >> shift) -
                 ((uint64_t)(1023 - bias) << mantissa);
    if (isfinite(v) && number >= infinity)
        number = infinity - 1;
    return sign | number;
}

static inline double value_of(uint64_t number, enum imf_type type, int bits) {
    if (type == IMF_TYPE_UNSIGNED)
        return (double)number;
    if (type == IMF_TYPE_SIGNED)
        return (double)((int64_t)(number << (64 - bits)) >> (64 - bits));
    return widen(number, bits);
}

static inline double value_in(const unsigned char *row, size_t i, bool wide) {
    double d;
    float f;
    if (wide)
        memcpy(&d, row + 8 * i, sizeof d);
    else
        memcpy(&f, row + 4 * i, sizeof f);
    return wide ? d : (double)f;
}

static inline void put_value(unsigned char *row, size_t i, bool wide, double d) {
    float f = (float)d;
    if (wide)
        memcpy(row + 8 * i, &d, sizeof d);
    else
        memcpy(row + 4 * i, &f, sizeof f);
}

static inline double rounded(double v, double low, double high) {
    double limited = v > low ? (v < high ? v : high) : isnan(v) ? 0 : low;
    return limited + 0x1.8p52 - 0x1.8p52;
}

static void limits_of(const struct imf_tiff_numbers *t, double *low, double *high) {
    const struct imf_info info = {
        .depth = 64, .type = (unsigned char)t->type, .type_bits = (unsigned char)t->bits};
    imf_info_limits(&info, low, high);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static inline void read_numbers(enum imf_type type, int bits, bool wide, unsigned char *to,
                                size_t to_step, const unsigned char *row, size_t first, size_t step,
                                size_t count) {
    for (size_t i = 0; i < count; i++, first += step)
        put_value(to, i * to_step, wide, value_of(number_at(row, first, bits), type, bits));
}

/* As they are, bit for bit. */
static inline void copy_numbers(size_t size, unsigned char *to, size_t to_step,
                                const unsigned char *row, size_t first, size_t step, size_t count) {
    for (size_t i = 0; i < count; i++, first += step)
        memcpy(to + i * to_step * size, row + first * size, size);
}

void imf_tiff_numbers_read(const struct imf_tiff_numbers *t, unsigned char *to, size_t to_step,
                           const unsigned char *row, size_t first, size_t step, size_t count) {
    bool wide = t->depth == 64;
    if (t->type == IMF_TYPE_ROWS && to_step == 1 && step == 1)
        memcpy(to, row + first * (size_t)(t->bits / 8), count * (size_t)(t->bits / 8));
    else if (t->type == IMF_TYPE_ROWS && wide)
        copy_numbers(8, to, to_step, row, first, step, count);
    else if (t->type == IMF_TYPE_ROWS)
        copy_numbers(4, to, to_step, row, first, step, count);
    else if (t->type == IMF_TYPE_FLOAT && t->bits == 16) /* usual types, as constants */
        read_numbers(IMF_TYPE_FLOAT, 16, false, to, to_step, row, first, step, count);
    else if (t->type == IMF_TYPE_SIGNED && t->bits == 16)
        read_numbers(IMF_TYPE_SIGNED, 16, false, to, to_step, row, first, step, count);
    else if (t->type == IMF_TYPE_UNSIGNED && t->bits == 32)
        read_numbers(IMF_TYPE_UNSIGNED, 32, true, to, to_step, row, first, step, count);
    else
        read_numbers(t->type, t->bits, wide, to, to_step, row, first, step, count);
}

void imf_tiff_numbers_write(const struct imf_tiff_numbers *t, unsigned char *to,
                            const unsigned char *row, size_t count) {
    bool wide = t->depth == 64, whole = t->bits % 8 == 0;
    uint64_t pending = 0;
    int held = 0;
    double low, high;
    if (t->type == IMF_TYPE_ROWS) {
        memcpy(to, row, count * (size_t)(t->bits / 8));
        return;
    }
    limits_of(t, &low, &high);
    for (size_t i = 0; i < count; i++) {
        double v = value_in(row, i, wide);
        uint64_t number = t->type != IMF_TYPE_FLOAT
                              ? (uint64_t)(int64_t)rounded(v, low, high) & ones(t->bits)
                          : t->bits == 16 ? narrow(v, 16)
                                          : narrow(v, 24);
        if (whole) {
            imf_put(to, t->bits / 8, number, BIG_ENDIAN_HOST);
            to += t->bits / 8;
            continue;
        }
        pending = pending << t->bits | number;
        for (held += t->bits; held >= 8; held -= 8)
            *to++ = (unsigned char)(pending >> (held - 8));
    }
    if (held)
        *to = (unsigned char)(pending << (8 - held));
}

void imf_tiff_numbers_divide(const struct imf_tiff_numbers *t, unsigned char *row, size_t count,
                             int channels) {
    bool wide = t->depth == 64;
    size_t n = (size_t)channels;
    double low, high;
    limits_of(t, &low, &high);
    bool integer = isfinite(high);
    for (size_t i = 0; i < count * n; i += n)
        for (size_t c = 0; c + 1 < n; c++) {
            double alpha = value_in(row, i + n - 1, wide), v = value_in(row, i + c, wide);
            v = !(alpha > 0) ? 0 : integer ? rounded(v * high / alpha, low, high) : v / alpha;
            put_value(row, i + c, wide, v);
        }
}

/* The largest is black, and of signed integers the least is white. The full scale of floats is 1. */
void imf_tiff_numbers_invert(const struct imf_tiff_numbers *t, unsigned char *row, size_t count,
                             size_t step) {
    bool wide = t->depth == 64;
    double low, high;
    limits_of(t, &low, &high);
    double sum = isfinite(high) ? low + high : 1;
    for (size_t i = 0; i < count; i++)
        put_value(row, i * step, wide, sum - value_in(row, i * step, wide));
}

void imf_tiff_numbers_order(const struct imf_tiff_numbers *t, unsigned char *row, size_t count,
                            size_t pixel, bool big_endian) {
    int size = t->bits / 8;
    if (t->bits % 8 || (!pixel && (big_endian == BIG_ENDIAN_HOST || size == 1)))
        return;
    for (size_t i = count; i-- > 0;) {
        uint64_t left = pixel && i >= pixel ? number_at(row, i - pixel, t->bits) : 0;
        imf_put(row + i * (size_t)size, size, number_at(row, i, t->bits) - left, big_endian);
    }
}

void imf_tiff_numbers_split(const struct imf_tiff_numbers *t, unsigned char *restrict to,
                            const unsigned char *restrict row, size_t count, size_t pixel) {
    size_t size = (size_t)t->bits / 8;
    for (size_t k = 0; k < size; k++)
        for (size_t i = 0; i < count; i++)
            to[k * count + i] = row[i * size + (BIG_ENDIAN_HOST ? k : size - 1 - k)];
    for (size_t i = size * count; i-- > pixel;)
        to[i] = (unsigned char)(to[i] - to[i - pixel]);
}
