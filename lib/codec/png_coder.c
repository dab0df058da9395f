/*
 * png_coder.c - ways of deflating, and which are tried on a block
 *
 * On what remains of a photograph runs alone (see deflate.c) are as small as anything: 1 to 4 % below
 * zlib's level 6, in 3 to 5 ns a byte where that takes 30 to 100. Drawings, text and screenshots
 * become a sixth by runs; on these zlib, which finds any string, is fast, and its results are
 * smaller by up to a half. Smooth pictures become that, too, and zlib takes long on them for
 * nothing, so that it is tried on a sample first. Between them a sample tells whether strings pay,
 * by the price of their bytes. The smallest result is kept. Indices and few bits repeat in
 * strings: zlib is always tried on them.
 *
 * ISA-L was tried, too: its level 1 is as fast as runs, and its files of photographs are larger than
 * zlib's by up to 12 %, of drawings by up to 25 %, since it takes any match for a saving.
 */
#include "codec/png_coder.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SAMPLES 4 /* places of a block where zlib is tried on SAMPLE bytes; */
#define SAMPLE ((size_t)16 << 10)
#define PAYS 50     /* on all of it if anywhere it saves more than one of so many */
#define ALL_LEVEL 6 /* from here on everything is tried on an image of few bytes, in 1 to 8 ms */
#define ALL_BYTES ((size_t)96 << 10)
#define NEAR 64 /* but zlib's usual way where its way with few matches saves one of so many bytes */
#define FLAT 6  /* a block that runs make smaller than a part of so many may go to zlib, too */

static const struct way {
    int zlib;      /* its level, or 0 */
    bool anywhere; /* zlib is tried on every block */
    struct imf_deflate_effort strings;
} ways[10] = {
    [3] = {1, false, {0, 1, 0}},  [4] = {4, false, {0, 1, 0}},    [5] = {5, false, {0, 1, 0}},
    [6] = {6, false, {4, 1, 12}}, [7] = {7, false, {16, 2, 200}}, [8] = {8, false, {32, 2, 0}},
    [9] = {9, true, {64, 2, 0}},
};

struct imf_png_coder {
    struct way way;
    int level;
    bool few;
    size_t pixel;
    struct imf_deflate *own;
    z_stream zlib;
    bool has_zlib;
    unsigned char *spare; /* a second result */
};

struct imf_png_coder *imf_png_coder_new(int level, bool few, size_t pixel, size_t block) {
    struct imf_png_coder *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->way = ways[level];
    c->level = level;
    c->few = few;
    c->pixel = pixel;
    bool good = (c->own = imf_deflate_new()) != NULL;
    if (good && c->way.zlib) {
        good = (c->spare = malloc(imf_deflate_bound(block))) != NULL;
        c->has_zlib = good && deflateInit2(&c->zlib, c->way.zlib, Z_DEFLATED, -MAX_WBITS, 8,
                                           Z_DEFAULT_STRATEGY) == Z_OK;
        good = c->has_zlib;
    }
    if (!good)
        imf_png_coder_free(&c);
    return c;
}

void imf_png_coder_free(struct imf_png_coder **coder) {
    struct imf_png_coder *c = *coder;
    *coder = NULL;
    if (!c)
        return;
    if (c->has_zlib)
        deflateEnd(&c->zlib);
    imf_deflate_free(c->own);
    free(c->spare);
    free(c);
}

size_t imf_png_coder_bytes(int level, size_t block) {
    /* zlib's manual: (1 << (windowBits + 2)) + (1 << (memLevel + 9)), and a little */
    size_t zlib = (1 << 17) + (1 << 17) + 8192;
    return imf_deflate_bytes + (ways[level].zlib ? zlib + imf_deflate_bound(block) : 0);
}

/* With zlib in at most `most` bytes, or 0. */
static size_t try_zlib(struct imf_png_coder *c, int strategy, const unsigned char *data,
                       size_t before, size_t size, bool last, unsigned char *to, size_t most) {
    z_stream *z = &c->zlib;
    if (before > IMF_DEFLATE_WINDOW)
        before = IMF_DEFLATE_WINDOW;
    /* Some versions look at these when the strategy changes. */
    z->next_in = (Bytef *)(uintptr_t)data; /* zlib reads it only */
    z->avail_in = 0;
    z->next_out = to;
    z->avail_out = (uInt)most;
    if (deflateReset(z) != Z_OK || deflateParams(z, c->way.zlib, strategy) != Z_OK ||
        (before && deflateSetDictionary(z, data - before, (uInt)before) != Z_OK))
        return 0;
    z->avail_in = (uInt)size;
    int status = deflate(z, last ? Z_FINISH : Z_SYNC_FLUSH);
    bool whole = last ? status == Z_STREAM_END : status == Z_OK && !z->avail_in && z->avail_out;
    return whole ? most - z->avail_out : 0;
}

/* Keep the spare result, if there is one. */
static size_t keep(const struct imf_png_coder *c, size_t other, size_t best, unsigned char *to) {
    if (!other || other >= best)
        return best;
    memcpy(to, c->spare, other);
    return other;
}

/* Smooth pictures leave runs, in which zlib takes long to find nothing better. */
static bool zlib_pays(struct imf_png_coder *c, const unsigned char *data, size_t before,
                      size_t size) {
    const struct imf_deflate_effort runs = {0, 1, 0};
    if (size < 2 * SAMPLES * SAMPLE)
        return true;
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t at = (2 * i + 1) * size / (2 * SAMPLES) - SAMPLE / 2;
        size_t by_runs = imf_deflate_block(c->own, &runs, data + at, before + at, SAMPLE, c->pixel,
                                           true, c->spare);
        size_t by_zlib = try_zlib(c, Z_DEFAULT_STRATEGY, data + at, before + at, SAMPLE, true,
                                  c->spare, imf_deflate_bound(SAMPLE));
        if (by_zlib && by_zlib < by_runs - by_runs / PAYS)
            return true;
    }
    return false;
}

size_t imf_png_coder_block(struct imf_png_coder *c, const unsigned char *data, size_t before,
                           size_t size, bool last, unsigned char *to) {
    const struct imf_deflate_effort runs = {0, c->level > 7 ? 2 : 1, 0};
    bool little = c->level >= ALL_LEVEL && size <= ALL_BYTES;
    bool thorough = c->way.anywhere || little;
    if (c->level == 0)
        return imf_deflate_stored(data, size, last, to);
    size_t best = 0, stored = size + 5 * (size / 65535 + 1);
    if (c->few && c->way.zlib && !thorough)
        best =
            try_zlib(c, Z_DEFAULT_STRATEGY, data, before, size, last, to, imf_deflate_bound(size));
    if (best)
        return best;
    best = imf_deflate_block(c->own, &runs, data, before, size, c->pixel, last, to);
    if (best > stored)
        return imf_deflate_stored(data, size, last, to);
    if (!c->way.zlib)
        return best;
    bool flat = best < size / FLAT;
    size_t by_runs = best;
    if (thorough)
        best = keep(c, try_zlib(c, Z_FILTERED, data, before, size, last, c->spare, best), best, to);
    if ((little && best < by_runs - by_runs / NEAR) ||
        (flat && (thorough || zlib_pays(c, data, before, size))))
        best = keep(c, try_zlib(c, Z_DEFAULT_STRATEGY, data, before, size, last, c->spare, best),
                    best, to);
    if (c->way.strings.depth && (!flat || thorough) &&
        imf_deflate_strings_pay(c->own, &c->way.strings, data, before, size, c->pixel))
        best = keep(c,
                    imf_deflate_block(c->own, &c->way.strings, data, before, size, c->pixel, last,
                                      c->spare),
                    best, to);
    return best;
}
