/*
 * compress.c - the methods of deflating, and which are tried on a block
 *
 * Of a photograph's filtered rows the run coder (deflate/encode.c) makes 1 to 4 % less than zlib's
 * level 6, in 3 to 5 ns a byte instead of 30 to 100. Of drawings, text and screenshots it makes a
 * sixth; there zlib, which finds any string, is fast, and its results are smaller by up to a half.
 * Smooth pictures become a sixth, too, but zlib takes long on them for nothing. So two samples of a
 * block are deflated by both first, and the smallest result is kept. Indices and samples of few bits
 * repeat in strings: zlib is always tried on them.
 *
 * ISA-L was tried, too: its level 1 is as fast as runs, and its files of photographs are larger than
 * zlib's by up to 12 %, of drawings by up to 25 %, since it uses every match, whatever it costs.
 */
#include "codec/deflate/compress.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SAMPLES 2 /* of a block, each of SAMPLE bytes */
#define SAMPLE ((size_t)16 << 10)
#define SAMPLE_LEVEL 1 /* of zlib: higher levels are slow where nothing repeats */
#define PROBE 13       /* one byte in so many is examined: not always the same channel's */
/* zlib is tried on the whole block where its level 1 makes the samples at most 1/PAYS larger than the
 * run coder does: higher levels find more, and on photographs level 1 is 2 in 100 larger. */
#define PAYS 100
#define SMALL ((size_t)128 << 10) /* zlib is tried on flat blocks of less without samples */
#define ALL_LEVEL 6 /* from this level on every method is tried on a small image, in 1 to 8 ms */
#define ALL_BYTES ((size_t)96 << 10)
#define NEAR 64 /* but Z_DEFAULT_STRATEGY only where Z_FILTERED saves one of so many bytes */
#define FLAT 6  /* a block of which runs make less than 1/FLAT */

static const int zlib_levels[10] = {0, 0, 0, 1, 4, 5, 6, 7, 8, 9}; /* 0: it is not tried */
#define THOROUGH 9 /* from this level on every method is tried on every block */

struct imf_compressor {
    int level, zlib_level;
    bool few;
    size_t pixel;
    struct imf_deflate *runs;
    z_stream zlib;
    bool has_zlib;
    unsigned char *spare; /* a second result */
};

struct imf_compressor *imf_compressor_new(int level, bool few, size_t pixel, size_t block) {
    struct imf_compressor *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->level = level;
    c->zlib_level = zlib_levels[level];
    c->few = few;
    c->pixel = pixel;
    bool good = (c->runs = malloc(imf_deflate_bytes)) != NULL;
    if (good && c->zlib_level) {
        good = (c->spare = malloc(imf_deflate_bound(block))) != NULL;
        c->has_zlib = good && deflateInit2(&c->zlib, c->zlib_level, Z_DEFLATED, -MAX_WBITS, 8,
                                           Z_DEFAULT_STRATEGY) == Z_OK;
        good = c->has_zlib;
    }
    if (!good)
        imf_compressor_free(&c);
    return c;
}

void imf_compressor_free(struct imf_compressor **closed) {
    struct imf_compressor *c = *closed;
    *closed = NULL;
    if (!c)
        return;
    if (c->has_zlib)
        deflateEnd(&c->zlib);
    free(c->runs);
    free(c->spare);
    free(c);
}

size_t imf_compressor_bytes(int level, size_t block) {
    /* zlib's manual: (1 << (windowBits + 2)) + (1 << (memLevel + 9)), and a little */
    size_t zlib = (1 << 17) + (1 << 17) + 8192;
    return imf_deflate_bytes + (zlib_levels[level] ? zlib + imf_deflate_bound(block) : 0);
}

/* What is deflated at once. */
struct block {
    const unsigned char *data;
    size_t before, size; /* bytes before it in memory, and its own */
    bool last;
};

/* Deflate with zlib to at most `most` bytes; 0: it takes more. */
static size_t try_zlib(struct imf_compressor *c, int level, int strategy, const struct block *b,
                       unsigned char *to, size_t most) {
    z_stream *z = &c->zlib;
    size_t before = b->before < IMF_DEFLATE_WINDOW ? b->before : IMF_DEFLATE_WINDOW;
    /* Some versions read these when the strategy changes. */
    z->next_in = (Bytef *)(uintptr_t)b->data; /* zlib reads it only */
    z->avail_in = 0;
    z->next_out = to;
    z->avail_out = (uInt)most;
    if (deflateReset(z) != Z_OK || deflateParams(z, level, strategy) != Z_OK ||
        (before && deflateSetDictionary(z, b->data - before, (uInt)before) != Z_OK))
        return 0;
    z->avail_in = (uInt)b->size;
    int status = deflate(z, b->last ? Z_FINISH : Z_SYNC_FLUSH);
    bool whole = b->last ? status == Z_STREAM_END : status == Z_OK && !z->avail_in && z->avail_out;
    return whole ? most - z->avail_out : 0;
}

/* Replace a result of `best` bytes by zlib's, if that is smaller. */
static size_t improve(struct imf_compressor *c, int strategy, const struct block *b,
                      unsigned char *to, size_t best) {
    size_t other = try_zlib(c, c->zlib_level, strategy, b, c->spare, best);
    if (!other || other >= best)
        return best;
    memcpy(to, c->spare, other);
    return other;
}

/* Positions of the samples: where most bytes are not 0, which is where text stands, and the middle,
 * which is like the rest. */
static void choose_samples(const unsigned char *data, size_t size, size_t at[SAMPLES]) {
    size_t most = 0;
    at[0] = at[1] = size / SAMPLE / 2 * SAMPLE;
    for (size_t from = 0; from + SAMPLE <= size; from += SAMPLE) {
        size_t count = 0;
        for (size_t i = 0; i < SAMPLE; i += PROBE)
            count += data[from + i] != 0;
        if (count > most) {
            most = count;
            at[0] = from;
        }
    }
}

/* Is zlib to be tried on the whole block? */
static bool zlib_pays(struct imf_compressor *c, bool flat, const struct block *b) {
    size_t at[SAMPLES], part = b->size < SAMPLE ? b->size : SAMPLE, by_runs = 0, by_zlib = 0;
    if (flat && b->size < SMALL)
        return true;
    choose_samples(b->data, b->size, at);
    for (int i = 0; i < SAMPLES; i++) {
        const struct block s = {b->data + at[i], b->before + at[i], part, true};
        by_runs += imf_deflate_block(c->runs, s.data, s.before, part, c->pixel, true, c->spare);
        by_zlib += try_zlib(c, SAMPLE_LEVEL, flat ? Z_DEFAULT_STRATEGY : Z_FILTERED, &s, c->spare,
                            imf_deflate_bound(part));
    }
    return by_zlib < by_runs + by_runs / PAYS;
}

size_t imf_compress(struct imf_compressor *c, const unsigned char *data, size_t before, size_t size,
                    bool last, unsigned char *to) {
    const struct block b = {data, before, size, last};
    bool is_small = c->level >= ALL_LEVEL && size <= ALL_BYTES;
    bool thorough = c->level >= THOROUGH || is_small;
    if (c->level == 0)
        return imf_deflate_stored(data, size, last, to);
    size_t best = 0, stored = size + 5 * (size / 65535 + 1);
    if (c->few && c->zlib_level && !thorough)
        best = try_zlib(c, c->zlib_level, Z_DEFAULT_STRATEGY, &b, to, imf_deflate_bound(size));
    if (best)
        return best;
    best = imf_deflate_block(c->runs, data, before, size, c->pixel, last, to);
    if (best > stored)
        return imf_deflate_stored(data, size, last, to);
    if (!c->zlib_level)
        return best;
    bool flat = best < size / FLAT;
    size_t by_runs = best;
    if (thorough)
        best = improve(c, Z_FILTERED, &b, to, best);
    if ((is_small && best < by_runs - by_runs / NEAR) || (flat && thorough) ||
        (!is_small && zlib_pays(c, flat, &b)))
        best = improve(c, flat || thorough ? Z_DEFAULT_STRATEGY : Z_FILTERED, &b, to, best);
    return best;
}
