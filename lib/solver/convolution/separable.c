/*
 * separable.c - kernels that are the product of a column and a row, or a sum of two or three
 * such products (cl/separable.cl)
 *
 * On a CPU one pass over memory does it, columns first; on a GPU, and for rows that reach beyond
 * MAX_REACH samples, two, rows first. Only the one pass takes sums of products, its rank above 1,
 * and only of real kernels: integer ones seldom have integer factors, and are small.
 *
 * Exact problems: integer factors (filter/kernel/separable.c), so that with S = (largest sample) * (sum of
 * |taps|) no partial sum exceeds S. 16-bit sums do for 8-bit samples when S <= 32767, floats hold
 * every integer below 2^24, 32-bit integers take S < 2^31.
 *
 * Real problems: floats, where solver/convolution/separable_error.c says that they do.
 */
#include "device/tuning.h"
#include "solver/convolution/separable_error.h"
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_REACH 4096 /* samples that a row's taps add to a strip */
#define STRIP 1024     /* samples of a strip at most, or REACHES times its row's reach */
#define REACHES 3
#define MAX_UNROLL 64 /* two passes: longer factors stay loops, or they take long to compile */
/* One pass: so many taps are unrolled in full. Loops over float taps are as fast, and compile in
 * half the time; integer taps are often 1 and cost nothing as literals. */
#define WHOLE_FLOAT 8
#define WHOLE_INT 32
#define BLOCK 4  /* output rows that are computed together */
#define SUMS 12  /* registers for sums in a walk along lines */
#define SPREAD 3 /* outputs along a row that share their loads */
#define ROWS 64  /* output rows of a work-item at most */
/* Of the tolerance, for what a sum of products leaves of the kernel. */
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
    int rank;       /* of the sum of products that is taken, which leaves no more than */
    double allowed; /* this, where there are several */
    int row_symmetry;
    enum acc acc;
    bool two_passes;
    size_t group;
    int vec;   /* samples a vector */
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

static bool choose_acc(const struct imf_problem *p, const struct imf_terms *terms, struct shape *s,
                       struct imf_proposal *out) {
    double sum = p->facts[0].abs_sum * p->in_max;
    if (!p->exact) {
        s->acc = ACC_FLOAT;
        out->error = imf_separable_error(p, terms, s->two_passes, s->row_symmetry != 0);
        double allowed = terms->count > 1 ? p->tolerance_even : p->tolerance; /* terms may cancel */
        if (out->error <= allowed)
            return true;
        imf_proposal_refuse(out,
                            "float32 sums would be off by up to %.2g, more than the %.2g allowed",
                            out->error, allowed);
        return false;
    }
    out->error = 0;
    if (p->in == IMF_U8 && sum <= 32767)
        s->acc = ACC_SHORT;
    else if (sum < 1 << 24)
        s->acc = ACC_FLOAT;
    else
        s->acc = ACC_INT;
    if (sum <= INT32_MAX && (s->acc != ACC_INT || p->in != IMF_F32))
        return true;
    imf_proposal_refuse(out, "exact sums do not fit 32-bit integers");
    return false;
}

/* The terms that a shape was chosen for; the caller frees their store. */
static enum imf_status take_terms(const struct imf_problem *p, const struct shape *s,
                                  struct imf_terms *t, struct imf_error *err) {
    const struct imf_kernel *k = p->kernel[0];
    if (s->rank == 1 ? imf_problem_term(p, t) : imf_kernel_terms(k, s->allowed, t))
        return IMF_OK;
    return imf_fail_memory(err, ((size_t)k->width + (size_t)k->height) * sizeof(double));
}

/* The kernel as one product or, in one pass whose sums stay in registers, as a sum of some. */
static bool find_terms(const struct imf_problem *p, const struct imf_tuning *t, struct shape *s,
                       struct imf_terms *terms, struct imf_proposal *out) {
    const struct imf_kernel *k = p->kernel[0];
    int vec = t->separable_vec[IMF_WIDTH_32];
    bool found = imf_problem_term(p, terms);
    if (!found && (p->exact || p->whole_if_opaque || t->two_passes ||
                   (k->width + vec - 1) / vec * 2 > SUMS)) {
        imf_proposal_refuse(out, "the kernel is not the product of a column and a row");
        return false;
    }
    s->allowed = RESIDUAL * p->tolerance_even * fabs(p->epilogue.scale) / p->in_max;
    found = found || imf_kernel_terms(k, s->allowed, terms);
    s->rank = terms->count;
    if (!found)
        imf_proposal_refuse(out, "the kernel is not a sum of %d products of a column and a row",
                            IMF_TERMS_MAX);
    return found;
}

/* Samples that are worked on together: strips are a multiple of it. */
static int span_of(const struct imf_problem *p, const struct shape *s) {
    return SPREAD * p->channels * s->vec;
}

/* False, with the reason in `out`, where this cannot do it. */
static bool choose(const struct imf_problem *p, const struct imf_device *d,
                   const struct imf_terms *terms, struct shape *s, struct imf_proposal *out) {
    const struct imf_kernel *k = p->kernel[0];
    const struct imf_tuning *t = imf_tuning(d);
    s->row_symmetry = symmetry(terms->term[0].row, (size_t)k->width);
    int reach = (k->width - 1) * p->channels;
    s->two_passes = t->two_passes || reach > MAX_REACH;
    if (!choose_acc(p, terms, s, out))
        return false;
    s->vec = t->separable_vec[acc_types[s->acc].width];
    s->group = s->two_passes ? imf_tuning_group(d) : 1;
    int span = span_of(p, s);
    s->strip = ((STRIP > REACHES * reach ? STRIP : REACHES * reach) + span - 1) / span * span;
    return true;
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

/* Rows between two passes; the last block reads as many as the others. */
static size_t mid_rows(const struct imf_problem *p) {
    size_t blocks = ((size_t)p->height + BLOCK - 1) / BLOCK;
    return blocks * BLOCK + (size_t)p->kernel[0]->height - 1;
}

/* Samples from row to row of them. */
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
    out->able = find_terms(p, imf_tuning(d), s, &terms, out) && choose(p, d, &terms, s, out);
    if (out->able) {
        char rank[24] = "";
        if (s->rank > 1)
            snprintf(rank, sizeof rank, ", rank %d", s->rank);
        out->ms = cost(p, d, s, &terms);
        if (s->two_passes)
            out->largest = out->bytes =
                (double)mid_rows(p) * (double)mid_pitch(p) * (double)acc_types[s->acc].size;
        snprintf(out->phrase, sizeof out->phrase, "separable %d + %d%s%s%s%s", p->kernel[0]->width,
                 p->kernel[0]->height, rank, p->exact ? ", exact, " : ", ", acc_types[s->acc].text,
                 s->two_passes ? ", two passes" : "");
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

/* All terms' taps, and which of them are not 0. */
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

/* Output rows of a work-item: whole blocks, few enough that a small image occupies every unit. */
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
    /* Of the first tap of pixel (0, 0). */
    size_t in_start = in->origin - (size_t)k->cy * in->pitch - (size_t)(k->cx * in->channels);
    if (!j->shape.two_passes) {
        int strips = (n + j->shape.strip - 1) / j->shape.strip, span = span_of(&j->p, &j->shape);
        int strip = ((n + strips - 1) / strips + span - 1) / span * span;
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
    .make = separable_make,
    .run = separable_run,
    .destroy = separable_destroy,
};
