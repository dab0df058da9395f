/* test_reference.c - float64 solvers of the host: on any number of threads results are the same bytes */
#include "check.h"

#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { W = 131, H = 77, C = 3, MARGIN = 16 };

/* A result on this many threads; the caller frees it. */
static struct imf_surface result(const struct imf_solver *s, struct imf_problem *p,
                                 const struct imf_surface *in, int threads) {
    struct imf_surface out = {0};
    struct imf_proposal proposal;
    struct imf_job *job = NULL;
    p->in = in->sample;
    imf_propose(&proposal, s, p, NULL);
    CHECK(proposal.feasible && proposal.ms < 1000, "%s proposes %s, %g ms", s->name,
          proposal.description, proposal.ms);
    CHECK(!imf_surface_layout(&out, p->out, p->width, p->height, p->channels,
                              (struct imf_margin){0}, NULL) &&
              !imf_surface_alloc(&out, NULL) && !imf_job_make(&job, p, &proposal, NULL, NULL),
          "%s makes a job", s->name);
    struct imf_pool *pool = NULL;
    CHECK(!imf_pool_open(&pool, threads, NULL), "a pool of %d threads", threads);
    job->pool = pool;
    CHECK(!imf_job_run(job, in, &out, NULL), "%s runs", s->name);
    imf_job_free(&job);
    imf_pool_close(&pool);
    return out;
}

static struct imf_surface picture(enum imf_sample sample) {
    struct imf_surface s = {0};
    struct imf_margin margin = {MARGIN, MARGIN, MARGIN, MARGIN};
    CHECK(!imf_surface_layout(&s, sample, W, H, C, margin, NULL) && !imf_surface_alloc(&s, NULL),
          "an image");
    for (int y = -MARGIN; y < H + MARGIN; y++)
        for (int i = -MARGIN * C; i < (W + MARGIN) * C; i++)
            imf_sample_put(imf_surface_row(&s, y), sample, i,
                           (i * i * 7 + y * 13 + i * y + 9999) % 251);
    return s;
}

static int rows_that_differ(const struct imf_surface *a, const struct imf_surface *b) {
    int differ = 0;
    for (int y = 0; y < H; y++)
        differ += memcmp(imf_surface_row(a, y), imf_surface_row(b, y),
                         W * C * imf_sample_size(a->sample)) != 0;
    return differ;
}

/* Both backends, any number of threads and every type of samples agree with float64 samples. */
static void test_samples(void) {
    static const struct imf_transfer low = {.kind = IMF_LOWPASS, .type = IMF_IDEAL, .low = 0.2};
    struct imf_surface in[4], want[4];
    struct imf_problem p = {.width = W,
                            .height = H,
                            .channels = C,
                            .out = IMF_F64,
                            .epilogue = {.scale = -1, .multiply = 1, .add = 128, .full = 255},
                            .outside = {40, 50, 60}};
    imf_problem_transfer(&p, &low);
    for (int type = 0; type < 4; type++)
        in[type] = picture((enum imf_sample)type);
    for (int type = 0; type < 4; type++) {
        p.out = (enum imf_sample)type;
        want[type] = result(&imf_solver_spectral_filter_host, &p, &in[IMF_F64], 1);
    }
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++)
            for (int threads = 0; threads < 4; threads += 3) {
                p.out = (enum imf_sample)to;
                struct imf_surface got =
                    result(&imf_solver_spectral_filter_vector, &p, &in[from], threads);
                int differ = rows_that_differ(&got, &want[to]);
                CHECK(differ == 0, "samples %d to %d, %d threads: %d rows differ", from, to,
                      threads, differ);
                imf_surface_free(&got);
            }
    for (int type = 0; type < 4; type++) {
        for (int y = 0; y < H; y++)
            for (int i = 0; i < W * C; i++) {
                double v = imf_sample_get(imf_surface_row(&want[IMF_F64], y), IMF_F64, i), one = 0;
                imf_sample_put(&one, (enum imf_sample)type, 0, v);
                double as = imf_sample_get(&one, (enum imf_sample)type, 0);
                double is =
                    imf_sample_get(imf_surface_row(&want[type], y), (enum imf_sample)type, i);
                if (is != as) {
                    CHECK(false, "%d, %d: %g as type %d is %g", i, y, v, type, is);
                    return;
                }
            }
        imf_surface_free(&in[type]);
    }
    for (int type = 0; type < 4; type++)
        imf_surface_free(&want[type]);
}

/* Bands of rows of kernels, magnitudes and directions. */
static void test_bands(void) {
    struct imf_surface in = picture(IMF_U8);
    struct imf_kernel *x, *y;
    if (imf_kernel_create(&x, 5, 13, NULL) || imf_kernel_create(&y, 5, 13, NULL))
        abort();
    x->cx = y->cx = 2, x->cy = y->cy = 6;
    for (int i = 0; i < 5 * 13; i++) {
        x->taps[i] = (i % 5 - 2) * (1 + i / 5 % 2) / 3.0;
        y->taps[i] = (i / 5 - 6) / 7.0;
    }
    for (int kind = 0; kind < 3; kind++) {
        struct imf_problem p = {.width = W,
                                .height = H,
                                .channels = C,
                                .out = IMF_F64,
                                .in_max = 255,
                                .epilogue = {.scale = 3, .multiply = 1, .full = 255}};
        if (kind == 0)
            imf_problem_convolve(&p, x);
        else if (kind == 1)
            imf_problem_magnitude(&p, x, y);
        else
            imf_problem_phase(&p, x, y);
        struct imf_surface one = result(&imf_solver_host, &p, &in, 1);
        for (int threads = 0; threads < 8; threads++) {
            struct imf_surface got = result(&imf_solver_host, &p, &in, threads);
            int differ = rows_that_differ(&got, &one);
            CHECK(differ == 0, "problem %d, %d threads: %d rows differ", kind, threads, differ);
            imf_surface_free(&got);
        }
        imf_surface_free(&one);
    }
    imf_kernel_free(&x);
    imf_kernel_free(&y);
    imf_surface_free(&in);
}

/* Kernels by transforms: as the sums of all taps, within 1e-9, and the same integers. */
static void test_kernels(void) {
    static const struct {
        int width, height, cx, cy;
        bool whole;
    } kernels[] = {{1, 1, 0, 0, true},  {3, 3, 1, 1, false}, {7, 1, 6, 0, true},
                   {1, 9, 0, 2, false}, {9, 15, 2, 8, true}, {16, 4, 8, 0, false}};
    for (size_t n = 0; n < 2 * sizeof kernels / sizeof *kernels; n++) {
        const bool whole = kernels[n / 2].whole;
        struct imf_surface in = picture(n % 2 ? IMF_U16 : IMF_F64);
        struct imf_kernel *k;
        if (imf_kernel_create(&k, kernels[n / 2].width, kernels[n / 2].height, NULL))
            abort();
        k->cx = kernels[n / 2].cx, k->cy = kernels[n / 2].cy;
        for (int i = 0; i < k->width * k->height; i++)
            k->taps[i] = (i * 7 % 11 - 5) * (whole ? 1 : 0.37);
        struct imf_problem p = {.width = W,
                                .height = H,
                                .channels = C,
                                .out = IMF_F64,
                                .in_max = 255,
                                .tolerance = 1e-6,
                                .tolerance_even = 1e-6,
                                .epilogue = {.scale = 1, .multiply = 1, .full = 255}};
        imf_problem_convolve(&p, k);
        p.whole_if_opaque = whole;
        struct imf_surface want = result(&imf_solver_host, &p, &in, 1);
        struct imf_surface got = result(&imf_solver_fft_host, &p, &in, (int)n % 3);
        double most = 0;
        for (int y = 0; y < H; y++)
            for (int i = 0; i < W * C; i++)
                most = fmax(most, fabs(imf_sample_get(imf_surface_row(&want, y), IMF_F64, i) -
                                       imf_sample_get(imf_surface_row(&got, y), IMF_F64, i)));
        CHECK(whole ? most == 0 : most < 1e-9, "%dx%d: off by %g", k->width, k->height, most);
        imf_surface_free(&want);
        imf_surface_free(&got);
        imf_kernel_free(&k);
        imf_surface_free(&in);
    }
}

int main(void) {
    test_samples();
    test_kernels();
    test_bands();
    return check_done("host");
}
