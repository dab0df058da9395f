/*
 * test_despeckle.c - what is small goes: components by their definition, at every depth and shape, with strips that are cut
 * through them; and where the pass stands in a chain
 */
#include "solver_check.h"

extern const struct imf_solver imf_solver_despeckle, imf_solver_despeckle_host;

/* ---- the definition -------------------------------------------------------------------------- */

static double at(const struct imf_surface *s, int x, int y, int c) {
    return imf_sample_get(imf_surface_row(s, y), s->sample, (ptrdiff_t)x * s->channels + c);
}

/* Is the pixel in a component of so many, of those that are at least (dark: at most) v? */
static bool is_large(const struct imf_surface *s, int x, int y, int c, double v, int area,
                     bool light, int *seen, int mark) {
    static int stack[20000][2];
    int count = 0, found = 0;
    stack[count][0] = x;
    stack[count++][1] = y;
    seen[y * s->width + x] = mark;
    while (count && found < area) {
        int px = stack[--count][0], py = stack[count][1];
        found++;
        for (int ny = imf_max(py - 1, 0); ny <= imf_min(py + 1, s->height - 1); ny++)
            for (int nx = imf_max(px - 1, 0); nx <= imf_min(px + 1, s->width - 1); nx++) {
                bool in = light ? at(s, nx, ny, c) >= v : at(s, nx, ny, c) <= v;
                if (!in || seen[ny * s->width + nx] == mark)
                    continue;
                seen[ny * s->width + nx] = mark;
                stack[count][0] = nx;
                stack[count++][1] = ny;
            }
    }
    return found >= area;
}

/* Levels from a sample's own on, each the next of all samples, until its component is large enough. */
static double definition(const struct imf_surface *s, int x, int y, int c,
                         const struct imf_despeckle *d, int *seen, int *mark) {
    double v = at(s, x, y, c);
    while (!is_large(s, x, y, c, v, d->area, d->light, seen, ++*mark)) {
        double next = v;
        for (int j = 0; j < s->height; j++)
            for (int i = 0; i < s->width; i++) {
                double w = at(s, i, j, c);
                bool beyond = d->light ? w < v : w > v;
                if (beyond && (next == v || (d->light ? w > next : w < next)))
                    next = w;
            }
        if (next == v) /* all of the image is smaller */
            break;
        v = next;
    }
    return v;
}

/* ---- the solver ------------------------------------------------------------------------------ */

static const enum imf_sample samples[][2] = {{IMF_U8, IMF_U8},   {IMF_U16, IMF_U16},
                                             {IMF_U8, IMF_F64},  {IMF_F32, IMF_F32},
                                             {IMF_F64, IMF_F64}, {IMF_F32, IMF_U8}};

/* Few values make flat parts; floats are of both signs, unless they become integers. */
static void draw(const struct imf_surface *s, bool fraction, unsigned values) {
    for (int y = 0; y < s->height; y++)
        for (ptrdiff_t i = 0; i < (ptrdiff_t)s->width * s->channels; i++) {
            double v = noise() % values;
            imf_sample_put(imf_surface_row(s, y), s->sample, i,
                           fraction ? (v - values / 2.0) / 7 : v);
        }
}

static void check(int width, int height, int channels, int area, bool light, size_t type,
                  unsigned values) {
    const struct imf_despeckle d = {area, light};
    const enum imf_sample *s = samples[type];
    struct imf_problem p = {.width = width,
                            .height = height,
                            .channels = channels,
                            .in = s[0],
                            .out = s[1],
                            .epilogue = {.scale = 1, .multiply = 1, .full = imf_sample_max(s[0])}};
    imf_problem_despeckle(&p, &d, channels % 2 ? channels : channels - 1);
    struct imf_surface in = surface(&p, p.in), out = surface(&p, p.out);
    int *seen = calloc((size_t)width * (size_t)height, sizeof *seen), mark = 0;
    draw(&in, s[0] >= IMF_F32 && s[1] >= IMF_F32, values);
    run(noise() % 2 ? &imf_solver_despeckle : &imf_solver_despeckle_host, &p, &in, &out, height);
    unsigned long wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < channels; c++) {
                double want =
                    c < p.colors ? definition(&in, x, y, c, &d, seen, &mark) : at(&in, x, y, c);
                wrong += at(&out, x, y, c) != want;
            }
    unsigned long broken = spoilt(&out, 0);
    CHECK(!wrong && !broken, "%dx%dx%d, %d pixels, %s, type %zu, %u values: %lu wrong, %lu spoilt",
          width, height, channels, area, light ? "light" : "dark", type, values, wrong, broken);
    free(seen);
    imf_surface_free(&in);
    imf_surface_free(&out);
}

static void test_definition(void) {
    static const int sizes[][2] = {{1, 1}, {1, 13}, {15, 1}, {2, 2}, {11, 13}, {25, 8}, {4, 21}};
    static const int areas[] = {1, 2, 3, 7, 30, 500};
    static const unsigned values[] = {2, 5, 250};
    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
        for (size_t a = 0; a < sizeof areas / sizeof *areas; a++)
            for (size_t t = 0; t < sizeof samples / sizeof *samples; t++)
                check(sizes[z][0], sizes[z][1], 1 + (int)(noise() % 4), areas[a], noise() % 2, t,
                      values[noise() % 3]);
}

/* A line of `length` pixels that winds through strips: as large as AREA it stays, one less and it goes. */
static void test_strips(void) {
    enum { WIDTH = 700, HEIGHT = 600 };
    for (int area = 2; area <= 42; area += 8)
        for (int less = 0; less < 2; less++) {
            const struct imf_despeckle d = {area, false};
            struct imf_problem p = {.width = WIDTH,
                                    .height = HEIGHT,
                                    .channels = 1,
                                    .epilogue = {.scale = 1, .multiply = 1, .full = 255}};
            imf_problem_despeckle(&p, &d, 1);
            struct imf_surface in = surface(&p, IMF_U8), out = surface(&p, IMF_U8);
            unsigned long dark = 0;
            for (int y = 0; y < HEIGHT; y++)
                memset(imf_surface_row(&in, y), 200, WIDTH);
            for (int i = 0; i < area - less; i++) /* a diagonal at each corner of strips */
                for (int k = 100; k + 50 < HEIGHT; k += 50)
                    ((uint8_t *)imf_surface_row(&in, k - 25 + i))[k + i] = (uint8_t)(10 + i % 3);
            run(&imf_solver_despeckle, &p, &in, &out, HEIGHT);
            for (int y = 0; y < HEIGHT; y++)
                for (int x = 0; x < WIDTH; x++)
                    dark += ((const uint8_t *)imf_surface_row(&out, y))[x] < 200;
            CHECK(dark == (less ? 0 : 9ul * (unsigned)area), "%d less %d: %lu dark pixels", area,
                  less, dark);
            imf_surface_free(&in);
            imf_surface_free(&out);
        }
}

/* ---- in a chain ------------------------------------------------------------------------------ */

static void test_lowering(void) {
    const struct imf_settings plain = {0};
    struct imf_info gray = chain_info(60, 50, 1, 8);
    struct chain_case c = chain_make("despeckle:9", &gray, &plain);
    CHECK(c.chain->count == 1 && c.chain->exact && c.chain->passes[0].out == IMF_U8, "samples");
    CHECK(c.chain->reach.left == 60, "any pixel may matter");
    chain_drop(&c);
    /* It selects by order alone: what is before it may be rounded. */
    c = chain_make("blur:2+despeckle:9:light", &gray, &plain);
    CHECK(c.chain->count == 2 && c.chain->passes[0].out == IMF_U8, "rounded before");
    chain_drop(&c);
    /* Colours that alpha hides are no specks. */
    struct imf_info rgba = chain_info(60, 50, 4, 8);
    rgba.alpha = true;
    c = chain_make("despeckle:9", &rgba, &plain);
    CHECK(c.chain->count == 2 && c.chain->passes[0].problem.kind == IMF_FILLING &&
              c.chain->keep_alpha && c.chain->exact,
          "filled, and alpha stays");
    chain_drop(&c);
}

int main(void) {
    test_definition();
    test_strips();
    test_lowering();
    return check_done("test_despeckle");
}
