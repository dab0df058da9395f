/* test_clahe.c - adaptive histogram equalization: the vectors' against the definition, and turned */
#include "solver/histogram/clahe.h"
#include "solver_check.h"

static struct imf_problem problem_of(const struct imf_clahe *clahe, const int shape[2],
                                     int channels, enum imf_sample in, enum imf_sample out) {
    double full = imf_sample_max(in);
    struct imf_problem p = {.width = shape[0],
                            .height = shape[1],
                            .channels = channels,
                            .in = in,
                            .out = out,
                            .in_max = full,
                            .epilogue = {.scale = 1, .multiply = 1, .full = full}};
    imf_problem_clahe(&p, clahe, channels < 3 ? 1 : 3);
    return p;
}

static struct imf_surface result(const struct imf_problem *p, const struct imf_surface *in) {
    struct imf_proposal one;
    struct imf_surface out = surface(p, p->out);
    imf_propose_backend(&one, IMF_BACKEND_VECTOR, p);
    CHECK(one.bands == IMF_BANDS_TWICE, "%s", one.why);
    run_in_bands(&one, p, in, &out, p->height, 1);
    return out;
}

/* Less contrast than noise, so that maps are steep, and saturated colours in between. */
static void draw(const struct imf_surface *s, const struct imf_problem *p) {
    int full = (int)p->in_max;
    for (size_t i = 0; i < s->size; i++) {
        int v = (int)(noise() % (uint32_t)(full + 1));
        imf_sample_put(s->host, s->sample, (ptrdiff_t)i, noise() % 4 ? full / 3 + v / 6 : v);
    }
}

static void test_solvers(void) {
    check_filters(&(struct filter_check){
        .chains = "clahe clahe:tiles=3x5:limit=1.5+invert clahe:tiles=1x64:limit=0 "
                  "clahe:tiles=2x2:limit=40+invert",
        .shapes = (const int[][2]){{1, 1}, {7, 3}, {1, 19}, {64, 48}, {347, 22}, {2300, 9}, {0, 0}},
        .samples = check_samples, /* without those from floats */
        .sample_count = 4,
        .times = 16,
        .exact = true,
        .colors = true,
        .draw = draw});
}

/* A picture that is stored upside down, or by columns, gives the same. */
static void test_turned(void) {
    const struct imf_clahe upright = {5, 3, 2, 1, 1, false}, stored = {3, 5, 2, -1, 1, true};
    struct imf_problem p = problem_of(&upright, (const int[]){67, 41}, 1, IMF_U8, IMF_U8);
    struct imf_problem q = problem_of(&stored, (const int[]){41, 67}, 1, IMF_U8, IMF_U8);
    struct imf_surface a = surface(&p, IMF_U8), b = surface(&q, IMF_U8);
    draw(&a, &p);
    for (int y = 0; y < 41; y++)
        for (int x = 0; x < 67; x++)
            ((uint8_t *)imf_surface_row(&b, x))[40 - y] = ((uint8_t *)imf_surface_row(&a, y))[x];
    struct imf_surface want = result(&p, &a);
    struct imf_surface got = result(&q, &b);
    unsigned long wrong = 0;
    for (int y = 0; y < 41; y++)
        for (int x = 0; x < 67; x++)
            wrong += ((uint8_t *)imf_surface_row(&got, x))[40 - y] !=
                     ((uint8_t *)imf_surface_row(&want, y))[x];
    CHECK(!wrong, "%lu", wrong);
    imf_surface_free(&a);
    imf_surface_free(&b);
    imf_surface_free(&want);
    imf_surface_free(&got);
}

/* Counts 9, 1, 0, 6 of 16, cut at 5: 5 are left over, one for each value and one more for the first. */
static void test_map(void) {
    const struct imf_clahe_grid g = {
        .full = 3, .bins = 4, .step = 1, .clip = 5, .scale = 3.0f / 16};
    uint32_t counts[] = {9, 1, 0, 6};
    uint16_t map[4];
    imf_clahe_map(&g, counts, map);
    CHECK(counts[0] == 7 && counts[1] == 2 && counts[2] == 1 && counts[3] == 6, "%u %u %u %u",
          counts[0], counts[1], counts[2], counts[3]);
    CHECK(map[0] == 1 && map[1] == 2 && map[2] == 2 && map[3] == 3, "%d %d %d %d", map[0], map[1],
          map[2], map[3]); /* 21/16, 27/16, 30/16, 48/16 */
}

/* A colour that would leave the range comes nearer to gray: the luma is the new one, and so the hue. */
static void test_colors(void) {
    int r = 200, g = 40, b = 90, luma = imf_clahe_luma(r, g, b), to = 150;
    int64_t over, under;
    CHECK(luma == 78, "%d", luma);
    imf_clahe_shrink(r - luma, luma - g, to, 255, &over, &under);
    CHECK(over == 105 && under == 122, "%d/%d", (int)over, (int)under);
    CHECK(imf_clahe_color(r - luma, to, over, under) == 255 &&
              imf_clahe_color(g - luma, to, over, under) == 117 &&
              imf_clahe_color(b - luma, to, over, under) == 160,
          "%d", imf_clahe_color(g - luma, to, over, under));
    imf_clahe_shrink(r - luma, luma - g, 100, 255, &over, &under);
    CHECK(over == 1 && under == 1, "%d/%d", (int)over, (int)under);
    imf_clahe_shrink(0, 0, 0, 255, &over, &under);
    CHECK(imf_clahe_color(0, 0, over, under) == 0, "gray");
}

/* The reference keeps all maps, and the counts of one tile. */
static void test_bytes(void) {
    const struct imf_clahe clahe = {64, 64, 3, 1, 1, false};
    struct imf_problem p = problem_of(&clahe, (const int[]){640, 640}, 3, IMF_U8, IMF_U8);
    struct imf_proposal one;
    imf_propose_backend(&one, IMF_BACKEND_CPU, &p);
    double maps = 64. * 64 * 256 * sizeof(uint16_t), counts = 256 * sizeof(uint32_t);
    CHECK(one.bytes == maps + counts + sizeof(struct imf_clahe_grid), "%g bytes", one.bytes);
}

static void test_lowering(void) {
    const struct imf_info rgba = {.width = 90,
                                  .height = 70,
                                  .channels = 4,
                                  .depth = 8,
                                  .color = IMF_COLOR_RGB,
                                  .alpha = true};
    struct chain_case c = chain_make("blur:1+clahe+invert", &rgba, &(struct imf_settings){0});
    /* Colours under alpha 0, the blur, the image's alpha, by which pixels count. */
    const struct imf_pass *pass = &c.chain->passes[3];
    CHECK(c.chain->count == 4 && pass->problem.kind == IMF_CLAHE && c.chain->keep_alpha, "%d",
          c.chain->count);
    CHECK(pass->problem.colors == 3 && pass->problem.in == IMF_U8 && pass->problem.exact &&
              pass->problem.weigh && c.chain->passes[2].out == IMF_U8,
          "samples reach it: %d", pass->problem.in);
    chain_drop(&c);
}

int main(void) {
    test_lowering();
    test_bytes();
    test_map();
    test_colors();
    test_solvers();
    test_turned();
    return check_done("test_clahe");
}
