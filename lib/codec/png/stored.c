/*
 * stored.c - IDAT inflated by ISA-L
 *
 * libpng asks nobody but zlib. It is given IDAT that hold the inflated bytes in stored blocks, which zlib
 * only copies, of lengths that follow from the image's shape: ISA-L writes where libpng reads. CRCs and
 * the Adler-32 of the file are checked here.
 *
 * ISA-L has other words for damage than zlib, and accepts some that zlib refuses: streams of incomplete
 * Huffman codes, which are read here if their sums are right. Whatever is not a stream of just these bytes
 * is left to zlib, from the file's beginning, so that rows, warnings and errors are the same; and a pipe,
 * which cannot be read again, lenient reading, whose rows count before the damage is known, and streams of
 * small windows, whose bounds zlib checks its own way, from the first byte.
 */
#include "codec/png/stored.h"

#ifdef IMF_WITH_ISAL

#include "codec/metadata/bytes.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

#define CRC 4
#define BLOCK_MAX 65535

struct imf_png_stored {
    struct imf_reader *reader;
    struct imf_png_walk *walk;
    struct inflate_state z;
    uint32_t crc;            /* of the file's IDAT so far */
    uint64_t left;           /* bytes of blocks to come */
    size_t block;            /* bytes left of this one */
    unsigned char frame[24]; /* what stands before a block, or behind the last */
    size_t at, end;
    bool last;
};

/* n bytes of the file, which are in the source's buffer, were used. */
static void take(struct imf_png_stored *s, size_t n) {
    struct imf_source *source = &s->reader->source;
    const unsigned char *data = source->buffer + source->at;
    source->at += n;
    imf_png_walk(s->walk, s->reader, data, n);
}

/* Bytes between those of chunks' data. */
static bool get(struct imf_png_stored *s, unsigned char *dst, size_t n) {
    bool good = imf_source_read(&s->reader->source, dst, n) == n;
    if (good)
        imf_png_walk(s->walk, s->reader, dst, n);
    return good;
}

static bool good_crc(struct imf_png_stored *s) {
    unsigned char crc[CRC];
    return get(s, crc, sizeof crc) && imf_get32(crc) == s->crc;
}

/* The source's buffer is empty, or the chunk's data are taken. */
static bool more(struct imf_png_stored *s) {
    unsigned char head[8];
    if (s->walk->left > CRC)
        return imf_source_fill(&s->reader->source);
    if (!good_crc(s) || !get(s, head, sizeof head) || memcmp(head + 4, "IDAT", 4) != 0)
        return false;
    s->crc = crc32_gzip_refl(0, head + 4, 4);
    return true;
}

/* Inflate up to n bytes; false: damaged. */
static bool inflate_to(struct imf_png_stored *s, unsigned char *dst, size_t n) {
    struct imf_source *source = &s->reader->source;
    struct inflate_state *z = &s->z;
    z->next_out = dst;
    z->avail_out = (uint32_t)n;
    while (z->avail_out > 0 && z->block_state != ISAL_BLOCK_FINISH) {
        size_t held = source->end - source->at, data = (size_t)(s->walk->left - CRC);
        uint32_t given = (uint32_t)(held < data ? held : data);
        z->next_in = source->buffer + source->at;
        z->avail_in = given;
        if (isal_inflate(z) != ISAL_DECOMP_OK)
            return false;
        s->crc = crc32_gzip_refl(s->crc, source->buffer + source->at, given - z->avail_in);
        take(s, given - z->avail_in);
        if (z->avail_out > 0 && z->block_state != ISAL_BLOCK_FINISH && (z->avail_in || !more(s)))
            return false;
    }
    return true;
}

/* No byte follows those of the image, in the stream or in its last chunk. */
static bool ends_well(struct imf_png_stored *s) {
    unsigned char surplus;
    return inflate_to(s, &surplus, 1) && s->z.avail_out == 1 && s->z.read_in_length < 8 &&
           s->walk->left == CRC && good_crc(s);
}

/* libpng does not check these CRCs. */
static void next_frame(struct imf_png_stored *s, bool first) {
    unsigned char *to = s->frame + CRC;
    s->block = s->left < BLOCK_MAX ? (size_t)s->left : BLOCK_MAX;
    s->left -= s->block;
    uint32_t length = (uint32_t)s->block;
    imf_put32(to, (first ? 2 : 0) + 5 + length + (s->left ? 0 : 4));
    memcpy(to + 4, "IDAT\x78\x01", 6);
    to += first ? 10 : 8;
    *to++ = !s->left;
    imf_put(to, 2, length, false);
    imf_put(to + 2, 2, ~length, false);
    s->at = first ? CRC : 0;
    s->end = (size_t)(to + 4 - s->frame);
}

static void last_frame(struct imf_png_stored *s) {
    imf_put32(s->frame, s->z.crc);
    s->at = 0;
    s->end = 4 + CRC;
    s->last = true;
}

static bool next(struct imf_png_stored *s, unsigned char *dst, size_t n) {
    if (s->at < s->end) {
        memcpy(dst, s->frame + s->at, n);
        s->at += n;
        return true;
    }
    s->block -= n;
    return inflate_to(s, dst, n) && s->z.avail_out == 0 && (s->block || s->left || ends_well(s));
}

bool imf_png_stored_read(struct imf_png_stored **stored, unsigned char *dst, size_t size) {
    struct imf_png_stored *s = *stored;
    while (size > 0) {
        if (s->at == s->end && !s->block && s->left)
            next_frame(s, false);
        else if (s->at == s->end && !s->block)
            last_frame(s);
        size_t most = s->at < s->end ? s->end - s->at : s->block, n = size < most ? size : most;
        if (!next(s, dst, n))
            return false;
        dst += n;
        size -= n;
    }
    if (s->last && s->at == s->end) {
        free(s);
        *stored = NULL;
    }
    return true;
}

struct imf_png_stored *imf_png_stored_open(struct imf_reader *r, struct imf_png_walk *walk,
                                           uint64_t bytes) {
    enum { CHUNK_MAX = 0x7fffffff, DEFLATE_32K = 0x78, NEEDS_DICTIONARY = 0x20 };
    struct imf_bytes file = imf_source_bytes(&r->source);
    unsigned char zlib[2];
    if (r->limits.lenient || file.data || bytes == 0 || walk->left < CRC + sizeof zlib ||
        walk->left - CRC > CHUNK_MAX ||
        !imf_bytes_get(&file, imf_source_position(&r->source), zlib, sizeof zlib) ||
        zlib[0] != DEFLATE_32K || zlib[1] & NEEDS_DICTIONARY)
        return NULL;
    struct imf_png_stored *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    isal_inflate_init(&s->z);
    s->z.crc_flag = ISAL_ZLIB;
    s->reader = r;
    s->walk = walk;
    s->left = bytes;
    s->crc = crc32_gzip_refl(0, (const unsigned char *)"IDAT", 4);
    next_frame(s, true);
    return s;
}

#else

struct imf_png_stored *imf_png_stored_open(struct imf_reader *r, struct imf_png_walk *walk,
                                           uint64_t bytes) {
    (void)r;
    (void)walk;
    (void)bytes;
    return NULL;
}

bool imf_png_stored_read(struct imf_png_stored **stored, unsigned char *dst, size_t size) {
    (void)stored;
    (void)dst;
    (void)size;
    return false;
}

#endif
