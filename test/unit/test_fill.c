/*
 * test_fill.c - colours under alpha 0: the nearest by trying all, at every shape, depth, orientation and reach, in bands, and
 * where the pass stands in a chain
 */
#include "base/image/orientation.h"
#include "solver_check.h"

#include <math.h>

extern const struct imf_solver imf_solver_fill, imf_solver_fill_host;

/* ---- the definition -------------------------------------------------------------------------- */

/* Where a stored pixel is in the upright picture. */
static void upright(struct imf_orientation o, int width, int height, int *x, int *y) {
    int u = *x, v = *y;
    for (int j = 0; j < (o.swap ? width : height); j++)
        for (int i = 0; i < (o.swap ? height : width); i++) {
            int a = i, b = j;
            imf_pixel_to_stored(o, o.swap ? height : width, o.swap ? width : height, &a, &b);
            if (a == u && b == v) {
                *x = i;
                *y = j;
            }
        }
}

struct place {
    int x, y; /* stored, */
    int u, v; /* upright */
    bool hidden;
};

/* The nearest visible pixel; of equally near ones the leftmost, and of these the uppermost, of the upright picture. */
static const struct place *nearest(const struct place *all, int count, const struct place *to,
                                   int reach) {
    const struct place *best = NULL;
    int64_t least = reach == IMF_FILL_ANY ? INT64_MAX : (int64_t)reach * reach + 1;
    for (int i = 0; i < count; i++) {
        const struct place *one = &all[i];
        int64_t dx = one->x - to->x, dy = one->y - to->y, far = dx * dx + dy * dy;
        bool before = best && (one->u != best->u ? one->u < best->u : one->v < best->v);
        if (one->hidden || far > least || (far == least && !before))
            continue;
        least = far;
        best = one;
    }
    return best;
}

/* Pixels are hidden by chance, in `part` of 16, which leaves ties of all kinds. */
static void draw(const struct imf_surface *s, struct place *all, struct imf_orientation o,
                 unsigned part) {
    for (int y = 0, i = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++, i++) {
            all[i] = (struct place){x, y, x, y, noise() % 16 < part};
            upright(o, s->width, s->height, &all[i].u, &all[i].v);
            for (int c = 0; c < s->channels; c++) {
                bool alpha = c == s->channels - 1;
                double v = alpha && all[i].hidden ? 0 : 1 + noise() % 255;
                imf_sample_put(imf_surface_row(s, y), s->sample, x * s->channels + c,
                               alpha && all[i].hidden && s->sample == IMF_F64 ? 0.5 : v);
            }
        }
}

static unsigned long wrong_pixels(const struct imf_surface *in, const struct imf_surface *out,
                                  const struct place *all, int reach) {
    unsigned long wrong = 0;
    int count = in->width * in->height;
    for (int i = 0; i < count; i++) {
        const struct place *from = all[i].hidden ? nearest(all, count, &all[i], reach) : &all[i];
        for (int c = 0; c < in->channels; c++) {
            const struct place *of = c == in->channels - 1 ? &all[i] : from;
            double want = of ? imf_sample_get(imf_surface_row(in, of->y), in->sample,
                                              of->x * in->channels + c)
                             : 0;
            double got = imf_sample_get(imf_surface_row(out, all[i].y), out->sample,
                                        all[i].x * in->channels + c);
            wrong += got != (out->sample == IMF_F64 ? want : imf_sample_round(want, 65535));
        }
    }
    return wrong;
}

/* ---- the solver ------------------------------------------------------------------------------ */

static const enum imf_sample samples[][2] = {
    {IMF_U8, IMF_U8}, {IMF_U16, IMF_U16}, {IMF_U8, IMF_F64}, {IMF_F64, IMF_F64}};

static void check(int width, int height, int channels, int orientation, int reach, unsigned part) {
    struct imf_orientation o = imf_orientation_of(orientation);
    double x = 1, y = 1;
    imf_offset_to_stored(o, &x, &y);
    const struct imf_fill fill = {reach, (int)x, (int)y, o.swap, false};
    const enum imf_sample *s = samples[noise() % 4];
    struct imf_problem p = {.width = width,
                            .height = height,
                            .channels = channels,
                            .in = s[0],
                            .out = s[1],
                            .hidden = 0.5,
                            .epilogue = {.scale = 1, .multiply = 1, .full = imf_sample_max(s[0])}};
    imf_problem_fill(&p, &fill);
    struct imf_surface in = surface(&p, p.in), out = surface(&p, p.out);
    struct place *all = malloc((size_t)width * (size_t)height * sizeof *all);
    draw(&in, all, o, part);
    int rows = reach == IMF_FILL_ANY ? 0 : (int)(noise() % 9);
    struct imf_proposal one;
    imf_propose(&one, noise() % 2 ? &imf_solver_fill : &imf_solver_fill_host, &p, NULL);
    CHECK((one.bands == IMF_BANDS_WHOLE) == (reach == IMF_FILL_ANY), "bands");
    run_in_bands(&one, &p, &in, &out, rows ? rows : height, 1);
    unsigned long wrong = wrong_pixels(&in, &out, all, reach), broken = spoilt(&out, 0);
    CHECK(!wrong && !broken,
          "%dx%dx%d, orientation %d, reach %d, %u of 16 hidden, bands of %d: %lu wrong, %lu spoilt",
          width, height, channels, orientation, reach, part, rows, wrong, broken);
    free(all);
    imf_surface_free(&in);
    imf_surface_free(&out);
}

static void test_nearest(void) {
    static const int sizes[][2] = {{1, 1}, {1, 19}, {23, 1}, {2, 2}, {13, 17}, {70, 9}, {5, 71}};
    static const int reaches[] = {IMF_FILL_ANY, 1, 2, 5};
    static const unsigned parts[] = {0, 5, 12, 15, 16};
    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
        for (int o = 1; o <= 8; o++)
            for (size_t r = 0; r < sizeof reaches / sizeof *reaches; r++)
                for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
                    check(sizes[z][0], sizes[z][1], noise() % 2 ? 4 : 2, o, reaches[r], parts[k]);
}

/* ---- in a chain ------------------------------------------------------------------------------ */

/* The reach of the pass in front, IMF_FILL_ANY, or NONE: there is no such pass. */
#define NONE (-1)

static const struct {
    const char *specs;
    enum imf_alpha alpha;
    enum imf_edge edge;
    enum imf_channels channels;
    int reach;
} lowered[] = {
    {"median:3", 0, 0, 0, 5}, /* the root of 18 */
    {"median:3", IMF_ALPHA_KEEP, 0, 0, NONE},
    {"median:3", IMF_ALPHA_FILTER, 0, 0, NONE},
    {"median:3", IMF_ALPHA_PREMULTIPLY, 0, 0, NONE},
    {"median:3", 0, IMF_EDGE_WRAP, 0, IMF_FILL_ANY},
    {"open:3:shape=disk+sobel", 0, 0, 0, 10}, /* 7 pixels to each side */
    {"median:90", 0, 0, 0, IMF_FILL_ANY},     /* further than half of the picture */
    {"invert+kernel:3,3", 0, 0, 0, 1},
    {"invert+kernel:3", 0, 0, 0, NONE}, /* it reads no other pixel */
    {"kernel:3+clahe", 0, 0, 0, NONE},
    {"kernel:1", 0, 0, IMF_CHANNELS_LUMA, NONE},
    {"blur:2", 0, 0, 0, NONE},
    {"blur:2", 0, 0, IMF_CHANNELS_LUMA,
     12}, /* hidden pixels that become visible have other colours, too */
    {"sobel+equalize", 0, 0, 0, 2},
    {"equalize+invert", 0, 0, 0, NONE},
    {"clahe", 0, 0, 0, NONE},
    {"canny:0.1:0.2", 0, 0, 0, IMF_FILL_ANY},
    {"fill", 0, 0, 0, IMF_FILL_ANY},
    {"fill+invert", IMF_ALPHA_KEEP, 0, 0, IMF_FILL_ANY},
    {"highpass:0.1", 0, 0, 0, IMF_FILL_ANY},
    {"rl:gaussian:1", IMF_ALPHA_PREMULTIPLY, 0, 0, IMF_FILL_ANY},
};

static void test_lowering(void) {
    struct imf_info rgba = chain_info(120, 100, 4, 8);
    rgba.alpha = true;
    for (size_t i = 0; i < sizeof lowered / sizeof *lowered; i++) {
        const struct imf_settings settings = {
            .alpha = lowered[i].alpha, .edge = lowered[i].edge, .channels = lowered[i].channels};
        struct chain_case c = chain_make(lowered[i].specs, &rgba, &settings);
        int found = NONE;
        for (int k = 0; k < c.chain->count; k++) {
            const struct imf_pass *pass = &c.chain->passes[k];
            if (pass->kind != IMF_PASS_CONVOLVE || pass->problem.kind != IMF_FILLING)
                continue;
            CHECK(k == 0 && pass->source == -1 && pass->exact && pass->out == IMF_U8,
                  "%s: it is the first pass, of samples", imf_filter_text(c.filter));
            found = pass->problem.fill.reach;
        }
        CHECK(found == lowered[i].reach, "%s: %d instead of %d", imf_filter_text(c.filter), found,
              lowered[i].reach);
        chain_drop(&c);
    }
}

int main(void) {
    test_nearest();
    test_lowering();
    return check_done("test_fill");
}
