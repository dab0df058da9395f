/*
 * idat.c - filter rows, deflate them in blocks on all cores, write IDAT chunks
 *
 * The caller's thread filters rows into a block of BLOCK bytes. A thread deflates each full block while
 * the next one is filled. A block begins with a copy of the window before it, so that blocks do not
 * depend on each other, and ends at a byte: together they are one zlib stream, whose Adler-32 is
 * combined from theirs. Each block is one chunk. The blocks are a ring: before the caller fills one again
 * it waits for its thread, and writes the chunk. Where blocks begin, and with that the file's bytes,
 * depends on the image alone.
 *
 * An image of one block has no threads.
 */
#include "codec/png/idat.h"

#include "base/thread_pool.h"
#include "codec/deflate/compress.h"
#include "codec/metadata/bytes.h"
#include "codec/png/filter.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BLOCK ((size_t)512 << 10)
/* Images of fewer bytes get one level more than the default: they take little time anyway. */
#define SMALL ((uint64_t)2 << 20)
#define DEFAULT_LEVEL 6
#define SHARE 16 /* threads may take 1/SHARE of the limit on memory */
#define THREADS_MAX 8
#define CHUNK_HEAD 8 /* length and name */
#define ZLIB_HEAD 2
#define ADLER_BYTES 4
#define CRC_BYTES 4

struct block {
    struct imf_idat *idat;
    bool full;    /* and not written yet */
    bool running; /* in its thread */
    pthread_t thread;
    bool first, last;
    size_t before, size;  /* of the window, and of the block after it */
    unsigned char *plain; /* both, not deflated */
    unsigned char *chunk; /* as it is written */
    size_t chunk_size;
    uLong adler;
    struct imf_compressor *compressor;
};

struct imf_idat {
    struct imf_idat_shape shape;
    int level;
    struct imf_writer *writer;
    unsigned char *above, *candidate[2];
    uint64_t left; /* bytes that are in no block yet */
    size_t block_size;
    uLong adler;
    int blocks, filling; /* of the ring */
    struct block block[THREADS_MAX + 1];
};

/* ---- blocks ----------------------------------------------------------------------------------- */

/* All but combining the checksums and writing, which are the caller's part. */
static void *deflate_block(void *data) {
    static const unsigned char levels[10] = {0x01, 0x01, 0x5e, 0x5e, 0x5e,
                                             0x5e, 0x9c, 0xda, 0xda, 0xda};
    struct block *b = data;
    unsigned char *to = b->chunk + CHUNK_HEAD;
    if (b->first) {
        *to++ = 0x78; /* deflate, a window of 32 KiB */
        *to++ = levels[b->idat->level];
    }
    const unsigned char *plain = b->plain + b->before;
    to += imf_compress(b->compressor, plain, b->before, b->size, b->last, to);
    b->adler = adler32_z(1, plain, b->size);
    b->chunk_size = (size_t)(to - b->chunk) - CHUNK_HEAD;
    memcpy(b->chunk + 4, "IDAT", 4);
    if (!b->last)
        imf_put32(to, (uint32_t)crc32_z(0, b->chunk + 4, b->chunk_size + 4));
    return NULL;
}

static void wait_for(struct block *b) {
    if (b->running)
        pthread_join(b->thread, NULL);
    b->running = false;
}

static void write_block(struct imf_idat *idat, struct block *b) {
    wait_for(b);
    unsigned char *end = b->chunk + CHUNK_HEAD + b->chunk_size;
    idat->adler = adler32_combine(idat->adler, b->adler, (z_off_t)b->size);
    if (b->last) {
        imf_put32(end, (uint32_t)idat->adler);
        end += ADLER_BYTES;
        b->chunk_size += ADLER_BYTES;
        imf_put32(end, (uint32_t)crc32_z(0, b->chunk + 4, b->chunk_size + 4));
    }
    imf_put32(b->chunk, (uint32_t)b->chunk_size);
    imf_writer_put(idat->writer, b->chunk, (size_t)(end - b->chunk) + CRC_BYTES);
    b->full = false;
}

/* Deflate the block that is being filled, which is full, or the last, and go on to the next one. */
static void submit(struct imf_idat *idat) {
    struct block *b = &idat->block[idat->filling], *next;
    size_t all = b->before + b->size;
    b->full = true;
    b->last = idat->left == 0;
    b->running = idat->blocks > 1 && !b->last && !imf_thread_start(&b->thread, deflate_block, b);
    if (!b->running)
        deflate_block(b);
    do {
        idat->filling = (idat->filling + 1) % idat->blocks;
        next = &idat->block[idat->filling];
        if (next->full)
            write_block(idat, next);
    } while (b->full && b->last);
    if (b->last)
        return;
    next->before = all < IMF_DEFLATE_WINDOW ? all : IMF_DEFLATE_WINDOW;
    next->size = 0;
    next->first = false;
    memmove(next->plain, b->plain + all - next->before, next->before);
}

static void append(struct imf_idat *idat, const unsigned char *data, size_t size) {
    while (size) {
        struct block *b = &idat->block[idat->filling];
        size_t space = idat->block_size - b->size, part = size < space ? size : space;
        memcpy(b->plain + b->before + b->size, data, part);
        b->size += part;
        data += part;
        size -= part;
        idat->left -= part;
        if (b->size == idat->block_size || !idat->left)
            submit(idat);
    }
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* The filter that leaves the smallest sum of magnitudes; its result is in candidate[0]. */
static enum imf_png_filter choose(struct imf_idat *idat, const unsigned char *row) {
    enum imf_png_filter best = IMF_PNG_NONE;
    size_t least = imf_png_magnitude(row, idat->shape.row_bytes);
    for (enum imf_png_filter f = IMF_PNG_SUB; f <= IMF_PNG_PAETH; f++) {
        imf_png_filter(f, idat->candidate[1], row, idat->above, idat->shape.row_bytes,
                       idat->shape.pixel);
        size_t sum = imf_png_magnitude(idat->candidate[1], idat->shape.row_bytes);
        if (sum >= least)
            continue;
        unsigned char *other = idat->candidate[0];
        idat->candidate[0] = idat->candidate[1];
        idat->candidate[1] = other;
        least = sum;
        best = f;
    }
    return best;
}

void imf_idat_row(struct imf_idat *idat, const unsigned char *row) {
    const struct imf_idat_shape *s = &idat->shape;
    unsigned char filter = IMF_PNG_NONE;
    if (!s->few && idat->level == 1) {
        filter = IMF_PNG_UP;
        imf_png_filter(filter, idat->candidate[0], row, idat->above, s->row_bytes, s->pixel);
    } else if (!s->few && idat->level > 1) {
        filter = (unsigned char)choose(idat, row);
    }
    append(idat, &filter, 1);
    append(idat, filter == IMF_PNG_NONE ? row : idat->candidate[0], s->row_bytes);
    if (idat->above)
        memcpy(idat->above, row, s->row_bytes);
}

/* ---- open and close --------------------------------------------------------------------------- */

/* What an image takes, and how many blocks there are at once. */
struct size {
    uint64_t bytes; /* filtered */
    size_t block, plain, chunk;
    int level, blocks;
    uint64_t memory;
};

static struct size size_of(const struct imf_idat_shape *s, const struct imf_writer *w) {
    const struct imf_encode *e = &w->encode;
    struct size z = {.bytes = ((uint64_t)s->row_bytes + 1) * (uint64_t)w->info.height};
    bool other = e->compression >= IMF_COMPRESSION_LZW; /* which only a TIFF has */
    z.level = e->compression == IMF_COMPRESSION_NONE ? 0 : e->compression;
    if (!e->compression || e->compression == DEFAULT_LEVEL || other)
        z.level = z.bytes < SMALL ? DEFAULT_LEVEL + 1 : DEFAULT_LEVEL;
    z.block = z.bytes < BLOCK ? (size_t)z.bytes : BLOCK;
    z.plain = IMF_DEFLATE_WINDOW + z.block;
    z.chunk = CHUNK_HEAD + ZLIB_HEAD + imf_deflate_bound(z.block) + ADLER_BYTES + CRC_BYTES;
    uint64_t each = z.plain + z.chunk + imf_compressor_bytes(z.level, z.block);
    uint64_t most = (z.bytes + z.block - 1) / z.block;
    int threads = e->threads > 0 ? e->threads : imf_cores();
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    z.blocks = threads == 1 ? 1 : most <= (uint64_t)threads ? (int)most : threads + 1;
    for (;; z.blocks = z.blocks > 2 ? z.blocks - 1 : 1) {
        z.memory = (uint64_t)z.blocks * each + 3 * (uint64_t)s->row_bytes;
        if (z.blocks == 1 || !e->max_memory || z.memory <= e->max_memory / SHARE)
            return z;
    }
}

uint64_t imf_idat_memory(const struct imf_idat_shape *shape, const struct imf_writer *w) {
    return size_of(shape, w).memory;
}

static bool allocate(struct imf_idat *idat, const struct size *z) {
    const struct imf_idat_shape *s = &idat->shape;
    bool good = true;
    for (int i = 0; good && i < z->blocks; i++) {
        struct block *b = &idat->block[i];
        b->idat = idat;
        good = (b->compressor = imf_compressor_new(idat->level, s->few, s->pixel, z->block)) &&
               (b->plain = malloc(z->plain)) && (b->chunk = malloc(z->chunk));
    }
    if (good && !s->few && idat->level > 0)
        good = (idat->above = calloc(1, s->row_bytes)) &&
               (idat->candidate[0] = malloc(s->row_bytes)) &&
               (idat->candidate[1] = malloc(s->row_bytes));
    return good;
}

struct imf_idat *imf_idat_open(const struct imf_idat_shape *shape, struct imf_writer *writer) {
    struct imf_idat *idat = calloc(1, sizeof *idat);
    if (!idat)
        return NULL;
    const struct size z = size_of(shape, writer);
    idat->shape = *shape;
    idat->level = z.level;
    idat->writer = writer;
    idat->left = z.bytes;
    idat->block_size = z.block;
    idat->blocks = z.blocks;
    idat->adler = 1;
    idat->block[0].first = true;
    if (!allocate(idat, &z))
        imf_idat_close(&idat);
    return idat;
}

void imf_idat_close(struct imf_idat **closed) {
    struct imf_idat *idat = *closed;
    *closed = NULL;
    if (!idat)
        return;
    for (int i = 0; i < idat->blocks; i++) {
        struct block *b = &idat->block[i];
        wait_for(b);
        imf_compressor_free(&b->compressor);
        free(b->plain);
        free(b->chunk);
    }
    free(idat->above);
    free(idat->candidate[0]);
    free(idat->candidate[1]);
    free(idat);
}
