/*
 * local_threshold.c - local thresholds on the host's cores, in the same time for any radius
 *
 * local_threshold.h has the definition. The sums of windows are running sums of integers, which have
 * no rounding errors: down the columns the next row is added and the last one subtracted, and along
 * the row likewise. Of 36 million bytes the mean alone takes 54 ms of a core and sauvola 100, where
 * guided.c takes 160.
 */
#include "solver/smoothing/local_threshold.h"

#include "base/clones.h"
#include "device/tuning.h"
#include "solver/common/cores.h"
#include "solver/common/strips.h"
#include "solver/common/window.h"
#include "solver/smoothing/running_sums.h"
#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS 4096 /* pixels of a strip */

struct threshold_job {
    struct imf_problem p;
    struct imf_local_threshold threshold;
    struct imf_levels levels;
    struct imf_pool *pool; /* borrowed, or NULL */
};

void imf_local_threshold_make(struct imf_local_threshold *t, const struct imf_problem *p) {
    const struct imf_window_op *window = p->window_op;
    uint64_t count = (uint64_t)window->width * (uint64_t)window->height;
    *t = (struct imf_local_threshold){.sauvola = window->function == IMF_WINDOW_SAUVOLA,
                                      .side = window->width,
                                      .count = (double)count,
                                      .half = p->unit / 2};
    if (t->sauvola) {
        t->k = window->value;
        return;
    }
    bool rest;
    double down = (double)imf_decimal_times(fabs(window->value), count * (uint64_t)p->unit, &rest);
    t->add = window->value < 0 ? -down : down + rest;
}

/* Bytes of scratch memory of a strip of so many pixels: sums of columns, with the reach at both ends, and of windows. */
static size_t strip_bytes(const struct imf_problem *p, int pixels) {
    size_t all = (size_t)pixels + 2 * (size_t)p->window_op->cx;
    return sizeof(double) * 2 * (all + (size_t)pixels) * (size_t)p->channels;
}

static void threshold_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    (void)d;
    if (!p->window_op->bilevel) {
        imf_proposal_refuse(out, "this function of a window is not known");
        return;
    }
    if ((p->in != IMF_U8 && p->in != IMF_U16) || p->out == IMF_F64) {
        imf_proposal_refuse(out, "this takes rounded samples");
        return;
    }
    int cores = imf_cores();
    double ms = (double)p->width * p->height * p->channels * imf_vector_rates.threshold * 1e-6;
    out->feasible = true;
    out->error = 0;
    out->ms = imf_cores_ms(ms, cores);
    out->bytes = cores * (double)strip_bytes(p, imf_min(p->width, COLUMNS));
    out->bands = IMF_BANDS_FEW;
    snprintf(out->description, sizeof out->description, "local threshold, radius %d, running sums",
             p->window_op->cx);
}

static enum imf_status threshold_make(void **job, const struct imf_problem *p,
                                      const struct imf_proposal *proposal, struct imf_queue *queue,
                                      struct imf_error *err) {
    (void)proposal, (void)queue;
    struct threshold_job *j = *job = malloc(sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    *j = (struct threshold_job){.p = *p};
    imf_local_threshold_make(&j->threshold, p);
    imf_levels_make(&j->levels, p, p->out);
    return IMF_OK;
}

static void threshold_use_pool(void *job, struct imf_pool *pool) {
    ((struct threshold_job *)job)->pool = pool;
}

static void threshold_destroy(void **job) {
    free(*job);
    *job = NULL;
}

/* ---- running --------------------------------------------------------------------------------- */

#define DECIDE(in_type, out_type, member)                                                          \
    do {                                                                                           \
        const in_type *from = row;                                                                 \
        out_type *at = to, black = levels->as.member[0], white = levels->as.member[1];             \
        for (int i = 0; i < n; i++)                                                                \
            at[i] = imf_local_threshold_passes(&t, from[i], sums[i], squares[i]) ? white : black;  \
    } while (0)

#define DECIDE_FROM(type)                                                                          \
    do {                                                                                           \
        if (out == IMF_U8)                                                                         \
            DECIDE(type, uint8_t, u8);                                                             \
        else if (out == IMF_U16)                                                                   \
            DECIDE(type, uint16_t, u16);                                                           \
        else                                                                                       \
            DECIDE(type, float, f32);                                                              \
    } while (0)

/* The samples of a row against the sums of their windows. */
IMF_CLONES static void decide(void *restrict to, enum imf_sample out, const void *restrict row,
                              enum imf_sample in, const double *restrict sums,
                              const double *restrict squares, const struct threshold_job *j,
                              int n) {
    const struct imf_local_threshold t = j->threshold;
    const struct imf_levels *levels = &j->levels;
    if (in == IMF_U8)
        DECIDE_FROM(uint8_t);
    else
        DECIDE_FROM(uint16_t);
}

struct pass {
    const struct threshold_job *job;
    const struct imf_surface *in, *out;
    struct imf_strips strips; /* of pixels */
};

static void run_item(void *data, int item, void *memory) {
    struct pass *pass = data;
    const struct threshold_job *j = pass->job;
    const struct imf_patch strip = imf_strips_at(&pass->strips, item);
    int channels = j->p.channels, r = j->p.window_op->cx, n = strip.n * channels;
    int all = n + 2 * r * channels;
    ptrdiff_t first = (ptrdiff_t)strip.x * channels, before = first - (ptrdiff_t)r * channels;
    double *column = memory;
    memset(memory, 0, strip_bytes(&j->p, strip.n)); /* sums begin at 0 */
    double *squares = column + all;
    double *window[2] = {squares + all, squares + all + n};
    const double *columns[2] = {column, squares};
    for (int y = strip.y - r; y < strip.end + r; y++) {
        const void *goes = y > strip.y + r ? imf_sample_at(pass->in, y - 2 * r - 1, before) : NULL;
        imf_running_add(column, squares, pass->in->sample, imf_sample_at(pass->in, y, before), goes,
                        1, all);
        if (y < strip.y + r)
            continue;
        imf_running_slide(window, columns, 2 * r + 1, channels, n);
        char *to = (char *)imf_surface_row(pass->out, y - r) +
                   (size_t)first * imf_sample_size(pass->out->sample);
        decide(to, pass->out->sample, imf_sample_at(pass->in, y - r, first), pass->in->sample,
               window[0], window[1], j, n);
    }
}

static enum imf_status threshold_run(void *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    const struct threshold_job *j = job;
    struct pass pass = {.job = j, .in = in, .out = out};
    pass.strips =
        imf_strips_cut(j->p.width, out->height, COLUMNS, imf_max(16, 8 * j->p.window_op->cy));
    return imf_work(j->pool, pass.strips.count, strip_bytes(&j->p, pass.strips.width), run_item,
                    &pass, err);
}

const struct imf_solver imf_solver_local_threshold = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_WINDOW_OP,
    .propose = threshold_propose,
    .make = threshold_make,
    .run = threshold_run,
    .destroy = threshold_destroy,
    .use_pool = threshold_use_pool,
};
