/*
 * direct.c - convolution as its definition says, on the device (cl/direct.cl)
 *
 * Small kernels' taps are literals in unrolled loops; those of kernels of any size are read from memory. Sums
 * have the narrowest type that is exact enough.
 *
 * Exact problems. With S = (largest sample) * (sum of |taps|) no partial sum, in whatever order,
 * exceeds S. 16-bit integers suffice for 8-bit samples if S <= 32767; floats hold every integer below
 * 2^24; larger sums take 32- and 64-bit integers.
 *
 * Real problems, in floats. The error of the sum of products has these parts:
 *   - rounding the taps: at most (largest sample) * sum |w - float(w)|;
 *   - rounding each partial sum (rounding.h). With taps in memory each row is added up first, so that
 *     only the additions of rows have large partial sums;
 *   - adding mirrored float samples: half an ulp of twice the largest sample, times the tap.
 * The error of a magnitude is at most the root of its two sums' squared errors. Division by the scale
 * divides the errors too; the epilogue adds its own.
 *
 * Directions need exact sums: an error in a gradient near 0 can give any direction.
 */
#include "base/image/rounding.h"
#include "solver/convolution/sums.h"

#include <math.h>
#include <stdlib.h>

#define MAX_PRODUCTS 400 /* in unrolled loops; more take too long to compile */
#define MAX_HEIGHT 64    /* rows of sums kept at once */
#define GENERIC_ROWS 4
/* As a part of full scale: the arc tangent's polynomial (solver/edges/phase.c), the rounding of its
 * reflections, and 2.5 ulp of a quotient. */
#define TURN_ERROR 1.6e-7

/* All that is decided. */
struct shape {
    enum imf_acc acc;
    bool unrolled;
    int symmetry[2];
    size_t products, operands; /* for each sample, unrolled */
    double error;              /* of real results in floats */
    int vec;
};

_Static_assert(sizeof(struct shape) <= IMF_SHAPE, "a proposal holds it");

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

/* The bound of this file's head comment. */
static double float_error(const struct imf_problem *p, const struct shape *s) {
    double squares = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++) {
        const struct imf_kernel *k = p->kernel[i];
        size_t width = (size_t)k->width, rows = (size_t)k->height;
        double sum = p->facts[i].abs_sum * p->in_max, variance = 0;
        if (s->unrolled) {
            variance = imf_rounding_variance(k->taps, imf_tap_count(k), p->in_max);
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
    return sqrt(squares) / fabs(p->epilogue.scale) + imf_problem_end_error(p, imf_largest_sum(p));
}

static bool choose_exact(const struct imf_problem *p, struct shape *s) {
    double sum = imf_largest_sum(p);
    if (p->in == IMF_U8 && sum <= 32767)
        s->acc = IMF_ACC_SHORT;
    else if (sum < 1 << 24)
        s->acc = IMF_ACC_FLOAT;
    else if (p->in == IMF_F32 && p->in_max >= 1 << 23)
        return false;
    else if (sum <= INT32_MAX)
        s->acc = IMF_ACC_INT;
    else
        s->acc = IMF_ACC_LONG;
    if (p->kind == IMF_MAGNITUDE && (s->acc == IMF_ACC_LONG || fabs(p->epilogue.scale) != 1))
        return false;
    return true;
}

static bool choose_direction(const struct imf_problem *p, struct shape *s) {
    const struct imf_epilogue *e = &p->epilogue;
    double sum = imf_largest_sum(p);
    s->acc = p->in == IMF_U8 && sum <= 32767 ? IMF_ACC_SHORT : IMF_ACC_FLOAT;
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
        s->acc = IMF_ACC_FLOAT;
        s->error = float_error(p, s);
        if (s->error > p->tolerance)
            return false;
    }
    if (s->acc == IMF_ACC_LONG)
        s->unrolled = false;
    int rows = s->unrolled ? p->kernel[0]->height : GENERIC_ROWS;
    s->vec =
        imf_tuning_vec(imf_tuning(d), imf_acc_types[s->acc].width, rows * imf_problem_kernels(p));
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
            clocks += g->wait_loop * (double)imf_tap_count(p->kernel[i]);
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
    enum imf_width w = imf_acc_types[s->acc].width;
    double samples = (double)p->width * p->height * p->channels, ns = 1 / t->finish;
    if (s->unrolled) {
        int sums = p->kernel[0]->height * imf_problem_kernels(p);
        double spill = sums > t->kept[w] ? t->spill : 1; /* sums that do not fit the registers */
        ns += (double)s->products / t->product[w] * spill + (double)s->operands / t->operand[w];
    } else {
        for (int i = 0; i < imf_problem_kernels(p); i++)
            ns += (double)imf_tap_count(p->kernel[i]) / t->loop_product *
                  (imf_acc_types[s->acc].size > 4 ? t->wide : 1);
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
    if (imf_refuse_scaled_magnitude(out, p))
        return;
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
             p->exact ? ", exact, " : ", ", imf_acc_types[s->acc].text,
             s->unrolled ? "" : ", taps in memory");
}

/*
 * Magnitudes t = sqrt(m), m an integer below 2^24, are never ties: m differs from (t + 1/2)^2 by at
 * least 1/4, so that sqrt(m) is at least 1/(8t) from a tie. For t up to 512, which covers all that an
 * 8-bit output shows with an offset, this is 2.4e-4: more than the 3 ulp (9.2e-5) that OpenCL
 * allows a square root. Larger ones are corrected in 32 bits, which suffice for t below 2^22.
 */
static int root(const struct imf_problem *p) {
    double sum = imf_largest_sum(p);
    if (p->kind != IMF_MAGNITUDE || p->out == IMF_F32 || p->epilogue.threshold)
        return 0;
    if (p->out == IMF_U8 && 2 * sum * sum < 1 << 24 && fabs(p->epilogue.offset) <= 256)
        return 1;
    return sum < 1 << 21 ? 2 : 0;
}

static void define(struct imf_defines *d, const struct imf_job *job) {
    const struct imf_problem *p = &job->p;
    const struct shape *s = imf_job_shape(job);
    imf_define(d, "VEC", "%d", s->vec);
    imf_define(d, "GROUP", "%zu", imf_tuning_group(imf_queue_device(job->queue)));
    imf_define(d, "ACC", "%s", imf_acc_types[s->acc].name);
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
    imf_define_taps(d, "TAPS", p->kernel[0]->taps, imf_tap_count(p->kernel[0]), s->acc);
    if (imf_problem_kernels(p) == 2) {
        imf_define(d, "SYMMETRY2", "%d", s->symmetry[1]);
        imf_define_taps(d, "TAPS2", p->kernel[1]->taps, imf_tap_count(p->kernel[1]), s->acc);
    }
}

#define PUT(type)                                                                                  \
    for (size_t i = 0; i < imf_tap_count(k); i++)                                                  \
    ((type *)table)[skip + i] = (type)k->taps[i]

/* Upload taps that are not literals: in the sums' type, with rows of zeros above and below. */
static enum imf_status upload_taps(struct imf_job *job, int of, enum imf_acc acc,
                                   struct imf_error *err) {
    const struct imf_kernel *k = job->p.kernel[of];
    size_t width = (size_t)k->width, rows = (size_t)k->height + 2 * (GENERIC_ROWS - 1);
    size_t bytes = width * rows * imf_acc_types[acc].size, skip = width * (GENERIC_ROWS - 1);
    void *table = calloc(bytes, 1);
    if (!table)
        return imf_fail_memory(err, bytes);
    if (acc == IMF_ACC_SHORT)
        PUT(int16_t);
    else if (acc == IMF_ACC_FLOAT)
        PUT(float);
    else if (acc == IMF_ACC_INT)
        PUT(int32_t);
    else
        PUT(int64_t);
    return imf_job_table(job, &job->buffer[of], table, bytes, err);
}

static enum imf_status direct_prepare(struct imf_job *job, struct imf_error *err) {
    const struct shape *s = imf_job_shape(job);
    enum imf_status st = IMF_OK;
    for (int i = 0; i < imf_problem_kernels(&job->p) && !s->unrolled && !st; i++)
        st = upload_taps(job, i, s->acc, err);
    return st;
}

static enum imf_status direct_run(struct imf_job *job, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    const struct imf_device *d = imf_queue_device(job->queue);
    const struct shape *s = imf_job_shape(job);
    const struct imf_kernel *k = job->p.kernel[0];
    int n = in->width * in->channels, height = in->height;
    size_t group = imf_tuning_group(d), across = groups_across(n, s, group),
           start = imf_first_tap(in, k);
    int rows =
        s->unrolled ? imf_tuning_rows(imf_tuning(d), d, across, height, k->height) : GENERIC_ROWS;
    const struct imf_grid grid = {across, ((size_t)height + (size_t)rows - 1) / (size_t)rows,
                                  group};
    const struct imf_buffer *first = job->buffer[0], *second = job->buffer[1];
    const struct imf_arg literal[] = {
        imf_arg_buffer(in->mem), imf_arg_size(start), imf_arg_size(in->pitch), IMF_ARG_SURFACE(out),
        imf_arg_int(n),          imf_arg_int(height), imf_arg_int(rows)};
    const struct imf_arg memory[] = {
        imf_arg_buffer(in->mem), imf_arg_size(start),
        imf_arg_size(in->pitch), IMF_ARG_SURFACE(out),
        imf_arg_int(n),          imf_arg_int(height),
        imf_arg_buffer(first),   imf_arg_buffer(second ? second : first),
        imf_arg_int(k->width),   imf_arg_int(k->height)};
    return s->unrolled ? imf_job_launch(job, 0, grid, literal, err)
                       : imf_job_launch(job, 0, grid, memory, err);
}

const struct imf_solver imf_solver_direct = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .program = "direct",
    .local = true,
    .kinds = 1u << IMF_CONVOLUTION | 1u << IMF_MAGNITUDE | 1u << IMF_PHASE,
    .propose = direct_propose,
    .parts = (const char *const[]){"common.cl", NULL},
    .entries = (const char *const[]){"direct", NULL},
    .define = define,
    .prepare = direct_prepare,
    .run = direct_run,
};
