/*
 * test_histogram_op.c - tables that histograms make: by their definitions, the same from every solver, and
 * where they stand in a chain
 */
#include "plan/lowering/operations.h"
#include "solver/histogram/reference.h"
#include "solver_check.h"

#include <math.h>

static struct imf_problem problem_of(enum imf_histogram_op op, int full) {
    struct imf_problem p = {.width = 1,
                            .height = 1,
                            .channels = 1,
                            .epilogue = {.scale = 1, .multiply = 1, .full = full}};
    imf_problem_histogram_op(&p, op, 1);
    return p;
}

/* Some values occur, others do not. */
static void draw_counts(uint64_t *count, int full, uint32_t most) {
    for (int v = 0; v <= full; v++)
        count[v] = noise() % 3 ? noise() % most : 0;
}

/* ---- by the definitions ---------------------------------------------------------------------- */

/* The nearest integer to a / b, the even one of two. */
static bool is_nearest(uint64_t q, uint64_t a, uint64_t b) {
    uint64_t apart = 2 * (q * b > a ? q * b - a : a - q * b);
    return apart < b || (apart == b && q % 2 == 0);
}

static void test_equalize(int full, uint32_t most) {
    uint64_t *count = calloc(IMF_HISTOGRAM_SIZE, sizeof *count), n = 0, sum = 0;
    double *value = calloc(IMF_HISTOGRAM_SIZE, sizeof *value);
    struct imf_problem p = problem_of(IMF_HISTOGRAM_EQUALIZE, full);
    int wrong = 0, least = -1;
    draw_counts(count, full, most);
    imf_histogram_op_map(value, &p, count);
    for (int v = 0; v <= full; v++)
        n += count[v];
    for (int v = 0; v <= full; v++) {
        if (count[v] && least < 0)
            least = v;
        else
            sum += count[v];
        uint64_t got = (uint64_t)value[v];
        wrong += least < 0 ? got != 0 : !is_nearest(got, sum * (uint64_t)full, n - count[least]);
    }
    CHECK(!wrong && value[full] == full, "%d of %d values", wrong, full + 1);
    free(count);
    free(value);
}

/* The variance between two classes, from their samples. */
static double between(const uint64_t *count, int full, int level) {
    double n[2] = {0, 0}, sum[2] = {0, 0};
    for (int v = 0; v <= full; v++) {
        n[v > level] += (double)count[v];
        sum[v > level] += (double)count[v] * v;
    }
    return n[0] && n[1] ? n[0] * n[1] * pow(sum[1] / n[1] - sum[0] / n[0], 2) : 0;
}

static int level_of(const double *value, int full) {
    int level = -1;
    while (level < full && value[level + 1] == 0)
        level++;
    for (int v = level + 1; v <= full; v++)
        CHECK(value[v] == full, "%d becomes %g", v, value[v]);
    return level;
}

static void test_otsu(void) {
    uint64_t count[256];
    double value[256], best = 0;
    struct imf_problem p = problem_of(IMF_HISTOGRAM_OTSU, 255);
    for (int round = 0; round < 20; round++) {
        draw_counts(count, 255, 5000);
        imf_histogram_op_map(value, &p, count);
        int level = level_of(value, 255), first = 0;
        best = 0;
        for (int v = 0; v < 255; v++)
            best = between(count, 255, v) > best ? between(count, 255, first = v) : best;
        CHECK(level == first, "%d, not %d", level, first);
    }
    /* Of all that split two values alike the first, and 0 where nothing can be split. */
    memset(count, 0, sizeof count);
    count[50] = 7;
    count[200] = 9;
    imf_histogram_op_map(value, &p, count);
    CHECK(level_of(value, 255) == 50, "%d", level_of(value, 255));
    count[50] = 0;
    imf_histogram_op_map(value, &p, count);
    CHECK(level_of(value, 255) == 0, "%d", level_of(value, 255));
}

/* By a count of each value's samples below and above it. */
static void test_levels(void) {
    uint64_t count[256], n, below, above;
    double value[256];
    struct imf_problem p = problem_of(IMF_HISTOGRAM_LEVELS, 255);
    for (int round = 0; round < 40; round++) {
        int black = 0, white = 255, wrong = 0;
        draw_counts(count, 255, round % 2 ? 5000 : 2);
        p.black = round % 4 * 0.05;
        p.white = round % 3 * 0.1;
        p.gamma = round % 5 ? 1 : 0.8;
        imf_histogram_op_map(value, &p, count);
        for (int v = 0; v < 256; v++) {
            n = below = above = 0;
            for (int k = 0; k < 256; k++) {
                n += count[k];
                below += k < v ? count[k] : 0;
                above += k > v ? count[k] : 0;
            }
            black = (double)below <= p.black * (double)n ? v : black;
            white = (double)above <= p.white * (double)n && white == 255 && v < 255 ? v : white;
        }
        for (int v = 0; v < 256; v++) {
            double share = fmin(fmax((v - black) / (double)(white - black), 0), 1);
            wrong += fabs(value[v] - 255 * pow(share, 1 / p.gamma)) > 0.5 + 1e-9;
        }
        CHECK(!wrong, "%d values differ, from %d to %d", wrong, black, white);
    }
    memset(count, 0, sizeof count);
    count[77] = 5;
    imf_histogram_op_map(value, &p, count);
    CHECK(value[77] == 77, "%g", value[77]);
}

static void test_flat(void) {
    uint64_t count[256] = {[77] = 5};
    double value[256];
    struct imf_problem p = problem_of(IMF_HISTOGRAM_EQUALIZE, 255);
    imf_histogram_op_map(value, &p, count);
    CHECK(value[77] == 77, "%g", value[77]);
    p.epilogue.multiply = -1;
    p.epilogue.offset = 255;
    imf_histogram_op_map(value, &p, count);
    CHECK(value[77] == 178, "and what follows: %g", value[77]);
}

/* ---- solvers --------------------------------------------------------------------------------- */

/* Of floats some lie on ties, some beyond the samples' range. */
static double sample(enum imf_sample type, int full, bool flat) {
    double v = noise() % (uint32_t)(full + 1);
    if (flat || noise() % 5 == 0)
        v = full / 3;
    return type >= IMF_F32 && !flat ? v + (noise() % 4 * 0.5 - 1) * (noise() % 9 ? 1 : full) : v;
}

static void draw(const struct imf_surface *s, const struct imf_problem *p) {
    bool flat = noise() % 8 == 0;
    for (size_t i = 0; i < s->size; i++)
        imf_sample_put(s->host, s->sample, (ptrdiff_t)i, sample(s->sample, (int)p->in_max, flat));
}

static void test_solvers(void) {
    struct filter_check check = {
        .chains =
            "equalize threshold:otsu+invert equalize+invert levels:auto:2%:2%:gamma=1.5+invert",
        .shapes = (const int[][2]){{1, 1}, {7, 3}, {1, 19}, {347, 2}, {1100, 9}, {0, 0}},
        .samples = (const enum imf_sample[][2]){{IMF_U8, IMF_U8},
                                                {IMF_U16, IMF_U16},
                                                {IMF_U8, IMF_F32},
                                                {IMF_F32, IMF_U8},
                                                {IMF_U16, IMF_F32},
                                                {IMF_F32, IMF_U16},
                                                {IMF_F32, IMF_F32},
                                                {IMF_F64, IMF_F64}},
        .sample_count = 8,
        .times = 16,
        .exact = true,
        .draw = draw};
    check_filters(&check);
    /* By pairs, and on several threads. */
    check.shapes = (const int[][2]){{1301, 407}, {0, 0}};
    check.sample_count = 1;
    check.times = 2;
    check_filters(&check);
}

/* ---- chains ---------------------------------------------------------------------------------- */

static const struct imf_info rgba = {
    .width = 90, .height = 70, .channels = 4, .depth = 8, .color = IMF_COLOR_RGB, .alpha = true};

static void test_lowering(void) {
    const struct imf_settings settings = {.edge = IMF_EDGE_REFLECT};
    struct chain_case c = chain_make("equalize+invert", &rgba, &settings);
    const struct imf_pass *pass = c.chain->passes;
    CHECK(c.chain->count == 1 && pass->problem.kind == IMF_HISTOGRAM_OP && c.chain->exact,
          "one pass");
    CHECK(!c.chain->keep_alpha && pass->problem.colors == 3, "alpha is left, not put back");
    CHECK(pass->problem.epilogue.multiply == -1, "point operations join it");
    chain_drop(&c);
    /* Premultiplied, filtered, divided; the table; the same again. */
    c = chain_make("box:3+threshold:otsu+box:3", &rgba, &settings);
    CHECK(c.chain->count == 7 && c.chain->passes[3].problem.kind == IMF_HISTOGRAM_OP, "%d passes",
          c.chain->count);
    pass = &c.chain->passes[3];
    CHECK(imf_point_find(&c.chain->passes[2].point, IMF_UNPREMULTIPLY) &&
              imf_point_find(&c.chain->passes[4].point, IMF_PREMULTIPLY),
          "straight colours");
    CHECK(pass->problem.exact && !pass->value.integer && pass->value.bound == 255,
          "samples again, beside alpha that is none (bound %g)", pass->value.bound);
    chain_drop(&c);
    /* Point operations leave samples of the image's depth to it. */
    struct imf_info words = rgba;
    words.depth = 16;
    c = chain_make("gray+equalize", &words, &settings);
    CHECK(c.chain->count == 2 && c.chain->passes[0].out == IMF_U16 &&
              c.chain->passes[1].problem.in == IMF_U16,
          "gray leaves samples %d", c.chain->passes[0].out);
    chain_drop(&c);
    /* What comes before is held to what a result is held to, whatever follows. */
    c = chain_make("blur:1+equalize+blur:1",
                   &(struct imf_info){.width = 9, .height = 9, .channels = 1, .depth = 8},
                   &settings);
    CHECK(c.chain->count == 3 && c.chain->passes[0].gain == 1, "gain %g", c.chain->passes[0].gain);
    CHECK(!c.chain->exact && c.chain->passes[2].problem.in_max == 255, "not exact");
    chain_drop(&c);
}

int main(void) {
    test_levels();
    test_equalize(255, 5000);
    test_equalize(255, 2);
    test_equalize(65535, 60000);
    test_otsu();
    test_flat();
    test_solvers();
    test_lowering();
    return check_done("test_histogram_op");
}
