/* test_points.c - point passes on the host's cores give the bits of those in plain C */
#include "base/image/byte_map.h"
#include "check.h"
#include "filter/spline.h"
#include "plan/lowering/operations.h"
#include "run/point/point.h"

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

static struct imf_spline *spline(int points, const double *taps) {
    struct imf_spline *s;
    struct imf_kernel *k;
    const char *wrong;
    if (imf_kernel_create(&k, 2, points, NULL))
        abort();
    memcpy(k->taps, taps, (size_t)(2 * points) * sizeof *taps);
    if (imf_spline_make(&s, k, &wrong, NULL) || wrong)
        abort();
    imf_kernel_free(&k);
    return s;
}

/* A point pass as its test adds steps. */
struct pass {
    struct imf_point p;
    struct imf_operation list[8];
    enum imf_sample in, out;
    int width;
    bool image; /* its second input is */
};

static struct imf_operation *add(struct pass *t, enum imf_operation_kind kind, int channels) {
    struct imf_operation *op = &t->list[t->p.count++];
    *op = (struct imf_operation){.kind = kind, .channels = channels};
    op->scalar = (struct imf_epilogue){.scale = 1, .multiply = 1, .full = t->p.full};
    return op;
}

static struct pass plain(int channels, enum imf_sample in, enum imf_sample out, int width) {
    double full = in == IMF_U16 ? 65535 : 255;
    return (struct pass){.in = in,
                         .out = out,
                         .width = width,
                         .p = {.in_channels = channels,
                               .alpha = channels % 2 == 0,
                               .full = full,
                               .hidden = 0.5,
                               .image = in == IMF_U16 ? IMF_U16 : IMF_U8,
                               .high = full}};
}

/* The rows' bytes, and none behind them but the slack, which no row begins in. Of what floats do
 * within `most`. At the end of a pass depths change. */
static void check_within(double most, const char *what, struct pass t, int height, double pixels) {
    struct imf_point *p = &t.p;
    int made = p->count ? t.list[p->count - 1].channels : p->in_channels;
    bool up = t.in == IMF_U8 && t.out == IMF_U16, down = t.in == IMF_U16 && t.out == IMF_U8;
    add(&t, IMF_RESCALE, made)->number = up ? 257 : down ? 1 / 257.0 : 1;
    p->steps = t.list;
    enum imf_sample image = p->full > 255 ? IMF_U16 : IMF_U8;
    struct imf_surface a = surface(t.in, t.width, height, p->in_channels);
    struct imf_surface b = surface(t.image ? image : IMF_F32, t.width, height,
                                   p->second_channels ? p->second_channels : 1);
    struct imf_surface want = surface(t.out, t.width, height, made);
    struct imf_surface got = surface(t.out, t.width, height, made);
    const struct imf_surface *second = p->second_channels ? &b : NULL;
    void *rows = NULL;
    fill(&a, p->full);
    fill(&b, p->full);
    imf_point_run_host(p, &(struct imf_point_io){&a, second, &want, 5});
    CHECK(!imf_point_rows_make(&rows, p, t.in, t.out, pixels, most == 0, NULL), "%s", what);
    struct imf_pool *pool = NULL;
    CHECK(!imf_pool_open(&pool, t.width % 3, NULL), "a pool");
    imf_point_rows_use_pool(rows, pool);
    imf_point_rows_run(rows, &(struct imf_point_io){&a, second, &got, 5});
    for (int y = 0; y < height; y++)
        CHECK(differ(&want, &got, y) <= most,
              "%s, %d to %d channels, samples %d to %d, %dx%d, row %d: by %g", what, p->in_channels,
              made, t.in, t.out, t.width, height, y, differ(&want, &got, y));
    imf_point_rows_free(&rows);
    imf_pool_close(&pool);
    imf_surface_free(&a);
    imf_surface_free(&b);
    imf_surface_free(&want);
    imf_surface_free(&got);
}

/* Within this of floats, or a sample; and the same bits of doubles. */
static void check(double error, const char *what, struct pass t, int height) {
    check_within(0, what, t, height, 1);
    check_within(0, what, t, height, 1e9); /* what is worth a table */
    check_within(t.out == IMF_F32 ? error : 1, what, t, height, 1);
}

/* Every step alone, and some together, as chains have them. */
static void check_steps(int channels, enum imf_sample in, enum imf_sample out, int width) {
    const struct pass none = plain(channels, in, out, width);
    const bool many = channels > 2;
    const int one = many ? channels - 2 : channels;
    const double full = none.p.full, error = 1e-5 * full;
    struct pass t = none;
    check(error, "a copy", t, 3);
    struct imf_operation *op = add(&t, IMF_SCALAR, channels);
    op->scalar.multiply = -1;
    op->scalar.offset = full;
    check(error, "invert", t, 3);
    op->scalar.multiply = -0.75;
    op->scalar.absolute = true;
    check(error, "a slope", t, 2);
    op = add(&t, IMF_SCALAR, channels);
    op->scalar.threshold = true;
    op->scalar.level = full / 2;
    check(error, "a threshold", t, 2);
    t = none;
    op = add(&t, IMF_LEVELS, channels);
    memcpy(op->map.number, (const double[]){0.1, 0.9, 1}, 3 * sizeof(double));
    check(error, "levels", t, 2);
    op->map.number[2] = 2.2;
    check(10 * error, "levels of a power", t, 2);
    t = none;
    op = add(&t, IMF_CURVE, channels);
    struct imf_spline *splines[] = {spline(3, (const double[]){-0.1, 0.2, 0.4, 0.3, 1, 0.9}),
                                    spline(2, (const double[]){0, 1, 0.9, 0})};
    op->map.spline = splines[0];
    op = add(&t, IMF_CURVE, channels);
    op->map.spline = splines[1];
    check(error, "curves", t, 2);
    free(splines[0]);
    free(splines[1]);
    t = none;
    if (many)
        add(&t, IMF_GRAY, one)->gray = IMF_CHANNELS_LUMA;
    check(error, "gray", t, 2);
    op = add(&t, IMF_SCALAR, one);
    op->scalar.threshold = true;
    op->scalar.level = full / 2;
    check(error, "a threshold of gray", t, 2);
    add(&t, IMF_SCALAR, one)->scalar.offset = 3;
    check(error, "a threshold of gray, and more", t, 2);
    t = none;
    t.p.second_channels = channels;
    op = add(&t, IMF_COMBINE, channels);
    op->combine.amount = 1.5;
    op->combine.level = 3;
    check(error, "unsharp", t, 2);
    op->combine.difference = true;
    check(error, "a difference", t, 2);
    op->combine.difference = false;
    op->combine.quotient = true;
    check(error, "a quotient", t, 2);
    t = none;
    op = add(&t, IMF_NORMALIZE, channels);
    op->normalize.flat = 1.0 / 32;
    op->normalize.alpha_scale = 3;
    check(error, "a stretch", t, 300);
    op->normalize.flat = 1e9;
    add(&t, IMF_SCALAR, channels)->scalar.offset = 2;
    check(error, "a stretch of what is flat, and more", t, 2);
    if (!none.p.alpha)
        return;
    t = none;
    add(&t, IMF_PREMULTIPLY, channels);
    check(error, "premultiplied", t, 2);
    t = none;
    t.image = true;
    t.p.second_channels = channels;
    add(&t, IMF_TAKE_ALPHA, channels);
    check(error, "the image's alpha", t, 2);
    t = none;
    add(&t, IMF_UNPREMULTIPLY, channels)->number = 3;
    check(full * 1e-2, "divided by alpha", t, 2);
    if (many)
        add(&t, IMF_GRAY, 2)->gray = IMF_CHANNELS_LUMA;
    add(&t, IMF_SCALAR, 2)->scalar.offset = 2;
    add(&t, IMF_DELINEARIZE, 2);
    check(error, "divided by alpha, gray, to the curve", t, 2);
}

/* Every mode, in doubles and in floats: with and without a mask, alpha that was filtered and other. */
static void check_blends(int channels, enum imf_sample in, enum imf_sample out, int width) {
    enum { ROWS = 9, MOST = 600 };
    static uint16_t weights[ROWS * MOST];
    struct imf_mask_plane mask = {.width = width, .height = ROWS, .at = weights};
    struct pass t = plain(channels, in, out, width);
    t.image = true;
    t.p.second_channels = channels;
    const struct pass none = t;
    for (int i = 0; i < ROWS * MOST; i++)
        weights[i] = (uint16_t)draw();
    for (int mode = IMF_BLEND_NORMAL; mode <= IMF_BLEND_LUMINOSITY; mode++) {
        char what[40];
        bool apart = none.p.alpha && mode % 5 > 1;
        mask.sample = mode % 2 ? IMF_U16 : IMF_U8;
        snprintf(what, sizeof what, "mode %d", mode);
        for (int gray = 0; gray < 2; gray++) {
            t = none;
            if (gray && channels > 2)
                add(&t, IMF_GRAY, channels - 2)->gray = IMF_CHANNELS_LUMA;
            if (gray)
                add(&t, IMF_SCALAR, imf_min(channels, 2 - channels % 2))->scalar.offset =
                    t.p.full / 2;
            struct imf_operation *op = add(&t, IMF_BLEND, channels);
            op->blend.mode = (enum imf_blend_mode)mode;
            op->blend.apart = apart;
            op->blend.weights = (struct imf_weights){.amount = 0.7, /* alpha is never 0.5 */
                                                     .mask = mode % 3 ? &mask : NULL,
                                                     .invert = mode % 4 > 1};
            /* A quotient by an alpha of half a sample magnifies what floats round. */
            check((t.p.full > 255 ? 0.05 : 3e-4) * (apart ? 1024 : 1), what, t, 3);
        }
    }
    t = plain(imf_min(channels, 2 - channels % 2), in, out, width);
    t.image = true;
    t.p.second_channels = channels;
    add(&t, IMF_BLEND, channels)->blend.weights = (struct imf_weights){.amount = 1.5};
    check(t.p.full * 1e-5, "gray on colours", t, 2);
    if (t.p.alpha)
        add(&t, IMF_PREMULTIPLY, channels);
    check(t.p.full * 1e-5, "gray on colours, premultiplied", t, 2);
    t.p.second_light = true;
    add(&t, IMF_DELINEARIZE, channels);
    if (width < 100 || in != IMF_U16)
        check(t.p.full * 1e-5, "a blend of light", t, 2);
}

/* The luma, or a colour: picked, and put back, mixed or as it is. */
static void check_channels(int channels, enum imf_sample in, enum imf_sample out, int width) {
    int one = 1 + (channels % 2 == 0);
    for (enum imf_channels c = IMF_CHANNELS_LUMA; c <= IMF_CHANNELS_BLUE && channels > 2; c++) {
        char what[40];
        struct pass t = plain(channels, in, out, width);
        snprintf(what, sizeof what, "channels %d", c);
        add(&t, IMF_GRAY, one)->gray = c;
        check(t.p.full * 1e-5, what, t, 2);
        t = plain(one, in, out, width);
        t.image = true;
        t.p.second_channels = channels;
        const struct pass none = t;
        add(&t, IMF_PUT, channels)->blend.pick = c;
        check(t.p.full * 1e-5, what, t, 3);
        t = none;
        struct imf_operation *op = add(&t, IMF_BLEND, one);
        op->blend.mode = IMF_BLEND_SCREEN;
        op->blend.pick = c;
        op->blend.weights.amount = 0.7;
        op->blend.apart = t.p.alpha;
        check(t.p.full * 1e-3, what, t, 2);
        add(&t, IMF_PUT, channels)->blend.pick = c;
        check(t.p.full * 1e-3, what, t, 3);
        t.p.second_light = true;
        add(&t, IMF_DELINEARIZE, channels);
        if (width < 100 || in != IMF_U16)
            check(t.p.full * 1e-3, what, t, 2);
    }
}

/* Colours, or one of them, get the image's luma; and alpha, as the last of colours, is picked and put back. */
static void check_chroma(int channels, enum imf_sample in, enum imf_sample out, int width) {
    for (int few = 0; few < 2 && channels > 2; few++)
        for (int light = 0; light < 2; light++) {
            struct pass t = plain(few ? channels - 2 : channels, in, out, width);
            t.image = true;
            t.p.second_channels = channels;
            t.p.second_light = light;
            add(&t, IMF_PUT, channels)->blend.pick = IMF_CHANNELS_CHROMA;
            if (light)
                add(&t, IMF_DELINEARIZE, channels);
            if (!light || width < 100 || in != IMF_U16)
                check(t.p.full * 1e-3, "chroma", t, 2);
        }
    if (channels % 2)
        return;
    struct pass t = plain(channels, in, out, width);
    t.p.alpha = false;
    add(&t, IMF_GRAY, 1)->gray = IMF_CHANNELS_ALPHA;
    check(0, "alpha is picked", t, 2);
    t = plain(1, in, out, width);
    t.image = true;
    t.p.second_channels = channels;
    add(&t, IMF_PUT, channels)->blend.pick = IMF_CHANNELS_ALPHA;
    check(0, "alpha is put back", t, 2);
}

/* By sRGB's curve, and by others, one for all colours or one for each, with steep and flat parts. */
static void check_curves(int channels, enum imf_sample in, enum imf_sample out, int width,
                         int count) {
    struct imf_curve *curve = count ? imf_curve_make(count) : NULL;
    struct pass t = plain(channels, in, out, width);
    for (int c = 0; c < count; c++)
        for (int i = 0; i < IMF_CURVE_POINTS; i++)
            imf_curve_points(curve, c)[i] =
                fmin(pow(i / (IMF_CURVE_POINTS - 1.0), 2.6 - 0.7 * c), c == 1 ? 0.9 : 1);
    CHECK(!count || (imf_curve_settle(curve) && imf_curve_count(curve) == count), "%d curves",
          count);
    t.p.curve = curve;
    const struct pass none = t;
    if (in != IMF_F32)
        add(&t, IMF_LINEARIZE, channels);
    check(1, "light by a curve", t, 2);
    int made = channels;
    if (channels > 2) {
        made = channels - 2;
        add(&t, IMF_GRAY, made)->gray = IMF_CHANNELS_LUMA;
    }
    add(&t, IMF_SCALAR, made)->scalar.offset = 3;
    add(&t, IMF_DELINEARIZE, made);
    check(1, "by a curve to gray", t, 3);
    t = none;
    add(&t, IMF_SCALAR, channels)->scalar.offset = 3;
    add(&t, IMF_DELINEARIZE, channels);
    check(1, "back by a curve", t, 3);
    t = none;
    t.image = t.p.second_light = true;
    t.p.second_channels = channels;
    struct imf_operation *op = add(&t, IMF_BLEND, channels);
    op->blend.mode = IMF_BLEND_MULTIPLY;
    op->blend.weights.amount = 0.7;
    check(1, "a blend of light by a curve", t, 3);
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
    void (*const kinds[])(int, enum imf_sample, enum imf_sample,
                          int) = {check_steps, check_blends, check_channels, check_chroma};
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
                for (int w = 0; w <= 2; w++)
                    check_curves(channels, (enum imf_sample)in, (enum imf_sample)out, widths[w],
                                 channels > 2 && w == 1 ? 3 : w > 0);
    check_byte_maps();
    return check_done("points");
}
