/*
 * test_vector.c - the host's vectors give the same bytes on every processor, in any bands and on
 * any number of cores
 *
 * Kernels of any real taps up to 15x15 are within their own bound of float64 sums.
 *
 * The solver's text is compiled once more here, without clones: for the oldest processor.
 */
#define IMF_CLONES
#define IMF_DENSE_OLDEST
#define imf_vector_rows oldest_rows
#define imf_vector_sum oldest_sum
#define imf_vector_finish oldest_finish
#define imf_vector_end_make oldest_end_make
#define imf_vector_find_terms oldest_find_terms
#define imf_vector_fill oldest_fill
#define imf_vector_fill_dense oldest_fill_dense
#define imf_vector_error oldest_error
#define imf_dense_bytes oldest_dense_bytes
#define imf_vector_dense oldest_dense_rows
#define imf_solver_vector oldest_solver
#include "../../lib/solver/convolution/vector.c"
#include "../../lib/solver/convolution/vector_dense.c"
#include "../../lib/solver/convolution/vector_rows.c"
#include "../../lib/solver/convolution/vector_taps.c"
#undef imf_solver_vector

#include "solver_check.h"

extern const struct imf_solver imf_solver_vector;

static void check_pass(const char *what, const struct imf_problem *p) {
    struct imf_surface in = noisy(p, p->in), want = surface(p, p->out);
    run(&oldest_solver, p, &in, &want, p->height);
    check_bands(what, &imf_solver_vector, p, &in, &want, (const int[]){1, 7, 1000, 0});
    imf_surface_free(&in);
    imf_surface_free(&want);
}

/* Every pass of a chain. */
static void check_chain(const char *specs, const struct imf_settings *settings, int width,
                        int height, int channels, int depth) {
    const struct imf_info info = chain_info(width, height, channels, depth);
    struct chain_case c = chain_make(specs, &info, settings);
    for (int i = 0; i < c.chain->count; i++) {
        struct imf_proposal proposal;
        if (c.chain->passes[i].kind != IMF_PASS_CONVOLVE ||
            c.chain->passes[i].problem.kind == IMF_HISTOGRAM_OP)
            continue;
        imf_propose(&proposal, &imf_solver_vector, &c.chain->passes[i].problem, NULL);
        CHECK(proposal.feasible, "%s, %d bits: %s", specs, depth, proposal.why);
        if (proposal.feasible)
            check_pass(specs, &c.chain->passes[i].problem);
    }
    chain_drop(&c);
}

static void check_all(void) {
    static const struct {
        const char *specs;
        struct imf_settings settings;
    } cases[] = {
        {"sharpen", {.edge = IMF_EDGE_CLAMP}},
        {"sharpen+invert", {.edge = IMF_EDGE_WRAP}},
        {"sobel", {.edge = IMF_EDGE_CLAMP}},
        {"sobel+threshold:0.2", {.edge = IMF_EDGE_CLAMP}},
        {"sobel+invert+threshold:0.7", {.edge = IMF_EDGE_CLAMP}},
        {"sobel+equalize", {.edge = IMF_EDGE_CLAMP}},
        {"sobel:dir=x", {.range = IMF_RANGE_ABS}},
        {"emboss", {.range = IMF_RANGE_OFFSET}},
        {"box:5", {.edge = IMF_EDGE_MIRROR}},
        {"kernel:1,2,1/2,4,2/1,2,1:scale=auto", {.edge = IMF_EDGE_CLAMP}},
        {"kernel:1,2,3/4,5,6/7,8,1:scale=37+threshold:0.5", {.edge = IMF_EDGE_CLAMP}},
        {"blur:1", {.edge = IMF_EDGE_REFLECT}},
        {"blur:2+sobel", {.edge = IMF_EDGE_CLAMP}},
        {"disk:2", {.edge = IMF_EDGE_CLAMP}},
        {"unsharp", {.edge = IMF_EDGE_CLAMP}},
        {"dog:1:2", {.edge = IMF_EDGE_CLAMP}},
        {"blur:2", {.depth = 16}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int channels = 1; channels <= 4; channels++) {
            check_chain(cases[i].specs, &cases[i].settings, 37, 11, channels, 8);
            check_chain(cases[i].specs, &cases[i].settings, 1100 / channels, 9, channels, 8);
        }
    check_chain(cases[0].specs, &cases[0].settings, 400, 9, 3, 16);
    check_chain(cases[2].specs, &cases[2].settings, 400, 9, 3, 16);
    check_chain(cases[3].specs, &cases[3].settings, 400, 9, 3, 16);
    check_chain(cases[5].specs, &cases[5].settings, 400, 9, 3, 16);
    check_chain(cases[11].specs, &cases[11].settings, 400, 9, 3, 16);
}

/* Enough work for several threads. */
static void check_shared(void) {
    check_chain("blur:2+sobel", &(struct imf_settings){.edge = IMF_EDGE_CLAMP}, 1100, 131, 3, 8);
}

/* Rows of any length, of bytes, words and floats, of which some taps have pairs: each output is the sum by the
 * definition, in the same order, and nothing is written behind the last. */
static void check_rows_of_taps(void) {
    enum { LONGEST = 100, TAPS = 5 };
    static const int lengths[] = {1, 2, 7, 31, 32, 33, 63, 64, 95, LONGEST};
    static const enum imf_sample samples[] = {IMF_U8, IMF_U16, IMF_F32};
    static float rows[2 * TAPS][LONGEST + IMF_SLACK], got[LONGEST + 1];
    const void *at[TAPS], *other[TAPS];
    float tap[TAPS] = {0.25f, -1.5f, 3, 0.1f, -0.7f};
    unsigned seed = 1;
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
        for (int k = 0; k < 2 * TAPS; k++) {
            for (int i = 0; i < LONGEST; i++) {
                seed = seed * 1664525u + 1013904223u;
                unsigned v = seed >> 24;
                if (samples[s] == IMF_U8)
                    ((uint8_t *)rows[k])[i] = (uint8_t)v;
                else if (samples[s] == IMF_U16)
                    ((uint16_t *)rows[k])[i] = (uint16_t)(v * 257);
                else
                    rows[k][i] = (float)v / 3;
            }
            (k < TAPS ? at : other)[k % TAPS] = rows[k];
        }
        for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
            for (int pairs = 0; pairs <= TAPS; pairs++) {
                const struct imf_vector_taps taps = {at, other, tap, pairs, TAPS};
                int wrong = 0;
                got[lengths[n]] = 77;
                imf_vector_sum(got, samples[s], &taps, lengths[n]);
                for (int i = 0; i < lengths[n]; i++) {
                    float want = -0.0f;
                    for (int k = 0; k < TAPS; k++)
                        want += tap[k] *
                                ((float)imf_sample_get(at[k], samples[s], i) +
                                 (k < pairs ? (float)imf_sample_get(other[k], samples[s], i) : 0));
                    wrong += got[i] != want;
                }
                CHECK(wrong == 0 && got[lengths[n]] == 77, "%d samples, %d pairs, type %d: %d",
                      lengths[n], pairs, (int)samples[s], wrong);
            }
    }
}

/* ---- any taps --------------------------------------------------------------------------------- */

static struct imf_kernel *noisy_kernel(int width, int height) {
    struct imf_kernel *k;
    if (imf_kernel_create(&k, width, height, NULL))
        abort();
    for (int i = 0; i < width * height; i++)
        k->taps[i] = (double)(noise() % 20001) / 10000 - 0.9;
    k->scale = imf_kernel_abs_sum(k);
    return k;
}

/* Unrounded results against the reference's, of samples that are also negative where they are
 * floats. Without zeros to skip, which is for kernels of three columns and rows, it is dense. */
static void check_any(int width, int height, enum imf_sample in, int channels) {
    struct imf_kernel *k = noisy_kernel(width, height);
    struct imf_problem p = {.width = 1500 / channels,
                            .height = 37,
                            .channels = channels,
                            .in = in,
                            .out = IMF_F32,
                            .in_max = in == IMF_U16 ? 65535 : 255,
                            .tolerance = in == IMF_U16 ? 0.5 : 0x1p-5,
                            .epilogue = {.scale = k->scale, .multiply = 1}};
    struct imf_proposal proposal;
    imf_problem_convolve(&p, k);
    p.epilogue.full = p.in_max;
    imf_propose(&proposal, &imf_solver_vector, &p, NULL);
    CHECK(proposal.feasible, "%dx%d: %s", width, height, proposal.why);
    struct imf_surface from = noisy(&p, in), got = surface(&p, IMF_F32);
    for (size_t i = 0; i < from.size && in == IMF_F32; i += 2)
        ((float *)from.host)[i] *= -1;
    run(&imf_solver_vector, &p, &from, &got, p.height);
    struct imf_surface want = exact_sums(&p, &from);
    double worst = farthest(&got, &want);
    CHECK(worst <= proposal.error && proposal.error < p.tolerance,
          "%dx%d, type %d, %d channels: off by %g, bound %g", width, height, (int)in, channels,
          worst, proposal.error);
    imf_surface_free(&got);
    imf_surface_free(&want);
    for (int out = 0; out < 2; out++) {
        p.out = out ? IMF_F32 : in;
        check_pass("any taps", &p);
    }
    p.tolerance = proposal.error * 0.99;
    imf_propose(&proposal, &imf_solver_vector, &p, NULL);
    CHECK(!proposal.feasible && strstr(proposal.why, "off by"), "%s", proposal.why);
    imf_surface_free(&from);
    imf_kernel_free(&k);
}

static void check_any_taps(void) {
    static const enum imf_sample samples[] = {IMF_U8, IMF_U16, IMF_F32};
    static const int sides[][2] = {{3, 3},  {5, 5},   {6, 4},  {7, 7},   {9, 9},
                                   {1, 12}, {11, 11}, {14, 2}, {15, 15}, {31, 31}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (int channels = 1; channels <= 4; channels++)
            check_any(sides[i][0], sides[i][1], samples[(i + (size_t)channels) % 3], channels);
}

int main(void) {
    check_any_taps();
    check_rows_of_taps();
    check_all();
    check_on_cores(check_shared);
    return check_done("test_vector");
}
