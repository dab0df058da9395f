/*
 * test_smooth.c - the host's fast bilateral and guided filters and local thresholds against the definitions
 *
 * At every shape, depth, end and number of channels that count: results lie within the contract's
 * tolerance of float64, do not depend on bands, and nothing around them is written.
 */
#include "solver/common/window.h"
#include "solver/smoothing/bilateral_rows.h"
#include "solver_check.h"

#include <math.h>
#include <stdlib.h>

/* Steps, half of them with noise, so that both much and little weighs much. */
static void draw(const struct imf_surface *s, const struct imf_problem *p) {
    size_t pitch = s->pitch;
    for (size_t i = 0; i < s->size; i++) {
        size_t x = i % pitch, y = i / pitch;
        double level = (x / 40 + y / 7) % 2 ? 0.7 : 0.3,
               rough = (x / 100 + y / 9) % 2 ? 0.2 : 0.001;
        double v = level + rough * (noise() % 1024 / 1024.0 - 0.5);
        v = noise() % 50 ? v : noise() % 2;
        imf_sample_put(s->host, s->sample, (ptrdiff_t)i, v * p->in_max);
    }
}

static int runs;

static double next_to_none(const struct imf_problem *p) {
    (void)p;
    return 1e-10;
}

static const int shapes[][2] = {{1, 1}, {7, 3}, {1, 19}, {129, 2}, {31, 29}, {300, 11}, {0, 0}};

static void test_shapes(void) {
    struct filter_check check = {
        .chains =
            "bilateral:0.3:0.1 bilateral:1.2:0.02+invert bilateral:2:5 "
            "bilateral:3:0.1+threshold:0.4 bilateral:7:0.3 guided:0:0.1 "
            "guided:1:0.02+invert guided:4:0.1+threshold:0.4 guided:3:0.000001 "
            "guided:30:0.3",
        .shapes = shapes,
        .samples = check_samples,
        .sample_count = 6,
        .times = 2,
        .draw = draw};
    runs += check_filters(&check);
    /* More columns than a strip has, and windows larger than the image. */
    check.chains = "bilateral:1:0.1 guided:2:0.1";
    check.shapes = (const int[][2]){{9001, 3}, {0, 0}};
    check.times = 1;
    check_filters(&check);
    check.chains = "guided:150:0.1";
    check.shapes = (const int[][2]){{9, 5}, {0, 0}};
    check_filters(&check);
    /* On vectors of float64, float64 in and out: as the reference, but for its exponentials. */
    check.chains =
        "bilateral:0.3:0.1 bilateral:1.2:0.0002 bilateral:3:0.3 guided:0:0.1 "
        "guided:1:0.02 guided:3:0.000001 guided:30:0.3";
    check.shapes = (const int[][2]){{1, 1}, {7, 3}, {1, 37}, {261, 2}, {31, 29}, {513, 35}, {0, 0}};
    check.samples = (const enum imf_sample[][2]){{IMF_F64, IMF_F64}};
    check.sample_count = 1;
    check.most = next_to_none;
    check_filters(&check);
}

/* Of samples: what comes as floats is rounded before. */
static void test_thresholds(void) {
    check_filters(&(struct filter_check){
        .chains = "threshold:local:1:0.04 threshold:local:6:-0.01+invert threshold:sauvola:2 "
                  "threshold:sauvola:40:k=0.1+invert",
        .shapes = (const int[][2]){{1, 1}, {1, 19}, {31, 29}, {300, 11}, {5000, 3}, {0, 0}},
        .samples = check_samples, /* without those from floats */
        .sample_count = 4,
        .times = 2,
        .draw = draw});
}

/* n times the decimal number that a double was read from. */
static void test_decimals(void) {
    static const struct {
        double v;
        uint64_t n, down;
        bool rest;
    } cases[] = {{0.04, 25 * 255, 255, false},
                 {0.07, 9 * 255, 160, true},
                 {0.1, 65535 * 10, 65535, false},
                 {0.000001, 1000000, 1, false},
                 {0.29, 100, 29, false},
                 {1, 68584278015, 68584278015, false},
                 {0, 7, 0, false},
                 {0.3, 1023 * 1023 * 65535ull, 20575283404, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool rest;
        uint64_t down = imf_decimal_times(cases[i].v, cases[i].n, &rest);
        CHECK(down == cases[i].down && rest == cases[i].rest, "%g: %ju", cases[i].v,
              (uintmax_t)down);
    }
}

static const struct imf_solver *vector_float64(const struct imf_problem *p) {
    struct imf_proposal one;
    for (size_t i = 0; imf_solvers[i]; i++) {
        if (imf_solvers[i]->backend != IMF_BACKEND_VECTOR || !imf_solvers[i]->float64)
            continue;
        imf_propose(&one, imf_solvers[i], p, NULL);
        if (one.feasible)
            return imf_solvers[i];
    }
    return NULL;
}

/* What floats cannot weigh well enough is left to float64. */
static void test_refused(void) {
    struct chain_case c =
        chain_make("bilateral:2:1+sharpen:100",
                   &(struct imf_info){.width = 9, .height = 9, .channels = 3, .depth = 8},
                   &(struct imf_settings){0});
    struct imf_proposal one;
    bool told = false;
    for (size_t i = 0; imf_solvers[i]; i++)
        if (imf_solvers[i]->backend == IMF_BACKEND_VECTOR) {
            imf_propose(&one, imf_solvers[i], &c.chain->passes[0].problem, NULL);
            CHECK(!one.feasible || imf_solvers[i]->float64, "%s", one.description);
            told = told || strstr(one.why, "float32");
        }
    CHECK(told && vector_float64(&c.chain->passes[0].problem), "%s", one.why);
    chain_drop(&c);
}

/* Weights of 0 and 0, 1/64, 2/64... beside each other, in two blocks and the least of a third. */
static void test_weights(void) {
    enum { EACH = 2 * IMF_BILATERAL_BLOCK + 2, COUNT = EACH * IMF_BILATERAL_WIDTH };
    struct imf_bilateral_layout l = imf_bilateral_deal(1, 0, COUNT);
    const float far = 0;
    static _Alignas(64) float none[COUNT], values[COUNT], spare[2 * COUNT];
    static _Alignas(64) float sums[2 * COUNT], turned[2 * COUNT];
    double worst = 0, apart = 0;
    l.near = 1;
    memset(sums, 0, sizeof sums);
    memset(turned, 0, sizeof turned);
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)(i % 600) / 64; /* whose squares are exact, and less than 100 */
    imf_bilateral_pairs(&l, none, sums, values, turned, &far, 0, 0, spare);
    for (int i = 0; i < COUNT; i++) {
        double v = (double)values[i], want = exp2(-v * v);
        size_t at = (size_t)(i / IMF_BILATERAL_WIDTH) * 2 * IMF_BILATERAL_WIDTH +
                    (size_t)(i % IMF_BILATERAL_WIDTH);
        float weight = sums[at + IMF_BILATERAL_WIDTH];
        worst = fmax(worst, fabs((double)weight / want - 1));
        apart = fmax(apart, fabs((double)sums[at] + (double)turned[at]));
        apart = fmax(apart, fabs((double)weight - (double)turned[at + IMF_BILATERAL_WIDTH]));
    }
    CHECK(l.each == EACH && worst > 0 && worst <= IMF_BILATERAL_POWER_ERROR,
          "weights are off by %g", worst);
    CHECK(apart == 0, "the other pixel's sums differ by %g", apart);
}

int main(void) {
    test_weights();
    test_shapes();
    test_thresholds();
    test_decimals();
    test_refused();
    CHECK(runs > 120, "%d", runs);
    return check_done("test_smooth");
}
