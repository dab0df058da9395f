/*
 * test_chain.c - what a chain asks of its solvers
 *
 * Which chains are exact, which need more than floats between passes, and how errors are shared out.
 */
#include "chain_util.h"
#include "plan/lowering/operations.h"

#include <math.h>
#include <string.h>

static const struct imf_info gray8 = {
    .width = 64, .height = 48, .channels = 1, .depth = 8, .color = IMF_COLOR_GRAY};
static const struct imf_info rgba8 = {
    .width = 64, .height = 48, .channels = 4, .depth = 8, .color = IMF_COLOR_RGB, .alpha = true};
static const struct imf_info rgba16 = {
    .width = 64, .height = 48, .channels = 4, .depth = 16, .color = IMF_COLOR_RGB, .alpha = true};

struct expectation {
    const char *spec;
    const struct imf_info *info;
    bool exact, coarse;
};

static const struct expectation cases[] = {
    {"sharpen", &gray8, true, false},
    {"sharpen+laplacian", &gray8, true, false},
    {"box:3+laplacian", &gray8, false, false},
    {"laplacian+box:3", &gray8, true, false},
    {"blur:2", &gray8, false, false},
    {"blur:2+sobel", &gray8, false, false},
    {"blur:1+sharpen", &gray8, false, false},
    /* What a blur is rounded by, 3000 and more times larger. */
    {"blur:2+laplacian+kernel:3000", &gray8, false, true},
    {"blur:1+sharpen:3000", &gray8, false, true},
    {"laplacian+blur:1+kernel:3000", &gray8, false, true},
    /* Integers beyond 2^24 between passes, by their coefficients or by a bias. */
    {"kernel:1:bias=1000000+kernel:1:bias=-1000000", &gray8, false, true},
    {"kernel:1:bias=60000+kernel:1:bias=-60000", &gray8, true, false},
    {"kernel:100000+kernel:1,-1", &gray8, false, true},
    /* Under an opaque alpha colours stay integers, and their quotient rounds once. */
    {"sharpen", &rgba8, true, false},
    {"box:3", &rgba8, true, false},
    {"blur:2", &rgba8, false, false},
    {"sharpen+invert", &rgba8, false, false},
    {"sharpen", &rgba16, true, false},
    {"sharpen+box:3", &rgba8, true, false},
    {"box:3+sharpen", &rgba8, false, false},
    {"box:60", &rgba8, true, false},
    {"kernel:1,-1,1:scale=-1", &rgba16, true, false},
    {"sharpen+gray", &rgba16, false, false},
    /* As far as floats hold their sums. */
    {"box:16", &rgba16, true, false},
    {"box:17", &rgba16, true, true},
    {"kernel:3000000,-2999999", &rgba16, true, true},
    /* A blend of integers that leaves integers. */
    {"median:1+blend:lighten", &gray8, true, false},
    {"sharpen+blend:subtract+laplacian", &gray8, true, false},
    {"sharpen+blend:lighten:0.5", &gray8, false, false},
    {"sharpen+blend:multiply", &gray8, false, false},
    {"blur:1+blend:normal:100+sharpen:100", &gray8, false, true},
};

static void check_case(const struct expectation *e) {
    const struct imf_settings settings = {0};
    struct chain_case c = chain_make(e->spec, e->info, &settings);
    bool coarse = false;
    for (int i = 0; i < c.chain->count; i++)
        coarse = coarse || c.chain->passes[i].coarse;
    bool exact = e->info->alpha ? c.chain->exact_if_opaque : c.chain->exact;
    CHECK(exact == e->exact && !(e->info->alpha && c.chain->exact), "%s is %sexact",
          imf_filter_text(c.filter), exact ? "" : "not ");
    CHECK(coarse == e->coarse, "%s: floats are %s", imf_filter_text(c.filter),
          coarse ? "too coarse" : "fine enough");
    chain_drop(&c);
}

/* A later gain takes as much from the tolerance of what precedes it. */
static void test_tolerance(void) {
    const struct imf_settings settings = {0};
    struct chain_case a = chain_make("blur:1+kernel:1.5", &gray8, &settings);
    struct chain_case b = chain_make("blur:1+kernel:15", &gray8, &settings);
    double ratio = a.chain->passes[0].problem.tolerance / b.chain->passes[0].problem.tolerance;
    CHECK(ratio > 9.99 && ratio < 12, "%g", ratio);
    chain_drop(&a);
    chain_drop(&b);
}

/* All passes' errors together, as squares where
 * they arrive, are within what the contract leaves. */
static void test_shares(void) {
    static const char *const chains[] = {"blur:2", "blur:2+blur:3", "blur:2+unsharp+blur:4",
                                         "blur:1+kernel:1.5+blur:1+kernel:2.5"};
    const struct imf_settings settings = {0};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        struct chain_case c = chain_make(chains[i], &gray8, &settings);
        double squares = 0;
        for (int k = 0; k < c.chain->count; k++) {
            const struct imf_pass *pass = &c.chain->passes[k];
            double error = pass->kind == IMF_PASS_CONVOLVE ? pass->problem.tolerance : 0;
            squares += error * pass->gain * error * pass->gain;
        }
        CHECK(sqrt(squares) <= (1 + 1e-9) / 32 && sqrt(squares) >= 0.25 / 32, "%s: %g in all",
              imf_filter_text(c.filter), sqrt(squares));
        chain_drop(&c);
    }
}

/* What a stretch magnifies counts up to a factor of 8. */
static void test_stretch(void) {
    const struct imf_settings settings = {.range = IMF_RANGE_NORMALIZE};
    struct chain_case c = chain_make("log:2", &gray8, &settings);
    CHECK(imf_point_find(&c.chain->passes[1].point, IMF_NORMALIZE) && !c.chain->passes[0].coarse,
          "floats are stretched");
    double tolerance = c.chain->passes[0].problem.tolerance;
    CHECK(tolerance > 1e-3 && tolerance < 1.0 / 32 / 8, "%g", tolerance);
    chain_drop(&c);
    c = chain_make("laplacian", &gray8, &settings);
    CHECK(c.chain->exact && !c.chain->passes[0].coarse, "integers are stretched exactly");
    chain_drop(&c);
}

/* The curve's steepest slope counts but where errors stay in proportion to the light. */
static void test_light(void) {
    const struct imf_settings settings = {.linear = true};
    struct chain_case c = chain_make("blur:2", &gray8, &settings);
    const struct imf_problem *p = &c.chain->passes[1].problem;
    CHECK(p->positive && p->tolerance > 12 * p->tolerance_even, "%g of %g", p->tolerance_even,
          p->tolerance);
    chain_drop(&c);
    c = chain_make("blur:2+laplacian", &gray8, &settings);
    p = &c.chain->passes[1].problem;
    CHECK(p->positive && p->tolerance == p->tolerance_even, "sums that cancel");
    CHECK(!c.chain->passes[1].coarse, "floats do");
    chain_drop(&c);
}

/* A constant edge has a value for each channel: of inks four. */
static void test_outside(void) {
    static const struct imf_info cmyk = {
        .width = 9, .height = 9, .channels = 4, .depth = 8, .color = IMF_COLOR_CMYK};
    const struct imf_settings settings = {.edge = IMF_EDGE_CONSTANT, .edge_value = 0.4};
    struct chain_case c = chain_make("sharpen", &cmyk, &settings);
    for (int i = 0; i < 4; i++) {
        double outside = c.chain->passes[0].problem.outside[i];
        CHECK(outside == 102, "channel %d: %g beyond the edge", i, outside);
    }
    chain_drop(&c);
}

/* A large unsharp mask is a blur and a difference; small ones, and integers, stay one kernel. */
static void test_masks(void) {
    static const struct {
        const char *spec;
        int passes;
    } masks[] = {{"unsharp:sigma=20", 2}, {"unsharp:sigma=5:amount=0.3", 2},
                 {"unsharp:sigma=2", 1},  {"blur:20", 1},
                 {"box:35", 1},           {"unsharp:2:1:0.1", 2}};
    const struct imf_settings settings = {0};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        struct chain_case c = chain_make(masks[i].spec, &gray8, &settings);
        CHECK(c.chain->count == masks[i].passes, "%s: %d passes", masks[i].spec, c.chain->count);
        if (c.chain->count == 2) {
            const struct imf_pass *blur = &c.chain->passes[0], *point = &c.chain->passes[1];
            const struct imf_kernel *k = blur->problem.kernel[0];
            double amount = i == 1 ? 0.3 : 1;
            CHECK(fabs(imf_kernel_sum(k) / k->scale - 1) < 1e-9, "%s: a blur of gain %g",
                  masks[i].spec, imf_kernel_sum(k) / k->scale);
            const struct imf_operation *op = imf_point_find(&point->point, IMF_COMBINE);
            CHECK(op && fabs(op->combine.amount - amount) < 1e-9, "%s: amount", masks[i].spec);
        }
        chain_drop(&c);
    }
}

/* A blend is one pass, whose second input is the image; mixing again changes its weights alone. */
static void test_blends(void) {
    static const struct {
        const char *specs;
        int passes, second;
        double amount;
        enum imf_blend_mode mode;
    } blends[] = {
        {"sharpen+blend:normal:50%", 2, 1, 0.5, IMF_BLEND_NORMAL},
        {"sharpen+blend:overlay:0.5+blend:normal:0.5", 2, 1, 0.25, IMF_BLEND_OVERLAY},
        {"sharpen+blend:overlay+blend:overlay:0.5", 3, 2, 0.5, IMF_BLEND_OVERLAY},
        {"sharpen+invert+blend:screen", 2, 1, 1, IMF_BLEND_SCREEN},
        {"sharpen+blend:add+blur:2", 3, 1, 1, IMF_BLEND_ADD},
        {"invert+blend:add:0.1", 1, 0, 0.1, IMF_BLEND_ADD},
    };
    const struct imf_settings settings = {0};
    for (size_t i = 0; i < sizeof blends / sizeof *blends; i++) {
        struct chain_case c = chain_make(blends[i].specs, &gray8, &settings);
        const struct imf_pass *pass = &c.chain->passes[blends[i].second];
        CHECK(c.chain->count == blends[i].passes, "%zu: %d passes", i, c.chain->count);
        const struct imf_operation *op = imf_point_find(&pass->point, IMF_BLEND);
        CHECK(pass->second == -1 && op && op->blend.mode == blends[i].mode &&
                  fabs(op->blend.weights.amount - blends[i].amount) < 1e-12,
              "%zu: a blend", i);
        chain_drop(&c);
    }
    /* Its source is what would be seen: mid-grey is added first, and what follows is not shown. */
    struct chain_case c = chain_make("emboss+blend:overlay+emboss", &gray8,
                                     &(struct imf_settings){.range = IMF_RANGE_ABS});
    CHECK(c.chain->passes[0].problem.epilogue.offset == 128 &&
              !c.chain->passes[0].problem.epilogue.absolute,
          "its own range before a blend");
    CHECK(c.chain->passes[2].problem.epilogue.absolute, "the asked one at the end");
    chain_drop(&c);
    /* Gray becomes the image's colours again. */
    const struct imf_info rgb = chain_info(40, 30, 3, 8);
    c = chain_make("gray+sobel+blend:multiply", &rgb, &settings);
    CHECK(c.chain->channels_out == 3 && c.chain->passes[2].channels_in == 1, "%d channels",
          c.chain->channels_out);
    chain_drop(&c);
}

/* The chain has one channel, between a pass that picks it and one that puts it back. */
static void test_channels(void) {
    const struct imf_info rgb = chain_info(40, 30, 3, 8);
    for (enum imf_channels which = IMF_CHANNELS_LUMA; which <= IMF_CHANNELS_BLUE; which++) {
        struct imf_settings settings = {.channels = which};
        struct chain_case c = chain_make("sharpen+blend:add", &rgb, &settings);
        const struct imf_pass *pass = c.chain->passes;
        bool luma = which == IMF_CHANNELS_LUMA;
        CHECK(c.chain->count == 3 && c.chain->channels_out == 3, "%d: %d passes", which,
              c.chain->count);
        const struct imf_operation *gray = imf_point_find(&pass[0].point, IMF_GRAY);
        CHECK(gray && gray->gray == which && pass[0].channels_out == 1 &&
                  pass[0].out == (luma ? IMF_F32 : IMF_U8),
              "%d is picked", which);
        CHECK(pass[1].channels_in == 1 && pass[1].channels_out == 1, "%d is filtered", which);
        CHECK(imf_point_find(&pass[2].point, IMF_BLEND) &&
                  imf_point_find(&pass[2].point, IMF_PUT) && pass[2].second == -1,
              "%d is put back", which);
        CHECK(c.chain->exact == !luma, "%d: %sexact", which, c.chain->exact ? "" : "not ");
        chain_drop(&c);
        settings.linear = true;
        c = chain_make("sharpen", &rgb, &settings);
        CHECK(!c.chain->exact && imf_point_find(&c.chain->passes[2].point, IMF_PUT)->blend.light,
              "%d in light", which);
        chain_drop(&c);
        c = chain_make("sharpen", &gray8, &(struct imf_settings){.channels = IMF_CHANNELS_LUMA});
        CHECK(c.chain->count == 1 && c.chain->exact, "gray is its luma");
        chain_drop(&c);
    }
}

/* What only ranks and histograms read leaves samples, unless rounding would change the result. */
static void test_early_rounding(void) {
    static const struct {
        const char *specs;
        int channels;
        bool linear;
        enum imf_sample first;
    } early[] = {{"blur:2+median:3", 3, false, IMF_U8},
                 {"disk:4+median:1+erode:2", 1, false, IMF_U8},
                 {"blur:2+equalize", 3, false, IMF_U8},
                 {"blur:2+median:1+blur:2", 3, false, IMF_F32},
                 {"blur:2+median:1+threshold:0.5", 3, false, IMF_F32},
                 {"blur:2+tophat:3", 3, false, IMF_F32},
                 {"blur:2+canny:0.1:0.2", 3, false, IMF_F32},
                 {"blur:2+median:1", 3, true, IMF_F32},
                 {"blur:2+median:1", 4, false, IMF_U8}};
    for (size_t i = 0; i < sizeof early / sizeof *early; i++) {
        struct imf_info info = chain_info(40, 30, early[i].channels, 8);
        info.alpha = early[i].channels == 4;
        struct imf_settings settings = {.linear = early[i].linear};
        struct chain_case c = chain_make(early[i].specs, &info, &settings);
        int blur = 0;
        while (c.chain->passes[blur].kind != IMF_PASS_CONVOLVE)
            blur++;
        CHECK(c.chain->passes[blur].out == early[i].first, "%zu: %s: %d", i, early[i].specs,
              c.chain->passes[blur].out);
        chain_drop(&c);
    }
    struct imf_info gray = chain_info(40, 30, 1, 8);
    struct imf_settings usual = {.edge = IMF_EDGE_CLAMP};
    struct chain_case c = chain_make("disk:4+median:1", &gray, &usual);
    CHECK(c.chain->exact, "a median of an integer kernel's samples is exact");
    chain_drop(&c);
}

int main(void) {
    test_early_rounding();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
    test_tolerance();
    test_shares();
    test_stretch();
    test_light();
    test_outside();
    test_masks();
    test_blends();
    test_channels();
    return check_done("test_chain");
}
