/*
 * tiles.c - ranks in small rectangles on the host's cores by networks that the windows of a tile share
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
 *
 * 16-bit samples in 7x7 take 4.6 ns each on one core (AMD EPYC, AVX-512), by the next best algorithm 14.
 */
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/rank/network.h"

#include <math.h>
#include <string.h>

#define NAME "sorting networks of tiles"
#define SIDE_MOST 64            /* of a window */
#define VECTOR 64               /* bytes */
#define CACHE (48 << 10)        /* bytes of rows to work in, */
#define LANES_LEAST VECTOR      /* but at least these of a row, */
#define LANES_MOST (8 * VECTOR) /* and at most these */

#define INLINE static inline __attribute__((always_inline))

static size_t up(size_t bytes) {
    return (bytes + VECTOR - 1) / VECTOR * VECTOR;
}

/* Powers of two that suit the window, down for steps of so many rows. */
static struct imf_network_tile tile_for(int width, int height) {
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

/* Samples of a strip, at most; a multiple of those of a tile's row. */
static int strip_width(const struct imf_problem *p, const struct imf_window_facts *w) {
    const struct imf_network_tile t = tile_for(w->width, w->height);
    size_t size = imf_sample_size(p->in);
    /* About so many rows are in use as the smallest halves of a tile have samples. */
    size_t rows = (size_t)w->count, bytes = CACHE / (rows < 32 ? 32 : rows) / VECTOR * VECTOR;
    bytes = bytes < LANES_LEAST ? LANES_LEAST : bytes > LANES_MOST ? LANES_MOST : bytes;
    while (bytes / size < 4 * (size_t)(p->channels * w->width / t.across))
        bytes += VECTOR; /* otherwise the halo is too much of a strip */
    int step = t.across * p->channels;
    return imf_max((int)(bytes / size) * t.across / step, 1) * step;
}

/* ---- memory ---------------------------------------------------------------------------------- */

struct tiles {
    struct imf_network_tile tile;
    struct imf_network columns, windows; /* owned */
};

struct shape {
    struct imf_window_facts window;
    int slots,
        rows; /* of both networks: rows to work in, rows at once; a guess until they are made */
};

/* Of a strip. */
struct plan {
    const struct tiles *t;
    enum imf_sample sample;
    size_t size, pixel;        /* bytes */
    size_t lanes, wide, pitch; /* bytes of rows: of tiles; with what windows reach; apart */
    char *split, *sorted, *work, *made; /* rows to work in */
    void **rows;                        /* of a network */
};

/* Lays out the working memory from store on; returns its bytes. */
static size_t lay(struct plan *p, const struct imf_problem *of, const struct shape *shape, int n,
                  char *store) {
    const struct imf_network_tile t = tile_for(shape->window.width, shape->window.height);
    size_t across = (size_t)t.across, columns = (size_t)imf_tile_columns(&t);
    *p = (struct plan){.sample = of->in, .size = imf_sample_size(of->in)};
    p->pixel = (size_t)of->channels * p->size;
    size_t tiles = ((size_t)n - 1) / (across * (size_t)of->channels) + 1;
    p->lanes = up(tiles * p->pixel);
    p->wide = up(p->lanes + (columns - 1) / across * p->pixel);
    p->pitch = p->wide + VECTOR;
    p->split = store;
    p->sorted = p->split + (size_t)imf_tile_rows(&t) * across * p->pitch;
    p->work = p->sorted + (size_t)imf_tile_shared(&t) * across * p->pitch;
    p->made = p->work + (size_t)shape->slots * p->pitch;
    p->rows = (void **)(void *)(p->made + across * (size_t)t.down * p->pitch);
    return (size_t)((char *)(p->rows + shape->rows) - store);
}

static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int n) {
    struct plan plan;
    char none[1]; /* not read nor written */
    return imf_window_pitch(p, shape, n) + lay(&plan, p, shape, n, none);
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

static void tiles_strip(const struct imf_host_strip *s) {
    const struct imf_problem *problem = &s->job->p;
    const struct imf_window_facts *w = imf_window_of(s->job);
    const struct tiles *t = s->job->own;
    const struct imf_network_tile *tile = &t->tile;
    int pixels = (s->at.n - 1) / problem->channels + 1, next = s->at.y;
    struct plan p;
    lay(&p, problem, (const struct shape *)(const void *)w, s->at.n, imf_strip_scratch(s));
    p.t = t;
    for (int y = s->at.y; y < s->at.end; y += tile->down) {
        for (int last = s->at.end + w->height - 2; next < y + imf_tile_rows(tile); next++)
            deinterleave(&p, next - s->at.y, imf_strip_input(s, imf_min(next, last)),
                         pixels + w->width - 1);
        run_tiles(&p, y - s->at.y);
        for (int i = 0; i < tile->down && y + i < s->at.end; i++) {
            interleave(&p, p.made + (size_t)(i * tile->across) * p.pitch, s->scratch, pixels);
            imf_strip_end(s, y + i, s->scratch);
        }
    }
}

/* ---- the solver ------------------------------------------------------------------------------ */

static void tiles_propose(const struct imf_problem *p, const struct imf_device *d,
                          struct imf_proposal *out) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    const struct imf_window_facts *w = imf_window_propose(out, p);
    struct shape *s = (struct shape *)out->shape.bytes;
    (void)d;
    if (!w->box || imf_max(w->width, w->height) > SIDE_MOST || w->count <= 2) {
        imf_window_strips(out, p, 0, 0, NAME);
        return;
    }
    s->slots = 5 * w->count;
    s->rows = 2 * s->slots;
    double stores = 3.2 * pow(w->count, 0.95), size = (double)imf_sample_size(p->in);
    imf_window_strips(out, p, size * (r->tiles_sample + r->tiles_store * stores), strip_width(p, w),
                      NAME);
}

static enum imf_status tiles_prepare(struct imf_job *job, struct imf_error *err) {
    struct tiles *t = job->own;
    struct shape *s = (struct shape *)job->proposal.shape.bytes;
    const struct imf_network *c = &t->columns, *w = &t->windows;
    t->tile = tile_for(s->window.width, s->window.height);
    enum imf_status st = imf_network_sort(&t->columns, imf_tile_shared(&t->tile), err);
    if (!st)
        st = imf_network_rank(&t->windows, &t->tile, s->window.rank, err);
    s->slots = imf_max(c->slots, w->slots);
    s->rows = imf_max(c->slots + c->inputs + c->outputs, w->slots + w->inputs + w->outputs);
    return st;
}

static void tiles_release(struct imf_job *job) {
    struct tiles *t = job->own;
    imf_network_free(&t->columns);
    imf_network_free(&t->windows);
}

static struct imf_strips tiles_cut(const struct imf_job *job, int height) {
    const struct imf_window_facts *w = imf_window_of(job);
    int across = tile_for(w->width, w->height).across;
    return imf_strips_cut_by(across * job->p.channels, job->p.width * job->p.channels, height,
                             strip_width(&job->p, w), 2 * w->height);
}

const struct imf_solver imf_solver_tiles = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_RANK,
    .float64 = true,
    .propose = tiles_propose,
    .own = sizeof(struct tiles),
    .prepare = tiles_prepare,
    .release = tiles_release,
    .cut = tiles_cut,
    .scratch_bytes = scratch_bytes,
    .strip = tiles_strip,
};
