/*
 * idat.c - filter rows, deflate them in blocks on all cores, write IDAT chunks
 *
 * The caller's thread filters rows into a block of BLOCK bytes; an idle worker deflates the full block
 * while the next one is filled. A block begins with a copy of the window before it, so that blocks do
 * not depend on each other, and ends at a byte: together they are one zlib stream, whose Adler-32 is
 * combined from theirs. Each block is one chunk, whose CRC the worker computes, too. When all blocks
 * are in use the caller deflates one itself, or waits for the oldest; it alone writes, in order. Where
 * blocks begin, and with that the file's bytes, depends on the image alone.
 *
 * An image of one block has no threads.
 */
#include "codec/png/idat.h"

#include "base/parallel.h"
#include "codec/metadata/bytes.h"
#include "codec/png/compress.h"
#include "codec/png/filter.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BLOCK ((size_t)512 << 10)
/* Images of fewer bytes get one level more than the default: they take little time anyway. */
#define SMALL ((uint64_t)2 << 20)
#define DEFAULT_LEVEL 6
#define SHARE 16 /* workers may take 1/SHARE of the limit on memory */
#define WORKERS_MAX 7
#define CHUNK_HEAD 8 /* length and name */
#define ZLIB_HEAD 2
#define ADLER_BYTES 4
#define CRC_BYTES 4

enum state { FREE, READY, BUSY, DONE };

struct block {
    enum state state;
    bool first, last;
    size_t before, size;  /* of the window, and of the block after it */
    unsigned char *plain; /* both, not deflated */
    unsigned char *chunk; /* as it is written */
    size_t chunk_size;
    uLong adler;
};

struct worker {
    struct imf_idat *idat;
    pthread_t thread;
    struct imf_png_compressor *compressor;
};

struct imf_idat {
    struct imf_idat_shape shape;
    imf_idat_sink *sink;
    void *sink_data;
    bool failed;                           /* of sink */
    struct imf_png_compressor *compressor; /* the caller's */
    unsigned char *above, *candidate[2];
    uint64_t left; /* bytes that are in no block yet */
    size_t block_size;
    uLong adler;

    struct block *block;
    int blocks, filling, oldest; /* of a ring */
    int started, wanted;         /* workers */
    struct worker worker[WORKERS_MAX];
    pthread_mutex_t lock; /* of blocks' states, next and stop */
    pthread_cond_t ready, done;
    int next; /* block that becomes ready next */
    bool stop;
};

/* ---- a block ---------------------------------------------------------------------------------- */

/* All but writing a block and combining the checksums, which are the caller's part. */
static void deflate_block(const struct imf_idat *idat, struct imf_png_compressor *compressor,
                          struct block *b) {
    static const unsigned char levels[10] = {0x01, 0x01, 0x5e, 0x5e, 0x5e,
                                             0x5e, 0x9c, 0xda, 0xda, 0xda};
    unsigned char *to = b->chunk + CHUNK_HEAD;
    if (b->first) {
        *to++ = 0x78; /* deflate, a window of 32 KiB */
        *to++ = levels[idat->shape.level];
    }
    const unsigned char *data = b->plain + b->before;
    to += imf_png_compress(compressor, data, b->before, b->size, b->last, to);
    b->adler = adler32_z(1, data, b->size);
    b->chunk_size = (size_t)(to - b->chunk) - CHUNK_HEAD;
    memcpy(b->chunk + 4, "IDAT", 4);
    if (!b->last)
        imf_put32(to, (uint32_t)crc32_z(0, b->chunk + 4, b->chunk_size + 4));
}

static void *work(void *data) {
    struct worker *w = data;
    struct imf_idat *idat = w->idat;
    pthread_mutex_lock(&idat->lock);
    while (!idat->stop) {
        struct block *b = &idat->block[idat->next];
        if (b->state != READY) {
            pthread_cond_wait(&idat->ready, &idat->lock);
            continue;
        }
        b->state = BUSY;
        idat->next = (idat->next + 1) % idat->blocks;
        pthread_mutex_unlock(&idat->lock);
        deflate_block(idat, w->compressor, b);
        pthread_mutex_lock(&idat->lock);
        b->state = DONE;
        pthread_cond_signal(&idat->done);
    }
    pthread_mutex_unlock(&idat->lock);
    return NULL;
}

/* ---- the ring --------------------------------------------------------------------------------- */

static void write_block(struct imf_idat *idat, struct block *b) {
    unsigned char *end = b->chunk + CHUNK_HEAD + b->chunk_size;
    idat->adler = adler32_combine(idat->adler, b->adler, (z_off_t)b->size);
    if (b->last) {
        imf_put32(end, (uint32_t)idat->adler);
        end += ADLER_BYTES;
        b->chunk_size += ADLER_BYTES;
        imf_put32(end, (uint32_t)crc32_z(0, b->chunk + 4, b->chunk_size + 4));
    }
    imf_put32(b->chunk, (uint32_t)b->chunk_size);
    if (!idat->failed)
        idat->failed = !idat->sink(idat->sink_data, b->chunk, (size_t)(end - b->chunk) + CRC_BYTES);
}

/* Write the oldest block, once it is done; deflate others until then. */
static void retire(struct imf_idat *idat) {
    struct block *b = &idat->block[idat->oldest];
    pthread_mutex_lock(&idat->lock);
    while (b->state != DONE) {
        struct block *mine = &idat->block[idat->next];
        if (mine->state != READY) {
            pthread_cond_wait(&idat->done, &idat->lock);
            continue;
        }
        mine->state = BUSY;
        idat->next = (idat->next + 1) % idat->blocks;
        pthread_mutex_unlock(&idat->lock);
        deflate_block(idat, idat->compressor, mine);
        pthread_mutex_lock(&idat->lock);
        mine->state = DONE;
    }
    b->state = FREE;
    pthread_mutex_unlock(&idat->lock);
    write_block(idat, b);
    idat->oldest = (idat->oldest + 1) % idat->blocks;
}

static bool oldest_is(struct imf_idat *idat, enum state state) {
    pthread_mutex_lock(&idat->lock);
    bool is = idat->block[idat->oldest].state == state;
    pthread_mutex_unlock(&idat->lock);
    return is;
}

/* Workers are started with the first full block; as many as the system grants. */
static void start_workers(struct imf_idat *idat) {
    sigset_t all, before;
    int wanted = idat->wanted;
    idat->wanted = 0;
    sigfillset(&all); /* signals are left to the program's own threads */
    if (!wanted || pthread_sigmask(SIG_SETMASK, &all, &before))
        return;
    for (; idat->started < wanted; idat->started++) {
        struct worker *w = &idat->worker[idat->started];
        w->idat = idat;
        if (!w->compressor || pthread_create(&w->thread, NULL, work, w))
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Pass on the block that is being filled: it is full, or the last. */
static void submit(struct imf_idat *idat) {
    struct block *b = &idat->block[idat->filling];
    size_t all = b->before + b->size;
    b->last = idat->left == 0;
    if (!b->last)
        start_workers(idat);
    pthread_mutex_lock(&idat->lock);
    b->state = READY;
    pthread_cond_signal(&idat->ready);
    pthread_mutex_unlock(&idat->lock);
    idat->filling = (idat->filling + 1) % idat->blocks;
    while (oldest_is(idat, DONE) || (b->last && !oldest_is(idat, FREE)))
        retire(idat);
    if (b->last)
        return;
    struct block *next = &idat->block[idat->filling];
    if (idat->filling == idat->oldest && !oldest_is(idat, FREE))
        retire(idat);
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

bool imf_idat_row(struct imf_idat *idat, const unsigned char *row) {
    const struct imf_idat_shape *s = &idat->shape;
    unsigned char filter = IMF_PNG_NONE;
    if (!s->few && s->level == 1) {
        filter = IMF_PNG_UP;
        imf_png_filter(filter, idat->candidate[0], row, idat->above, s->row_bytes, s->pixel);
    } else if (!s->few && s->level > 1) {
        filter = (unsigned char)choose(idat, row);
    }
    append(idat, &filter, 1);
    append(idat, filter == IMF_PNG_NONE ? row : idat->candidate[0], s->row_bytes);
    if (idat->above)
        memcpy(idat->above, row, s->row_bytes);
    return !idat->failed;
}

/* ---- open and close --------------------------------------------------------------------------- */

/* What an image takes, and how many workers. */
struct size {
    uint64_t bytes; /* filtered */
    size_t block, plain, chunk;
    int level, workers, blocks;
    uint64_t memory;
};

static struct size size_of(const struct imf_idat_shape *s) {
    struct size z = {.bytes = ((uint64_t)s->row_bytes + 1) * (uint64_t)s->rows, .level = s->level};
    if (z.bytes < SMALL && s->level == DEFAULT_LEVEL)
        z.level++;
    z.block = z.bytes < BLOCK ? (size_t)z.bytes : BLOCK;
    z.plain = IMF_DEFLATE_WINDOW + z.block;
    z.chunk = CHUNK_HEAD + ZLIB_HEAD + imf_deflate_bound(z.block) + ADLER_BYTES + CRC_BYTES;
    uint64_t blocks = (z.bytes + z.block - 1) / z.block;
    int workers = (s->threads > 0 ? s->threads : imf_cores()) - 1;
    z.workers = workers < WORKERS_MAX ? workers : WORKERS_MAX;
    if ((uint64_t)z.workers > blocks - 1)
        z.workers = (int)(blocks - 1);
    for (;; z.workers--) {
        z.blocks = z.workers ? z.workers + 2 : 1;
        z.memory = (uint64_t)z.blocks * (z.plain + z.chunk) +
                   (uint64_t)(z.workers + 1) * imf_png_compressor_bytes(z.level, z.block) +
                   3 * (uint64_t)s->row_bytes;
        if (!z.workers || !s->max_memory || z.memory <= s->max_memory / SHARE)
            return z;
    }
}

uint64_t imf_idat_memory(const struct imf_idat_shape *shape) {
    return size_of(shape).memory;
}

static bool allocate(struct imf_idat *idat, const struct size *z) {
    const struct imf_idat_shape *s = &idat->shape;
    idat->block = calloc((size_t)z->blocks, sizeof *idat->block);
    idat->compressor = imf_png_compressor_new(s->level, s->few, s->pixel, z->block);
    bool good = idat->block && idat->compressor;
    for (int i = 0; good && i < z->blocks; i++)
        good =
            (idat->block[i].plain = malloc(z->plain)) && (idat->block[i].chunk = malloc(z->chunk));
    for (int i = 0; good && i < z->workers; i++)
        good = (idat->worker[i].compressor =
                    imf_png_compressor_new(s->level, s->few, s->pixel, z->block));
    if (good && !s->few && s->level > 0)
        good = (idat->above = calloc(1, s->row_bytes)) &&
               (idat->candidate[0] = malloc(s->row_bytes)) &&
               (idat->candidate[1] = malloc(s->row_bytes));
    return good;
}

struct imf_idat *imf_idat_open(const struct imf_idat_shape *shape, imf_idat_sink *sink,
                               void *data) {
    struct imf_idat *idat = calloc(1, sizeof *idat);
    if (!idat)
        return NULL;
    idat->shape = *shape;
    idat->sink = sink;
    idat->sink_data = data;
    const struct size z = size_of(shape);
    idat->shape.level = z.level;
    idat->left = z.bytes;
    idat->block_size = z.block;
    idat->blocks = z.blocks;
    idat->wanted = z.workers;
    idat->adler = 1;
    pthread_mutex_init(&idat->lock, NULL);
    pthread_cond_init(&idat->ready, NULL);
    pthread_cond_init(&idat->done, NULL);
    if (allocate(idat, &z))
        idat->block[0].first = true;
    else
        imf_idat_close(&idat);
    return idat;
}

void imf_idat_close(struct imf_idat **closed) {
    struct imf_idat *idat = *closed;
    *closed = NULL;
    if (!idat)
        return;
    pthread_mutex_lock(&idat->lock);
    idat->stop = true;
    pthread_cond_broadcast(&idat->ready);
    pthread_mutex_unlock(&idat->lock);
    for (int i = 0; i < idat->started; i++)
        pthread_join(idat->worker[i].thread, NULL);
    for (int i = 0; i < WORKERS_MAX; i++)
        imf_png_compressor_free(&idat->worker[i].compressor);
    imf_png_compressor_free(&idat->compressor);
    for (int i = 0; idat->block && i < idat->blocks; i++) {
        free(idat->block[i].plain);
        free(idat->block[i].chunk);
    }
    free(idat->block);
    free(idat->above);
    free(idat->candidate[0]);
    free(idat->candidate[1]);
    pthread_cond_destroy(&idat->done);
    pthread_cond_destroy(&idat->ready);
    pthread_mutex_destroy(&idat->lock);
    free(idat);
}
