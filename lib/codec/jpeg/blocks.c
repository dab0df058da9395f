/* blocks.c - hashes of the pixels of a JPEG's blocks */
#include "codec/jpeg/blocks.h"

#include "base/clones.h"
#include "base/surface.h"

#include <stdio.h>

#include <jpeglib.h>
#include <stdlib.h>
#include <string.h>

static size_t row_bytes(const struct imf_jpeg_blocks *b) {
    return (size_t)b->width * (size_t)b->channels;
}

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
    size_t bytes = row_bytes(b);
    b->line = malloc(2 * bytes);
    for (size_t i = 0; b->line && i < bytes; i++)
        b->line[bytes + i] = i % (size_t)b->channels ? 0xff : 0;
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

/* In pixels of three channels: G - R and B - G. */
IMF_CLONES static void differ(unsigned char *restrict to, const unsigned char *restrict row,
                              const unsigned char *restrict mask, size_t n) {
    to[0] = 0;
    for (size_t i = 1; i < n; i++)
        to[i] = (unsigned char)((row[i] - row[i - 1]) & mask[i]);
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
                                const unsigned char *row) {
    int y = b->row, in = y % c->high, block = (b->all ? y : y % b->mcu) / c->high;
    bool last = in == c->high - 1 || y == b->height - 1;
    size_t bytes = (size_t)c->wide * (size_t)b->channels, n = row_bytes(b), full = n / bytes;
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
    size_t n = row_bytes(b);
    if (b->component[1].chroma)
        differ(b->line, row, b->line + n, n);
    for (int i = 0; i < b->components; i++)
        if (b->component[i].same == i)
            hash_row(b, &b->component[i], b->component[i].chroma ? b->line : row);
    b->row++;
}
