/*
 * separable.c - kernels that are the product of a column and a row, or a sum of two or three
 * such products (cl/separable.cl)
 *
 * A CPU filters in one pass over memory, columns first; a GPU, and a CPU if the row's sums do not fit
 * its registers, in two, rows first. Sums of products (rank above 1) are filtered in one pass only, and
 * only for real kernels: integer kernels seldom have integer factors, and are small.
 *
 * Exact problems: integer factors (filter/kernel/separable.c), so that with S = (largest sample) * (sum of
 * |taps|) no partial sum exceeds S. 16-bit sums suffice for 8-bit samples if S <= 32767, floats hold
 * every integer below 2^24, 32-bit integers S < 2^31.
 *
 * Real problems: floats. With first factor a, second factor b and the largest sample m, each term adds
 * to the error of the sum
 *   - rounding the taps: m * (sum |b| * sum |a - float(a)| + sum |b - float(b)| * sum |a|);
 *   - rounding the first sums (rounding.h), whose errors in the second's samples are independent:
 *     variance_a * sum b^2;
 *   - rounding the second sums, of samples up to m * sum |a|; with several terms, which are one sum,
 *     for each tap at most half an ulp of the whole sum;
 *   - adding mirrored float samples, in two passes: half an ulp of m, times the taps;
 * and the part of the kernel that the terms leave out adds m times the sum of its |taps|.
 */
#include "base/image/rounding.h"
#include "solver/convolution/sums.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRIP 1024 /* samples of a strip, rounded up to whole steps of a walk */
#define MAX_UNROLL                                                                                 \
    64 /* two passes: longer factors are not unrolled, which would take long to compile */
/* One pass: factors of up to so many taps are unrolled in full. Loops over float taps are as fast and
 * compile in half the time; integer taps are often 1, which as a literal costs nothing. */
#define WHOLE_FLOAT 8
#define WHOLE_INT 32
#define BLOCK 4 /* output rows that are computed together */
#define SUMS 12 /* registers for sums in a walk along lines */
#define ROWS 64 /* output rows of a work-item at most */
/* Part of the tolerance for the part of the kernel that a sum of products leaves out. */
#define RESIDUAL 0.125

struct shape {
    int rank;       /* number of products */
    double allowed; /* of a kernel that is no product: sum of |taps| that they may leave out */
    int row_symmetry;
    enum imf_acc acc;
    bool two_passes;
    size_t group;
    int vec;   /* samples of a vector */
    int strip; /* samples of the widest strip, in one pass */
};
_Static_assert(sizeof(struct shape) <= IMF_SHAPE, "a proposal holds it");

/* The bound of this file's head comment, of results before rounding. */
static double float_error(const struct imf_problem *p, const struct imf_terms *t,
                          const struct shape *s) {
    size_t w = (size_t)p->kernel[0]->width, h = (size_t)p->kernel[0]->height;
    size_t na = s->two_passes ? w : h, nb = s->two_passes ? h : w;
    double sum = 0, variance = 0, error = p->in_max * t->residual;
    for (int r = 0; r < t->count; r++) {
        const double *a = s->two_passes ? t->term[r].row : t->term[r].column;
        const double *b = s->two_passes ? t->term[r].column : t->term[r].row;
        double a_sum = imf_sum_abs(a, na), b_sum = imf_sum_abs(b, nb), squares = 0;
        for (size_t i = 0; i < nb; i++)
            squares += b[i] * b[i];
        sum += p->in_max * a_sum * b_sum;
        variance += imf_rounding_variance(a, na, p->in_max) * squares;
        if (t->count == 1)
            variance += imf_rounding_variance(b, nb, p->in_max * a_sum);
        error += p->in_max * (b_sum * imf_rounding_taps(a, na) + a_sum * imf_rounding_taps(b, nb));
        if (s->two_passes && p->in == IMF_F32 && s->row_symmetry)
            error += imf_float_ulp(p->in_max) / 2 * a_sum * b_sum;
    }
    if (t->count > 1)
        variance += t->count * (double)nb * imf_float_ulp(sum) * imf_float_ulp(sum) / 12;
    error += IMF_SIGMAS * sqrt(variance) + sum * DBL_EPSILON;
    return error / fabs(p->epilogue.scale) + imf_problem_end_error(p, sum);
}

static enum imf_acc narrowest(const struct imf_problem *p) {
    double sum = imf_largest_sum(p);
    if (p->exact && p->in == IMF_U8 && sum <= 32767)
        return IMF_ACC_SHORT;
    return !p->exact || sum < 1 << 24 ? IMF_ACC_FLOAT : IMF_ACC_INT;
}

/* Returns false, with the reason in `out`, if the sums are not exact enough. */
static bool accurate(const struct imf_problem *p, const struct imf_terms *terms,
                     const struct shape *s, struct imf_proposal *out) {
    double sum = imf_largest_sum(p);
    if (!p->exact) {
        out->error = float_error(p, terms, s);
        return !imf_refuse_error(out, out->error,
                                 terms->count > 1 ? p->tolerance_even
                                                  : p->tolerance); /* terms may cancel */
    }
    out->error = 0;
    if (sum <= INT32_MAX && (s->acc != IMF_ACC_INT || p->in != IMF_F32))
        return true;
    imf_proposal_refuse(out, "exact sums do not fit 32-bit integers");
    return false;
}

/* One pass: the sums of two lines in a walk along them fit the registers. */
static bool fits_registers(const struct imf_problem *p, const struct imf_tuning *t,
                           enum imf_acc acc) {
    int vec = t->separable_vec[imf_acc_types[acc].width];
    return (p->kernel[0]->width + vec - 1) / vec * 2 <= SUMS;
}

/* The kernel as one product or, if one pass fits the registers, as a sum of up to IMF_TERMS_MAX. */
static bool find_terms(const struct imf_problem *p, const struct imf_tuning *t, struct shape *s,
                       struct imf_terms *terms, struct imf_proposal *out) {
    if (!p->facts[0].product && (p->exact || p->whole_if_opaque || p->local || t->two_passes ||
                                 !fits_registers(p, t, IMF_ACC_FLOAT))) {
        imf_proposal_refuse(out, "the kernel is not the product of a column and a row");
        return false;
    }
    s->allowed = RESIDUAL * p->tolerance_even * fabs(p->epilogue.scale) / p->in_max;
    bool found = imf_problem_terms(p, s->allowed, terms);
    s->rank = terms->count;
    out->missing = terms->missing;
    if (!found)
        imf_proposal_refuse(out, "the kernel is not a sum of %d products of a column and a row",
                            IMF_TERMS_MAX);
    return found;
}

/* Returns false, with the reason in `out`, if this solver cannot. */
static bool choose(const struct imf_problem *p, const struct imf_device *d,
                   const struct imf_terms *terms, struct shape *s, struct imf_proposal *out) {
    const struct imf_tuning *t = imf_tuning(d);
    s->row_symmetry = imf_taps_symmetry(terms->term[0].row, (size_t)p->kernel[0]->width);
    s->acc = narrowest(p);
    s->two_passes = t->two_passes || !fits_registers(p, t, s->acc);
    s->vec = t->separable_vec[imf_acc_types[s->acc].width];
    s->group = s->two_passes ? imf_tuning_group(d) : 1;
    int step = p->channels * s->vec;
    s->strip = (STRIP + step - 1) / step * step;
    return accurate(p, terms, s, out);
}

/*
 * Milliseconds: launches + samples * max(ns / units, bytes a sample / bandwidth), where the
 * nanoseconds of a sample on one unit are, with w + h taps,
 *     1 / finish + w / row_product + h / column_product * (1 + reach of a row / strip)   one pass
 *     1 / finish + w / row_product + 1 / middle + h / column_product                     two passes
 *     + 1 / divide, exact and scaled
 * in the rates (1e9 a second) of the device's tuning for sums of this width; w is half as much in
 * two passes where taps mirror. Each term but the first adds 1 / term, and its products count
 * term_product times.
 */
static double cost(const struct imf_problem *p, const struct imf_device *d, const struct shape *s,
                   const struct imf_terms *terms) {
    const struct imf_tuning *t = imf_tuning(d);
    const struct imf_kernel *k = p->kernel[0];
    enum imf_width w = imf_acc_types[s->acc].width;
    double samples = (double)p->width * p->height * p->channels;
    double bytes = (double)(imf_sample_size(p->in) + imf_sample_size(p->out));
    double row = 0, column = 0;
    for (int i = 0; i < terms->count; i++) {
        double weight = i ? t->term_product : 1;
        row += weight * terms->term[i].width / t->row_product[w] + (i ? 1 / t->term : 0);
        column += weight * terms->term[i].height / t->column_product[w];
    }
    if (s->two_passes)
        row = (s->row_symmetry ? (k->width + 1) / 2 : k->width) / t->row_product[w] + 1 / t->middle;
    else
        column *= 1 + (k->width - 1.0) * p->channels / s->strip;
    double ns = 1 / t->finish + row + column;
    if (p->exact && fabs(p->epilogue.scale) != 1)
        ns += 1 / t->divide;
    return t->launch_ms + (s->two_passes ? t->next_ms : 0) +
           samples * 1e-6 *
               fmax(ns / imf_tuning_units(d), bytes / imf_tuning_bandwidth(d, t->bandwidth));
}

/* Rows between two passes; all blocks read the same number of rows. */
static size_t mid_rows(const struct imf_problem *p) {
    size_t blocks = ((size_t)p->height + BLOCK - 1) / BLOCK;
    return blocks * BLOCK + (size_t)p->kernel[0]->height - 1;
}

/* Samples from one of these rows to the next. */
static size_t mid_pitch(const struct imf_problem *p) {
    return ((size_t)p->width * (size_t)p->channels + 2 * IMF_SLACK - 1) / IMF_SLACK * IMF_SLACK;
}

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    const struct shape *s = shape;
    return !s->two_passes || (imf_size_mul(mid_rows(p), mid_pitch(p), &bytes[0]) &&
                              imf_size_mul(bytes[0], imf_acc_types[s->acc].size, &bytes[0]));
}

static void separable_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    struct shape *s = (struct shape *)out->shape.bytes;
    struct imf_terms terms = {0};
    out->feasible = find_terms(p, imf_tuning(d), s, &terms, out) && choose(p, d, &terms, s, out);
    if (out->feasible) {
        char rank[24] = "";
        if (s->rank > 1)
            snprintf(rank, sizeof rank, ", rank %d", s->rank);
        out->ms = cost(p, d, s, &terms);
        out->feasible = imf_proposal_buffers(out, p);
        snprintf(out->description, sizeof out->description, "separable %d + %d%s%s%s%s",
                 p->kernel[0]->width, p->kernel[0]->height, rank, p->exact ? ", exact, " : ", ",
                 imf_acc_types[s->acc].text, s->two_passes ? ", two passes" : "");
    }
    free(terms.store);
}

/* All products' taps, and the ranges of taps that are not 0. */
static void define_terms(struct imf_defines *d, const struct imf_problem *p, const struct shape *s,
                         const struct imf_terms *terms) {
    size_t w = (size_t)p->kernel[0]->width, h = (size_t)p->kernel[0]->height;
    size_t pitch = h + 2 * (BLOCK - 1), rank = (size_t)terms->count;
    double *rows = calloc(rank * (w + pitch), sizeof *rows);
    if (!rows) {
        d->failed = true;
        return;
    }
    double *columns = rows + rank * w;
    char text[4][IMF_TERMS_MAX * 8] = {"", "", "", ""};
    for (size_t i = 0; i < rank; i++) {
        const struct imf_term *t = &terms->term[i];
        const int edges[4] = {t->left, t->left + t->width, t->top, t->top + t->height};
        for (int j = 0; j < 4; j++) {
            size_t used = strlen(text[j]);
            snprintf(text[j] + used, sizeof text[j] - used, "%s%d", i ? ", " : "", edges[j]);
        }
        memcpy(rows + i * w, t->row, w * sizeof *rows);
        memcpy(columns + i * pitch + BLOCK - 1, t->column, h * sizeof *columns);
    }
    imf_define(d, "RANK", "%zu", rank);
    imf_define(d, "ROW_FROM", "%s", text[0]);
    imf_define(d, "ROW_TO", "%s", text[1]);
    imf_define(d, "COLUMN_FROM", "%s", text[2]);
    imf_define(d, "COLUMN_TO", "%s", text[3]);
    imf_define_taps(d, "ROW", rows, rank * w, s->acc);
    imf_define_taps(d, "COLUMN", columns, rank * pitch, s->acc);
    free(rows);
}

static void define_all(struct imf_defines *d, const struct imf_problem *p, const struct shape *s,
                       const struct imf_terms *terms) {
    size_t w = (size_t)p->kernel[0]->width, h = (size_t)p->kernel[0]->height;
    size_t longest = w > h ? w : h;
    imf_problem_defines(d, p);
    imf_define(d, "VEC", "%d", s->vec);
    imf_define(d, "GROUP", "%zu", s->group);
    imf_define(d, "CHANNELS", "%d", p->channels);
    imf_define(d, "ACC", "%s", imf_acc_types[s->acc].name);
    imf_define(d, "STRIP", "%d", s->strip);
    imf_define(d, "WHOLE", "%d", s->acc == IMF_ACC_FLOAT ? WHOLE_FLOAT : WHOLE_INT);
    imf_define(d, "SUMS", "%d", SUMS);
    imf_define(d, "UNROLL", "%zu", longest <= MAX_UNROLL ? longest : 8);
    imf_define(d, "ROW_N", "%zu", w);
    imf_define(d, "COLUMN_N", "%zu", h);
    imf_define(d, "ROW_SYMMETRY", "%d", s->row_symmetry);
    imf_define(d, "TWO_PASSES", "%d", s->two_passes);
    imf_define(d, "BLOCK", "%d", BLOCK);
    define_terms(d, p, s, terms);
}

static enum imf_status separable_prepare(struct imf_job *job, struct imf_error *err) {
    static const char *const parts[] = {"common.cl", NULL};
    static const char *const one[] = {"separable", NULL};
    static const char *const two[] = {"separable_rows", "separable_columns", NULL};
    const struct shape *s = imf_job_shape(job);
    struct imf_defines d = {0};
    struct imf_terms terms = {0};
    if (imf_problem_terms(&job->p, s->allowed, &terms)) /* those that the shape was chosen for */
        define_all(&d, &job->p, s, &terms);
    else
        d.failed = true;
    free(terms.store);
    return imf_job_programs(job, 0, s->two_passes ? two : one, parts, &d, err);
}

/* Output rows of a work-item: whole blocks, few enough to occupy every unit with a small image. */
static int rows_of(const struct imf_device *d, int strips, int height) {
    double wanted = ceil(imf_tuning(d)->groups_per_unit * d->compute_units / strips);
    int rows = (int)ceil(height / wanted / BLOCK) * BLOCK;
    return rows < ROWS ? rows : ROWS;
}

static enum imf_status separable_run(struct imf_job *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    const struct shape *s = imf_job_shape(job);
    const struct imf_kernel *k = job->p.kernel[0];
    const struct imf_buffer *mid = job->buffer[0];
    int n = in->width * in->channels, height = in->height;
    size_t in_start = imf_first_tap(in, k), pitch = mid_pitch(&job->p);
    if (!s->two_passes) {
        int strips = (n + s->strip - 1) / s->strip, step = in->channels * s->vec;
        int strip = ((n + strips - 1) / strips + step - 1) / step * step;
        int rows = rows_of(imf_queue_device(job->queue), strips, height);
        const struct imf_arg args[] = {imf_arg_buffer(in->mem), imf_arg_size(in_start),
                                       imf_arg_size(in->pitch), IMF_ARG_SURFACE(out),
                                       imf_arg_int(n),          imf_arg_int(height),
                                       imf_arg_int(strip),      imf_arg_int(rows)};
        const struct imf_grid grid = {(size_t)((n + strip - 1) / strip),
                                      ((size_t)height + (size_t)rows - 1) / (size_t)rows, s->group};
        return imf_job_launch(job, 0, grid, args, err);
    }
    size_t columns = ((size_t)n + (size_t)s->vec - 1) / (size_t)s->vec;
    struct imf_grid grid = imf_grid_over(columns, (size_t)height + (size_t)k->height - 1, s->group);
    const struct imf_arg first[] = {imf_arg_buffer(in->mem), imf_arg_size(in_start),
                                    imf_arg_size(in->pitch), imf_arg_buffer(mid),
                                    imf_arg_size(pitch),     imf_arg_int(n)};
    const struct imf_arg second[] = {imf_arg_buffer(mid), imf_arg_size(pitch), IMF_ARG_SURFACE(out),
                                     imf_arg_int(n), imf_arg_int(height)};
    enum imf_status st = imf_job_launch(job, 0, grid, first, err);
    grid.down = ((size_t)height + BLOCK - 1) / BLOCK;
    return st ? st : imf_job_launch(job, 1, grid, second, err);
}

const struct imf_solver imf_solver_separable = {
    .name = "separable",
    .backend = IMF_BACKEND_SEPARABLE,
    .program = "separable",
    .local = true,
    .kinds = 1u << IMF_CONVOLUTION,
    .propose = separable_propose,
    .sizes = sizes,
    .prepare = separable_prepare,
    .run = separable_run,
};
