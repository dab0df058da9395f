/*
 * decimated.c - large smooth kernels on the host's cores: on a coarse grid, and back
 *
 * A blurred image is smooth, so that it can be computed on a coarse grid: a window at every few rows
 * and columns gives coarse samples, and weighted sums of a few of these give the image's samples
 * (decimated_design.h has both filters). A Gaussian of any size takes about 60 products for each
 * sample; as columns and rows (vector.c) it takes 20 sigma.
 *
 * In this order most work is done on whole rows, and least on the fine grid:
 *
 *      rows of the image -> window down columns -> 1 in `step` rows
 *          -> window along them -> 1 in `step` samples -> weights along them -> whole rows
 *          -> weights down columns -> rows of the result
 *
 * Along rows, the samples of each phase (the same position in a step) are collected first, so that all
 * sums are over neighbours in memory, by the loops of vector_rows.c.
 *
 * Both filters together reach further than the kernel, with values near 0 there: samples beyond the
 * kernel's reach are left out. Rows are made in blocks. Each block begins with a coarse row and leaves
 * out samples that its rows' kernels do not reach: results depend on blocks (`step` of the proposal),
 * but neither on bands nor on the strips of columns that threads take.
 */
#include "solver/convolution/decimated_run.h"

#include "base/rounding.h"
#include "device/tuning.h"
#include "solver/cores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Smaller kernels are left to vector.c. */
#define LEAST_SIDE 33
/* Part of the tolerance for the difference from the kernel along each axis. */
#define SHARE 0.42
/* Rows of a block, in multiples of the rows that neighbouring blocks compute too; samples of a strip. */
#define BLOCK 3
#define ACROSS 3072

/* All that is decided: the proposal's shape. */
struct shape {
    int step[IMF_AXES], count[IMF_AXES], strip;
};

/* ---- choosing -------------------------------------------------------------------------------- */

static bool mirrored(const double *taps, int n) {
    for (int i = 0; i < n / 2; i++)
        if (fabs(taps[i] - taps[n - 1 - i]) > 1e-12 * fabs(taps[n / 2]))
            return false;
    return true;
}

static double sum_abs(const double *taps, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(taps[i]);
    return sum;
}

/* Variance of the rounding errors of a sum over the window, or over the weights of the worst phase. */
static double sums_variance(const struct imf_decimated *m, bool weights, double size) {
    double most = 0;
    size_t n = weights ? (size_t)m->count : (size_t)m->radius + 1;
    for (int p = 0; p < (weights ? m->step : 1); p++) {
        const double *taps = weights ? m->weight + (size_t)p * n : m->window;
        most =
            fmax(most, imf_rounding_variance(taps, n, size) + imf_rounding_products(taps, n, size));
    }
    return weights ? most : 4 * most; /* pairs are twice as large */
}

/*
 * The errors of the filters (decimated_design.h), and those of rounding, stage by stage. Each stage
 * multiplies the variance before it by the sum of its squared taps and adds the variance of its own
 * sums, half an ulp of its taps, and half an ulp of pairs of floats. Windows add up to 1, so that only
 * the weights can make sums larger than the largest sample.
 */
static double find_error(const struct imf_problem *p, const struct imf_decimated_job *j,
                         const double sum[IMF_AXES], bool positive) {
    static const int order[] = {IMF_Y, IMF_X, IMF_X, IMF_Y};
    double error = 0, variance = 0, size = p->in_max;
    for (int stage = 0; stage < 4; stage++) {
        const struct imf_decimated *m = &j->axis[order[stage]];
        bool weights = stage >= 2;
        double gain = weights ? m->weight_sum : 1;
        variance = variance * (weights ? m->weight_squares : m->window_squares) +
                   sums_variance(m, weights, size);
        error = (error + FLT_EPSILON / 2 * size) * gain;
        if (!weights && (stage || p->in == IMF_F32))
            error += imf_float_ulp(size) / 2;
        size *= gain;
    }
    for (int a = 0; a < IMF_AXES; a++)
        error += p->in_max * (positive ? 1 : 2) * j->axis[a].error *
                 (sum[!a] + (a ? 4 * j->axis[!a].error : 0));
    return (error + IMF_SIGMAS * sqrt(variance)) / fabs(p->epilogue.scale) +
           imf_problem_end_error(p, size);
}

static void clear(struct imf_decimated_job *j) {
    for (int a = 0; a < IMF_AXES; a++) {
        free(j->axis[a].store);
        free(j->tap[a]);
    }
}

static int block_rows(const struct imf_problem *p, const struct imf_decimated *m) {
    int rows = BLOCK * (m->count - 1) * m->step;
    return imf_min((rows + 63) / 64 * 64, p->height);
}

/*
 * Milliseconds of one core: samples * ns * 1e-6, where the nanoseconds of a sample are, in the rates of
 * struct imf_vector_rates and with the sums that neighbouring items compute too,
 *     (products of the window) / step down columns
 *     + (products of the window / step + weights + move) / step along rows
 *     + weights down columns + end + floats
 */
static double cost(const struct imf_problem *p, const struct imf_decimated_job *j) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    const struct imf_decimated *y = &j->axis[IMF_Y], *x = &j->axis[IMF_X];
    int rows = (j->block + y->step - 1) / y->step;
    double down = (double)imf_decimated_coarse(y, rows) / rows / y->step;
    double across = (double)imf_decimated_coarse(x, j->strip) / j->strip;
    double ns = down * across * (r->pair * y->radius + r->real) +
                down * across / x->step * (r->middle_pair * x->radius + r->middle) +
                down * (r->middle * x->count + r->move * (1 + across)) + r->middle * y->count +
                r->end + r->floats;
    return (double)p->width * p->height * p->channels * ns * 1e-6;
}

/* Design the filters. Returns false, with the reason in `out` and nothing to free, if it cannot. */
static bool choose(const struct imf_problem *p, struct imf_decimated_job *j,
                   struct imf_proposal *out) {
    const struct imf_kernel *k = p->kernel[0];
    struct imf_terms terms;
    bool positive = p->in != IMF_F32 || p->positive;
    *j = (struct imf_decimated_job){.p = *p};
    if (p->exact || p->whole_if_opaque || imf_min(k->width, k->height) < LEAST_SIDE ||
        p->in == IMF_F64 || p->out == IMF_F64 || k->cx * 2 + 1 != k->width ||
        k->cy * 2 + 1 != k->height || !imf_problem_term(p, &terms)) {
        imf_proposal_refuse(out, "the kernel is not large and smooth");
        return false;
    }
    const double *taps[] = {terms.term[0].column, terms.term[0].row};
    const int side[] = {k->height, k->width};
    double sum[IMF_AXES] = {sum_abs(taps[IMF_Y], side[IMF_Y]), sum_abs(taps[IMF_X], side[IMF_X])};
    bool fits = true;
    for (int a = 0; a < IMF_AXES && fits; a++)
        fits = mirrored(taps[a], side[a]) &&
               imf_decimated_design(&j->axis[a], taps[a], side[a] / 2,
                                    SHARE * p->tolerance_even * fabs(p->epilogue.scale) /
                                        (p->in_max * sum[!a]) * (positive ? 1 : 0.5));
    free(terms.store);
    if (fits)
        out->error = find_error(p, j, sum, positive);
    if (fits && out->error <= p->tolerance_even) {
        int cells = (p->width - 1) / j->axis[IMF_X].step + 1;
        int strips = imf_max((int)((double)p->width * p->channels / ACROSS), 1);
        j->strip = (cells - 1) / strips + 1;
        j->block = block_rows(p, &j->axis[IMF_Y]);
        return true;
    }
    clear(j);
    imf_proposal_refuse(out, "the kernel is not smooth enough for the %.2g allowed",
                        p->tolerance_even);
    return false;
}

/* ---- the solver ------------------------------------------------------------------------------- */

static void decimated_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    struct imf_decimated_job j;
    (void)d;
    if ((double)p->width * p->channels > INT32_MAX / 8) {
        imf_proposal_refuse(out, "rows are too long");
        return;
    }
    out->feasible = choose(p, &j, out);
    if (!out->feasible)
        return;
    struct shape shape = {.strip = j.strip};
    for (int a = 0; a < IMF_AXES; a++) {
        shape.step[a] = j.axis[a].step;
        shape.count[a] = j.axis[a].count;
    }
    memcpy(out->shape.bytes, &shape, sizeof shape);
    int cores = imf_cores();
    out->ms = imf_cores_ms(cost(p, &j), cores);
    out->step = j.block;
    out->bytes = (double)imf_decimated_bytes(&j) * cores;
    snprintf(out->description, sizeof out->description, "vector %d + %d, every %d by %d, float32",
             p->kernel[0]->width, p->kernel[0]->height, j.axis[IMF_X].step, j.axis[IMF_Y].step);
    clear(&j);
}

/* Make the chosen filters of both axes, and their taps as floats. */
static bool make_filters(struct imf_decimated_job *j, const struct imf_problem *p,
                         const struct shape *shape) {
    const int side[] = {p->kernel[0]->height, p->kernel[0]->width};
    struct imf_terms terms;
    bool made = imf_problem_term(p, &terms);
    for (int a = 0; a < IMF_AXES && made; a++) {
        struct imf_decimated *m = &j->axis[a];
        const double *taps = a == IMF_Y ? terms.term[0].column : terms.term[0].row;
        made = imf_decimated_make(m, taps, side[a] / 2, shape->step[a], shape->count[a]);
        size_t window = (size_t)m->radius + 1, weights = (size_t)(m->step * m->count);
        made = made && (j->tap[a] = malloc((window + weights) * sizeof(float)));
        if (!made)
            break;
        j->weight[a] = j->tap[a] + window;
        for (size_t i = 0; i < window; i++)
            j->tap[a][i] = (float)m->window[i];
        for (size_t i = 0; i < weights; i++)
            j->weight[a][i] = (float)m->weight[i];
    }
    free(terms.store);
    return made;
}

static void decimated_destroy(void **job) {
    if (*job)
        clear(*job);
    free(*job);
    *job = NULL;
}

static enum imf_status decimated_make(void **job, const struct imf_problem *p,
                                      const struct imf_proposal *proposal, struct imf_queue *queue,
                                      struct imf_error *err) {
    struct shape shape;
    (void)queue;
    memcpy(&shape, proposal->shape.bytes, sizeof shape);
    struct imf_decimated_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    *j = (struct imf_decimated_job){.p = *p, .strip = shape.strip, .block = proposal->step};
    imf_vector_end_make(&j->end, p);
    if (make_filters(j, p, &shape))
        return IMF_OK;
    decimated_destroy(job);
    return imf_fail(err, IMF_ERR_MEMORY, "out of memory for the filters of a kernel of %dx%d taps",
                    p->kernel[0]->width, p->kernel[0]->height);
}

static void decimated_use_pool(void *job, struct imf_pool *pool) {
    ((struct imf_decimated_job *)job)->pool = pool;
}

const struct imf_solver imf_solver_decimated = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_CONVOLUTION,
    .propose = decimated_propose,
    .old_make = decimated_make,
    .old_use_pool = decimated_use_pool,
    .old_run = imf_decimated_run,
    .old_destroy = decimated_destroy,
};
