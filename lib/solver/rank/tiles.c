/*
 * tiles.c - ranks in rectangles by networks that the windows of a tile share
 *
 * A vector holds one sample of each of many tiles side by side. For that the pixels of an input row are
 * deinterleaved into as many rows as a tile is wide: then the operands of a step for neighbouring tiles
 * are neighbours in memory. With tiles of 2 pixels the fifth column of a tile's windows is in the first
 * split row, two pixels further on:
 *
 *      row       a b c d e f g h ..         split  a c e g ..
 *      tiles     [a b] [c d] [e f]                 b d f h ..
 *
 * Columns of a tile's windows are sorted once for all tiles that share them. Results are interleaved
 * again.
 */
#include "solver/rank/tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VECTOR 64               /* bytes */
#define CACHE (48 << 10)        /* bytes of rows to work in, */
#define LANES_LEAST VECTOR      /* but at least these of a row, */
#define LANES_MOST (8 * VECTOR) /* and at most these */

#define INLINE static inline __attribute__((always_inline))

static size_t up(size_t bytes) {
    return (bytes + VECTOR - 1) / VECTOR * VECTOR;
}

struct imf_network_tile imf_network_tile(int width, int height) {
    return (struct imf_network_tile){.width = width,
                                     .height = height,
                                     .across = width < 3    ? 1
                                               : width < 6  ? 2
                                               : width < 16 ? 4
                                                            : 8,
                                     .down = height < 3    ? 1
                                             : height < 8  ? 2
                                             : height < 24 ? 4
                                                           : 8};
}

double imf_tiles_stores(int width, int height) {
    return 3.2 * pow((double)width * height, 0.95);
}

enum imf_status imf_tiles_open(struct imf_tiles *out, int width, int height, int rank,
                               struct imf_error *err) {
    *out = (struct imf_tiles){.tile = imf_network_tile(width, height)};
    enum imf_status st = imf_network_sort(&out->columns, imf_tile_shared(&out->tile), err);
    if (!st)
        st = imf_network_rank(&out->windows, &out->tile, rank, err);
    return st;
}

void imf_tiles_guess(struct imf_tiles *out, int width, int height) {
    *out = (struct imf_tiles){.tile = imf_network_tile(width, height)};
    out->windows.slots = out->windows.inputs = 5 * width * height;
}

void imf_tiles_close(struct imf_tiles *t) {
    imf_network_free(&t->columns);
    imf_network_free(&t->windows);
}

int imf_tiles_step(int width, int channels) {
    return imf_network_tile(width, 1).across * channels;
}

int imf_tiles_strip(int width, int height, int channels, enum imf_sample sample) {
    const struct imf_network_tile t = imf_network_tile(width, height);
    size_t size = imf_sample_size(sample);
    /* About so many rows are in use as the smallest halves of a tile have samples. */
    size_t rows = (size_t)(width * height),
           bytes = CACHE / (rows < 32 ? 32 : rows) / VECTOR * VECTOR;
    bytes = bytes < LANES_LEAST ? LANES_LEAST : bytes > LANES_MOST ? LANES_MOST : bytes;
    while (bytes / size < 4 * (size_t)(channels * width / t.across))
        bytes += VECTOR; /* otherwise the halo is too much of a strip */
    int step = imf_tiles_step(width, channels);
    return imf_max((int)(bytes / size) * t.across / step, 1) * step;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Of a strip. */
struct plan {
    const struct imf_tiles *t;
    enum imf_sample sample;
    size_t size, pixel;        /* bytes */
    size_t lanes, wide, pitch; /* bytes of rows: of tiles; with what windows reach; apart */
    char *split, *sorted, *work, *made, *row; /* rows to work in */
    void **rows;                              /* of a network */
};

/* Lays out the working memory from store on; returns its bytes. */
static size_t lay(struct plan *p, const struct imf_tiles *t, int channels, enum imf_sample sample,
                  int n, char *store) {
    const struct imf_network_tile *tile = &t->tile;
    size_t across = (size_t)tile->across, columns = (size_t)imf_tile_columns(tile);
    *p = (struct plan){.t = t, .sample = sample, .size = imf_sample_size(sample)};
    p->pixel = (size_t)channels * p->size;
    size_t tiles = ((size_t)n - 1) / (across * (size_t)channels) + 1;
    p->lanes = up(tiles * p->pixel);
    p->wide = up(p->lanes + (columns - 1) / across * p->pixel);
    p->pitch = p->wide + VECTOR;
    size_t slots =
        (size_t)(t->columns.slots > t->windows.slots ? t->columns.slots : t->windows.slots);
    size_t sizes[] = {(size_t)imf_tile_rows(tile) * across * p->pitch,
                      (size_t)imf_tile_shared(tile) * across * p->pitch,
                      slots * p->pitch,
                      across * (size_t)tile->down * p->pitch,
                      p->lanes * across + VECTOR,
                      ((size_t)(t->windows.slots + t->windows.inputs + t->windows.outputs) +
                       (size_t)(t->columns.slots + 2 * t->columns.inputs)) *
                          sizeof(void *)};
    char **to[] = {&p->split, &p->sorted, &p->work, &p->made, &p->row};
    size_t used = 0;
    for (int i = 0; i < 6; i++) {
        if (i < 5)
            *to[i] = store + used;
        else
            p->rows = (void **)(void *)(store + used);
        used += up(sizes[i]);
    }
    return used;
}

size_t imf_tiles_bytes(const struct imf_tiles *t, int channels, enum imf_sample sample, int n) {
    struct plan p;
    char none[1]; /* not read nor written */
    return lay(&p, t, channels, sample, n, none);
}

/* ---- interleaving ---------------------------------------------------------------------------- */

/* Pixels of so many bytes, copied `at_once` bytes at a time: up to 15 bytes beyond the last. */
INLINE void deinterleave_by(char *to, const char *from, size_t step, int count, size_t bytes,
                            size_t at_once) {
    for (int i = 0; i < count; i++, to += bytes, from += step)
        memcpy(to, from, at_once);
}

INLINE void interleave_by(char *to, const char *from, size_t pitch, int across, int count,
                          size_t bytes, size_t at_once) {
    for (int i = 0; i < count; i++, from += bytes)
        for (int k = 0; k < across; k++, to += bytes)
            memcpy(to, from + (size_t)k * pitch, at_once);
}

/* Calls the function with constant sizes, so that each copy becomes a move. */
#define BY_SIZE(function, bytes, ...)                                                              \
    do {                                                                                           \
        if ((bytes) == 1)                                                                          \
            function(__VA_ARGS__, 1, 1);                                                           \
        else if ((bytes) <= 4)                                                                     \
            function(__VA_ARGS__, bytes, 4);                                                       \
        else if ((bytes) <= 8)                                                                     \
            function(__VA_ARGS__, bytes, 8);                                                       \
        else if ((bytes) <= 16)                                                                    \
            function(__VA_ARGS__, bytes, 16);                                                      \
        else                                                                                       \
            function(__VA_ARGS__, bytes, bytes);                                                   \
    } while (0)

static char *split(const struct plan *p, int row, int column) {
    int across = p->t->tile.across;
    return p->split +
           (size_t)(row % imf_tile_rows(&p->t->tile) * across + column % across) * p->pitch +
           (size_t)(column / across) * p->pixel;
}

static void deinterleave(const struct plan *p, int row, const char *from, int pixels) {
    int across = p->t->tile.across;
    for (int k = 0; k < across && k < pixels; k++) {
        int count = (pixels - 1 - k) / across + 1;
        BY_SIZE(deinterleave_by, p->pixel, split(p, row, k), from + (size_t)k * p->pixel,
                (size_t)across * p->pixel, count);
    }
}

static void interleave(const struct plan *p, const char *from, char *to, int pixels) {
    int across = p->t->tile.across;
    BY_SIZE(interleave_by, p->pixel, to, from, p->pitch, across, (pixels - 1) / across + 1);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Without gaps, so that the rows in use fit the smallest cache. */
static void work_rows(const struct plan *p, const struct imf_network *net, size_t pitch) {
    for (int i = 0; i < net->slots; i++)
        p->rows[i] = p->work + (size_t)i * pitch;
}

static char *sorted(const struct plan *p, int column, int i) {
    int across = p->t->tile.across, shared = imf_tile_shared(&p->t->tile);
    return p->sorted + (size_t)(column % across * shared + i) * p->pitch +
           (size_t)(column / across) * p->pixel;
}

/* Outputs of a row of tiles, the first of whose rows of samples is `first`. */
static void run_tiles(const struct plan *p, int first) {
    const struct imf_network_tile *t = &p->t->tile;
    const struct imf_network *net = &p->t->columns;
    int shared = imf_tile_shared(t), some = t->down - 1, lanes = (int)(p->lanes / p->size);
    work_rows(p, net, p->wide);
    for (int k = 0; k < t->across && shared > 1; k++) {
        for (int i = 0; i < shared; i++) {
            p->rows[net->slots + i] = split(p, first + some + i, k);
            p->rows[net->slots + shared + i] = sorted(p, k, i);
        }
        imf_network_run(net, p->sample, p->rows, (int)(p->wide / p->size));
    }
    net = &p->t->windows;
    work_rows(p, net, p->lanes);
    void **next = p->rows + net->slots;
    for (int i = 0; i < 2 * some; i++)
        for (int x = 0; x < imf_tile_columns(t); x++)
            *next++ = split(p, first + (i < some ? i : i + shared), x);
    for (int x = 0; x < imf_tile_columns(t); x++)
        for (int i = 0; i < shared; i++)
            *next++ = shared > 1 ? sorted(p, x, i) : split(p, first + some, x);
    for (int i = 0; i < net->outputs; i++)
        *next++ = p->made + (size_t)i * p->pitch;
    imf_network_run(net, p->sample, p->rows, lanes);
}

void imf_tiles_run(const struct imf_tiles *t, const struct imf_piece *strip, void *store) {
    const struct imf_network_tile *tile = &t->tile;
    int channels = strip->p->channels, n = strip->at.n, reach = tile->width - 1;
    int pixels = (n - 1) / channels + 1, split_rows = 0;
    struct plan p;
    lay(&p, t, channels, strip->p->in, n, store);
    for (int y = strip->at.y; y < strip->at.end; y += tile->down) {
        int first = y - strip->at.y, last = strip->at.end - strip->at.y + tile->height - 2;
        for (; split_rows < first + imf_tile_rows(tile); split_rows++)
            deinterleave(
                &p, split_rows,
                imf_strip_input(strip, strip->at.y + strip->top + imf_min(split_rows, last)),
                pixels + reach);
        run_tiles(&p, first);
        for (int i = 0; i < tile->down && y + i < strip->at.end; i++) {
            interleave(&p, p.made + (size_t)(i * tile->across) * p.pitch, p.row, pixels);
            memcpy(imf_strip_target(strip, y + i), p.row, (size_t)n * p.size);
            imf_strip_end(strip, y + i);
        }
    }
}
