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
#include "solver/morphology/erode_dilate_rows.h"

#define STRIP_BYTES 8192       /* of a row's strip, at most */
#define STRIP_LEAST 1024       /* and at least */
#define KEPT_BYTES (256 << 10) /* of the rows that a strip keeps, which limit its width */
/* In rectangles the width is this many times the window's halo, so that little is computed twice; or
 * FEW_HALOS times, if the kept rows would exceed MOST_BYTES. */
#define HALOS 16
#define FEW_HALOS 2
#define MOST_BYTES (4 << 20)

struct shape {
    struct imf_window_facts window;
    int levels;   /* of runs: kept minima of 2, 4, ... samples; */
    int run_rows; /* rows that they read for an output sample */
};

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
static double rows_taken(const struct imf_problem *p, const struct shape *s, int strip) {
    const struct imf_window_facts *w = &s->window;
    double twice = 1 + (w->width - 1.0) * p->channels / strip;
    return w->box ? row_steps(w->width) + (w->height == 1 ? 1 : 5) * twice
                  : s->run_rows + 3 * s->levels * twice;
}

/* Samples of a strip: the rows that it keeps should fit a cache. */
static int strip_width(const struct imf_problem *p, const struct shape *s) {
    const struct imf_window_facts *w = &s->window;
    int size = (int)imf_sample_size(p->in), beyond = (w->width - 1) * p->channels * size;
    int kept = w->box ? w->height : w->height * s->levels + 1;
    int fit = imf_min(KEPT_BYTES / kept, STRIP_BYTES) - beyond;
    if (w->box)
        fit = imf_max(
            fit, imf_max(imf_min(HALOS * beyond, MOST_BYTES / kept - beyond), FEW_HALOS * beyond));
    return imf_padded(imf_max(fit, STRIP_LEAST) / size);
}

/* Rows behind the kept ones: two for P, the columns' results, two for rows of G that are not kept; then
 * two to work in. */
enum { ABOVE, COLUMN_ROW = 2, BELOW, MORE_ROWS = 5, SPARE = 2 };

static size_t kept_rows(const struct shape *s) {
    const struct imf_window_facts *w = &s->window;
    return (size_t)(w->box ? w->height + MORE_ROWS : w->height * s->levels);
}

static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int n) {
    const struct imf_window_facts *w = shape;
    return (1 + kept_rows(shape) + SPARE) * imf_window_pitch(p, w, n) +
           2 * (size_t)w->run_count * sizeof(void *);
}

/*
 * Nanoseconds: end + erode_dilate * bytes of a sample * rows taken, in the rates of struct
 * imf_vector_rates.
 */
static void erode_dilate_propose(const struct imf_problem *p, const struct imf_device *d,
                                 struct imf_proposal *out) {
    const struct imf_vector_rates *rates = &imf_vector_rates;
    const struct imf_window_facts *w = imf_window_propose(out, p);
    const struct imf_window_op *op = p->window_op;
    struct shape *s = (struct shape *)out->shape.bytes;
    (void)d;
    for (struct imf_run r = imf_window_start(op, false); imf_window_next(op, false, &r);) {
        int level = imf_run_level(&r);
        s->levels = imf_max(s->levels, level);
        s->run_rows += r.to - r.from > 1 << level ? 2 : 1;
    }
    int strip = strip_width(p, s);
    double ns = rates->window_end + rates->erode_dilate * rows_taken(p, s, strip);
    bool least_or_most = w->rank == 0 || w->rank == w->count - 1;
    imf_window_strips(out, p, least_or_most ? ns * (double)imf_sample_size(p->in) : 0, strip,
                      w->box ? "by blocks and doubling" : "by runs");
}

static struct imf_strips erode_dilate_cut(const struct imf_job *job, int height) {
    const struct shape *s = imf_job_shape(job);
    const struct imf_window_facts *w = &s->window;
    struct imf_strips strips = imf_window_cut(job, height, strip_width(&job->p, s), w->box ? 1 : 2);
    if (w->box)
        imf_strips_align(&strips, w->height);
    return strips;
}

/* ---- running --------------------------------------------------------------------------------- */

/* The working memory of a strip. */
struct work {
    const struct imf_host_strip *s;
    const struct imf_problem *p;
    const struct imf_window_facts *w;
    int n, wide, levels;   /* samples of a row's strip; with the window's halo */
    size_t pixel;          /* bytes */
    char *kept, *spare[2]; /* rows to work in */
    size_t pitch;          /* bytes between these */
};

static void take(const struct work *w, void *to, const void *const *at, int count, int n) {
    imf_erode_dilate_rows(w->p->in, w->w->rank > 0, to, at, count, imf_padded(n));
}

/* Along a row: the minima of as many samples of `from` as the window is wide. */
static void along(const struct work *w, const void *from, void *to) {
    int width = w->w->width, done = 1, which = 0;
    const void *at[4];
    for (; 4 * done <= width; which ^= 1) {
        for (int k = 0; k < 4; k++)
            at[k] = (const char *)from + (size_t)(k * done) * w->pixel;
        done *= 4;
        void *next = done == width ? to : w->spare[which];
        take(w, next, at, 4, w->n + (width - done) * w->p->channels);
        from = next;
    }
    int count = (width - 1) / done + 1;
    for (int k = 0; k < count; k++)
        at[k] = (const char *)from + (size_t)imf_min(k * done, width - done) * w->pixel;
    if (width > done || width == 1)
        take(w, to, at, count, w->n);
}

static void *row_of(const struct work *w, int i) {
    return w->kept + (size_t)i * w->pitch;
}

/* Output rows y..y + rows - 1, at most the window's height, by blocks. */
static void run_block(const struct work *w, int y, int rows) {
    const int height = w->w->height;
    const void *last = imf_strip_input(w->s, y + height - 1), *below = last, *above = NULL;
    for (int i = height - 2; i >= 0; i--) {
        void *to = row_of(w, i < rows ? i : height + BELOW + (i & 1));
        const void *at[2] = {imf_strip_input(w->s, y + i), below};
        take(w, to, at, 2, w->wide);
        below = to;
    }
    for (int i = 0; i < rows; i++) {
        const void *column = i < height - 1 ? row_of(w, i) : last,
                   *next = imf_strip_input(w->s, y + height - 1 + i);
        if (i > 0) {
            const void *grown[2] = {next, above};
            if (above)
                take(w, row_of(w, height + ABOVE + (i & 1)), grown, 2, w->wide);
            above = above ? row_of(w, height + ABOVE + (i & 1)) : next;
            const void *both[2] = {column, above};
            take(w, row_of(w, height + COLUMN_ROW), both, 2, w->wide);
            column = row_of(w, height + COLUMN_ROW);
        }
        void *to = imf_strip_target(w->s, y + i);
        along(w, column, to);
        imf_strip_end(w->s, y + i, to);
    }
}

/* Minima of 2 << level samples of the input row imf_strip_input(s, y). */
static void *kept(const struct work *w, int y, int level) {
    return row_of(w, (y - w->s->at.y) % w->w->height * w->levels + level);
}

static void keep(const struct work *w, int y) {
    const char *from = imf_strip_input(w->s, y);
    for (int level = 0; level < w->levels; level++) {
        const void *at[2] = {from, from + (w->pixel << level)};
        void *to = kept(w, y, level);
        take(w, to, at, 2, w->wide - ((2 << level) - 1) * w->p->channels);
        from = to;
    }
}

static void run_runs(const struct work *w, const struct imf_run *runs, const void **at) {
    for (int y = w->s->at.y, filled = y; y < w->s->at.end; y++) {
        int count = 0;
        for (; filled < y + w->w->height; filled++)
            keep(w, filled);
        for (int i = 0; i < w->w->run_count; i++) {
            const struct imf_run *r = &runs[i];
            int level = imf_run_level(r), rest = r->to - r->from - (1 << level);
            int row = y + r->line - w->w->top;
            const char *from = level ? kept(w, row, level - 1) : imf_strip_input(w->s, row);
            at[count++] = from + (size_t)(r->from - w->w->left) * w->pixel;
            if (rest > 0)
                at[count++] = from + (size_t)(r->from - w->w->left + rest) * w->pixel;
        }
        void *to = imf_strip_target(w->s, y);
        take(w, to, at, count, w->n);
        imf_strip_end(w->s, y, to);
    }
}

static void erode_dilate_strip(const struct imf_host_strip *s) {
    const struct shape *shape = imf_job_shape(s->job);
    const struct imf_problem *p = &s->job->p;
    struct work w = {.s = s, .p = p, .w = &shape->window, .n = s->at.n, .levels = shape->levels};
    w.wide = w.n + (w.w->width - 1) * p->channels;
    w.pixel = (size_t)p->channels * imf_sample_size(p->in);
    w.pitch = imf_window_pitch(p, w.w, w.n);
    w.kept = imf_strip_scratch(s);
    for (int i = 0; i < SPARE; i++)
        w.spare[i] = row_of(&w, (int)kept_rows(shape) + i);
    if (w.w->box)
        for (int y = s->at.y; y < s->at.end; y += w.w->height)
            run_block(&w, y, imf_min(w.w->height, s->at.end - y));
    else
        run_runs(&w, imf_window_kept(s->job), (const void **)(void *)(w.spare[1] + w.pitch));
}

const struct imf_solver imf_solver_erode_dilate = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_RANK,
    .float64 = true,
    .propose = erode_dilate_propose,
    IMF_WINDOW_RUNS,
    .cut = erode_dilate_cut,
    .scratch_bytes = scratch_bytes,
    .strip = erode_dilate_strip,
};
