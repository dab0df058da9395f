/*
 * vector.c - order statistics in windows on the host's cores: medians, percentiles
 *
 * The cheapest of six algorithms is taken. Times are ns a sample on one core (AMD EPYC, AVX-512) of
 * bytes, and of the next best algorithm:
 *
 *   sorting network     medians of 3x3 and 5x5 (rows.c): 0.13 and 1.2, 0.6 and 2
 *   networks of tiles   small rectangles, by networks that neighbouring windows share (tiles.c);
 *                       16-bit samples in 7x7: 4.6 and 14
 *   bisection           small elements, bit by bit of the samples (rows.c): disk of 2: 1.8 and 5.5
 *   incremental         bytes in any element: bisection from the result of the row above
 *                       (incremental.c); disk of 15: 19 and 54
 *   histograms          bytes in rectangles, by histograms of columns (histogram.c), the same
 *                       time for every size; 23x23: 10 and 17
 *   sorted regions      all else: larger elements, 16 bits, floats (sorted_regions.c); 16-bit samples
 *                       in 31x31: 41 and 87, in a disk of 25: 210 and 545
 *
 * Minimum and maximum are those of erode_dilate.c.
 */
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/cores.h"
#include "solver/rank/histogram.h"
#include "solver/rank/incremental.h"
#include "solver/rank/rows.h"
#include "solver/rank/sorted_regions.h"
#include "solver/rank/tiles.h"
#include "solver/solver.h"
#include "solver/strips.h"

#include <stdlib.h>
#include <string.h>

#define STRIP_BYTES 1024 /* of a row's strip: bisection stays in the smallest cache */
#define ALIGN 64         /* bytes: a cache line */
#define COLUMNS 1024     /* samples of a strip with histograms, which stay in the next cache */

enum way { NETWORK, TILES, BISECTION, INCREMENTAL, HISTOGRAM, REGIONS, WAYS };
static const char *const way_name[] = {
    "sorting network",       "sorting networks of tiles", "bisection",
    "incremental bisection", "histograms of columns",     "sorted regions"};

struct rank_job {
    struct imf_problem p;
    bool identity, box;
    enum way way;
    struct imf_run *runs; /* owned */
    int run_count, count, rank;
    int left, right, top, bottom;       /* offsets of the first and the last column and row */
    struct imf_tiles tiles;             /* of TILES; owned */
    struct imf_incremental incremental; /* of INCREMENTAL; owned */
    struct imf_pool *pool;              /* borrowed, or NULL */
};

static int width_of(const struct rank_job *j) {
    return j->right - j->left + 1;
}

static int height_of(const struct rank_job *j) {
    return j->bottom - j->top + 1;
}

static bool is_wide(const struct rank_job *j) {
    return imf_histogram_wide(width_of(j), height_of(j));
}

static struct imf_regions regions_of(const struct rank_job *j) {
    return (struct imf_regions){.sample = j->p.in,
                                .runs = j->runs,
                                .run_count = j->run_count,
                                .count = j->count,
                                .rank = j->rank,
                                .width = width_of(j),
                                .height = height_of(j),
                                .box = j->box};
}

/* Nanoseconds of a core for a sample; 0: the algorithm does not apply. */
static double price(const struct rank_job *j, enum way way) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    double size = (double)imf_sample_size(j->p.in), across = (double)(width_of(j) - 1);
    int side = width_of(j);
    switch (way) {
    case NETWORK:
        if (!j->box || side != height_of(j) || (side != 3 && side != 5) || j->rank != j->count / 2)
            return 0;
        return size * (side == 3 ? r->network3 : r->network5);
    case TILES:
        if (!j->box || imf_max(side, height_of(j)) > IMF_TILES_SIDE_MOST || j->count <= 2)
            return 0;
        return size * (r->tiles_sample + r->tiles_store * imf_tiles_stores(side, height_of(j)));
    case HISTOGRAM:
        if (!j->box || j->p.in != IMF_U8)
            return 0;
        return (is_wide(j) ? 2 : 1) *
               (r->histogram + r->histogram_column * (1 + across * j->p.channels / COLUMNS));
    case REGIONS: {
        struct imf_regions regions = regions_of(j);
        return j->box && j->p.in == IMF_U8 ? 0 : imf_regions_price(&regions, j->p.width);
    }
    case INCREMENTAL: /* counts of all samples, as many as photos need, and 4 of those that enter or leave */
        if (j->count > UINT16_MAX || j->p.in != IMF_U8)
            return 0;
        return r->incremental + r->bisection * (2.0 * j->count + 4 * (double)width_of(j));
    default: /* the bits of a sample times its bytes */
        if (j->count > (j->p.in == IMF_U8 ? UINT8_MAX : UINT16_MAX) || j->p.in == IMF_F64)
            return 0;
        return 8 * size * size * r->bisection * j->count;
    }
}

static enum imf_status open_job(struct rank_job *j, const struct imf_problem *p,
                                struct imf_error *err) {
    const struct imf_window_op *window = p->window_op;
    size_t runs = imf_window_runs(window, NULL), count = imf_window_count(window);
    *j =
        (struct rank_job){.p = *p, .run_count = (int)runs, .identity = imf_epilogue_is_identity(p)};
    j->count = (int)count;
    j->rank = (int)imf_percentile_rank(window->value, count);
    j->runs = malloc(runs * sizeof *j->runs);
    if (!j->runs)
        return imf_fail_memory(err, runs * sizeof *j->runs);
    imf_window_runs(window, j->runs);
    j->box = imf_window_measure(j->runs, j->run_count, &j->left, &j->right, &j->top, &j->bottom);
    j->way = WAYS;
    for (int way = 0; way < WAYS; way++) {
        double ns = price(j, (enum way)way);
        if (ns > 0 && (j->way == WAYS || ns < price(j, j->way)))
            j->way = (enum way)way;
    }
    return IMF_OK;
}

/* Bytes of working memory for a strip. */
static size_t store_bytes(const struct rank_job *j, int n) {
    size_t size = imf_sample_size(j->p.in);
    if (j->way == REGIONS) {
        struct imf_regions regions = regions_of(j);
        return imf_regions_bytes(&regions, j->p.channels, (n - 1) / j->p.channels + 1) +
               (size_t)imf_padded(n) * size;
    }
    if (j->way == TILES)
        return imf_tiles_bytes(&j->tiles, j->p.channels, j->p.in, n) + (size_t)imf_padded(n) * size;
    size_t wide = (size_t)imf_padded(n + (width_of(j) - 1) * j->p.channels) + IMF_SLACK;
    size_t rows = j->way == NETWORK                              ? 5
                  : j->way == BISECTION || j->way == INCREMENTAL ? (size_t)height_of(j) + 1
                                                                 : 0;
    return (rows + 2 + 1) * wide * size + (size_t)(j->count + height_of(j)) * sizeof(void *) +
           (j->way == INCREMENTAL ? imf_incremental_bytes(n) + ALIGN : 0) +
           (j->way == HISTOGRAM ? wide * imf_histogram_bytes(is_wide(j)) : 0);
}

static int strip_width(const struct rank_job *j) {
    if (j->way == HISTOGRAM)
        return imf_padded(imf_max(COLUMNS - (width_of(j) - 1) * j->p.channels, COLUMNS / 2));
    struct imf_regions regions = regions_of(j);
    if (j->way == REGIONS)
        return imf_regions_strip(&regions) * j->p.channels;
    if (j->way == TILES)
        return imf_tiles_strip(width_of(j), height_of(j), j->p.channels, j->p.in);
    int fit = j->way == NETWORK ? 8 * STRIP_BYTES : STRIP_BYTES;
    return fit / (int)imf_sample_size(j->p.in);
}

/* Milliseconds of one core: samples * (price + window_finish unless samples stay as they are) *
 * 1e-6, in the rates of struct imf_vector_rates. */
static void rank_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    const struct imf_window_op *window = p->window_op;
    struct rank_job j;
    (void)d;
    if (window->function != IMF_WINDOW_RANK)
        imf_proposal_refuse(out, "this function of a window is not known");
    else if ((double)p->width * p->channels > INT32_MAX - 4096)
        imf_proposal_refuse(out, "rows are too long");
    else if (open_job(&j, p, NULL))
        imf_proposal_refuse(out, "out of memory");
    else {
        int cores = imf_cores();
        double samples = (double)p->width * p->height * p->channels;
        double ns = price(&j, j.way) + (j.identity ? 0 : imf_vector_rates.window_finish);
        double ms = samples * ns * 1e-6;
        out->feasible = true;
        out->error = 0;
        out->ms = imf_cores_ms(ms, cores);
        if (j.way == TILES)
            imf_tiles_guess(&j.tiles, width_of(&j), height_of(&j));
        out->bytes = cores * (double)store_bytes(&j, strip_width(&j));
        out->bands = j.way == HISTOGRAM ? IMF_BANDS_FEW : IMF_BANDS_MANY;
        snprintf(out->description, sizeof out->description, "rank %d of %d in %dx%d, %s",
                 j.rank + 1, j.count, width_of(&j), height_of(&j), way_name[j.way]);
        free(j.runs);
    }
}

static enum imf_status rank_make(void **job, const struct imf_problem *p,
                                 const struct imf_proposal *proposal, struct imf_queue *queue,
                                 struct imf_error *err) {
    (void)proposal, (void)queue;
    struct rank_job *j = *job = malloc(sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    enum imf_status st = open_job(j, p, err);
    j->incremental =
        (struct imf_incremental){.count = j->count, .rank = j->rank, .step = p->channels};
    if (!st && j->way == INCREMENTAL)
        st = imf_incremental_open(&j->incremental, j->runs, j->run_count, j->top, j->left, err);
    if (!st && j->way == TILES)
        st = imf_tiles_open(&j->tiles, width_of(j), height_of(j), j->rank, err);
    return st;
}

static void rank_destroy(void **job) {
    struct rank_job *j = *job;
    imf_tiles_close(&j->tiles);
    imf_incremental_close(&j->incremental);
    free(j->runs);
    free(j);
    *job = NULL;
}

/* ---- running --------------------------------------------------------------------------------- */

struct pass {
    const struct rank_job *job;
    const struct imf_surface *in, *out;
    struct imf_strips strips;
};

/* The working memory of a strip. */
struct work {
    const struct rank_job *j;
    struct imf_piece strip;
    int n, wide;        /* samples of a row's strip with its padding; with the halo of the window */
    size_t size, pitch; /* bytes of a sample, and from a row of these to the next */
    char *rows;         /* the algorithm's own */
    void *spare[2];     /* rows */
};

static void run_network(const struct work *w) {
    const void *at[5];
    void *sorted[5];
    int side = width_of(w->j);
    for (int i = 0; i < 5; i++)
        sorted[i] = w->rows + (size_t)i * w->pitch;
    for (int y = w->strip.at.y; y < w->strip.at.end; y++) {
        for (int i = 0; i < side; i++)
            at[i] = imf_strip_input(&w->strip, y + w->j->top + i);
        imf_median_rows(w->j->p.in, side, imf_strip_target(&w->strip, y), at, sorted,
                        w->j->p.channels, w->n);
        imf_strip_end(&w->strip, y);
    }
}

/* Ordered samples of an input row, kept while windows reach it and for one row more. */
static char *ordered(const struct work *w, int row) {
    int slot = (row - w->strip.at.y - w->j->top) % (height_of(w->j) + 1);
    return w->rows + (size_t)slot * w->pitch;
}

static void run_bisection(const struct work *w, const void **at) {
    const struct rank_job *j = w->j;
    size_t pixel = (size_t)j->p.channels * w->size;
    for (int row = w->strip.at.y + j->top; row < w->strip.at.y + j->bottom; row++)
        imf_ordered_rows(j->p.in, ordered(w, row), imf_strip_input(&w->strip, row), w->wide);
    for (int y = w->strip.at.y; y < w->strip.at.end; y++) {
        int count = 0;
        imf_ordered_rows(j->p.in, ordered(w, y + j->bottom),
                         imf_strip_input(&w->strip, y + j->bottom), w->wide);
        for (int i = 0; i < j->run_count; i++) {
            const struct imf_run *r = &j->runs[i];
            for (int dx = r->from; dx < r->to; dx++)
                at[count++] = ordered(w, y + r->dy) + (size_t)(dx - j->left) * pixel;
        }
        imf_rank_rows(j->p.in, w->strip.made, at, count, j->rank, w->spare, w->n);
        imf_samples_rows(j->p.in, imf_strip_target(&w->strip, y), w->strip.made, w->n);
        imf_strip_end(&w->strip, y);
    }
}

static void run_incremental(const struct work *w, void *kept, const int8_t **rows) {
    const struct rank_job *j = w->j;
    const int height = height_of(j), first = w->strip.at.y;
    for (int row = first + j->top; row < first + j->bottom; row++)
        imf_ordered_rows(j->p.in, ordered(w, row), imf_strip_input(&w->strip, row), w->wide);
    for (int y = first; y < w->strip.at.end; y++) {
        imf_ordered_rows(j->p.in, ordered(w, y + j->bottom),
                         imf_strip_input(&w->strip, y + j->bottom), w->wide);
        for (int i = 0; i <= height; i++)
            rows[i] = (const int8_t *)ordered(w, imf_max(y - 1 + i, first) + j->top);
        const int8_t *found = imf_incremental_row(&j->incremental, rows, y == first, kept, w->n);
        imf_samples_rows(j->p.in, imf_strip_target(&w->strip, y), found, w->n);
        imf_strip_end(&w->strip, y);
    }
}

static void run_histogram(const struct work *w, void *columns) {
    const struct rank_job *j = w->j;
    bool wide = is_wide(j);
    for (int row = w->strip.at.y + j->top; row <= w->strip.at.y + j->bottom; row++)
        imf_histogram_add(columns, wide, imf_strip_input(&w->strip, row), w->wide);
    for (int y = w->strip.at.y; y < w->strip.at.end; y++) {
        if (y > w->strip.at.y)
            imf_histogram_move(columns, wide, imf_strip_input(&w->strip, y - 1 + j->top),
                               imf_strip_input(&w->strip, y + j->bottom), w->wide);
        imf_histogram_rank(imf_strip_target(&w->strip, y), NULL, columns, wide, width_of(j),
                           j->p.channels, j->rank, w->strip.at.n);
        imf_strip_end(&w->strip, y);
    }
}

static void run_item(void *data, int item, void *memory) {
    struct pass *pass = data;
    const struct rank_job *j = pass->job;
    struct work w = {.j = j};
    w.strip = (struct imf_piece){.p = &j->p,
                                 .in = pass->in,
                                 .out = pass->out,
                                 .at = imf_strips_at(&pass->strips, item),
                                 .left = j->left,
                                 .top = j->top,
                                 .identity = j->identity};
    w.n = imf_padded(w.strip.at.n);
    w.wide = w.strip.at.n + (width_of(j) - 1) * j->p.channels;
    w.size = imf_sample_size(j->p.in);
    w.pitch = (size_t)(imf_padded(w.wide) + IMF_SLACK) * w.size;
    char *next = memory;
    memset(memory, 0, store_bytes(j, w.strip.at.n)); /* the padding of strips is read */
    if (j->way == TILES || j->way == REGIONS) {
        struct imf_regions regions = regions_of(j);
        w.strip.made = next;
        next += (size_t)w.n * w.size;
        if (j->way == TILES)
            imf_tiles_run(&j->tiles, &w.strip, next);
        else
            imf_regions_run(&regions, &w.strip, next);
        return;
    }
    for (int i = 0; i < 2; i++, next += w.pitch)
        w.spare[i] = next;
    w.strip.made = next;
    next += w.pitch;
    w.rows = next;
    if (j->way == NETWORK)
        run_network(&w);
    else if (j->way == HISTOGRAM)
        run_histogram(&w, w.rows);
    else {
        char *more = w.rows + (size_t)(height_of(j) + 1) * w.pitch;
        if (j->way == BISECTION)
            run_bisection(&w, (const void **)(void *)more);
        else
            run_incremental(&w, more, (const int8_t **)(void *)(more + imf_incremental_bytes(w.n)));
    }
}

static enum imf_status rank_run(void *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    struct pass pass = {.job = job, .in = in, .out = out};
    const struct rank_job *j = job;
    int step = j->way == TILES     ? imf_tiles_step(width_of(j), j->p.channels)
               : j->way == REGIONS ? j->p.channels
                                   : IMF_SLACK;
    pass.strips =
        imf_strips_cut_by(step, j->p.width * j->p.channels, out->height, strip_width(j),
                          j->way == REGIONS ? imf_regions_rows(height_of(j))
                                            : (j->way == HISTOGRAM ? 4 : 2) * height_of(j));
    return imf_work(j->pool, pass.strips.count, store_bytes(j, pass.strips.width), run_item, &pass,
                    err);
}

static void rank_use_pool(void *job, struct imf_pool *pool) {
    ((struct rank_job *)job)->pool = pool;
}

const struct imf_solver imf_solver_rank = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_RANK,
    .float64 = true,
    .propose = rank_propose,
    .old_make = rank_make,
    .old_run = rank_run,
    .old_destroy = rank_destroy,
    .old_use_pool = rank_use_pool,
};
