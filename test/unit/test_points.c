/* test_points.c - point passes on the host's cores give the bits of those in plain C */
#include "base/byte_map.h"
#include "check.h"
#include "run/point/point.h"
#include "run/point/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned seed = 1;

static unsigned draw(void) {
    return (seed = seed * 1664525u + 1013904223u) >> 8;
}

static struct imf_surface surface(enum imf_sample sample, int width, int height, int channels) {
    struct imf_surface s;
    const struct imf_margin none = {0, 0, 0, 0};
    if (imf_surface_layout(&s, sample, width, height, channels, none, NULL) ||
        imf_surface_alloc(&s, NULL))
        abort();
    memset(s.host, 0xa5, imf_surface_bytes(&s));
    return s;
}

/* Integers of all sizes; floats also beyond what samples hold, alphas at their bounds. */
static void fill(const struct imf_surface *s, double full) {
    for (int y = 0; y < s->height; y++)
        for (int i = 0; i < s->width * s->channels; i++) {
            double v = s->sample == IMF_U8    ? draw() & 255
                       : s->sample == IMF_U16 ? draw() & 65535
                                              : (draw() % 1500000 / 1e6 - 0.25) * full;
            if (draw() % 16 == 0)
                v = draw() % 2 ? full : 0;
            imf_sample_put(imf_surface_row(s, y), s->sample, i, v);
        }
}

/* By how much rows differ at most; floats that are the same bits do not. */
static double differ(const struct imf_surface *a, const struct imf_surface *b, int y) {
    size_t bytes = (size_t)a->width * (size_t)a->channels * imf_sample_size(a->sample);
    const void *u = imf_surface_row(a, y), *v = imf_surface_row(b, y);
    double most = 0;
    for (int i = 0; i < a->width * a->channels && memcmp(u, v, bytes); i++)
        most = fmax(most, fabs(imf_sample_get(u, a->sample, i) - imf_sample_get(v, a->sample, i)));
    return most;
}

/* The rows' bytes, and none behind them but the slack, which no row begins in. Of what floats do
 * within `most`. */
static void check_within(double most, const char *what, const struct imf_point *p,
                         enum imf_sample in, enum imf_sample out, int width, int height,
                         double pixels) {
    enum imf_sample image = p->full > 255 ? IMF_U16 : IMF_U8;
    struct imf_surface a = surface(in, width, height, p->in_channels);
    bool combines = p->blend || p->put;
    struct imf_surface b = combines ? surface(image, width, height, p->image_channels)
                                    : surface(IMF_F32, width, height, p->in_channels);
    struct imf_surface want = surface(out, width, height, p->out_channels);
    struct imf_surface got = surface(out, width, height, p->out_channels);
    const struct imf_surface *second = p->unsharp || combines ? &b : NULL;
    void *rows = NULL;
    fill(&a, p->full);
    fill(&b, p->full);
    imf_point_run_host(p, &(struct imf_point_io){&a, second, &want, 5});
    CHECK(!imf_point_rows_make(&rows, p, in, out, pixels, most == 0, NULL), "%s", what);
    struct imf_pool *pool = NULL;
    CHECK(!imf_pool_open(&pool, width % 3, NULL), "a pool");
    imf_point_rows_use_pool(rows, pool);
    imf_point_rows_run(rows, &(struct imf_point_io){&a, second, &got, 5});
    for (int y = 0; y < height; y++)
        CHECK(differ(&want, &got, y) <= most,
              "%s, %d to %d channels, samples %d to %d, %dx%d, row %d: by %g", what, p->in_channels,
              p->out_channels, in, out, width, height, y, differ(&want, &got, y));
    imf_point_rows_free(&rows);
    imf_pool_close(&pool);
    imf_surface_free(&a);
    imf_surface_free(&b);
    imf_surface_free(&want);
    imf_surface_free(&got);
}

static void check(const char *what, const struct imf_point *p, enum imf_sample in,
                  enum imf_sample out, int width, int height, double pixels) {
    check_within(0, what, p, in, out, width, height, pixels);
}

static struct imf_point plain(int channels, enum imf_sample in, enum imf_sample out) {
    double full = in == IMF_U16 ? 65535 : 255;
    struct imf_point p = {.in_channels = channels,
                          .out_channels = channels,
                          .alpha = channels % 2 == 0,
                          .alpha_scale = 1,
                          .rescale = in == IMF_U8 && out == IMF_U16   ? 257
                                     : in == IMF_U16 && out == IMF_U8 ? 1 / 257.0
                                                                      : 1,
                          .full = full,
                          .e = {.scale = 1, .multiply = 1, .full = full}};
    return p;
}

static enum imf_channels luma_if(bool many) {
    return many ? IMF_CHANNELS_LUMA : IMF_CHANNELS_RGB;
}

/* Every step alone, and some together, as chains have them. */
static void check_steps(int channels, enum imf_sample in, enum imf_sample out, int width) {
    struct imf_point p = plain(channels, in, out);
    bool words = in == IMF_U16, many = channels > 2;
    double pixels = width % 2 ? 1 : 1e9; /* what is worth a table */
    check("a copy", &p, in, out, width, 3, pixels);
    p.epilogue = true;
    p.e.multiply = -1;
    p.e.offset = p.full;
    check("invert", &p, in, out, width, 3, pixels);
    p.e.multiply = -0.75;
    p.e.absolute = true;
    check("a slope", &p, in, out, width, 2, pixels);
    p.e.threshold = true;
    p.e.level = p.full / 2;
    check("a threshold", &p, in, out, width, 2, pixels);
    p.gray = luma_if(many);
    p.out_channels = many ? channels - 2 : channels;
    check("a threshold of gray", &p, in, out, width, 2, pixels);
    p = plain(channels, in, out);
    p.gray = luma_if(many);
    p.out_channels = many ? channels - 2 : channels;
    check("gray", &p, in, out, width, 2, pixels);
    p.linearize = in != IMF_F32;
    p.delinearize = true;
    if (width < 100 || !words)
        check("gray of light", &p, in, out, width, 2, pixels);
    p = plain(channels, in, out);
    p.linearize = in != IMF_F32;
    if (width < 100 || !words)
        check("light", &p, in, out, width, 2, 1);
    p = plain(channels, in, out);
    p.unsharp = true;
    p.amount = 1.5;
    p.level = 3;
    check("unsharp", &p, in, out, width, 2, pixels);
    p.difference = true;
    check("a difference", &p, in, out, width, 2, pixels);
    p.difference = false;
    p.quotient = true;
    check("a quotient", &p, in, out, width, 2, pixels);
    p = plain(channels, in, out);
    p.normalize = true;
    p.flat = 1.0 / 32;
    p.alpha_scale = 3;
    check("a stretch", &p, in, out, width, 300, pixels);
    p.flat = 1e9;
    p.epilogue = true;
    p.e.offset = 2;
    check("a stretch of what is flat, and more", &p, in, out, width, 2, pixels);
    if (!p.alpha)
        return;
    p = plain(channels, in, out);
    p.premultiply = true;
    check("premultiplied", &p, in, out, width, 2, pixels);
    p.premultiply = false;
    p.unpremultiply = true;
    p.alpha_scale = 3;
    p.full = in == IMF_F32 ? 16 : p.full;
    check("divided by alpha", &p, in, out, width, 2, pixels);
    p.full = in == IMF_U16 ? 65535 : 255;
    p.gray = luma_if(many);
    p.out_channels = 2;
    p.epilogue = p.delinearize = true;
    p.e.offset = 2;
    check("divided by alpha, gray, to the curve", &p, in, out, width, 2, pixels);
}

/* Every mode, in doubles and in floats: with and without a mask, alpha that was filtered and other. */
static void check_blends(int channels, enum imf_sample in, enum imf_sample out, int width) {
    enum { ROWS = 9, MOST = 600 };
    static uint16_t weights[ROWS * MOST];
    struct imf_mask_plane mask = {.width = width, .height = ROWS, .at = weights};
    struct imf_point p = plain(channels, in, out);
    p.blend = true;
    p.image_channels = channels;
    p.weights.amount = 0.7; /* of samples, alpha is never half a sample */
    for (int i = 0; i < ROWS * MOST; i++)
        weights[i] = (uint16_t)draw();
    for (int mode = IMF_BLEND_NORMAL; mode <= IMF_BLEND_SUBTRACT; mode++) {
        char what[40];
        p.mode = (enum imf_blend_mode)mode;
        mask.sample = mode % 2 ? IMF_U16 : IMF_U8;
        p.weights.mask = mode % 3 ? &mask : NULL;
        p.weights.invert = mode % 4 > 1;
        p.apart = p.alpha && mode % 5 > 1;
        snprintf(what, sizeof what, "mode %d", mode);
        check(what, &p, in, out, width, 3, 1);
        /* A quotient by an alpha of half a sample magnifies what floats round. */
        double error = (p.full > 255 ? 0.05 : 3e-4) * (p.apart ? 1024 : 1);
        check_within(out == IMF_F32 ? error : 1, what, &p, in, out, width, 3, 1);
        p.gray = luma_if(channels > 2);
        p.epilogue = true;
        p.e.offset = p.full / 2;
        check(what, &p, in, out, width, 2, 1);
        p.gray = IMF_CHANNELS_RGB;
        p.epilogue = false;
    }
    p = plain(imf_min(channels, 2 - channels % 2), in, out);
    p.blend = true;
    p.weights.amount = 1.5;
    p.out_channels = p.image_channels = channels;
    p.premultiply = p.alpha;
    check("gray on colours", &p, in, out, width, 2, 1);
    p.image_light = p.delinearize = true;
    p.premultiply = false;
    p.linearize = in != IMF_F32 && p.in_channels == channels;
    if (width < 100 || in != IMF_U16)
        check("a blend of light", &p, in, out, width, 2, 1);
}

/* The luma, or a colour: picked, and put back, mixed or as it is. */
static void check_channels(int channels, enum imf_sample in, enum imf_sample out, int width) {
    bool alpha = channels % 2 == 0;
    for (enum imf_channels c = IMF_CHANNELS_LUMA; c <= IMF_CHANNELS_BLUE && channels > 2; c++) {
        char what[40];
        struct imf_point p = plain(channels, in, out);
        snprintf(what, sizeof what, "channels %d", c);
        p.gray = c;
        p.out_channels = 1 + alpha;
        check(what, &p, in, out, width, 2, 1);
        p = plain(1 + alpha, in, out);
        p.put = true;
        p.pick = c;
        p.out_channels = p.image_channels = channels;
        check(what, &p, in, out, width, 3, 1);
        check_within(out == IMF_F32 ? p.full * 1e-5 : 1, what, &p, in, out, width, 3, 1);
        p.blend = true;
        p.mode = IMF_BLEND_SCREEN;
        p.weights.amount = 0.7;
        p.apart = alpha;
        p.premultiply = alpha;
        check(what, &p, in, out, width, 3, 1);
        check_within(out == IMF_F32 ? p.full * 1e-3 : 1, what, &p, in, out, width, 3, 1);
        p.put = p.premultiply = false;
        p.out_channels = 1 + alpha;
        check(what, &p, in, out, width, 2, 1);
        p.image_light = p.delinearize = true;
        if (width < 100 || in != IMF_U16)
            check(what, &p, in, out, width, 2, 1);
    }
}

/* By other curves than sRGB's, one for all colours or one for each, with steep and flat parts. */
static void check_curves(int channels, enum imf_sample in, enum imf_sample out, int width,
                         int count) {
    struct imf_curve *curve = imf_curve_make(count);
    struct imf_point p = plain(channels, in, out);
    bool many = channels > 2;
    if (!curve)
        abort();
    for (int c = 0; c < count; c++)
        for (int i = 0; i < IMF_CURVE_POINTS; i++)
            imf_curve_points(curve, c)[i] =
                fmin(pow(i / (IMF_CURVE_POINTS - 1.0), 2.6 - 0.7 * c), c == 1 ? 0.9 : 1);
    CHECK(imf_curve_settle(curve) && imf_curve_count(curve) == count, "%d curves", count);
    p.curve = curve;
    p.linearize = in != IMF_F32;
    check("light by a curve", &p, in, out, width, 2, 1);
    p.epilogue = p.delinearize = true;
    p.e.offset = 3;
    check("by a curve and back", &p, in, out, width, 3, width % 2 ? 1 : 1e9);
    p.gray = luma_if(many);
    p.out_channels = many ? channels - 2 : channels;
    check("by a curve to gray", &p, in, out, width, 3, 1);
    p.gray = IMF_CHANNELS_RGB;
    p.linearize = false;
    p.out_channels = channels;
    check("back by a curve", &p, in, out, width, 3, 1);
    imf_curve_free(&curve);
}

/* All bytes through every kind of table, in rows of all lengths around a word's. */
static void check_byte_map(int kind, enum imf_byte_way way, int channels, int colors) {
    struct imf_byte_map *m = malloc(sizeof *m);
    uint8_t from[1024 + 8], to[1024 + 8], end = 0x5a;
    if (!m)
        abort();
    for (int v = 0; v < 256; v++) {
        int x[] = {v > 99 ? 200 : 7, v > 254 ? 1 : 0, 9,           255 - v, 300 - v,
                   v + 40,           v - 30,          v * v / 255, v};
        m->to[v] = (uint8_t)imf_max(0, imf_min(255, x[kind]));
    }
    imf_byte_map_make(m, channels, colors, way == IMF_BYTE_PAIRS ? 1e9 : 1);
    CHECK(m->way == way, "table %d goes way %d, not %d", kind, m->way, way);
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(i < 512 ? i : draw());
    for (size_t n = 0; n <= 1024; n = n < 40 ? n + 1 : n * 2 - 7) {
        size_t wrong = 0;
        memset(to, end, sizeof to);
        imf_byte_map_row(m, to, from, n);
        for (size_t i = 0; i < n; i++) {
            bool stays = colors < channels && (int)(i % (size_t)channels) == colors;
            wrong += to[i] != (stays ? from[i] : m->to[from[i]]);
        }
        CHECK(!wrong, "table %d of %d channels: %zu of %zu wrong", kind, channels, wrong, n);
    }
    free(m);
}

static void check_byte_maps(void) {
    static const enum imf_byte_way way[] = {IMF_BYTE_STEP, IMF_BYTE_STEP,  IMF_BYTE_STEP,
                                            IMF_BYTE_LINE, IMF_BYTE_LINE,  IMF_BYTE_LINE,
                                            IMF_BYTE_LINE, IMF_BYTE_PAIRS, IMF_BYTE_LINE};
    for (int kind = 0; kind < (int)(sizeof way / sizeof *way); kind++)
        for (int channels = 1; channels <= 4; channels++)
            check_byte_map(kind, way[kind], channels, channels - (channels % 2 == 0));
    check_byte_map(7, IMF_BYTE_ONES, 3, 3);
    check_byte_map(7, IMF_BYTE_ONES, 4, 3);
}

int main(void) {
    void (*const kinds[])(int, enum imf_sample, enum imf_sample, int) = {check_steps, check_blends,
                                                                         check_channels};
    static const int widths[] = {1, 5, 67, 256, 515};
    for (int w = 0; w < 5; w++)
        for (int channels = 1; channels <= 4; channels++)
            for (int in = IMF_U8; in <= IMF_F32; in++)
                for (int out = IMF_U8; out <= IMF_F32; out++)
                    for (int k = 0; k < 3; k++)
                        kinds[k](channels, (enum imf_sample)in, (enum imf_sample)out, widths[w]);
    for (int channels = 1; channels <= 4; channels++)
        for (int in = IMF_U8; in <= IMF_F32; in++)
            for (int out = IMF_U8; out <= IMF_F32; out++)
                for (int w = 1; w <= 2; w++)
                    check_curves(channels, (enum imf_sample)in, (enum imf_sample)out, widths[w],
                                 channels > 2 && w == 1 ? 3 : 1);
    check_byte_maps();
    return check_done("points");
}
