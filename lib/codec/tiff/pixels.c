/* pixels.c - from samples as a TIFF packs them to pixels */
#include "codec/tiff/pixels.h"

#include <string.h>

void imf_tiff_set_palette(struct imf_tiff_pixels *p, uint16_t *const channel[3]) {
    int count = 3 << p->bits, shift = 0;
    for (int i = 0; i < count; i++)
        shift = channel[i % 3][i / 3] > 255 ? 8 : shift;
    for (int i = 0; i < count; i++)
        p->color[i / 3][i % 3] = (unsigned char)(channel[i % 3][i / 3] >> shift);
}

/* Samples of fewer than 8 bits, scaled but for indices. */
static void unpack(const struct imf_tiff_pixels *p, unsigned char *to, const unsigned char *from,
                   size_t samples) {
    unsigned most = (1u << p->bits) - 1, unit = p->palette ? 1 : 255 / most;
    int at = 8;
    for (size_t i = 0; i < samples; i++) {
        at -= p->bits;
        unsigned v = *from >> at & most;
        to[i] = (unsigned char)((p->inverted ? most - v : v) * unit);
        from += at == 0;
        at = at == 0 ? 8 : at;
    }
}

/* A channel of every pixel; `flip` has the bits that are inverted. */
static void take_8(unsigned char *to, size_t to_step, const unsigned char *from, size_t step,
                   size_t count, unsigned char flip) {
    for (; count > 0; count--, to += to_step, from += step)
        *to = *from ^ flip;
}

static void take_16(unsigned char *to, size_t to_step, const unsigned char *from, size_t step,
                    size_t count, uint16_t flip) {
    for (uint16_t v; count > 0; count--, to += 2 * to_step, from += 2 * step) {
        memcpy(&v, from, sizeof v);
        v ^= flip;
        memcpy(to, &v, sizeof v);
    }
}

static uint16_t divide(unsigned color, unsigned alpha, unsigned full) {
    uint64_t straight = alpha ? ((uint64_t)color * full + alpha / 2) / alpha : 0;
    return (uint16_t)(straight < full ? straight : full);
}

static void divide_by_alpha(unsigned char *row, size_t count, int channels, bool wide) {
    size_t size = (size_t)channels << wide;
    for (uint16_t v[4]; count > 0; count--, row += size) {
        for (int c = 0; !wide && c < channels - 1; c++)
            row[c] = (unsigned char)divide(row[c], row[channels - 1], 255);
        if (!wide)
            continue;
        memcpy(v, row, size);
        for (int c = 0; c < channels - 1; c++)
            v[c] = divide(v[c], v[channels - 1], 65535);
        memcpy(row, v, size);
    }
}

/* To floats. */
static void convert_type(const struct imf_tiff_pixels *p, unsigned char *to,
                         const unsigned char *from, size_t apart, size_t count) {
    const struct imf_tiff_numbers *t = &p->type;
    size_t n = (size_t)p->channels, step = p->separate ? 1 : (size_t)p->samples;
    size_t size = (size_t)t->depth / 8;
    if (step == n)
        imf_tiff_numbers_read(t, to, 1, from, 0, 1, count * n);
    for (size_t c = 0; step != n && c < n; c++) {
        imf_tiff_numbers_read(t, to + c * size, n, from + (p->separate ? c * apart : 0),
                              p->separate ? 0 : (size_t)p->from[c], step, count);
    }
    if (p->inverted)
        imf_tiff_numbers_invert(t, to, count, n);
    if (p->premultiplied)
        imf_tiff_numbers_divide(t, to, count, p->channels);
}

void imf_tiff_convert(const struct imf_tiff_pixels *p, unsigned char *to, const unsigned char *from,
                      size_t apart, size_t count) {
    size_t n = (size_t)p->channels, step = p->separate ? 1 : (size_t)p->samples;
    bool wide = p->bits == 16;
    if (p->type.depth) {
        convert_type(p, to, from, apart, count);
        return;
    }
    if (p->bits < 8) {
        for (size_t plane = 0; plane < (size_t)p->planes; plane++)
            unpack(p, p->line + plane * count, from + plane * apart, count * step);
        from = p->line;
        apart = count;
    }
    if (p->palette) {
        for (size_t i = 0; i < count; i++)
            memcpy(to + 3 * i, p->color[from[i * step]], 3);
        return;
    }
    bool flip = p->inverted && p->bits >= 8;
    if (step == n && !flip) {
        memcpy(to, from, count * n << wide);
    } else {
        for (size_t c = 0; c < n; c++) {
            const unsigned char *at = from + (p->separate ? c * apart : (size_t)p->from[c] << wide);
            bool inverted = flip && c == 0;
            if (wide)
                take_16(to + 2 * c, n, at, step, count, inverted ? 0xffff : 0);
            else
                take_8(to + c, n, at, step, count, inverted ? 0xff : 0);
        }
    }
    if (p->premultiplied)
        divide_by_alpha(to, count, p->channels, wide);
}
