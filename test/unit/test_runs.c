/*
 * test_runs.c - kernels of few distinct taps by runs: the reference's bytes, in any bands, on the
 * oldest processor, too; what is refused
 *
 * The inner loops are compiled once more here, without clones.
 */
#define IMF_CLONES
#define imf_runs_prefix oldest_prefix
#define imf_runs_add oldest_add
#define imf_runs_widen oldest_widen
#define imf_runs_finish oldest_finish
#define imf_solver_runs oldest_runs
/* Which has more cores than this machine. */
#include "base/thread_pool.h"
#define imf_cores() 64
#include "../../lib/solver/convolution/runs.c"
#include "../../lib/solver/convolution/runs_rows.c"
#include "../../lib/solver/job.c"
#undef imf_solver_runs
#undef imf_cores

#include "solver_check.h"

extern const struct imf_solver imf_solver_runs;

static void check_problem(const char *what, const struct imf_problem *p) {
    struct imf_surface in = noisy(p, p->in), want = surface(p, p->out);
    /* A row of the largest samples, and one of the least. */
    for (int i = 0; i < p->width * p->channels && p->height > 2; i++) {
        imf_sample_put(imf_surface_row(&in, 1), p->in, i, 65535);
        imf_sample_put(imf_surface_row(&in, 2), p->in, i, 0);
    }
    run(&imf_solver_host, p, &in, &want, p->height);
    check_bands(what, &imf_solver_runs, p, &in, &want, (const int[]){1, 7, 40, 1 << 20, 0});
    check_bands(what, &oldest_runs, p, &in, &want, (const int[]){11, 0});
    imf_surface_free(&in);
    imf_surface_free(&want);
}

static void check_taps(const char *what, int kw, int kh, double (*tap)(int x, int y), int width,
                       int height, int channels, enum imf_sample in, const struct imf_epilogue *end,
                       enum imf_sample out) {
    struct imf_kernel *k;
    if (imf_kernel_create(&k, kw, kh, NULL))
        abort();
    for (int y = 0; y < kh; y++)
        for (int x = 0; x < kw; x++)
            k->taps[y * kw + x] = tap(x - kw / 2, y - kh / 2);
    struct imf_problem p = {.width = width,
                            .height = height,
                            .channels = channels,
                            .in = in,
                            .out = out,
                            .in_max = in == IMF_U8 ? 255 : 65535,
                            .epilogue = *end,
                            .exact = true};
    imf_problem_convolve(&p, k);
    p.epilogue.full = p.in_max;
    check_problem(what, &p);
    imf_kernel_free(&k);
}

/* Memory is that of as many cores as there are strips: one here, where the kernel is higher than the image. */
static void check_cores(void) {
    struct imf_kernel *k;
    if (imf_kernel_create(&k, 31, 31, NULL))
        abort();
    for (int i = 0; i < 31 * 31; i++)
        k->taps[i] = 1;
    struct imf_problem p = {.width = 2048, .height = 30, .channels = 1, .in_max = 255};
    p.epilogue = (struct imf_epilogue){.scale = 961, .multiply = 1, .full = 255};
    p.exact = true;
    imf_problem_convolve(&p, k);
    struct imf_proposal proposal;
    imf_propose(&proposal, &oldest_runs, &p, NULL);
    size_t strip = oldest_runs.scratch_bytes(&p, proposal.shape.bytes, p.width);
    CHECK(cut(&p, p.height).count == 1 && proposal.bytes < 2 * (double)strip,
          "%g bytes, a strip has %zu", proposal.bytes, strip);
    imf_kernel_free(&k);
}

static double one(int x, int y) {
    (void)x, (void)y;
    return 1;
}
static double disk15(int x, int y) {
    return x * x + y * y <= 15 * 15;
}
static double ring(int x, int y) {
    int r = x * x + y * y;
    return r <= 25 ? 3 : r <= 81 ? 0 : r <= 144 ? -2 : 0;
}
static double steps(int x, int y) {
    return (x + 100) / 3 % 4 * (y % 2 ? -1 : 1);
}
static double strong(int x, int y) { /* parts */
    return (x + y) % 5 ? 300 : -299;
}
static double each(int x, int y) {
    return 7 * y + x;
}

static void check_shapes(void) {
    static const struct imf_epilogue ends[] = {
        {.scale = 709, .multiply = 1},
        {.scale = 2, .add = 3, .absolute = true, .multiply = -1, .offset = 200},
        {.scale = -16, .multiply = 1, .offset = 128},
        {.scale = 512, .multiply = 1, .threshold = true, .level = 127.5}};
    static const struct {
        int width, height;
    } sizes[] = {{1, 1}, {1, 37}, {41, 1}, {67, 31}, {131, 97}, {1403, 23}};
    for (int channels = 1; channels <= 4; channels++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int w = sizes[s].width, h = sizes[s].height;
            enum imf_sample in = (s + (size_t)channels) % 2 ? IMF_U8 : IMF_U16;
            const struct imf_epilogue *end = &ends[(s + (size_t)channels) % 4];
            check_taps("disk", 31, 31, disk15, w, h, channels, in, &ends[0], in);
            check_taps("ring", 25, 25, ring, w, h, channels, in, end, IMF_U8);
            check_taps("steps", 17, 6, steps, w, h, channels, in, end, IMF_U16);
            check_taps("each", 5, 7, each, w, h, channels, in, end, in);
        }
    check_taps("strong", 23, 21, strong, 67, 31, 3, IMF_U16, &ends[3], IMF_U16);
    check_taps("strong", 23, 21, strong, 67, 31, 3, IMF_U8, &ends[2], IMF_U8);
    check_taps("wide", 257, 2, one, 67, 9, 1, IMF_U8, &ends[0], IMF_U8);
    check_taps("wider", 259, 3, one, 67, 9, 3, IMF_U8, &ends[0], IMF_U8);
    check_taps("large", 301, 301, one, 40, 5, 1, IMF_U16,
               &(struct imf_epilogue){.scale = 90601, .multiply = 1}, IMF_U16);
    check_taps("ties", 2, 1, one, 131, 97, 3, IMF_U8, &ends[1], IMF_U8);
    check_taps("floats", 31, 31, disk15, 67, 31, 3, IMF_U8,
               &(struct imf_epilogue){.scale = 1, .multiply = 1}, IMF_F32);
}

/* As specs have it: scaled by the sum of taps. */
static void check_spec(const char *spec, int channels, int depth) {
    const struct imf_info info = chain_info(301, 77, channels, depth);
    const struct imf_settings settings = {.edge = IMF_EDGE_CLAMP};
    struct chain_case c = chain_make(spec, &info, &settings);
    check_problem(spec, &c.chain->passes[0].problem);
    chain_drop(&c);
}

/* Random taps are no runs; large ones leave no part. */
static double wild(int x, int y) {
    return (x * 7919 + y * 104729) % 31;
}
static double huge(int x, int y) {
    return x == 0 && y == 0 ? 40000 : 0;
}

static void refused(const char *what, int side, double (*tap)(int x, int y), bool exact,
                    enum imf_sample in) {
    struct imf_kernel *k;
    struct imf_proposal proposal;
    if (imf_kernel_create(&k, side, side, NULL))
        abort();
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            k->taps[y * side + x] = tap(x - side / 2, y - side / 2);
    struct imf_problem p = {.width = 9,
                            .height = 9,
                            .channels = 1,
                            .in = in,
                            .out = IMF_U8,
                            .in_max = in == IMF_U16 ? 65535 : 255,
                            .epilogue = {.scale = 1, .multiply = 1},
                            .exact = exact};
    imf_problem_convolve(&p, k);
    imf_propose(&proposal, &imf_solver_runs, &p, NULL);
    CHECK(!proposal.feasible && proposal.why[0], "%s: %s", what, proposal.description);
    imf_kernel_free(&k);
}

/* Rows that are kept for a high kernel are not kept for each of many cores. */
static void check_memory(void) {
    struct imf_kernel *k;
    struct imf_proposal proposal;
    if (imf_kernel_create(&k, 3, 2001, NULL))
        abort();
    for (int i = 0; i < 3 * 2001; i++)
        k->taps[i] = 1;
    for (int width = 300; width < 20000; width *= 4) {
        struct imf_problem p = {.width = width,
                                .height = 300,
                                .channels = 3,
                                .in = IMF_U16,
                                .out = IMF_U16,
                                .in_max = 65535,
                                .epilogue = {.scale = 1, .multiply = 1},
                                .exact = true};
        imf_problem_convolve(&p, k);
        imf_propose(&proposal, &oldest_runs, &p, NULL);
        CHECK(proposal.feasible && proposal.bytes < 300e6, "width %d: %g bytes", width,
              proposal.bytes);
    }
    imf_kernel_free(&k);
}

static double soft(int x, int y) {
    int r = x * x + y * y;
    return r <= 64 ? 0.7 : r <= 144 ? -1.0 / 3 : 0.125 * (x > 0);
}

/* Unrounded results, of real taps or of floats that are also negative, against the reference's: they
 * are within the proposal's bound, and that within the tolerance; with bands they are the same. */
static void check_real(const char *what, double (*tap)(int x, int y), int channels,
                       enum imf_sample in, double scale, double tolerance) {
    struct imf_kernel *k;
    if (imf_kernel_create(&k, 31, 31, NULL))
        abort();
    for (int i = 0; i < 31 * 31; i++)
        k->taps[i] = tap(i % 31 - 15, i / 31 - 15);
    struct imf_problem p = {.width = 700,
                            .height = 61,
                            .channels = channels,
                            .in = in,
                            .out = IMF_F32,
                            .in_max = in == IMF_U16 ? 65535 : 255,
                            .tolerance = tolerance,
                            .epilogue = {.scale = scale, .multiply = 1, .full = 255}};
    struct imf_proposal proposal;
    imf_problem_convolve(&p, k);
    imf_propose(&proposal, &imf_solver_runs, &p, NULL);
    CHECK(proposal.feasible && proposal.error > 0 && proposal.error <= tolerance, "%s: %s", what,
          proposal.why);
    struct imf_surface from = noisy(&p, in), got = surface(&p, IMF_F32),
                       again = surface(&p, IMF_F32);
    for (size_t i = 0; i < from.size && in == IMF_F32; i += 3)
        ((float *)from.host)[i] *= -1;
    run(&imf_solver_runs, &p, &from, &got, p.height);
    run(&oldest_runs, &p, &from, &again, 7);
    struct imf_surface want = exact_sums(&p, &from);
    double worst = farthest(&got, &want);
    CHECK(worst <= proposal.error, "%s: off by %g, bound %g", what, worst, proposal.error);
    CHECK(differing(&got, &again) == 0, "%s: bands differ", what);
    imf_surface_free(&from);
    imf_surface_free(&got);
    imf_surface_free(&want);
    imf_surface_free(&again);
    imf_kernel_free(&k);
}

int main(void) {
    check_shapes();
    check_memory();
    check_cores();
    check_spec("disk:31", 3, 8);
    check_spec("disk:31", 1, 16);
    check_spec("disk:60", 3, 16);
    refused("wild taps", 101, wild, true, IMF_U8);
    refused("a huge tap", 5, huge, true, IMF_U16);
    refused("wild real taps", 101, wild, false, IMF_U8);
    refused("float64 samples", 5, one, true, IMF_F64);
    for (int channels = 1; channels <= 4; channels++) {
        check_real("a disk of floats", disk15, channels, IMF_F32, 709, 0x1p-5);
        check_real("the same, more exact", disk15, channels, IMF_F32, 709, 1e-3);
        check_real("a ring of floats", ring, channels, IMF_F32, -400, 0x1p-5);
        check_real("real taps of bytes", soft, channels, IMF_U8, 300, 0x1p-5);
        check_real("real taps of words", soft, channels, IMF_U16, 300, 0.5);
        check_real("real taps of floats", soft, channels, IMF_F32, 300, 0x1p-5);
    }
    return check_done("test_runs");
}
