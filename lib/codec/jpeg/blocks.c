/* blocks.c - hashes of the pixels of a JPEG's blocks */
#include "codec/jpeg/blocks.h"

#include "base/clones.h"
#include "base/image/surface.h"

#include <stdio.h>

#include <jpeglib.h>
#include <stdlib.h>
#include <string.h>

/* Rows of the component's blocks in an MCU row. */
static int rows_in_mcu(const struct imf_jpeg_blocks *b, const struct imf_jpeg_component *c) {
    return b->mcu / c->high;
}

enum imf_status imf_jpeg_blocks_open(struct imf_jpeg_blocks *b,
                                     const struct imf_jpeg_source *source, int width, int height,
                                     bool all) {
    bool converts = source->color_space == JCS_YCbCr, good = true;
    int h = 1, v = 1;
    *b = (struct imf_jpeg_blocks){.width = width,
                                  .height = height,
                                  .channels = source->components,
                                  .components = source->components,
                                  .all = all};
    for (int i = 0; i < b->components; i++) {
        h = imf_max(h, source->h[i]);
        v = imf_max(v, source->v[i]);
    }
    b->mcu = v * DCTSIZE;
    for (int i = 0; i < b->components && good; i++) {
        struct imf_jpeg_component *c = &b->component[i];
        if (source->h[i] < 1 || source->v[i] < 1 || h % source->h[i] || v % source->v[i])
            return IMF_ERR_FORMAT;
        *c = (struct imf_jpeg_component){.chroma = converts && i > 0,
                                         .wide = h / source->h[i] * DCTSIZE,
                                         .high = v / source->v[i] * DCTSIZE};
        c->across = (width - 1) / c->wide + 1;
        c->down = (height - 1) / c->high + 1;
        while (b->component[c->same].wide != c->wide || b->component[c->same].high != c->high ||
               b->component[c->same].chroma != c->chroma)
            c->same++;
        size_t rows = (size_t)(all ? c->down : rows_in_mcu(b, c));
        if (c->same == i)
            good = (c->hash = calloc(rows * (size_t)c->across, sizeof *c->hash));
    }
    b->line = calloc((size_t)width, sizeof *b->line);
    return good && b->line ? IMF_OK : IMF_ERR_MEMORY;
}

void imf_jpeg_blocks_close(struct imf_jpeg_blocks *b) {
    for (int i = 0; i < 4; i++)
        free(b->component[i].hash);
    free(b->line);
    *b = (struct imf_jpeg_blocks){.width = 0};
}

size_t imf_jpeg_blocks_count(const struct imf_jpeg_blocks *b) {
    size_t count = 0;
    for (int i = 0; i < b->components; i++)
        count += (size_t)b->component[i].across * (size_t)b->component[i].down;
    return count;
}

const uint64_t *imf_jpeg_blocks_of(const struct imf_jpeg_blocks *b, int component, int i,
                                   size_t *count) {
    const struct imf_jpeg_component *c = &b->component[component];
    int rows = rows_in_mcu(b, c), above = i * rows;
    *count = (size_t)imf_min(rows, c->down - above) * (size_t)c->across;
    return b->component[c->same].hash + (b->all ? (size_t)above * (size_t)c->across : 0);
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Of each pixel R - G and B - G in 16 bits each; or R, G and B, in 24 bits that no differences have, where one
 * of them is at the end of its range. */
IMF_CLONES static void differ(uint32_t *restrict to, const unsigned char *restrict rgb, int n) {
    for (int i = 0; i < n; i++) {
        uint32_t r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        uint32_t apart = ((r - g) & 0xffff) | (b - g) << 16,
                 all = 0x55u << 24 | r << 16 | g << 8 | b;
        bool ends = r - 1 > 253 || g - 1 > 253 || b - 1 > 253;
        to[i] = ends ? all : apart;
    }
}

/* Each word changes all bits of what follows: blocks that differ have the same hash with a probability of
 * 2^-63. */
static inline uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint64_t mix_bytes(uint64_t hash, const unsigned char *from, size_t n) {
    for (size_t i = 0; i < n; i += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, from + i, n - i < sizeof word ? n - i : sizeof word);
        hash = mix(hash, word);
    }
    return hash;
}

IMF_CLONES static void hash_row(const struct imf_jpeg_blocks *b, const struct imf_jpeg_component *c,
                                const unsigned char *row, size_t pixel) {
    int y = b->row, in = y % c->high, block = (b->all ? y : y % b->mcu) / c->high;
    bool last = in == c->high - 1 || y == b->height - 1;
    size_t bytes = (size_t)c->wide * pixel, n = (size_t)b->width * pixel, full = n / bytes;
    uint64_t *hash = c->hash + (size_t)block * (size_t)c->across;
    for (size_t x = 0; x < full; x++) { /* whole words: a block has 8 pixels or more across */
        const unsigned char *from = row + x * bytes;
        uint64_t h = in ? hash[x] : 0;
        for (size_t i = 0; i < bytes; i += sizeof h) {
            uint64_t word;
            memcpy(&word, from + i, sizeof word);
            h = mix(h, word);
        }
        hash[x] = h;
    }
    if (full < (size_t)c->across)
        hash[full] = mix_bytes(in ? hash[full] : 0, row + full * bytes, n - full * bytes);
    for (int x = 0; last && x < c->across; x++)
        hash[x] |= 1; /* known */
}

void imf_jpeg_blocks_take(struct imf_jpeg_blocks *b, const unsigned char *row) {
    if (b->component[1].chroma)
        differ(b->line, row, b->width);
    for (int i = 0; i < b->components; i++) {
        const struct imf_jpeg_component *c = &b->component[i];
        if (c->same == i && c->chroma)
            hash_row(b, c, (const unsigned char *)b->line, sizeof *b->line);
        else if (c->same == i)
            hash_row(b, c, row, (size_t)b->channels);
    }
    b->row++;
}

IMF_CLONES static bool limit(int16_t *restrict blocks, size_t count) {
    int any = 0;
    for (size_t b = 0; b < count; b++, blocks += DCTSIZE2) {
        int16_t dc = blocks[0];
        blocks[0] = 0;
        for (int i = 0; i < DCTSIZE2; i++) {
            int16_t v = blocks[i], low = v > -1023 ? v : -1023, in = low < 1023 ? low : 1023;
            any |= in ^ v;
            blocks[i] = in;
        }
        blocks[0] = (int16_t)imf_min(imf_max(dc, -1024), 1023);
        any |= blocks[0] ^ dc;
    }
    return any;
}

bool imf_jpeg_limit(int16_t *blocks, size_t count) {
    return limit(blocks, count);
}
