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
#include "base/rounding.h"
#include "device/tuning.h"
#include "solver/solver.h"

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

enum acc { ACC_SHORT, ACC_FLOAT, ACC_INT };

static const struct acc_type {
    const char *name;
    size_t size;
    enum imf_width width;
    const char *text;
} acc_types[] = {
    [ACC_SHORT] = {"short", 2, IMF_WIDTH_16, "16-bit integers"},
    [ACC_FLOAT] = {"float", 4, IMF_WIDTH_32, "float32"},
    [ACC_INT] = {"int", 4, IMF_WIDTH_INT, "32-bit integers"},
};

struct shape {
    int rank;       /* number of products */
    double allowed; /* of a kernel that is no product: sum of |taps| that they may leave out */
    int row_symmetry;
    enum acc acc;
    bool two_passes;
    size_t group;
    int vec;   /* samples of a vector */
    int strip; /* samples of the widest strip, in one pass */
};
_Static_assert(sizeof(struct shape) <= IMF_SHAPE, "a proposal holds it");

struct separable_job {
    struct imf_queue *queue;
    struct imf_problem p;
    struct shape shape;
    struct imf_program *program[2]; /* one pass: the first; two: rows, columns */
    struct imf_buffer *mid;         /* between two passes */
    size_t mid_pitch;
};

/* 1: taps mirror each other, -1: with opposite sign, 0: neither. */
static int symmetry(const double *taps, size_t n) {
    bool even = true, odd = true;
    for (size_t i = 0; i < n; i++) {
        even = even && taps[i] == taps[n - 1 - i];
        odd = odd && taps[i] == -taps[n - 1 - i];
    }
    return n == 1 ? 0 : even ? 1 : odd ? -1 : 0;
}

static double sum_abs(const double *taps, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(taps[i]);
    return sum;
}

/* The bound of this file's head comment, of results before rounding. */
static double float_error(const struct imf_problem *p, const struct imf_terms *t,
                          const struct shape *s) {
    size_t w = (size_t)p->kernel[0]->width, h = (size_t)p->kernel[0]->height;
    size_t na = s->two_passes ? w : h, nb = s->two_passes ? h : w;
    double sum = 0, variance = 0, error = p->in_max * t->residual;
    for (int r = 0; r < t->count; r++) {
        const double *a = s->two_passes ? t->term[r].row : t->term[r].column;
        const double *b = s->two_passes ? t->term[r].column : t->term[r].row;
        double a_sum = sum_abs(a, na), b_sum = sum_abs(b, nb), squares = 0;
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

static enum acc narrowest(const struct imf_problem *p) {
    double sum = p->facts[0].abs_sum * p->in_max;
    if (p->exact && p->in == IMF_U8 && sum <= 32767)
        return ACC_SHORT;
    return !p->exact || sum < 1 << 24 ? ACC_FLOAT : ACC_INT;
}

/* Returns false, with the reason in `out`, if the sums are not exact enough. */
static bool accurate(const struct imf_problem *p, const struct imf_terms *terms,
                     const struct shape *s, struct imf_proposal *out) {
    double sum = p->facts[0].abs_sum * p->in_max;
    if (!p->exact) {
        out->error = float_error(p, terms, s);
        double allowed = terms->count > 1 ? p->tolerance_even : p->tolerance; /* terms may cancel */
        if (out->error <= allowed)
            return true;
        imf_proposal_refuse(out,
                            "float32 sums would be off by up to %.2g, more than the %.2g allowed",
                            out->error, allowed);
        return false;
    }
    out->error = 0;
    if (sum <= INT32_MAX && (s->acc != ACC_INT || p->in != IMF_F32))
        return true;
    imf_proposal_refuse(out, "exact sums do not fit 32-bit integers");
    return false;
}

/* One pass: the sums of two lines in a walk along them fit the registers. */
static bool fits_registers(const struct imf_problem *p, const struct imf_tuning *t, enum acc acc) {
    int vec = t->separable_vec[acc_types[acc].width];
    return (p->kernel[0]->width + vec - 1) / vec * 2 <= SUMS;
}

/* The products that a shape was chosen for; the caller frees their store. */
static enum imf_status take_terms(const struct imf_problem *p, const struct shape *s,
                                  struct imf_terms *t, struct imf_error *err) {
    const struct imf_kernel *k = p->kernel[0];
    if (imf_problem_terms(p, s->allowed, t))
        return IMF_OK;
    return imf_fail_memory(err, ((size_t)k->width + (size_t)k->height) * sizeof(double));
}

/* The kernel as one product or, if one pass fits the registers, as a sum of up to IMF_TERMS_MAX. */
static bool find_terms(const struct imf_problem *p, const struct imf_tuning *t, struct shape *s,
                       struct imf_terms *terms, struct imf_proposal *out) {
    if (!p->facts[0].product &&
        (p->exact || p->whole_if_opaque || t->two_passes || !fits_registers(p, t, ACC_FLOAT))) {
        imf_proposal_refuse(out, "the kernel is not the product of a column and a row");
        return false;
    }
    s->allowed = RESIDUAL * p->tolerance_even * fabs(p->epilogue.scale) / p->in_max;
    bool found = imf_problem_terms(p, s->allowed, terms);
    s->rank = terms->count;
    if (!found)
        imf_proposal_refuse(out, "the kernel is not a sum of %d products of a column and a row",
                            IMF_TERMS_MAX);
    return found;
}

/* Returns false, with the reason in `out`, if this solver cannot. */
static bool choose(const struct imf_problem *p, const struct imf_device *d,
                   const struct imf_terms *terms, struct shape *s, struct imf_proposal *out) {
    const struct imf_tuning *t = imf_tuning(d);
    s->row_symmetry = symmetry(terms->term[0].row, (size_t)p->kernel[0]->width);
    s->acc = narrowest(p);
    s->two_passes = t->two_passes || !fits_registers(p, t, s->acc);
    s->vec = t->separable_vec[acc_types[s->acc].width];
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
    enum imf_width w = acc_types[s->acc].width;
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

static void separable_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    struct shape *s = (struct shape *)out->shape.bytes;
    struct imf_terms terms = {0};
    if ((double)p->width * p->channels > INT32_MAX - 4096) {
        imf_proposal_refuse(out, "rows are too long");
        return;
    }
    out->feasible = find_terms(p, imf_tuning(d), s, &terms, out) && choose(p, d, &terms, s, out);
    if (out->feasible) {
        char rank[24] = "";
        if (s->rank > 1)
            snprintf(rank, sizeof rank, ", rank %d", s->rank);
        out->ms = cost(p, d, s, &terms);
        if (s->two_passes)
            out->largest = out->bytes =
                (double)mid_rows(p) * (double)mid_pitch(p) * (double)acc_types[s->acc].size;
        snprintf(out->description, sizeof out->description, "separable %d + %d%s%s%s%s",
                 p->kernel[0]->width, p->kernel[0]->height, rank, p->exact ? ", exact, " : ", ",
                 acc_types[s->acc].text, s->two_passes ? ", two passes" : "");
    }
    free(terms.store);
}

static void define_taps(struct imf_defines *d, const char *name, const double *taps, size_t n,
                        enum acc acc) {
    if (acc == ACC_FLOAT)
        imf_define_floats(d, name, taps, n);
    else
        imf_define_ints(d, name, taps, n);
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
    define_taps(d, "ROW", rows, rank * w, s->acc);
    define_taps(d, "COLUMN", columns, rank * pitch, s->acc);
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
    imf_define(d, "ACC", "%s", acc_types[s->acc].name);
    imf_define(d, "STRIP", "%d", s->strip);
    imf_define(d, "WHOLE", "%d", s->acc == ACC_FLOAT ? WHOLE_FLOAT : WHOLE_INT);
    imf_define(d, "SUMS", "%d", SUMS);
    imf_define(d, "UNROLL", "%zu", longest <= MAX_UNROLL ? longest : 8);
    imf_define(d, "ROW_N", "%zu", w);
    imf_define(d, "COLUMN_N", "%zu", h);
    imf_define(d, "ROW_SYMMETRY", "%d", s->row_symmetry);
    imf_define(d, "TWO_PASSES", "%d", s->two_passes);
    imf_define(d, "BLOCK", "%d", BLOCK);
    define_terms(d, p, s, terms);
}

static void separable_destroy(void **job) {
    struct separable_job *j = *job;
    *job = NULL;
    if (!j)
        return;
    for (int i = 0; i < 2; i++)
        imf_program_free(&j->program[i]);
    imf_buffer_free(&j->mid);
    free(j);
}

static enum imf_status make_mid(struct separable_job *j, struct imf_error *err) {
    size_t rows = mid_rows(&j->p), bytes;
    j->mid_pitch = mid_pitch(&j->p);
    if (!imf_size_mul(rows, j->mid_pitch, &bytes) ||
        !imf_size_mul(bytes, acc_types[j->shape.acc].size, &bytes))
        return imf_fail(err, IMF_ERR_LIMIT, "the buffer between two passes is too large");
    return imf_buffer_make(&j->mid, j->queue, IMF_BUFFER_WORK, bytes, err);
}

static enum imf_status separable_make(void **job, const struct imf_problem *p,
                                      const struct imf_proposal *proposal, struct imf_queue *queue,
                                      struct imf_error *err) {
    struct separable_job *j = *job = calloc(1, sizeof *j);
    struct imf_terms terms = {0};
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->queue = queue;
    j->p = *p;
    memcpy(&j->shape, proposal->shape.bytes, sizeof j->shape);
    static const char *const parts[] = {"common.cl", NULL};
    struct imf_defines defines = {0};
    const struct imf_program_source source = {
        .file = "separable.cl", .parts = parts, .defines = &defines};
    enum imf_status status = take_terms(p, &j->shape, &terms, err);
    if (status == IMF_OK)
        define_all(&defines, p, &j->shape, &terms);
    free(terms.store);
    bool two = j->shape.two_passes;
    if (status == IMF_OK)
        status = imf_program_make(&j->program[0], queue, &source,
                                  two ? "separable_rows" : "separable", err);
    if (status == IMF_OK && two)
        status = imf_program_make(&j->program[1], queue, &source, "separable_columns", err);
    if (status == IMF_OK && two)
        status = make_mid(j, err);
    imf_defines_free(&defines);
    if (status != IMF_OK)
        separable_destroy(job);
    return status;
}

/* Output rows of a work-item: whole blocks, few enough to occupy every unit with a small image. */
static int rows_of(const struct imf_device *d, int strips, int height) {
    double wanted = ceil(imf_tuning(d)->groups_per_unit * d->compute_units / strips);
    int rows = (int)ceil(height / wanted / BLOCK) * BLOCK;
    return rows < ROWS ? rows : ROWS;
}

static enum imf_status separable_run(void *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    struct separable_job *j = job;
    const struct imf_device *d = imf_queue_device(j->queue);
    const struct imf_kernel *k = j->p.kernel[0];
    size_t group = j->shape.group, vec = (size_t)j->shape.vec;
    int n = in->width * in->channels, height = in->height;
    size_t columns = ((size_t)n + vec - 1) / vec;
    /* The sample under the first tap of pixel (0, 0). */
    size_t in_start = in->origin - (size_t)k->cy * in->pitch - (size_t)(k->cx * in->channels);
    if (!j->shape.two_passes) {
        int strips = (n + j->shape.strip - 1) / j->shape.strip;
        int step = in->channels * j->shape.vec;
        int strip = ((n + strips - 1) / strips + step - 1) / step * step;
        int rows = rows_of(d, strips, height);
        const struct imf_arg args[] = {
            imf_arg_buffer(in->mem),  imf_arg_size(in_start),    imf_arg_size(in->pitch),
            imf_arg_buffer(out->mem), imf_arg_size(out->origin), imf_arg_size(out->pitch),
            imf_arg_int(n),           imf_arg_int(height),       imf_arg_int(strip),
            imf_arg_int(rows)};
        const struct imf_grid grid = {(size_t)((n + strip - 1) / strip),
                                      ((size_t)height + (size_t)rows - 1) / (size_t)rows, group};
        return imf_program_launch(j->queue, j->program[0], grid, args, err);
    }
    struct imf_grid grid = imf_grid_over(columns, (size_t)height + (size_t)k->height - 1, group);
    const struct imf_arg first[] = {imf_arg_buffer(in->mem),    imf_arg_size(in_start),
                                    imf_arg_size(in->pitch),    imf_arg_buffer(j->mid),
                                    imf_arg_size(j->mid_pitch), imf_arg_int(n)};
    enum imf_status status = imf_program_launch(j->queue, j->program[0], grid, first, err);
    if (status != IMF_OK)
        return status;
    const struct imf_arg second[] = {imf_arg_buffer(j->mid),   imf_arg_size(j->mid_pitch),
                                     imf_arg_buffer(out->mem), imf_arg_size(out->origin),
                                     imf_arg_size(out->pitch), imf_arg_int(n),
                                     imf_arg_int(height)};
    grid.down = ((size_t)height + BLOCK - 1) / BLOCK;
    return imf_program_launch(j->queue, j->program[1], grid, second, err);
}

const struct imf_solver imf_solver_separable = {
    .name = "separable",
    .backend = IMF_BACKEND_SEPARABLE,
    .kinds = 1u << IMF_CONVOLUTION,
    .propose = separable_propose,
    .old_make = separable_make,
    .old_run = separable_run,
    .old_destroy = separable_destroy,
};
