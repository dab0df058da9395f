/* test_phase.c - directions: the vectors' against the definition, at every shape, depth and end */
#include "solver_check.h"

#include <math.h>

/* Any samples, or few, so that many directions are multiples of 45 degrees. */
static void draw(const struct imf_surface *s, const struct imf_problem *p) {
    uint32_t values = p->channels == 2 ? 3 : (uint32_t)p->in_max + 1;
    for (size_t i = 0; i < s->size; i++)
        imf_sample_put(s->host, s->sample, (ptrdiff_t)i, noise() % values);
}

/* Turned either way where the definition is within the tolerance of a tie, or of one depth's step. */
static double most(const struct imf_problem *p) {
    return p->out == IMF_U16 ? 1 : p->out == IMF_U8 ? 0.5 + 1e-3 : 1e-4 * p->in_max / 255;
}

static void test_solvers(void) {
    check_filters(&(struct filter_check){
        .chains = "phase phase+invert",
        .shapes = (const int[][2]){{1, 1}, {7, 3}, {1, 19}, {129, 2}, {1100, 40}, {0, 0}},
        .samples = check_samples,
        .sample_count = 6,
        .times = 12,
        .most = most,
        .draw = draw});
}

/* The direction in the middle of a plane of 0.1 that rises by `right` and `down`, whose samples are
 * off by `error`. */
static double middle(double right, double down, double error) {
    const struct imf_info info = chain_info(3, 3, 1, 8);
    struct chain_case c = chain_make("phase", &info, &(struct imf_settings){0});
    struct imf_problem p = c.chain->passes[0].problem;
    p.in = IMF_F64;
    p.in_error = error;
    struct imf_surface in = surface(&p, p.in), out = surface(&p, IMF_F64);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++)
            imf_sample_put(imf_surface_row(&in, y), p.in, x, 0.1 + x * right + y * down);
    imf_edge_fill_band(&in, p.reach, (struct imf_edge_part){0, p.height}, p.edge, p.outside);
    p.out = IMF_F64;
    run(&imf_solver_host, &p, &in, &out, p.height);
    double v = imf_sample_get(imf_surface_row(&out, 1), IMF_F64, 1);
    imf_surface_free(&in);
    imf_surface_free(&out);
    chain_drop(&c);
    return v;
}

static void test_uncertain(void) {
    const double below = 0.9e-9, above = 2e-9, error = 1e-9;
    CHECK(middle(0, 0, 0) == 0, "equal samples do not cancel");
    CHECK(middle(below, below, error) == 0, "directions of errors");
    CHECK(middle(1, below, error) == 0 && middle(1, -below, error) == 0, "no part is certain");
    CHECK(middle(-1, below, error) == 127.5, "left");
    CHECK(middle(below, 1, error) == 191.25 && middle(-below, -1, error) == 63.75, "up, down");
    CHECK(middle(0, -above, error) == 63.75 && middle(-above, 0, error) == 127.5, "certain");
    CHECK(middle(0, -below, 0) == 63.75, "exact samples have no error");
}

/* Rounding must not decide where a gradient points. */
static void test_lowering(void) {
    const struct imf_info info = {
        .width = 90, .height = 70, .channels = 2, .depth = 8, .alpha = true};
    const struct imf_settings settings = {.alpha = IMF_ALPHA_PREMULTIPLY};
    struct chain_case c = chain_make("sharpen+phase", &info, &settings);
    CHECK(c.chain->count == 3 && c.chain->keep_alpha && !c.chain->passes[1].coarse, "exact");
    CHECK(c.chain->passes[0].problem.kind == IMF_FILLING, "directions of what is visible");
    CHECK(c.chain->passes[2].problem.kind == IMF_PHASE && !c.chain->exact, "not exact");
    CHECK(c.chain->passes[2].problem.in_error == 0, "integers have errors");
    chain_drop(&c);
    c = chain_make("blur:1+phase", &info, &settings);
    CHECK(c.chain->passes[1].coarse && !c.chain->passes[2].coarse, "floats will not do");
    double error = c.chain->passes[2].problem.in_error;
    CHECK(error > 0 && error < 1e-9, "off by %g", error);
    chain_drop(&c);
}

int main(void) {
    test_solvers();
    test_uncertain();
    test_lowering();
    return check_done("test_phase");
}
