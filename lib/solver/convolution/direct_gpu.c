/*
 * direct_gpu.c - convolution with small kernels on GPUs (cl/direct_gpu.cl)
 *
 * The kernel becomes a program of row products (row_program.h).
 *
 * Exact problems. Sums of 8-bit samples whose range is at most 65535 are packed two to a register.
 * Otherwise floats must hold every integer up to 3 S, S = (largest sample) * (sum of |taps|): no
 * partial sum exceeds 3 S, since a row's product is at most S and the difference of two rows' products
 * at most 2 S.
 *
 * With NVIDIA's instructions on parts of a word (cl/parts/subword.cl) dense integer kernels of small
 * taps multiply four taps at once, and magnitudes whose sums fit 11 bits are computed in fp16.
 *
 * Real problems are computed in floats if row_program.h's bound is within the tolerance.
 */
#include "base/image/rounding.h"
#include "solver/common/row_blocking.h"
#include "solver/convolution/row_program.h"
#include "solver/convolution/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP IMF_ROW_BLOCKING_GROUP
/* Sums and samples in registers, and statements of one iteration of the unrolled loop: more compile
 * slowly and exceed the instruction cache. */
#define MAX_REGISTERS 190
#define SHARE_REGISTERS 80 /* of integers, of 16 samples: more keep too few work-items resident */
#define MAX_FLOAT_REGISTERS 150 /* of floats from a window wider than the outputs */
#define EXACT_REGISTERS 16 /* reserved for an exact epilogue: without, 21x21 of 8 bits spills */
#define WIDE_REGISTERS 8   /* reserved for samples of 16 bits: without, 27x17 spills */
#define MAX_STATEMENTS 12000
#define FILLED 72 /* float sums with which few work-groups are resident: nine rows of 8 samples */
/* With more products for each sample only arithmetic counts. */
#define HEAVY 20

/* A kernel as words for dot products. */
struct dots {
    int across; /* words of a row, and the columns of their first taps */
    bool down;  /* the last column is in words down the rows */
    double columns[IMF_ROW_PROGRAM_SIDE / 4 + 1], down_words[IMF_ROW_PROGRAM_SIDE];
    double words[IMF_ROW_PROGRAM_SIDE * (IMF_ROW_PROGRAM_SIDE / 4 + 1)];
    size_t count; /* words that contain a tap */
};

struct shape {
    bool subword, packed, pairs, dot, integer_end, float_end, scale_only, ties, heavy;
    int samples, bias, clamp;
    size_t work; /* multiply-adds for each sample */
};
_Static_assert(sizeof(struct shape) <= IMF_SHAPE_PART, "a proposal holds two of it");

/* The kernels in the form that the shape takes. */
struct rows {
    struct imf_row_program program[2];
    struct dots dots;
};

/* ---- the choice ------------------------------------------------------------------------------ */

/* Least and largest sum of products of samples 0..in_max. */
static void sum_range(const struct imf_problem *p, double *low, double *high) {
    *low = *high = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++) {
        double sums[2] = {0, 0};
        const struct imf_kernel *k = p->kernel[i];
        for (int j = 0; j < k->width * k->height; j++)
            sums[k->taps[j] > 0] += k->taps[j] * p->in_max;
        *low = fmin(*low, sums[0]);
        *high = fmax(*high, sums[1]);
    }
}

/*
 * Whether floats decide every rounding of an exact result. A float holds the sums exactly, and
 *   - with an even scale N it holds the numerators: quotients are ties or at least 1 / N from one, and
 *     rounding them to 2^-14 first does not move them across one (if the scale is a power of two,
 *     floats hold the quotients themselves);
 *   - with an odd scale N, n / N is at least 1 / 2N from a tie, which must be more than the error of
 *     four roundings of the largest intermediate value;
 *   - magnitudes t = sqrt(m) are at least 1 / 8t from a tie: for t up to 512 (all that 8 bits show
 *     with an offset) 2.4e-4, more than the 3 ulp that OpenCL allows a square root.
 */
static bool floats_decide(const struct imf_problem *p, double sum) {
    const struct imf_epilogue *e = &p->epilogue;
    double scale = fabs(e->scale), around = fabs(e->add) + fabs(e->offset);
    if (e->threshold || p->out != IMF_U8)
        return false;
    if (p->kind == IMF_MAGNITUDE)
        return fabs(e->offset) <= 256;
    if (fmod(scale, 2) == 0)
        return sum + around * scale < 1 << 24 && scale <= 4096;
    return 4 * imf_float_ulp(sum / scale + around) < 0.5 / scale;
}

/*
 * Put the taps into words of four signed bytes. The last word of a row ends with the row where
 * possible, so that it shares samples with other words. A last column that would be left over is put
 * into words down the rows, each stored at its last row.
 */
static void write_dots(struct dots *g, const struct imf_kernel *k) {
    int w = k->width, h = k->height;
    *g = (struct dots){.down = w > 4 && w % 4 == 1 && h >= 4};
    g->across = g->down ? w / 4 : (w + 3) / 4;
    for (int j = 0; j < g->across; j++)
        g->columns[j] = j > 0 && 4 * j + 4 > w ? w - 4 : 4 * j;
    for (int i = 0; i < w * h; i++) {
        int x = i % w, y = i / w, end = y / 4 * 4 + 3 < h ? y / 4 * 4 + 3 : h - 1;
        bool last = g->down && x == w - 1;
        double *word = last ? &g->down_words[end] : &g->words[y * g->across + x / 4];
        int byte = last ? y - end + 3 : x - (int)g->columns[x / 4];
        g->count += *word == 0 && k->taps[i] != 0;
        *word += (uint32_t)((int)k->taps[i] & 255) << 8 * byte;
    }
}

static bool takes_dots(const struct imf_problem *p, struct shape *s, struct rows *r) {
    const struct imf_kernel *k = p->kernel[0];
    if (!s->subword || !p->exact || p->in != IMF_U8 || p->kind == IMF_MAGNITUDE)
        return false;
    for (int i = 0; i < k->width * k->height; i++)
        if (k->taps[i] < -128 || k->taps[i] > 127)
            return false;
    write_dots(&r->dots, k);
    size_t work = r->program[0].products + r->program[0].additions;
    return r->dots.count < (s->packed ? work / 2 : work);
}

/* ---- the end ---- */

/* fp16 holds integers to 2048; a partial sum of a difference of rows may have the range of both. */
static bool takes_pairs(const struct imf_problem *p, const struct shape *s, double sum) {
    return s->subword && s->packed && p->kind == IMF_MAGNITUDE && s->float_end && s->scale_only &&
           sum <= 1024;
}

static void choose_end(const struct imf_problem *p, struct shape *s, double low, double high) {
    const struct imf_epilogue *e = &p->epilogue;
    s->float_end = p->exact && floats_decide(p, fmax(-low, high));
    bool as_is = p->exact && p->out == IMF_U8 && e->scale == 1 && !e->absolute && !e->threshold &&
                 e->multiply == 1 && p->kind != IMF_MAGNITUDE;
    if (s->dot) {
        s->integer_end = as_is;
    } else if (s->packed) {
        s->bias = (int)(ceil(-low / 256) * 256);
        double add = e->add + e->offset, bias = ceil((-low - add) / 256) * 256;
        s->integer_end = as_is && bias >= 0 && high + add + bias <= 65535 && add + bias >= 0;
        if (s->integer_end)
            s->bias = (int)bias;
    }
    int exponent;
    s->ties = s->float_end && p->kind != IMF_MAGNITUDE && fmod(e->scale, 2) == 0 &&
              frexp(fabs(e->scale), &exponent) != 0.5;
    bool mapped = e->absolute || e->multiply != 1 || e->offset != 0 || e->threshold;
    double scaled[2] = {low / e->scale + e->add, high / e->scale + e->add};
    s->scale_only = !mapped && e->add == 0 && (p->kind != IMF_MAGNITUDE || fabs(e->scale) == 1);
    if (p->kind == IMF_MAGNITUDE)
        s->clamp = mapped ? 1 : 2;
    else
        s->clamp = mapped || fmin(scaled[0], scaled[1]) < -0.25 ||
                   fmax(scaled[0], scaled[1]) > imf_sample_max(p->out) + 0.25;
    s->pairs = takes_pairs(p, s, fmax(-low, high));
    s->bias = s->pairs ? 0 : s->bias;
}

/* Multiply-adds for each sample. */
static size_t sum_work(const struct imf_problem *p, const struct shape *s, const struct rows *r) {
    size_t work = 0;
    if (s->dot)
        return r->dots.count;
    for (int i = 0; i < imf_problem_kernels(p); i++)
        work += r->program[i].products + r->program[i].additions;
    return work;
}

/* Samples of a work-item; 0: the kernel is too large. */
static int choose_samples(const struct imf_problem *p, const struct shape *s) {
    const struct imf_kernel *k = p->kernel[0];
    int least = s->packed ? 8 : 32 / (int)(8 * imf_sample_size(p->in));
    least = p->out == IMF_U8 && least < 4 ? 4 : least == 1 ? 2 : least;
    /* Fewer where occupancy counts most, and for float outputs so that neighbours' stores coalesce,
     * unless a wide row makes widening expensive. */
    bool wide = p->in != IMF_F32 && (k->width - 1) * p->channels > 96;
    int most_samples = (!s->heavy && p->out != IMF_F32) || wide ? 16 : 8;
    for (int samples = most_samples; samples >= least; samples /= 2) {
        int elements = s->packed ? samples / 2 : samples;
        size_t window = (size_t)(samples + (k->width - 1) * p->channels);
        size_t statements = (size_t)k->height * (s->work * (size_t)elements + 2 * window);
        size_t registers = (size_t)(k->height * imf_problem_kernels(p) * elements) + window;
        size_t most = s->packed || s->dot || k->width == 1 ? MAX_REGISTERS : MAX_FLOAT_REGISTERS;
        if ((s->packed || s->dot) && samples == 16)
            most = SHARE_REGISTERS;
        if (most == MAX_FLOAT_REGISTERS)
            registers += (p->exact ? EXACT_REGISTERS : 0) + (p->in == IMF_U16 ? WIDE_REGISTERS : 0);
        if (registers <= most && statements <= MAX_STATEMENTS)
            return samples;
    }
    return 0;
}

/* Tests run this on CPUs, too, with the instructions in plain OpenCL C. */
static bool has_subword(const struct imf_device *d) {
    return !d->gpu || strncmp(d->name, "NVIDIA", 6) == 0;
}

static void write_rows(struct rows *r, const struct imf_problem *p, const struct shape *s) {
    for (int i = 0; i < imf_problem_kernels(p); i++)
        imf_row_program_write(&r->program[i], p->kernel[i], p->exact || p->whole_if_opaque);
    if (s->dot)
        write_dots(&r->dots, p->kernel[0]);
}

/* Returns false, with the reason in `out`, if this solver cannot. */
static bool choose(const struct imf_problem *p, bool subword, struct shape *s, struct rows *r,
                   struct imf_proposal *out) {
    double low, high, error = 0;
    *s = (struct shape){.subword = subword};
    if (p->kernel[0]->width > IMF_ROW_PROGRAM_SIDE || p->kernel[0]->height > IMF_ROW_PROGRAM_SIDE) {
        imf_proposal_refuse(out, "the kernel is larger than %dx%d", IMF_ROW_PROGRAM_SIDE,
                            IMF_ROW_PROGRAM_SIDE);
        return false;
    }
    if (imf_refuse_scaled_magnitude(out, p))
        return false;
    write_rows(r, p, s);
    for (int i = 0; i < imf_problem_kernels(p); i++)
        error += imf_row_program_error(&r->program[i], p->kernel[i], p->in_max);
    sum_range(p, &low, &high);
    if (p->in == IMF_F32) {
        high = fmax(-low, high);
        low = -high;
    }
    s->packed = p->exact && p->in == IMF_U8 && high + ceil(-low / 256) * 256 <= 65535;
    s->dot = takes_dots(p, s, r);
    s->packed = s->packed && !s->dot;
    choose_end(p, s, low, high);
    bool floats = p->exact ? 3 * (high - low) < 1 << 24
                           : 6 * p->facts[0].abs_sum * p->in_max < 1 << 24; /* of either sign */
    if ((p->exact && !s->packed && !floats) || (p->whole_if_opaque && !floats)) {
        imf_proposal_refuse(out, "exact sums do not fit float32");
        return false;
    }
    error = error / fabs(p->epilogue.scale) + imf_problem_end_error(p, fmax(high, -low));
    out->error = p->exact ? 0 : error;
    if (imf_refuse_error(out, out->error, p->tolerance_even)) /* differences of rows cancel */
        return false;
    size_t products = r->program[0].products;
    if (p->kind == IMF_MAGNITUDE)
        products += r->program[1].products;
    s->heavy = !s->dot && (!s->packed || products > HEAVY);
    s->work = sum_work(p, s, r);
    s->samples = choose_samples(p, s);
    if (!s->samples)
        imf_proposal_refuse(out, "the kernel is too large for registers");
    return s->samples != 0;
}

static size_t groups_across(int n, int samples) {
    return ((size_t)n + (size_t)samples * GROUP - 1) / ((size_t)samples * GROUP);
}

static bool sums_fill(const struct imf_problem *p, const struct shape *s) {
    return !s->packed && !s->dot &&
           p->kernel[0]->height * imf_problem_kernels(p) * s->samples >= FILLED;
}

/* launch + max(samples * instructions / (rate * units), samples * bytes / bandwidth, waiting):
 * instructions are products, loads and widening (also of the block's first rows, which give no
 * output) and the epilogue; waiting is the time of one work-item, a lower bound for small images. */
static double cost(const struct imf_problem *p, const struct imf_device *d, const struct shape *s) {
    const struct imf_kernel *k = p->kernel[0];
    int n = p->width * p->channels;
    double window = (double)(s->samples + (k->width - 1) * p->channels) / s->samples;
    double rows =
        imf_row_blocking(k->height, p->height, groups_across(n, s->samples), sums_fill(p, s), d);
    const struct imf_tuning *t = imf_tuning(d);
    const struct imf_gpu_rates *g = &t->gpu;
    double product = s->dot ? g->dot : s->pairs ? g->pair : s->packed ? g->packed : g->real;
    double load = s->packed || s->dot ? g->load_packed
                  : p->in == IMF_U16  ? g->load_wide
                                      : g->load_real;
    double each = (double)s->work * product + window * load;
    double end = p->kind != IMF_MAGNITUDE ? g->end : s->pairs ? g->end_pairs : g->end_magnitude;
    double instructions = each * (1 + (k->height - 1) / rows) + end;
    double samples = (double)n * p->height;
    double bytes = imf_tuning_passed(t, p->in, samples) + imf_tuning_passed(t, p->out, samples);
    double busy = instructions / (g->instructions * imf_tuning_units(d));
    double memory = bytes / imf_tuning_bandwidth(d, g->bandwidth);
    double waiting = g->wait * each * (fmin(rows, p->height) + k->height - 1);
    return t->launch_ms + fmax(samples * fmax(busy, memory), waiting / imf_tuning_clock(d)) * 1e-6;
}

static void local_propose(const struct imf_problem *p, const struct imf_device *d,
                          struct imf_proposal *out) {
    struct shape *s = (struct shape *)out->shape.bytes;
    if (!d->gpu || d->max_group < GROUP) {
        imf_proposal_refuse(out, "this variant is for GPUs with work-groups of %d", GROUP);
        return;
    }
    struct rows *r = malloc(sizeof *r);
    if (!r) {
        imf_proposal_refuse(out, "out of memory");
        out->missing = sizeof *r;
    }
    out->feasible = r && choose(p, has_subword(d), s, r, out);
    free(r);
    if (!out->feasible)
        return;
    out->ms = cost(p, d, s);
    snprintf(out->description, sizeof out->description, "direct %dx%d%s%s, registers",
             p->kernel[0]->width, p->kernel[0]->height, p->exact ? ", exact, " : ", ",
             s->dot      ? "8-bit dot products"
             : s->packed ? "16-bit integers"
                         : "float32");
}

/* ---- the job --------------------------------------------------------------------------------- */

static void define_dots(struct imf_defines *d, const struct dots *g, int height) {
    imf_define(d, "DOT_N", "%d", g->across);
    imf_define_ints(d, "DOT_TAPS", g->words, (size_t)(height * g->across));
    imf_define_ints(d, "DOT_COLUMNS", g->columns, (size_t)g->across);
    imf_define(d, "DOT_DOWN", "%d", g->down);
    imf_define_ints(d, "DOWN_TAPS", g->down_words, (size_t)height);
}

static void define_all(struct imf_defines *d, const struct imf_problem *p, const struct shape *s,
                       const struct rows *r) {
    const struct imf_kernel *k = p->kernel[0];
    imf_problem_defines(d, p);
    imf_define(d, "SAMPLES", "%d", s->samples);
    imf_define(d, "GROUP", "%d", GROUP);
    imf_define(d, "PACKED", "%d", s->packed);
    imf_define(d, "PAIRS", "%d", s->pairs);
    imf_define(d, "DOT", "%d", s->dot);
    imf_define(d, "BIAS", "%d", s->bias);
    imf_define(d, "INTEGER_END", "%d", s->integer_end);
    imf_define(d, "FLOAT_END", "%d", s->float_end && !s->integer_end);
    imf_define(d, "SCALE_ONLY", "%d", s->scale_only);
    imf_define(d, "TIES", "%d", s->ties);
    imf_define(d, "CLAMP", "%d", s->clamp);
    imf_define(d, "CHANNELS", "%d", p->channels);
    imf_define(d, "TAPS_W", "%d", k->width);
    imf_define(d, "TAPS_H", "%d", k->height);
    imf_define(d, "ORIGIN_X", "%d", k->cx);
    imf_define(d, "MAGNITUDE", "%d", p->kind == IMF_MAGNITUDE);
    if (s->dot)
        define_dots(d, &r->dots, k->height);
    else
        imf_row_program_define(d, &r->program[0], k, s->packed, "ROW");
    if (p->kind == IMF_MAGNITUDE)
        imf_row_program_define(d, &r->program[1], k, s->packed, "ROW2");
}

static enum imf_status build(struct imf_job *job, struct rows *r, struct imf_error *err) {
    static const char *const parts[] = {"subword.cl", "direct_gpu_sums.cl", "common.cl", NULL};
    static const char *const entries[] = {"direct_gpu", NULL};
    const struct shape *s = imf_job_shape(job);
    struct imf_defines d = {0};
    write_rows(r, &job->p, s);
    imf_define(&d, "PTX", "%d", imf_queue_device(job->queue)->gpu);
    define_all(&d, &job->p, s, r);
    return imf_job_programs(job, 0, entries, s->subword ? parts : parts + 1, &d, err);
}

static enum imf_status local_prepare(struct imf_job *job, struct imf_error *err) {
    struct rows *r = malloc(sizeof *r);
    struct shape *s = (struct shape *)job->proposal.shape.bytes;
    enum imf_status st = r ? build(job, r, err) : imf_fail_memory(err, sizeof *r);
    if (st && r && s->subword && choose(&job->p, false, s, r, &job->proposal))
        st = build(job, r, err); /* an old GPU lacks the instructions */
    free(r);
    return st;
}

static enum imf_status local_run(struct imf_job *job, const struct imf_surface *in,
                                 const struct imf_surface *out, struct imf_error *err) {
    const struct shape *s = imf_job_shape(job);
    const struct imf_kernel *k = job->p.kernel[0];
    int n = in->width * in->channels, height = in->height;
    size_t across = groups_across(n, s->samples);
    int rows = imf_row_blocking(k->height, height, across, sums_fill(&job->p, s),
                                imf_queue_device(job->queue));
    const struct imf_arg args[] = {
        imf_arg_buffer(in->mem), imf_arg_size(in->origin - (size_t)k->cy * in->pitch),
        imf_arg_size(in->pitch), IMF_ARG_SURFACE(out),
        imf_arg_int(n),          imf_arg_int(height),
        imf_arg_int(rows),
    };
    const struct imf_grid grid = {across, ((size_t)height + (size_t)rows - 1) / (size_t)rows,
                                  GROUP};
    return imf_job_launch(job, 0, grid, args, err);
}

const struct imf_solver imf_solver_direct_gpu = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .program = "direct_gpu",
    .local = true,
    .kinds = 1u << IMF_CONVOLUTION | 1u << IMF_MAGNITUDE,
    .propose = local_propose,
    .prepare = local_prepare,
    .run = local_run,
};
