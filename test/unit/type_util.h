/* type_util.h - what the tests of TIFF's types share: numbers in bits, decoded by their definition, and files by libtiff */
#ifndef TYPE_UTIL_H
#define TYPE_UTIL_H

#include "codec_util.h"

#include <math.h>
#include <tiffio.h>
#include <unistd.h>
#include <zlib.h>

#define HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* ---- numbers, written anew ------------------------------------------------------------------- */

struct kind {
    int format, bits; /* SAMPLEFORMAT_* */
};

static const struct kind kinds[] = {
    {SAMPLEFORMAT_IEEEFP, 16}, {SAMPLEFORMAT_IEEEFP, 24}, {SAMPLEFORMAT_IEEEFP, 32},
    {SAMPLEFORMAT_IEEEFP, 64}, {SAMPLEFORMAT_UINT, 3},    {SAMPLEFORMAT_UINT, 10},
    {SAMPLEFORMAT_UINT, 12},   {SAMPLEFORMAT_UINT, 14},   {SAMPLEFORMAT_UINT, 17},
    {SAMPLEFORMAT_UINT, 24},   {SAMPLEFORMAT_UINT, 25},   {SAMPLEFORMAT_UINT, 31},
    {SAMPLEFORMAT_UINT, 32},   {SAMPLEFORMAT_INT, 1},     {SAMPLEFORMAT_INT, 4},
    {SAMPLEFORMAT_INT, 8},     {SAMPLEFORMAT_INT, 12},    {SAMPLEFORMAT_INT, 16},
    {SAMPLEFORMAT_INT, 24},    {SAMPLEFORMAT_INT, 25},    {SAMPLEFORMAT_INT, 26},
    {SAMPLEFORMAT_INT, 32}};
#define KINDS (sizeof kinds / sizeof *kinds)

static inline int depth_of(struct kind k) {
    int most = k.format == SAMPLEFORMAT_UINT ? 24 : k.format == SAMPLEFORMAT_INT ? 25 : 32;
    return k.bits > most ? 64 : 32;
}

static inline double least_of(struct kind k) {
    return k.format == SAMPLEFORMAT_INT ? -ldexp(1, k.bits - 1) : 0;
}
static inline double most_of(struct kind k) {
    return ldexp(1, k.bits - (k.format == SAMPLEFORMAT_INT)) - 1;
}

/* A float of so many bits of exponent, by its definition. */
static inline double float_of(uint64_t number, int bits, int exponent_bits) {
    int mantissa_bits = bits - 1 - exponent_bits, most = (1 << exponent_bits) - 1;
    int exponent = (int)(number >> mantissa_bits) & most;
    double mantissa = ldexp((double)(number & ((1ull << mantissa_bits) - 1)), -mantissa_bits);
    double v = exponent == most ? (mantissa != 0 ? NAN : INFINITY)
               : exponent       ? ldexp(1 + mantissa, exponent - most / 2)
                                : ldexp(mantissa, 1 - most / 2);
    return number >> (bits - 1) & 1 ? -v : v;
}

static inline double value_of(struct kind k, uint64_t number) {
    if (k.format == SAMPLEFORMAT_UINT)
        return (double)number;
    if (k.format == SAMPLEFORMAT_INT)
        return (double)number - (number >> (k.bits - 1) ? ldexp(1, k.bits) : 0);
    return float_of(number, k.bits, k.bits == 16 ? 5 : k.bits == 24 ? 7 : k.bits == 32 ? 8 : 11);
}

/* The value that the type has for v. */
static inline double nearest(struct kind k, double v) {
    if (k.format != SAMPLEFORMAT_IEEEFP)
        return isnan(v) ? 0 : fmin(fmax(nearbyint(v), least_of(k)), most_of(k));
    if (k.bits >= 32 || !isfinite(v) || v == 0)
        return v;
    int mantissa = k.bits == 16 ? 10 : 16, least = k.bits == 16 ? -14 : -62, exponent;
    double most = k.bits == 16 ? 65504 : ldexp(2 - 0x1p-16, 63);
    frexp(v, &exponent);
    int unit = (exponent - 1 > least ? exponent - 1 : least) - mantissa;
    return fmin(fmax(ldexp(nearbyint(ldexp(v, -unit)), unit), -most), most);
}

static inline uint64_t random_number(int bits) {
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number = number << 8 | random_byte();
    return bits < 64 ? number & ((1ull << bits) - 1) : number;
}

static inline void put(unsigned char *row, size_t i, int bits, uint64_t number) {
    for (int b = 0; b < bits; b++) {
        int byte = HOST_BIG ? bits / 8 - 1 - b / 8 : b / 8;
        size_t bit = i * (size_t)bits + (size_t)(bits - 1 - b);
        if (bits % 8 == 0)
            row[i * (size_t)bits / 8 + (size_t)byte] |= (unsigned char)((number >> b & 1) << b % 8);
        else
            row[bit / 8] |= (unsigned char)((number >> b & 1) << (7 - bit % 8));
    }
}

static inline uint64_t get(const unsigned char *row, size_t i, int bits) {
    uint64_t number = 0;
    for (int b = 0; b < bits; b++) {
        int byte = HOST_BIG ? bits / 8 - 1 - b / 8 : b / 8;
        size_t bit = i * (size_t)bits + (size_t)(bits - 1 - b);
        uint64_t one = bits % 8 == 0 ? row[i * (size_t)bits / 8 + (size_t)byte] >> b % 8
                                     : row[bit / 8] >> (7 - bit % 8);
        number |= (one & 1) << b;
    }
    return number;
}

static inline double sample_at(const struct decoded *d, size_t i) {
    double wide;
    float narrow;
    memcpy(&narrow, d->pixels + 4 * i, sizeof narrow);
    if (d->info.depth == 32)
        return (double)narrow;
    memcpy(&wide, d->pixels + 8 * i, sizeof wide);
    return wide;
}

static inline bool same(double a, double b) {
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

/* ---- what libtiff writes --------------------------------------------------------------------- */

struct form {
    struct kind kind;
    int photometric, extra, planar, compression, predictor, tile, rows;
    const char *mode;
    int order;
};

struct picture {
    int width, height, samples;
    uint64_t *numbers;
};

static inline struct picture draw(const struct form *f, int width, int height) {
    struct picture p = {width, height,
                        (f->photometric == PHOTOMETRIC_RGB ? 3 : 1) + (f->extra >= 0), NULL};
    size_t count = (size_t)(width * height * p.samples);
    p.numbers = malloc(count * sizeof *p.numbers);
    for (size_t i = 0; i < count; i++)
        p.numbers[i] = random_number(f->kind.bits);
    return p;
}

static inline size_t row_size(const struct form *f, int width, int samples) {
    return ((size_t)width * (size_t)(samples * f->kind.bits) + 7) / 8;
}

/* A strip or tile from y and x on, of a plane or all samples. */
static inline unsigned char *pack(const struct form *f, const struct picture *p, int x, int y,
                                  int width, int height, int plane, size_t *size) {
    bool apart = f->planar == PLANARCONFIG_SEPARATE;
    int n = apart ? 1 : p->samples;
    size_t row = row_size(f, width, n);
    unsigned char *out = calloc(1, *size = row * (size_t)height);
    for (int j = 0; j < height && y + j < p->height; j++)
        for (int i = 0; i < width && x + i < p->width; i++)
            for (int c = 0; c < n; c++)
                put(out + (size_t)j * row, (size_t)(i * n + c), f->kind.bits,
                    p->numbers[((y + j) * p->width + x + i) * p->samples + (apart ? plane : c)]);
    return out;
}

/* Deflated, of predictor 3: libtiff mixes its bytes up in files of the other order. */
static inline void write_split(TIFF *tif, uint32_t cell, const struct form *f, unsigned char *data,
                               size_t size, size_t row, size_t pixel) {
    size_t bytes = (size_t)f->kind.bits / 8, count = row / bytes;
    unsigned char *split = malloc(size), *coded = malloc(compressBound(size));
    for (size_t y = 0; y < size; y += row) {
        for (size_t k = 0; k < row; k++)
            split[y + k] =
                data[y + k % count * bytes + (HOST_BIG ? k / count : bytes - 1 - k / count)];
        for (size_t k = row; k-- > pixel;)
            split[y + k] = (unsigned char)(split[y + k] - split[y + k - pixel]);
    }
    uLongf length = compressBound(size);
    compress(coded, &length, split, size);
    if (f->tile)
        TIFFWriteRawTile(tif, cell, coded, (tmsize_t)length);
    else
        TIFFWriteRawStrip(tif, cell, coded, (tmsize_t)length);
    free(split);
    free(coded);
}

static inline void write_page(TIFF *tif, const struct form *f, const struct picture *p) {
    int planes = f->planar == PLANARCONFIG_SEPARATE ? p->samples : 1, side = f->tile;
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, p->width);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, p->height);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, f->kind.bits);
    TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, f->kind.format);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, p->samples);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, f->photometric);
    TIFFSetField(tif, TIFFTAG_PLANARCONFIG, f->planar);
    TIFFSetField(tif, TIFFTAG_COMPRESSION, f->compression);
    TIFFSetField(tif, TIFFTAG_FILLORDER, f->order);
    if (f->predictor)
        TIFFSetField(tif, TIFFTAG_PREDICTOR, f->predictor);
    if (f->extra >= 0)
        TIFFSetField(tif, TIFFTAG_EXTRASAMPLES, 1, (uint16_t[]){(uint16_t)f->extra});
    if (side) {
        TIFFSetField(tif, TIFFTAG_TILEWIDTH, side);
        TIFFSetField(tif, TIFFTAG_TILELENGTH, side);
    } else {
        TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, f->rows);
    }
    for (int plane = 0; plane < planes; plane++)
        for (int y = 0; y < p->height; y += side ? side : f->rows)
            for (int x = 0; x < p->width; x += side ? side : p->width) {
                size_t size;
                int left = p->height - y, rows = f->rows < left ? f->rows : left;
                int width = side ? side : p->width, n = planes > 1 ? 1 : p->samples;
                unsigned char *cell = pack(f, p, x, y, width, side ? side : rows, plane, &size);
                uint32_t number =
                    side ? TIFFComputeTile(tif, (uint32_t)x, (uint32_t)y, 0, (uint16_t)plane)
                         : TIFFComputeStrip(tif, (uint32_t)y, (uint16_t)plane);
                if (f->predictor == PREDICTOR_FLOATINGPOINT)
                    write_split(tif, number, f, cell, size, row_size(f, width, n), (size_t)n);
                else if (side)
                    TIFFWriteEncodedTile(tif, number, cell, (tmsize_t)size);
                else
                    TIFFWriteEncodedStrip(tif, number, cell, (tmsize_t)size);
                free(cell);
            }
}

static inline FILE *write_form(const struct form *f, const struct picture *p) {
    FILE *file = tmpfile();
    TIFF *tif = TIFFFdOpen(dup(fileno(file)), "test", f->mode);
    write_page(tif, f, p);
    TIFFClose(tif);
    rewind(file);
    return file;
}

#endif
