/*
 * erode_dilate.c - minimum and maximum in a window on the host's cores (erosion, dilation), in loops
 * that compilers vectorise
 *
 * The direct way for a window of n samples takes the minimum of n rows, shifted. Fewer steps are enough:
 *
 * In rectangles, columns are reduced first, then rows. Columns go by blocks (van Herk 1992; Gil and
 * Werman 1993): the rows are cut into blocks as high as the window, so that each
 * window is a lower part of one block and an upper part of the next. G holds the minima from each row
 * of a block down to its end, P the running minimum of the next block: 3 steps a row at any height.
 *
 *      block        | r0 r1 r2 r3 | r4 r5 r6 r7        G0 = r0..r3, G1 = r1..r3, ...
 *      window at 1       r1 r2 r3   r4                 = G1 and P1
 *
 * Along a row, vectors hold neighbouring samples. Minima of 1 sample become minima of 4, of 16 and so
 * on, by shifts of the row; in the last step the parts overlap.
 *
 * Any other element is cut into runs. Of each input row the minima of 2, 4, 8... samples are kept for
 * as many rows as the window is high, and a run is the minimum of two of them that overlap.
 *
 * All steps have the type of the samples, and nothing is rounded.
 */
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/cores.h"
#include "solver/morphology/erode_dilate_rows.h"
#include "solver/solver.h"
#include "solver/strips.h"

#include <stdlib.h>
#include <string.h>

#define STRIP_BYTES 8192       /* of a row's strip, at most */
#define STRIP_LEAST 1024       /* and at least */
#define KEPT_BYTES (256 << 10) /* of the rows that a strip keeps, which limit its width */
/* In rectangles the width is this many times the window's halo, so that little is computed twice; or
 * FEW_HALOS times, if the kept rows would exceed MOST_BYTES. */
#define HALOS 16
#define FEW_HALOS 2
#define MOST_BYTES (4 << 20)

struct erode_dilate_job {
    struct imf_problem p;
    bool dilate, identity, box;
    struct imf_run *runs; /* owned */
    int run_count;
    int left, right, top, bottom; /* offsets of the first and the last column and row */
    int levels;                   /* runs: kept minima of 2, 4, ... samples */
    struct imf_pool *pool;        /* borrowed, or NULL */
};

static int run_length(const struct imf_run *r) {
    return r->to - r->from;
}

/* The exponent of the largest power of two that is not longer. */
static int level_of(int length) {
    int level = 0;
    while (2 << level <= length)
        level++;
    return level;
}

static void measure(struct erode_dilate_job *j) {
    j->box = imf_window_measure(j->runs, j->run_count, &j->left, &j->right, &j->top, &j->bottom);
    for (int i = 0; i < j->run_count; i++)
        j->levels = imf_max(j->levels, level_of(run_length(&j->runs[i])));
}

/* Rows read by the steps along a row. */
static int row_steps(int width) {
    int rows = 0, done = 1;
    while (4 * done <= width) {
        done *= 4;
        rows += 4;
    }
    return rows + (width > done ? (width - 1) / done + 1 : 0);
}

/* Rows read for an output sample, with the halos that strips compute twice. */
static double rows_taken(const struct erode_dilate_job *j, int strip) {
    int width = j->right - j->left + 1, height = j->bottom - j->top + 1, rows = 0;
    double twice = 1 + (double)(width - 1) * j->p.channels / strip;
    if (j->box)
        return row_steps(width) + (height == 1 ? 1 : 5) * twice;
    for (int i = 0; i < j->run_count; i++) {
        int length = run_length(&j->runs[i]);
        rows += length > 1 << level_of(length) ? 2 : 1;
    }
    return rows + 3 * j->levels * twice;
}

/* Samples of a strip: the rows that it keeps should fit a cache. */
static int strip_width(const struct erode_dilate_job *j) {
    int size = (int)imf_sample_size(j->p.in), height = j->bottom - j->top + 1;
    int kept = j->box ? height : height * j->levels + 1;
    int beyond = (j->right - j->left) * j->p.channels * size;
    int fit = imf_min(KEPT_BYTES / kept, STRIP_BYTES) - beyond;
    if (j->box)
        fit = imf_max(
            fit, imf_max(imf_min(HALOS * beyond, MOST_BYTES / kept - beyond), FEW_HALOS * beyond));
    return imf_padded(imf_max(fit, STRIP_LEAST) / size);
}

static enum imf_status open_job(struct erode_dilate_job *j, const struct imf_problem *p,
                                struct imf_error *err) {
    const struct imf_window_op *window = p->window_op;
    size_t count = imf_window_runs(window, NULL);
    *j = (struct erode_dilate_job){
        .p = *p, .run_count = (int)count, .identity = imf_epilogue_is_identity(p)};
    j->runs = malloc(count * sizeof *j->runs);
    if (!j->runs)
        return imf_fail_memory(err, count * sizeof *j->runs);
    imf_window_runs(window, j->runs);
    j->dilate = imf_percentile_rank(window->value, imf_window_count(window)) > 0;
    measure(j);
    return IMF_OK;
}

/* Rows behind the kept ones: two for P, the columns' results, two for rows of G that are not kept. */
enum { ABOVE, COLUMN_ROW = 2, BELOW, MORE_ROWS = 5 };

/* Of a strip: kept rows, bytes from one to the next, and of all that it works in. */
static size_t rows_of(const struct erode_dilate_job *j) {
    size_t height = (size_t)(j->bottom - j->top) + 1;
    return j->box ? height + MORE_ROWS : height * (size_t)j->levels;
}
static size_t pitch_of(const struct erode_dilate_job *j, int n) {
    int wide = n + (j->right - j->left) * j->p.channels;
    return (size_t)(imf_padded(wide) + IMF_SLACK) * imf_sample_size(j->p.in);
}
static size_t strip_bytes(const struct erode_dilate_job *j, int n) {
    return (rows_of(j) + 3) * pitch_of(j, n) + 2 * (size_t)j->run_count * sizeof(void *);
}

/* Whether the rank is the minimum or the maximum. */
static bool is_erode_or_dilate(const struct imf_window_op *window) {
    size_t count = imf_window_count(window), rank = imf_percentile_rank(window->value, count);
    return rank == 0 || rank == count - 1;
}

/*
 * Milliseconds of one core: samples * (end + erode_dilate * bytes of a sample * rows taken) * 1e-6, in
 * the rates of struct imf_vector_rates.
 */
static void erode_dilate_propose(const struct imf_problem *p, const struct imf_device *d,
                                 struct imf_proposal *out) {
    const struct imf_vector_rates *rates = &imf_vector_rates;
    struct erode_dilate_job j;
    (void)d;
    if (!is_erode_or_dilate(p->window_op))
        imf_proposal_refuse(out, "this is neither the minimum nor the maximum of a window");
    else if ((double)p->width * p->channels > INT32_MAX - 4096)
        imf_proposal_refuse(out, "rows are too long");
    else if (open_job(&j, p, NULL))
        imf_proposal_refuse(out, "out of memory");
    else {
        double samples = (double)p->width * p->height * p->channels;
        double size = (double)imf_sample_size(p->in);
        int width = j.right - j.left + 1, height = j.bottom - j.top + 1, cores = imf_cores();
        double ns =
            size * (rates->window_end + rates->erode_dilate * rows_taken(&j, strip_width(&j))) +
            (j.identity ? 0 : rates->window_finish);
        double ms = samples * ns * 1e-6;
        out->feasible = true;
        out->error = 0;
        out->ms = imf_cores_ms(ms, cores);
        out->bytes = cores * (double)strip_bytes(&j, strip_width(&j));
        snprintf(out->description, sizeof out->description, "%s of %dx%d, %s",
                 j.dilate ? "maximum" : "minimum", width, height,
                 j.box ? "by blocks and doubling" : "by runs");
        free(j.runs);
    }
}

static enum imf_status erode_dilate_make(void **job, const struct imf_problem *p,
                                         const struct imf_proposal *proposal,
                                         struct imf_queue *queue, struct imf_error *err) {
    (void)proposal, (void)queue;
    struct erode_dilate_job *j = *job = calloc(1, sizeof *j);
    return j ? open_job(j, p, err) : imf_fail_memory(err, sizeof *j);
}

static void erode_dilate_use_pool(void *job, struct imf_pool *pool) {
    ((struct erode_dilate_job *)job)->pool = pool;
}

static void erode_dilate_destroy(void **job) {
    free(((struct erode_dilate_job *)*job)->runs);
    free(*job);
    *job = NULL;
}

/* ---- running --------------------------------------------------------------------------------- */

struct pass {
    const struct erode_dilate_job *job;
    const struct imf_surface *in, *out;
    struct imf_strips strips;
};

/* The working memory of a strip. */
struct work {
    const struct erode_dilate_job *j;
    struct imf_piece strip; /* made: in spare[2] */
    int wide;               /* samples of a row's strip with the window's halo */
    size_t size;            /* of a sample */
    char *kept, *spare[3];
    size_t pitch; /* bytes between kept rows */
};

static void take(const struct work *w, void *to, const void *const *at, int count, int n) {
    imf_erode_dilate_rows(w->j->p.in, w->j->dilate, to, at, count, imf_padded(n));
}

/* Along a row: the minima of as many samples of `from` as the window is wide. */
static void along(const struct work *w, const void *from, void *to) {
    int width = w->j->right - w->j->left + 1, done = 1, which = 0;
    size_t pixel = (size_t)w->j->p.channels * w->size;
    const void *at[4];
    for (; 4 * done <= width; which ^= 1) {
        for (int k = 0; k < 4; k++)
            at[k] = (const char *)from + (size_t)(k * done) * pixel;
        done *= 4;
        void *next = done == width ? to : w->spare[which];
        take(w, next, at, 4, w->strip.at.n + (width - done) * w->j->p.channels);
        from = next;
    }
    int count = (width - 1) / done + 1;
    for (int k = 0; k < count; k++)
        at[k] = (const char *)from + (size_t)imf_min(k * done, width - done) * pixel;
    if (width > done || width == 1)
        take(w, to, at, count, w->strip.at.n);
}

static void *row_of(const struct work *w, int i) {
    return w->kept + (size_t)i * w->pitch;
}

/* Rows y..y + rows - 1, at most the window's height, by blocks. */
static void run_block(const struct work *w, int y, int rows, int height) {
    const int first = y + w->j->top;
    const void *last = imf_strip_input(&w->strip, first + height - 1), *below = last, *above = NULL;
    for (int i = height - 2; i >= 0; i--) {
        void *to = row_of(w, i < rows ? i : height + BELOW + (i & 1));
        const void *at[2] = {imf_strip_input(&w->strip, first + i), below};
        take(w, to, at, 2, w->wide);
        below = to;
    }
    for (int i = 0; i < rows; i++) {
        const void *column = i < height - 1 ? row_of(w, i) : last,
                   *next = imf_strip_input(&w->strip, first + height - 1 + i);
        if (i > 0) {
            const void *grown[2] = {next, above};
            if (above)
                take(w, row_of(w, height + ABOVE + (i & 1)), grown, 2, w->wide);
            above = above ? row_of(w, height + ABOVE + (i & 1)) : next;
            const void *both[2] = {column, above};
            take(w, row_of(w, height + COLUMN_ROW), both, 2, w->wide);
            column = row_of(w, height + COLUMN_ROW);
        }
        along(w, column, imf_strip_target(&w->strip, y + i));
        imf_strip_end(&w->strip, y + i);
    }
}

static void run_box(const struct work *w) {
    int height = w->j->bottom - w->j->top + 1;
    for (int y = w->strip.at.y; y < w->strip.at.end; y += height)
        run_block(w, y, imf_min(height, w->strip.at.end - y), height);
}

/* Minima of 2 << level samples of an input row. */
static void *kept(const struct work *w, int row, int level) {
    int height = w->j->bottom - w->j->top + 1;
    int slot = (row - w->strip.at.y - w->j->top) % height;
    return row_of(w, slot * w->j->levels + level);
}

static void keep(const struct work *w, int row) {
    const char *from = imf_strip_input(&w->strip, row);
    int c = w->j->p.channels;
    for (int level = 0; level < w->j->levels; level++) {
        const void *at[2] = {from, from + (size_t)(c << level) * w->size};
        void *to = kept(w, row, level);
        take(w, to, at, 2, w->wide - ((2 << level) - 1) * c);
        from = to;
    }
}

static void run_runs(const struct work *w, const void **at) {
    const struct erode_dilate_job *j = w->j;
    size_t pixel = (size_t)j->p.channels * w->size;
    for (int row = w->strip.at.y + j->top; row < w->strip.at.y + j->bottom; row++)
        keep(w, row);
    for (int y = w->strip.at.y; y < w->strip.at.end; y++) {
        int count = 0;
        keep(w, y + j->bottom);
        for (int i = 0; i < j->run_count; i++) {
            const struct imf_run *r = &j->runs[i];
            int level = level_of(run_length(r)), rest = run_length(r) - (1 << level);
            const char *from =
                level ? kept(w, y + r->dy, level - 1) : imf_strip_input(&w->strip, y + r->dy);
            at[count++] = from + (size_t)(r->from - j->left) * pixel;
            if (rest > 0)
                at[count++] = from + (size_t)(r->from - j->left + rest) * pixel;
        }
        take(w, imf_strip_target(&w->strip, y), at, count, w->strip.at.n);
        imf_strip_end(&w->strip, y);
    }
}

/* The padding of strips is read, so that it is cleared. In rectangles all other bytes of the kept rows,
 * which may be megabytes, are written before they are read. */
static void clear_unwritten(const struct work *w, size_t rows) {
    size_t from = w->j->box ? (size_t)w->wide * w->size : 0;
    for (size_t i = 0; i < rows + 3; i++) {
        size_t begin = i < rows ? from : 0;
        memset(w->kept + i * w->pitch + begin, 0, w->pitch - begin);
    }
}

static void run_item(void *data, int item, void *memory) {
    struct pass *pass = data;
    const struct erode_dilate_job *j = pass->job;
    struct work w = {.j = j};
    w.strip = (struct imf_piece){.p = &j->p,
                                 .in = pass->in,
                                 .out = pass->out,
                                 .at = imf_strips_at(&pass->strips, item),
                                 .left = j->left,
                                 .top = j->top,
                                 .identity = j->identity};
    w.wide = w.strip.at.n + (j->right - j->left) * j->p.channels;
    w.size = imf_sample_size(j->p.in);
    w.pitch = pitch_of(j, w.strip.at.n);
    size_t rows = rows_of(j);
    w.kept = memory;
    clear_unwritten(&w, rows);
    for (int i = 0; i < 3; i++)
        w.strip.made = w.spare[i] = w.kept + (rows + (size_t)i) * w.pitch;
    if (j->box)
        run_box(&w);
    else
        run_runs(&w, (const void **)(void *)(w.kept + (rows + 3) * w.pitch));
}

static enum imf_status erode_dilate_run(void *job, const struct imf_surface *in,
                                        const struct imf_surface *out, struct imf_error *err) {
    struct pass pass = {.job = job, .in = in, .out = out};
    const struct erode_dilate_job *j = job;
    int height = j->bottom - j->top + 1;
    pass.strips = imf_strips_cut(j->p.width * j->p.channels, out->height, strip_width(j),
                                 j->box ? height : 2 * height);
    if (j->box)
        imf_strips_align(&pass.strips, height);
    return imf_work(j->pool, pass.strips.count, strip_bytes(j, pass.strips.width), run_item, &pass,
                    err);
}

const struct imf_solver imf_solver_erode_dilate = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_RANK,
    .float64 = true,
    .propose = erode_dilate_propose,
    .old_make = erode_dilate_make,
    .old_run = erode_dilate_run,
    .old_destroy = erode_dilate_destroy,
    .old_use_pool = erode_dilate_use_pool,
};
