/*
 * test_fft_stages.c - the stages of cl/parts/ on elements of their own, there and back
 *
 * Tiles and whole-image filters transform lines in place, into scrambled order and out of it, by
 * FORWARD and INVERSE, which imf_fft_*() does not use. Each length: noise and an impulse, as many
 * lines as fill the lanes and one more, against a transform in float64. The relative L2 error must
 * stay within 0.9 eps sqrt(doublings), eps = 2^-24.
 */
#include "check.h"
#include "fft_util.h"
#include "fourier/host.h"
#include "fourier/tables.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 4096
#define COUNT 9 /* lines */

static const char lines_cl[] =
    "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void\n"
    "lines(__global float *v, const __global float *twiddles, const __global int *order,\n"
    "      __global vfloat *scratch, struct fft_axis axis, int spare, int count, int backwards)\n"
    "{\n"
    "    int n = axis.length, line = get_group_id(0) * VEC, lanes = min(VEC, count - line);\n"
    "    __global vfloat *work = ELEMENT(scratch, (long)get_group_id(0) * (n + spare));\n"
    "    __global float *w = (__global float *)work;\n"
    "    v += 2L * line * n;\n"
    "    for (int i = 0; i < 2 * n; i++) {\n"
    "        int from = backwards ? 2 * order[i / 2] + i % 2 : i;\n"
    "        for (int l = 0; l < VEC; l++)\n"
    "            w[i * VEC + l] = l < lanes ? v[2 * l * n + from] : 0.0f;\n"
    "    }\n"
    "    if (backwards)\n"
    "        INVERSE(work, &axis, twiddles, ELEMENT(work, n));\n"
    "    else\n"
    "        FORWARD(work, &axis, twiddles, ELEMENT(work, n));\n"
    "    for (int i = 0; i < 2 * n; i++) {\n"
    "        int to = backwards ? i : 2 * order[i / 2] + i % 2;\n"
    "        for (int l = 0; l < lanes; l++)\n"
    "            v[2 * l * n + to] = w[i * VEC + l];\n"
    "    }\n"
    "}\n";

struct buffers {
    struct imf_buffer *v, *twiddles, *order, *scratch;
};

static enum imf_status make_buffers(struct buffers *b, struct imf_queue *queue,
                                    const struct imf_fft_plan *plan, struct imf_fft_axis *axis,
                                    const float *v, size_t scratch, struct imf_error *err) {
    static int order[LONGEST];
    size_t n = (size_t)plan->length;
    imf_fft_order(plan, order);
    enum imf_status st = imf_buffer_table(&b->order, queue, order, n * sizeof *order, err);
    if (!st)
        st = imf_fft_twiddle_buffer(queue, plan, NULL, axis, NULL, &b->twiddles, err);
    if (!st)
        st = imf_buffer_make(&b->v, queue, IMF_BUFFER_WORK, 2 * COUNT * n * sizeof *v, err);
    if (!st)
        st = imf_buffer_upload(queue, b->v, 0, v, 2 * COUNT * n * sizeof *v, err);
    return st ? st : imf_buffer_make(&b->scratch, queue, IMF_BUFFER_WORK, scratch, err);
}

/* Transform COUNT lines in place, interleaved, one after the other, without dividing by n. */
static enum imf_status transform(struct imf_queue *queue, const struct imf_fft_plan *plan, float *v,
                                 bool backwards, struct imf_error *err) {
    struct imf_fft_axis axis = {0};
    struct imf_program *program;
    struct buffers b = {0};
    int vec = IMF_FFT_VEC, spare = imf_fft_prime_spare(plan);
    size_t groups = (size_t)((COUNT + vec - 1) / vec), n = (size_t)plan->length;
    size_t scratch = (n + (size_t)spare) * (size_t)vec * 2 * sizeof(float) * groups;
    imf_fft_axis_set(&axis, plan);
    const struct imf_program_source source = {.file = "fft_chirp.cl", /* any that compiles */
                                              .parts = imf_fft_parts(plan->primes),
                                              .more = lines_cl};
    enum imf_status st = imf_program_make(&program, queue, &source, "lines", err);
    if (!st)
        st = make_buffers(&b, queue, plan, &axis, v, scratch, err);
    if (!st) {
        const struct imf_arg args[] = {imf_arg_buffer(b.v),
                                       imf_arg_buffer(b.twiddles),
                                       imf_arg_buffer(b.order),
                                       imf_arg_buffer(b.scratch),
                                       imf_arg_block(&axis, sizeof axis),
                                       imf_arg_int(spare),
                                       imf_arg_int(COUNT),
                                       imf_arg_int(backwards)};
        const struct imf_grid grid = {groups, 1, 1};
        st = imf_program_launch(queue, program, grid, args, err);
    }
    if (!st)
        st = imf_buffer_download(queue, b.v, 0, v, 2 * COUNT * n * sizeof *v, err);
    imf_program_free(&program);
    imf_buffer_free(&b.v);
    imf_buffer_free(&b.twiddles);
    imf_buffer_free(&b.order);
    imf_buffer_free(&b.scratch);
    return st;
}

/* In units of eps sqrt(doublings). The inverse is that of the conjugate, conjugated. */
static double error_of(const struct imf_fft_plan *plan, const float *in, const float *got,
                       bool backwards) {
    static struct imf_complex a[LONGEST], exact[LONGEST];
    struct imf_fft_host *host;
    int n = plan->length;
    double sign = backwards ? -1 : 1, error = 0, norm = 0;
    if (imf_fft_host_create(&host, n, NULL))
        abort();
    for (int i = 0; i < n; i++)
        a[i] = (struct imf_complex){in[2 * i], sign * in[2 * i + 1]};
    imf_fft_host_run(host, a, 1, exact, NULL);
    imf_fft_host_free(&host);
    for (int i = 0; i < n; i++) {
        double re = got[2 * i] - exact[i].re, im = got[2 * i + 1] - sign * exact[i].im;
        error += re * re + im * im;
        norm += exact[i].re * exact[i].re + exact[i].im * exact[i].im;
    }
    return sqrt(error / norm) / (FLT_EPSILON / 2 * sqrt(fmax(imf_fft_plan_doublings(plan), 1)));
}

static double test_length(struct imf_queue *queue, int n, bool backwards) {
    static float v[2 * COUNT * LONGEST], before[2 * COUNT * LONGEST];
    struct imf_fft_plan plan;
    struct imf_error err = {.text = ""};
    double worst = 0;
    for (int i = 0; i < 2 * COUNT * n; i++)
        v[i] = i / (2 * n) == 1 ? (float)(i == 2 * n + n / 3) : noise();
    memcpy(before, v, sizeof v);
    bool ok = imf_fft_plan_any(&plan, n) && !transform(queue, &plan, v, backwards, &err);
    CHECK(ok, "length %d: %s", n, err.text);
    for (int l = 0; ok && l < COUNT; l += l == 1 ? COUNT - 2 : 1) {
        double error = error_of(&plan, before + 2 * l * n, v + 2 * l * n, backwards);
        CHECK(error <= 0.9, "length %d line %d backwards %d: error %.3f", n, l, backwards, error);
        worst = fmax(worst, error);
    }
    return worst;
}

int main(void) {
    /* Stages of both kinds, twice the same prime, powers behind primes, convolutions with and
     * without padding, blocks of which several make a line. */
    static const int lengths[] = {22,   121,     169,      427,  667,  1331, 2021, 4087,
                                  4067, 67 * 61, 101 * 32, 2187, 2401, 3125, 4032, 4096};
    struct imf_context_options options = {.device = IMF_DEVICE_AUTO};
    struct imf_runtime *rt = NULL;
    struct imf_queue *queue = NULL;
    struct imf_error err;
    double worst = 0;
    if (imf_runtime_open(&rt, &options, NULL, &err) || imf_queue_open(&queue, rt, &err)) {
        printf("fft_stages: skipped: %s\n", err.text);
        return check_done("fft_stages");
    }
    for (int n = 1; n < 1200; n++)
        if (imf_fft_largest_prime(n) <= 7 || (n < 200 && imf_fft_largest_prime(n) == n))
            worst = fmax(worst, fmax(test_length(queue, n, false), test_length(queue, n, true)));
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        worst = fmax(worst, fmax(test_length(queue, lengths[i], false),
                                 test_length(queue, lengths[i], true)));
    printf("fft_stages: largest error %.3f eps sqrt(doublings)\n", worst);
    imf_queue_close(&queue);
    imf_runtime_close(&rt);
    return check_done("fft_stages");
}
