/*
 * test_denoise.c - removal of noise: the host's fast solver against the definition, and what it does to images of which that is
 * known
 *
 * At every shape, depth and number of channels that count: results lie within the contract's tolerance of float64, do
 * not depend on bands, and nothing around them is written.
 */
#include "solver_check.h"

#include <math.h>
#include <stdlib.h>

/* Flat parts, edges and texture under noise; some samples at either end. */
static void draw(const struct imf_surface *s, const struct imf_problem *p) {
    for (size_t i = 0; i < s->size; i++) {
        size_t x = i % s->pitch, y = i / s->pitch;
        double level = (x / 60 + y / 9) % 2 ? 0.7 : 0.3 + 0.1 * sin((double)x / 5);
        double v = level + 0.2 * (noise() % 1024 / 1024.0 - 0.5);
        v = noise() % 90 ? v : noise() % 2;
        imf_sample_put(s->host, s->sample, (ptrdiff_t)i, v * p->in_max);
    }
}

static void test_shapes(void) {
    struct filter_check check = {
        .chains =
            "denoise:0.08 denoise:0.001+invert denoise denoise:0.3+threshold:0.4 "
            "denoise:0.08:quality=best+invert denoise:quality=best "
            "denoise:0.002:quality=best",
        .shapes = (const int[][2]){{1, 1}, {7, 3}, {1, 19}, {129, 2}, {31, 29}, {300, 11}, {0, 0}},
        .samples = check_samples,
        .sample_count = 6,
        .times = 2,
        .draw = draw};
    check_filters(&check);
    /* More columns, and rows, than a tile has. */
    check.chains = "denoise:0.08 denoise:0.08:quality=best";
    check.shapes = (const int[][2]){{1301, 6}, {6, 1301}, {0, 0}};
    check.times = 1;
    check_filters(&check);
}

/* ---- images of which the result is known ----------------------------------------------------- */

/* Filter gray samples of 8 bits, whose margins repeat one sample. */
static void filter(const char *spec, enum imf_backend backend, int width, int height,
                   double (*at)(int x, int y), double *result) {
    const struct imf_info info = chain_info(width, height, 1, 8);
    struct chain_case c = chain_make(spec, &info, &(struct imf_settings){.alpha = IMF_ALPHA_KEEP});
    struct imf_problem p = c.chain->passes[0].problem;
    struct imf_proposal chosen;
    p.out = IMF_F32;
    imf_propose_backend(&chosen, backend, &p);
    struct imf_surface in = surface(&p, IMF_U8), out = surface(&p, IMF_F32);
    for (int y = -p.reach.top; y < height + p.reach.bottom; y++)
        for (int x = -p.reach.left; x < width + p.reach.right; x++)
            imf_sample_put(imf_surface_row(&in, y), IMF_U8, x, at(x, y));
    CHECK(chosen.feasible, "%s", chosen.why);
    if (chosen.feasible)
        run(chosen.solver, &p, &in, &out, height);
    for (int i = 0; i < width * height; i++)
        result[i] = imf_sample_get(imf_surface_row(&out, i / width), IMF_F32, i % width);
    imf_surface_free(&in);
    imf_surface_free(&out);
    chain_drop(&c);
}

#define SIDE 64
static double constant(int x, int y) {
    (void)x, (void)y;
    return 77;
}
static double slope(int x, int y) {
    return 90 + x + y;
}
/* More blocks are equal to one than a group has. */
static double checks(int x, int y) {
    return (x / 16 + y / 16) % 2 ? 255 : 0;
}
static double specks(int x, int y) {
    return 100 + (x * 7 + y * 13) % 31;
}
static double grainy(int x, int y) {
    (void)x, (void)y;
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += noise() / 16777216.0;
    return rint(128 + 20 * (sum - 6));
}

static void near(const char *spec, enum imf_backend backend, double (*at)(int x, int y),
                 double most) {
    double got[SIDE * SIDE], worst = 0;
    filter(spec, backend, SIDE, SIDE, at, got);
    for (int i = 0; i < SIDE * SIDE; i++)
        worst = fmax(worst, fabs(got[i] - at(i % SIDE, i / SIDE)));
    CHECK(worst <= most, "%s: off by %g", spec, worst);
}

/* Of noise on a flat image less than a part is left. */
static void flattens(const char *spec, enum imf_backend backend, double part) {
    double got[SIDE * SIDE], mean = 0, squares = 0;
    filter(spec, backend, SIDE, SIDE, grainy, got);
    for (int i = 0; i < SIDE * SIDE; i++)
        mean += got[i] / (SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++)
        squares += (got[i] - mean) * (got[i] - mean) / (SIDE * SIDE);
    CHECK(fabs(mean - 128) < 1 && sqrt(squares) < 20 * part, "%s: mean %g, deviation %g", spec,
          mean, sqrt(squares));
}

static void test_known(enum imf_backend backend) {
    near("denoise", backend, constant, 0);
    near("denoise:0", backend, specks, 0);
    near("denoise:0:quality=best", backend, specks, 0);
    near("denoise:0.1", backend, constant, 1e-4);
    near("denoise:0.1:quality=best", backend, constant, 1e-4);
    near("denoise:0.02:quality=best", backend, checks, 0.2);
    near("denoise:0.0001", backend, specks, 0.01); /* all is above the noise */
    near("denoise:0.0001:quality=best", backend, specks, 0.01);
    near("denoise:0.02", backend, slope, 1.5);
    near("denoise:0.02:quality=best", backend, slope, 1.5);
    flattens("denoise:0.0784", backend, 0.25);
    flattens("denoise", backend, 0.25);
    flattens("denoise:0.0784:quality=best", backend, 0.2);
    flattens("denoise:quality=best", backend, 0.2);
}

/* What was measured is told, what was given is not. */
static void test_tell(void) {
    static const char *const specs[] = {"denoise", "denoise:0.1"};
    for (int k = 0; k < 2; k++) {
        const struct imf_info info = chain_info(SIDE, SIDE, 1, 8);
        struct chain_case c =
            chain_make(specs[k], &info, &(struct imf_settings){.alpha = IMF_ALPHA_KEEP});
        const struct imf_problem *p = &c.chain->passes[0].problem;
        struct imf_proposal chosen;
        struct imf_surface in = noisy(p, IMF_U8), out = surface(p, IMF_F32);
        char text[99] = "";
        struct imf_job *job = NULL;
        for (int i = 0; i < SIDE * SIDE; i++)
            imf_sample_put(imf_surface_row(&in, i / SIDE), IMF_U8, i % SIDE, grainy(0, 0));
        imf_propose_backend(&chosen, IMF_BACKEND_VECTOR, p);
        if (!imf_job_make(&job, p, &chosen, NULL, NULL) && !imf_job_run(job, &in, &out, NULL))
            imf_job_tell(job, text, sizeof text);
        bool told = strncmp(text, "noise of sigma 0.0", 18) == 0 && strstr(text, " of 255)");
        CHECK(k ? !*text : told, "%s: \"%s\"", specs[k], text);
        imf_job_free(&job);
        imf_surface_free(&in);
        imf_surface_free(&out);
        chain_drop(&c);
    }
}

int main(void) {
    test_shapes();
    test_known(IMF_BACKEND_VECTOR);
    test_known(IMF_BACKEND_CPU);
    test_tell();
    return check_done("test_denoise");
}
