/*
 * direct.c - convolution as its definition says, on the device (cl/direct.cl)
 *
 * Two kernels: `direct` has its taps as literals in unrolled loops; `direct_any` reads them from
 * memory and takes any size. Sums have the narrowest type that is exact enough:
 *
 * Exact problems. With S = (largest sample) * (sum of |taps|) no partial sum, in whatever order,
 * exceeds S. 16-bit integers suffice for 8-bit samples if S <= 32767; floats hold every integer below
 * 2^24; larger sums take 32- and 64-bit integers.
 *
 * Real problems, in floats. The error of the sum of products has these parts:
 *   - rounding the taps: at most (largest sample) * sum |w - float(w)|;
 *   - rounding each partial sum (rounding.h). `direct_any` adds up each row first, so that
 *     only the additions of rows have large partial sums;
 *   - adding mirrored float samples: half an ulp of twice the largest sample, times the tap.
 * The error of a magnitude is at most the root of its two sums' squared errors. Division by the scale
 * divides the errors too; the epilogue adds its own.
 *
 * Directions need exact sums: an error in a gradient near 0 can give any direction.
 */
#include "base/rounding.h"
#include "device/tuning.h"
#include "solver/solver.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PRODUCTS 400 /* in unrolled loops; more take too long to compile */
#define MAX_HEIGHT 64    /* rows of sums kept at once */
#define GENERIC_ROWS 4
/* As a part of full scale: the arc tangent's polynomial (solver/edges/phase.c), the rounding of its
 * reflections, and 2.5 ulp of a quotient. */
#define TURN_ERROR 1.6e-7

enum acc { ACC_SHORT, ACC_FLOAT, ACC_INT, ACC_LONG };

static const struct acc_type {
    const char *name;
    size_t size;
    enum imf_width width;
    const char *text;
} acc_types[] = {
    [ACC_SHORT] = {"short", 2, IMF_WIDTH_16, "16-bit integers"},
    [ACC_FLOAT] = {"float", 4, IMF_WIDTH_32, "float32"},
    [ACC_INT] = {"int", 4, IMF_WIDTH_INT, "32-bit integers"},
    [ACC_LONG] = {"long", 8, IMF_WIDTH_64, "64-bit integers"},
};

/* All that is decided. */
struct shape {
    enum acc acc;
    bool unrolled;
    int symmetry[2];
    size_t products, operands; /* for each sample, unrolled */
    double error;              /* of real results in floats */
    int vec;
};

_Static_assert(sizeof(struct shape) <= IMF_SHAPE, "a proposal holds it");

struct direct_job {
    struct imf_queue *queue;
    struct imf_problem p;
    struct shape shape;
    struct imf_program *program;
    struct imf_buffer *taps[2]; /* direct_any only */
};

static size_t tap_count(const struct imf_kernel *k) {
    return (size_t)k->width * (size_t)k->height;
}

/* Add the products and operands of a sample of the unrolled kernel; mirrored pairs count once. */
static void count_work(const struct imf_kernel *k, int mirror, size_t *products, size_t *operands) {
    int columns = mirror ? (k->width + 1) / 2 : k->width;
    for (int j = 0; j < columns; j++) {
        size_t used = 0;
        for (int i = 0; i < k->height; i++)
            used += k->taps[(size_t)i * (size_t)k->width + (size_t)j] != 0;
        *products += used;
        *operands += used != 0;
    }
}

static double largest_sum(const struct imf_problem *p) {
    double sum = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++)
        sum = fmax(sum, p->facts[i].abs_sum);
    return sum * p->in_max;
}

/* The bound of this file's head comment. */
static double float_error(const struct imf_problem *p, const struct shape *s) {
    double squares = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++) {
        const struct imf_kernel *k = p->kernel[i];
        size_t width = (size_t)k->width, rows = (size_t)k->height;
        double sum = p->facts[i].abs_sum * p->in_max, variance = 0;
        if (s->unrolled) {
            variance = imf_rounding_variance(k->taps, tap_count(k), p->in_max);
        } else {
            for (size_t y = 0; y < rows; y++)
                variance += imf_rounding_variance(k->taps + y * width, width, p->in_max);
            variance += (double)rows * imf_float_ulp(sum) * imf_float_ulp(sum) / 12;
        }
        double error = p->in_max * p->facts[i].rounding + IMF_SIGMAS * sqrt(variance);
        if (p->in == IMF_F32 && s->symmetry[i])
            error += imf_float_ulp(sum) / 2;
        squares += error * error;
    }
    return sqrt(squares) / fabs(p->epilogue.scale) + imf_problem_end_error(p, largest_sum(p));
}

static bool choose_exact(const struct imf_problem *p, struct shape *s) {
    double sum = largest_sum(p);
    if (p->in == IMF_U8 && sum <= 32767)
        s->acc = ACC_SHORT;
    else if (sum < 1 << 24)
        s->acc = ACC_FLOAT;
    else if (p->in == IMF_F32 && p->in_max >= 1 << 23)
        return false;
    else if (sum <= INT32_MAX)
        s->acc = ACC_INT;
    else
        s->acc = ACC_LONG;
    if (p->kind == IMF_MAGNITUDE && (s->acc == ACC_LONG || fabs(p->epilogue.scale) != 1))
        return false;
    return true;
}

static bool choose_direction(const struct imf_problem *p, struct shape *s) {
    const struct imf_epilogue *e = &p->epilogue;
    double sum = largest_sum(p);
    s->acc = p->in == IMF_U8 && sum <= 32767 ? ACC_SHORT : ACC_FLOAT;
    s->error = e->full * TURN_ERROR * fabs(e->multiply) + imf_float_ulp(e->full + fabs(e->offset));
    return p->facts[0].integer && p->facts[1].integer && sum <= IMF_WHOLE_FLOATS &&
           s->error <= p->tolerance;
}

/* Returns false if no shape is exact enough. */
static bool choose(const struct imf_problem *p, const struct imf_device *d, struct shape *s) {
    *s = (struct shape){.unrolled = true};
    for (int i = 0; i < imf_problem_kernels(p); i++) {
        s->symmetry[i] = p->facts[i].mirror;
        if (p->facts[i].nonzero > 2 * MAX_PRODUCTS) /* too many to unroll, even in pairs */
            s->products += p->facts[i].nonzero;
        else
            count_work(p->kernel[i], s->symmetry[i], &s->products, &s->operands);
    }
    s->unrolled = s->products <= MAX_PRODUCTS && p->kernel[0]->height <= MAX_HEIGHT;
    if (p->kind == IMF_PHASE || p->exact) {
        if (!(p->kind == IMF_PHASE ? choose_direction(p, s) : choose_exact(p, s)))
            return false;
    } else {
        s->acc = ACC_FLOAT;
        s->error = float_error(p, s);
        if (s->error > p->tolerance)
            return false;
    }
    if (s->acc == ACC_LONG)
        s->unrolled = false;
    int rows = s->unrolled ? p->kernel[0]->height : GENERIC_ROWS;
    s->vec = imf_tuning_vec(imf_tuning(d), acc_types[s->acc].width, rows * imf_problem_kernels(p));
    return true;
}

static size_t groups_across(int n, const struct shape *s, size_t group) {
    size_t columns = ((size_t)n + (size_t)s->vec - 1) / (size_t)s->vec;
    return (columns + group - 1) / group;
}

/* On a GPU, the time of one work-item down its column: a lower bound for small images. */
static double waiting_ns(const struct imf_problem *p, const struct imf_device *d,
                         const struct shape *s) {
    const struct imf_gpu_rates *g = &imf_tuning(d)->gpu;
    int h = p->kernel[0]->height;
    double clocks = 0;
    if (s->unrolled) {
        size_t groups = groups_across(p->width * p->channels, s, imf_tuning_group(d));
        int rows = imf_tuning_rows(imf_tuning(d), d, groups, p->height, h);
        clocks = g->wait_plain * (double)(s->products + s->operands) * (rows + h - 1);
    } else {
        for (int i = 0; i < imf_problem_kernels(p); i++)
            clocks += g->wait_loop * (double)tap_count(p->kernel[i]);
    }
    return clocks / imf_tuning_clock(d);
}

/*
 * Milliseconds: launch + max(samples * max(ns / units, bytes a sample / bandwidth), waiting), where
 * the nanoseconds of a sample on one unit are
 *     1 / finish + products / product + operands / operand     unrolled; products take `spill`
 *                                                               times that with sums in memory
 *     1 / finish + taps / loop_product                          in a loop; `wide` times for 8 bytes
 *     + 1 / divide, exact and scaled    + 1 / root, magnitudes    + 1 / turn, directions
 * in the rates of the device's tuning for sums of this width.
 */
static double cost(const struct imf_problem *p, const struct imf_device *d, const struct shape *s) {
    const struct imf_tuning *t = imf_tuning(d);
    enum imf_width w = acc_types[s->acc].width;
    double samples = (double)p->width * p->height * p->channels, ns = 1 / t->finish;
    if (s->unrolled) {
        int sums = p->kernel[0]->height * imf_problem_kernels(p);
        double spill = sums > t->kept[w] ? t->spill : 1; /* sums that do not fit the registers */
        ns += (double)s->products / t->product[w] * spill + (double)s->operands / t->operand[w];
    } else {
        for (int i = 0; i < imf_problem_kernels(p); i++)
            ns += (double)tap_count(p->kernel[i]) / t->loop_product *
                  (acc_types[s->acc].size > 4 ? t->wide : 1);
    }
    if (p->exact && fabs(p->epilogue.scale) != 1)
        ns += 1 / t->divide;
    if (p->kind == IMF_MAGNITUDE)
        ns += 1 / t->root;
    if (p->kind == IMF_PHASE)
        ns += 1 / t->turn;
    double bytes = (double)(imf_sample_size(p->in) + imf_sample_size(p->out));
    double busy = fmax(ns / imf_tuning_units(d), bytes / imf_tuning_bandwidth(d, t->bandwidth));
    return t->launch_ms + fmax(samples * busy, d->gpu ? waiting_ns(p, d, s) : 0) * 1e-6;
}

static void direct_propose(const struct imf_problem *p, const struct imf_device *d,
                           struct imf_proposal *out) {
    struct shape *s = (struct shape *)out->shape.bytes;
    if ((double)p->width * p->channels > INT32_MAX - 4096) {
        imf_proposal_refuse(out, "rows are too long");
        return;
    }
    if (p->exact && p->kind == IMF_MAGNITUDE && fabs(p->epilogue.scale) != 1) {
        imf_proposal_refuse(out, "an exact magnitude needs scale 1");
        return;
    }
    if (!choose(p, d, s)) {
        imf_proposal_refuse(out, p->kind == IMF_PHASE
                                     ? "directions like these need more than float32"
                                     : "sums like these need more than float32 or 64-bit integers");
        return;
    }
    out->feasible = true;
    out->ms = cost(p, d, s);
    out->error = s->error;
    snprintf(out->description, sizeof out->description, "direct %s%dx%d%s%s%s",
             p->kind == IMF_PHASE ? "directions " : "", p->kernel[0]->width, p->kernel[0]->height,
             p->exact ? ", exact, " : ", ", acc_types[s->acc].text,
             s->unrolled ? "" : ", taps in memory");
}

/*
 * Magnitudes t = sqrt(m), m an integer below 2^24, are never ties: m differs from (t + 1/2)^2 by at
 * least 1/4, so that sqrt(m) is at least 1/(8t) from a tie. For t up to 512, which covers all that an
 * 8-bit output shows with an offset, this is 2.4e-4: more than the 3 ulp (9.2e-5) that OpenCL
 * allows a square root. Larger ones are corrected in 32 bits, which suffice for t below 2^22.
 */
static int root(const struct imf_problem *p) {
    double sum = largest_sum(p);
    if (p->kind != IMF_MAGNITUDE || p->out == IMF_F32 || p->epilogue.threshold)
        return 0;
    if (p->out == IMF_U8 && 2 * sum * sum < 1 << 24 && fabs(p->epilogue.offset) <= 256)
        return 1;
    return sum < 1 << 21 ? 2 : 0;
}

static void define_taps(struct imf_defines *d, const struct imf_kernel *k, enum acc acc,
                        const char *name) {
    if (acc == ACC_FLOAT)
        imf_define_floats(d, name, k->taps, tap_count(k));
    else
        imf_define_ints(d, name, k->taps, tap_count(k));
}

static void define_all(struct imf_defines *d, const struct imf_problem *p, const struct shape *s,
                       size_t group) {
    imf_problem_defines(d, p);
    imf_define(d, "VEC", "%d", s->vec);
    imf_define(d, "GROUP", "%zu", group);
    imf_define(d, "CHANNELS", "%d", p->channels);
    imf_define(d, "ACC", "%s", acc_types[s->acc].name);
    imf_define(d, "MAGNITUDE", "%d", imf_problem_kernels(p) == 2);
    imf_define(d, "DIRECTION", "%d", p->kind == IMF_PHASE);
    imf_define(d, "ROOT", "%d", root(p));
    if (!s->unrolled) {
        imf_define(d, "DIRECT_ANY", "1");
        imf_define(d, "GENERIC_ROWS", "%d", GENERIC_ROWS);
        return;
    }
    imf_define(d, "TAPS_W", "%d", p->kernel[0]->width);
    imf_define(d, "TAPS_H", "%d", p->kernel[0]->height);
    imf_define(d, "SYMMETRY", "%d", s->symmetry[0]);
    define_taps(d, p->kernel[0], s->acc, "TAPS");
    if (imf_problem_kernels(p) == 2) {
        imf_define(d, "SYMMETRY2", "%d", s->symmetry[1]);
        define_taps(d, p->kernel[1], s->acc, "TAPS2");
    }
}

/* Upload the taps of direct_any: in the sums' type, with rows of zeros above and below. */
static enum imf_status upload_taps(struct imf_buffer **out, struct imf_queue *queue,
                                   const struct imf_kernel *k, enum acc acc,
                                   struct imf_error *err) {
    size_t width = (size_t)k->width, rows = (size_t)k->height + 2 * (GENERIC_ROWS - 1);
    size_t bytes = width * rows * acc_types[acc].size, skip = width * (GENERIC_ROWS - 1);
    void *table = calloc(bytes, 1);
    if (!table)
        return imf_fail_memory(err, bytes);
    for (size_t i = 0; i < tap_count(k); i++) {
        double v = k->taps[i];
        switch (acc) {
        case ACC_SHORT:
            ((int16_t *)table)[skip + i] = (int16_t)v;
            break;
        case ACC_FLOAT:
            ((float *)table)[skip + i] = (float)v;
            break;
        case ACC_INT:
            ((int32_t *)table)[skip + i] = (int32_t)v;
            break;
        case ACC_LONG:
            ((int64_t *)table)[skip + i] = (int64_t)v;
            break;
        }
    }
    enum imf_status status = imf_buffer_table(out, queue, table, bytes, err);
    free(table);
    return status;
}

static void direct_destroy(void **job) {
    struct direct_job *j = *job;
    *job = NULL;
    if (!j)
        return;
    imf_program_free(&j->program);
    for (int i = 0; i < 2; i++)
        imf_buffer_free(&j->taps[i]);
    free(j);
}

static enum imf_status direct_make(void **job, const struct imf_problem *p,
                                   const struct imf_proposal *proposal, struct imf_queue *queue,
                                   struct imf_error *err) {
    const struct imf_device *d = imf_queue_device(queue);
    struct direct_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->queue = queue;
    j->p = *p;
    memcpy(&j->shape, proposal->shape.bytes, sizeof j->shape);
    static const char *const parts[] = {"common.cl", NULL};
    struct imf_defines defines = {0};
    const struct imf_program_source source = {
        .file = "direct.cl", .parts = parts, .defines = &defines};
    define_all(&defines, p, &j->shape, imf_tuning_group(d));
    enum imf_status status = imf_program_make(&j->program, queue, &source,
                                              j->shape.unrolled ? "direct" : "direct_any", err);
    imf_defines_free(&defines);
    for (int i = 0; i < imf_problem_kernels(p) && status == IMF_OK && !j->shape.unrolled; i++)
        status = upload_taps(&j->taps[i], queue, p->kernel[i], j->shape.acc, err);
    if (status != IMF_OK)
        direct_destroy(job);
    return status;
}

static enum imf_status direct_run(void *job, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    struct direct_job *j = job;
    const struct imf_device *d = imf_queue_device(j->queue);
    const struct imf_tuning *t = imf_tuning(d);
    const struct imf_kernel *k = j->p.kernel[0];
    int n = in->width * in->channels, height = in->height;
    size_t columns = ((size_t)n + (size_t)j->shape.vec - 1) / (size_t)j->shape.vec;
    size_t group = imf_tuning_group(d);
    int rows = j->shape.unrolled
                   ? imf_tuning_rows(t, d, (columns + group - 1) / group, height, k->height)
                   : GENERIC_ROWS;
    /* The sample under the first tap of pixel (0, 0). */
    size_t in_start = in->origin - (size_t)k->cy * in->pitch - (size_t)(k->cx * in->channels);
    const struct imf_grid grid = {(columns + group - 1) / group,
                                  ((size_t)height + (size_t)rows - 1) / (size_t)rows, group};
    if (j->shape.unrolled) {
        const struct imf_arg args[] = {
            imf_arg_buffer(in->mem),  imf_arg_size(in_start),    imf_arg_size(in->pitch),
            imf_arg_buffer(out->mem), imf_arg_size(out->origin), imf_arg_size(out->pitch),
            imf_arg_int(n),           imf_arg_int(height),       imf_arg_int(rows)};
        return imf_program_launch(j->queue, j->program, grid, args, err);
    }
    const struct imf_buffer *second = j->taps[1] ? j->taps[1] : j->taps[0];
    const struct imf_arg args[] = {
        imf_arg_buffer(in->mem),  imf_arg_size(in_start),    imf_arg_size(in->pitch),
        imf_arg_buffer(out->mem), imf_arg_size(out->origin), imf_arg_size(out->pitch),
        imf_arg_int(n),           imf_arg_int(height),       imf_arg_buffer(j->taps[0]),
        imf_arg_buffer(second),   imf_arg_int(k->width),     imf_arg_int(k->height)};
    return imf_program_launch(j->queue, j->program, grid, args, err);
}

const struct imf_solver imf_solver_direct = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_CONVOLUTION | 1u << IMF_MAGNITUDE | 1u << IMF_PHASE,
    .propose = direct_propose,
    .old_make = direct_make,
    .old_run = direct_run,
    .old_destroy = direct_destroy,
};
