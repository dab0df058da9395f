/* test_canny.c - edges: the vectors' against the definition, at every shape, depth and end */
#include "filter/builtin/table.h"
#include "solver/edges/canny_rows.h"
#include "solver/edges/canny_trace.h"
#include "solver_check.h"

#include <math.h>
#include <string.h>

/* ---- numbers --------------------------------------------------------------------------------- */

static struct imf_canny_parameters numbers_of(const struct imf_canny *canny, double full) {
    struct imf_problem p = {.epilogue = {.full = full}};
    struct imf_canny_parameters n;
    imf_problem_canny(&p, canny, 1);
    imf_canny_parameters(&n, &p);
    return n;
}

static void test_weights(void) {
    for (double sigma = 0; sigma <= IMF_CANNY_SIGMA; sigma += 0.125) {
        struct imf_canny canny = {.low = 0.1, .high = 0.2, .sigma = sigma, .aperture = 3};
        struct imf_canny_parameters n = numbers_of(&canny, 255);
        double all = 1;
        uint32_t sum = n.weight[0];
        for (int i = 1; i <= ceil(4 * sigma); i++)
            all += 2 * exp(-i * i / (2 * sigma * sigma));
        for (int i = 0; i <= n.radius; i++) {
            double exact = 4096 * (i ? exp(-i * i / (2 * sigma * sigma)) : 1) / all;
            CHECK(fabs(n.weight[i] - exact) <= 1, "sigma %g: weight %d", sigma, i);
            sum += i ? 2 * n.weight[i] : 0;
        }
        CHECK(sum == 4096 && n.weight[0] % 2 == 0, "sigma %g: %u", sigma, sum);
        CHECK(n.radius <= ceil(4 * sigma) && (n.radius > 0) == (sigma > 0.24),
              "sigma %g: radius %d", sigma, n.radius);
    }
    struct imf_canny canny = {.sigma = 1, .aperture = 3};
    struct imf_canny_parameters n = numbers_of(&canny, 255);
    static const uint32_t want[] = {1634, 991, 221, 18, 1}; /* 4096 exp(-x^2/2) / 2.50663 */
    CHECK(n.radius == 4 && memcmp(n.weight, want, sizeof want) == 0, "sigma 1");
}

/* A step from 0 to full scale has the gradient 1: the greater taps' sum. */
static void test_thresholds(void) {
    static const struct {
        int aperture;
        double full;
        int64_t one;
    } cases[] = {{3, 255, 4 * 4080},
                 {5, 255, 48 * 4080},
                 {7, 255, 640 * 4080},
                 {3, 65535, 4 * 65535},
                 {7, 65535, 640 * 65535LL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct imf_canny c = {.low = 0.3, .high = 1, .aperture = cases[i].aperture};
        struct imf_canny_parameters n = numbers_of(&c, cases[i].full);
        CHECK(n.high == cases[i].one && n.low == cases[i].one * 3 / 10, "case %zu", i);
        c.squares = true;
        n = numbers_of(&c, cases[i].full);
        CHECK(n.high == cases[i].one * cases[i].one, "squares, case %zu", i);
    }
}

/* ---- tracing --------------------------------------------------------------------------------- */

enum { WIDTH = 211, HEIGHT = 190, PITCH = WIDTH + 2 };

static int found;

static void count(void *data, int x, int y) {
    const struct imf_canny_map *map = data;
    found += map->pixel[(size_t)y * map->pitch + (size_t)x] == IMF_CANNY_EDGE;
}

/* What is weak and touches a strong one, until nothing changes. */
static void spread(unsigned char *pixel) {
    for (bool changed = true; changed;) {
        changed = false;
        for (ptrdiff_t i = 0; i < HEIGHT * PITCH; i++)
            for (int k = 0; k < 9 && pixel[i] == IMF_CANNY_WEAK; k++)
                if (pixel[i + (k / 3 - 1) * PITCH + k % 3 - 1] == IMF_CANNY_STRONG) {
                    pixel[i] = IMF_CANNY_STRONG;
                    changed = true;
                }
    }
}

static void check_rows(const unsigned char *start, const unsigned char *want, int rows,
                       const char *what) {
    static unsigned char got[(HEIGHT + 2) * PITCH];
    struct imf_canny_map map = {got + PITCH + 1, PITCH, WIDTH, HEIGHT};
    unsigned long wrong = 0;
    int before = 0, after = 0;
    memcpy(got, start, sizeof got);
    for (int y = 0; y < HEIGHT; y += rows)
        imf_canny_search(&map, y, imf_min(y + rows, HEIGHT));
    for (size_t i = 0; i < sizeof got; i++)
        before += got[i] == IMF_CANNY_EDGE;
    found = 0;
    imf_canny_join(&map, rows, count, &map);
    for (size_t i = 0; i < sizeof got; i++) {
        wrong += (got[i] == IMF_CANNY_EDGE) != (want[i] == IMF_CANNY_STRONG);
        after += got[i] == IMF_CANNY_EDGE;
    }
    CHECK(!wrong && found == after - before, "%s, %d rows: %lu; %d told of %d", what, rows, wrong,
          found, after - before);
}

static void check_trace(const unsigned char *start, const char *what) {
    static unsigned char want[(HEIGHT + 2) * PITCH];
    memcpy(want, start, sizeof want);
    spread(want + PITCH + 1);
    for (int rows = 1; rows <= HEIGHT; rows = rows * 3 + 4)
        check_rows(start, want, rows, what);
}

/* All weak, so that the stack overflows; random; and one line that winds through all rows twice. */
static void test_trace(void) {
    static unsigned char all[(HEIGHT + 2) * PITCH], some[sizeof all], line[sizeof all];
    unsigned char *in_all = all + PITCH + 1, *in_some = some + PITCH + 1,
                  *in_line = line + PITCH + 1;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            uint32_t chance = noise() % 1000;
            in_all[y * PITCH + x] = IMF_CANNY_WEAK;
            in_some[y * PITCH + x] = chance < 2 ? IMF_CANNY_STRONG : chance < 350;
            in_line[y * PITCH + x] = x % 4 == 0 || (x % 4 == 2 && y == HEIGHT - 1) ||
                                     ((x % 4 == 1 || x % 4 == 3) && (y == 0 || y == HEIGHT - 1) &&
                                      (x / 4 % 2 == 0) == (y == 0)) ||
                                     (x % 4 == 2 && y == 0 && x / 4 % 2 == 0);
        }
    in_all[95 * PITCH + 100] = IMF_CANNY_STRONG;
    in_line[77 * PITCH] = IMF_CANNY_STRONG;
    check_trace(all, "all");
    check_trace(some, "some");
    check_trace(line, "line");
}

/* ---- solvers --------------------------------------------------------------------------------- */

enum content { NOISE, STEPS, BLOBS, CONTENTS };

/* Noise; plateaus, of which equal gradients are neighbours; and round shapes that edges go around. */
static double sample(enum imf_sample type, double full, enum content content, int x, int y, int c) {
    double v = noise() % (uint32_t)(full + 1);
    if (content == STEPS)
        v = (x / 5 + y / 7 + c) % 3 * 100;
    else if (content == BLOBS)
        v = full * (0.5 + 0.4 * sin(x / 6.0 + c) * cos(y / 5.0) + 0.001 * (noise() % 64));
    if (type >= IMF_F32)
        return v + (noise() % 40 / 32.0 - 0.5) * (noise() % 9 ? 1 : full);
    return rint(v);
}

static unsigned long edges;

static void count_edges(const struct imf_problem *p, const struct imf_surface *want) {
    for (int y = 0; y < p->height; y++)
        edges += imf_sample_get(imf_surface_row(want, y), p->out, 0) != p->epilogue.offset;
}

static enum content content; /* or CONTENTS: all in turn */

static void draw(const struct imf_surface *s, const struct imf_problem *p) {
    enum content of = content < CONTENTS ? content : (enum content)(noise() % CONTENTS);
    for (size_t i = 0; i < s->size; i++) {
        int x = (int)(i % s->pitch) / s->channels, y = (int)(i / s->pitch),
            c = (int)(i % s->pitch) % s->channels;
        imf_sample_put(s->host, s->sample, (ptrdiff_t)i, sample(s->sample, p->in_max, of, x, y, c));
    }
}

static void check(const char *chains, enum content of, const int (*shapes)[2], int sample_count,
                  int times) {
    content = of;
    check_filters(
        &(struct filter_check){.chains = chains,
                               .shapes = shapes,
                               .samples = (const enum imf_sample[][2]){{IMF_U8, IMF_U8},
                                                                       {IMF_U16, IMF_U16},
                                                                       {IMF_U8, IMF_F32},
                                                                       {IMF_F32, IMF_U8},
                                                                       {IMF_F32, IMF_U16},
                                                                       {IMF_F64, IMF_F64}},
                               .sample_count = sample_count,
                               .times = times,
                               .exact = true,
                               .draw = draw,
                               .look = count_edges});
}

static void test_solvers(void) {
    check(
        "canny:0.04:0.2:sigma=0 canny:0:0.2:norm=l2+invert canny:0.04:0.5:sigma=0.6:aperture=5 "
        "canny:0.04:0.2:sigma=2.3:aperture=5:norm=l2+invert canny:0.04:0.2:aperture=7 "
        "canny:0:0.5:sigma=0:aperture=7:norm=l2+invert",
        CONTENTS, (const int[][2]){{1, 1}, {7, 3}, {1, 19}, {37, 1}, {131, 24}, {530, 9}, {0, 0}},
        6, 24);
    CHECK(edges > 200, "%lu edges", edges);
    /* Several bands, and strips beside each other, whose edges are followed from one to another; and the widest Gaussian. */
    check("canny:0.005:0.3", BLOBS, (const int[][2]){{8300, 70}, {1100, 300}, {0, 0}}, 1, 1);
    check("canny:0.01:0.02:sigma=16:aperture=7", NOISE, (const int[][2]){{90, 50}, {0, 0}}, 2, 2);
}

/* Extremes fit in the integers that are taken: of 16 bits most of all. */
static void test_extremes(void) {
    for (int i = 0; i < 24; i++) {
        char spec[80];
        snprintf(spec, sizeof spec, "canny:1.3:%s:sigma=%d:aperture=%d:norm=%s",
                 i % 2 ? "1.4" : "2", i / 2 % 2, 3 + 2 * (i / 8), i / 4 % 2 ? "l2" : "l1");
        for (enum content of = NOISE; of <= STEPS; of++)
            check(spec, of, (const int[][2]){{70, 23}, {0, 0}}, 2, 2);
    }
}

/* ---- chains ---------------------------------------------------------------------------------- */

static void test_lowering(void) {
    const struct imf_info rgba = {.width = 90,
                                  .height = 70,
                                  .channels = 4,
                                  .depth = 8,
                                  .color = IMF_COLOR_RGB,
                                  .alpha = true};
    const struct imf_settings settings = {.alpha = IMF_ALPHA_PREMULTIPLY};
    struct chain_case c = chain_make("canny:0.1:0.2+invert", &rgba, &settings);
    const struct imf_pass *pass = c.chain->passes;
    CHECK(c.chain->count == 2 && pass->problem.kind == IMF_FILLING && c.chain->exact, "two passes");
    pass++;
    CHECK(pass->problem.kind == IMF_CANNY, "edges of what is visible");
    CHECK(c.chain->keep_alpha && pass->problem.colors == 3, "alpha stays");
    CHECK(pass->problem.epilogue.multiply == -1, "point operations join it");
    chain_drop(&c);
    c = chain_make("blur:1+canny:0.1:0.2:sigma=2:aperture=5", &rgba, &settings);
    CHECK(c.chain->count == 3 && !c.chain->exact && c.chain->passes[1].gain == 1, "not exact");
    CHECK(c.chain->passes[2].problem.reach.left == 10, "%d", c.chain->passes[2].problem.reach.left);
    chain_drop(&c);
}

int main(void) {
    test_weights();
    test_thresholds();
    test_trace();
    test_solvers();
    test_extremes();
    test_lowering();
    return check_done("test_canny");
}
