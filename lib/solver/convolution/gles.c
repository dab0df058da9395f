/*
 * gles.c - small integer kernels on OpenGL ES 2, for machines whose GPU has no OpenCL
 *
 * The method is that of M. M. Trompouki and L. Kosmidis, "Towards general purpose computations on
 * low-end mobile GPUs": a fragment shader draws the result into a picture, the operands are textures,
 * and numbers that are not bytes are packed into four bytes.
 *
 * The shader's floats hold every integer below 2^24, but its quotients and roots have no error bound.
 * So only exact problems are taken: taps, scale and epilogue are integers, and S = (largest sample) *
 * (sum of |taps|), with the numerators of the offsets, stays below 2^24. Quotients and roots are
 * corrected by integer products (cl/convolve.frag), so that the bytes are those of every other solver.
 *
 * From bytes to bytes a texel is four samples of a row: the number of channels is only a distance
 * between taps, and one fetch serves four sums. Passes of a chain that read or write integers as
 * floats use one texel for each number.
 */
#include "base/embed.h"
#include "base/image/rounding.h"
#include "base/thread_pool.h"
#include "device/program.h"
#include "device/tuning.h"
#include "gles/pass.h"
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The shader clamps the sums of a magnitude to this. */
#define LONG 2047
/* Largest offset with which clamped magnitudes still saturate. */
#define OFFSET_MOST 1024
/* Samples of the widest row: texels are counted as int. */
#define ROW_MOST (INT32_MAX / 8)

struct gles {
    struct imf_gles_pass *pass;
};

/* ---- what it can ---------------------------------------------------------------------------- */

/* Largest sample or numerator, and the quotient's remainder. */
static double largest(const struct imf_problem *p) {
    const struct imf_epilogue *e = &p->epilogue;
    double scale = fabs(e->scale);
    return p->in_max * fmax(1, p->facts[0].abs_sum) + (fabs(e->add) + fabs(e->offset)) * scale +
           2 * scale;
}

static const char *why_no_magnitude(const struct imf_problem *p) {
    const struct imf_epilogue *e = &p->epilogue;
    double sum = p->in_max * fmax(1, fmax(p->facts[0].abs_sum, p->facts[1].abs_sum));
    if (p->out != IMF_U8)
        return "a magnitude that goes on as a float";
    if (fabs(e->scale) != 1 || fabs(e->offset) > OFFSET_MOST)
        return "a magnitude with a scale";
    if (e->threshold && sum > LONG)
        return "squares would reach 2^24";
    return sum < IMF_WHOLE_FLOATS ? NULL : "sums would reach 2^24";
}

static const char *why_not(const struct imf_problem *p) {
    const struct imf_kernel *k = p->kernel[0];
    if (p->in == IMF_U16 || p->out == IMF_U16)
        return "only 8-bit images";
    if (!p->exact)
        return "only kernels of integers: shaders promise no rounding";
    if (k->width > IMF_GLES_KERNEL_MOST || k->height > IMF_GLES_KERNEL_MOST)
        return "the kernel is larger than 31x31";
    if ((double)p->width * p->channels > ROW_MOST)
        return "rows are too long";
    if (p->kind == IMF_MAGNITUDE)
        return why_no_magnitude(p);
    return largest(p) < IMF_WHOLE_FLOATS &&
                   p->epilogue.level * fabs(p->epilogue.scale) < IMF_WHOLE_FLOATS
               ? NULL
               : "sums would reach 2^24";
}

static bool is_single(const struct imf_problem *p) {
    return p->in != IMF_U8 || p->out != IMF_U8;
}

static int groups(const struct imf_problem *p) {
    return imf_gles_row_vectors(p->kernel[0]->width);
}

/* All of the source except text and taps. */
static struct imf_gles_source shape(const struct imf_problem *p) {
    int samples = (p->kernel[0]->width - 1) * p->channels;
    return (struct imf_gles_source){.vectors =
                                        imf_problem_kernels(p) * p->kernel[0]->height * groups(p),
                                    .texel = p->in == IMF_U8 && is_single(p) ? 1 : 4,
                                    .reach_x = is_single(p) ? samples : (samples + 3) / 4,
                                    .reach_y = p->kernel[0]->height - 1};
}

/* Texels that a row of the kernel fetches. */
static int fetches(const struct imf_problem *p) {
    int group = is_single(p) ? 4 : p->channels;
    return group * groups(p) + !is_single(p);
}

/*
 * Milliseconds: run + texels * (texel + fetches * fetch) / cores * 1e-6, texels of the result; groups
 * of four taps are fetched as a whole.
 */
static void gles_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    const struct imf_gles_rates *r = &imf_gles_rates;
    const char *why = why_not(p);
    (void)d;
    if (why) {
        imf_proposal_refuse(out, "%s", why);
        return;
    }
    const struct imf_gles_source s = shape(p);
    double width = ceil((double)p->width * p->channels / (is_single(p) ? 1 : 4));
    int rows = imf_problem_kernels(p) * p->kernel[0]->height;
    double ns = r->texel + r->fetch * rows * fetches(p);
    out->feasible = true;
    out->error = 0;
    out->ms = r->run_ms + width * p->height * ns * 1e-6 / imf_cores();
    out->bytes = 2 * imf_gles_pass_bytes(&s, width, p->height) + r->program_bytes +
                 r->vector_bytes * s.vectors;
    out->bands = IMF_BANDS_FEW;
    snprintf(out->description, sizeof out->description, "shader %dx%d, exact, float32",
             p->kernel[0]->width, p->kernel[0]->height);
}

/* ---- making --------------------------------------------------------------------------------- */

static void define_whole(struct imf_defines *d, const char *name, double value) {
    imf_define(d, name, "(%.0f.0)", value);
}

static void make_defines(struct imf_defines *d, const struct imf_problem *p) {
    const struct imf_epilogue *e = &p->epilogue;
    double scale = fabs(e->scale);
    bool two = p->kind == IMF_MAGNITUDE;
    imf_define(d, "WIDTH", "%d", p->kernel[0]->width);
    imf_define(d, "HEIGHT", "%d", p->kernel[0]->height);
    imf_define(d, "KERNELS", "%d", imf_problem_kernels(p));
    imf_define(d, "CHANNELS", "%d", p->channels);
    imf_define(d, "SINGLE", "%d", is_single(p));
    imf_define(d, "PACKED", "%d", p->in == IMF_F32);
    imf_define(d, "WHOLE", "%d", p->out == IMF_F32);
    define_whole(d, "X_SIGN", e->scale < 0 ? -1 : 1);
    define_whole(d, "X_ADD", e->add * scale);
    imf_define(d, "E_ABS", "%d", e->absolute);
    define_whole(d, "X_SIGN2", e->multiply < 0 ? -1 : 1);
    define_whole(d, "X_ADD2", e->offset * scale);
    imf_define(d, "E_THRESHOLD", "%d", e->threshold);
    define_whole(d, "E_FULL", e->full);
    define_whole(d, "X_LEVEL", ceil(e->level * scale));
    if (two && e->threshold)
        define_whole(d, "X_SQUARE", fmin(imf_epilogue_least_square(e), IMF_WHOLE_FLOATS));
    imf_define(d, "SCALED", "%d", scale != 1);
    define_whole(d, "X_SCALE", scale);
    define_whole(d, "X_MOST", fmin(UINT8_MAX * scale, IMF_WHOLE_FLOATS));
}

static float *make_taps(const struct imf_problem *p, int vectors) {
    float *taps = calloc((size_t)vectors * 4, sizeof *taps), *row = taps;
    for (int n = 0; taps && n < imf_problem_kernels(p); n++) {
        const struct imf_kernel *k = p->kernel[n];
        for (int i = 0; i < k->height; i++, row += 4 * groups(p))
            for (int x = 0; x < k->width; x++)
                row[x] = (float)k->taps[(size_t)i * (size_t)k->width + (size_t)x];
    }
    return taps;
}

static void gles_release(struct imf_job *job) {
    imf_gles_pass_free(&((struct gles *)job->own)->pass);
}

static enum imf_status gles_prepare(struct imf_job *job, struct imf_error *err) {
    const struct imf_problem *p = &job->p;
    struct gles *j = job->own;
    struct imf_defines d = {0};
    struct imf_gles_source s = shape(p);
    float *taps = make_taps(p, s.vectors);
    make_defines(&d, p);
    s.taps = taps;
    s.defines = d.text;
    for (const struct imf_embedded *e = imf_embedded_frag; e->name; e++)
        s.text = strcmp(e->name, "convolve.frag") ? s.text : e->text;
    enum imf_status st = taps && !d.failed
                             ? imf_gles_pass_make(&j->pass, job->proposal.gles, &s, err)
                             : imf_fail_memory(err, d.capacity);
    imf_defines_free(&d);
    free(taps);
    return st;
}

/* ---- running -------------------------------------------------------------------------------- */

struct gles_run {
    const struct imf_problem *p;
    const struct imf_surface *in, *out;
    bool single;
    double scale; /* divisor of the numerators that the shader returns, or 1 */
};

/* An integer below 2^24 to four bytes, and back. */
static void pack(unsigned char *to, float v) {
    uint32_t n = (uint32_t)fabsf(v);
    to[0] = (unsigned char)(n >> 16);
    to[1] = (unsigned char)(n >> 8);
    to[2] = (unsigned char)n;
    to[3] = v < 0 ? UINT8_MAX : 0;
}

static float unpack(const unsigned char *from) {
    float v = (float)((uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2]);
    return from[3] ? -v : v;
}

/* Load the texels of a tile; beyond the row's end they are 0 and no sum reads them. */
static void load(void *data, unsigned char *to, const struct imf_gles_tile *t) {
    const struct gles_run *run = data;
    const struct imf_surface *s = run->in;
    const struct imf_margin *reach = &run->p->reach;
    size_t each = run->single ? 1 : 4, bytes = imf_sample_size(s->sample);
    size_t first = (size_t)t->x * each, count = (size_t)t->width * each;
    size_t before = (size_t)reach->left * (size_t)s->channels; /* samples before the first pixel */
    size_t row = (size_t)(s->width + reach->right) * (size_t)s->channels + before;
    size_t there = first < row ? row - first : 0;
    there = there < count ? there : count;
    for (int y = 0; y < t->height; y++) {
        const char *from = imf_surface_row(s, t->y + y - reach->top);
        from += ((ptrdiff_t)first - (ptrdiff_t)before) * (ptrdiff_t)bytes;
        if (s->sample == IMF_U8) {
            memcpy(to, from, there);
            memset(to + there, 0, count - there);
            to += count;
            continue;
        }
        for (size_t i = 0; i < count; i++, to += 4)
            pack(to, i < there ? ((const float *)(const void *)from)[i] : 0);
    }
}

static void store(void *data, const unsigned char *from, const struct imf_gles_tile *t) {
    const struct gles_run *run = data;
    const struct imf_surface *s = run->out;
    size_t each = run->single ? 1 : 4;
    size_t first = (size_t)t->x * each, count = (size_t)t->width * each;
    size_t row = (size_t)s->width * (size_t)s->channels;
    count = count < row - first ? count : row - first;
    for (int y = 0; y < t->height; y++, from += (size_t)t->width * 4) {
        void *to = imf_surface_row(s, t->y + y);
        if (!run->single) {
            memcpy((unsigned char *)to + first, from, count);
            continue;
        }
        for (size_t i = 0; i < count; i++)
            if (s->sample == IMF_F32)
                ((float *)to)[first + i] = (float)(unpack(from + 4 * i) / run->scale);
            else
                ((unsigned char *)to)[first + i] = from[4 * i];
    }
}

static enum imf_status gles_run(struct imf_job *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    const struct imf_epilogue *e = &job->p.epilogue;
    const struct gles *j = job->own;
    struct gles_run run = {&job->p, in, out, is_single(&job->p), e->threshold ? 1 : fabs(e->scale)};
    int samples = out->width * out->channels;
    const struct imf_gles_picture picture = {.width = run.single ? samples : (samples + 3) / 4,
                                             .height = out->height,
                                             .load = load,
                                             .store = store,
                                             .data = &run};
    return imf_gles_pass_run(j->pass, &picture, err);
}

const struct imf_solver imf_solver_gles = {
    .name = "gles",
    .backend = IMF_BACKEND_GLES,
    .kinds = 1u << IMF_CONVOLUTION | 1u << IMF_MAGNITUDE,
    .propose = gles_propose,
    .own = sizeof(struct gles),
    .prepare = gles_prepare,
    .release = gles_release,
    .run = gles_run,
};
