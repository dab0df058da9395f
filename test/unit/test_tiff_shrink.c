/* test_tiff_shrink.c - smaller pictures beside the mean of every pixel that theirs cover, added up one by one */
#include "codec_util.h"

#include "codec/tiff/shrink.h"

#include <math.h>

struct taken {
    unsigned char *rows;
    size_t bytes;
    int count;
};

static enum imf_status take(void *data, const unsigned char *row, struct imf_error *err) {
    struct taken *t = data;
    (void)err;
    memcpy(t->rows + (size_t)t->count++ * t->bytes, row, t->bytes);
    return IMF_OK;
}

static double sample(const struct imf_info *i, const unsigned char *p, size_t at) {
    uint16_t u;
    float f;
    double d;
    switch (i->depth) {
    case 8:
        return p[at];
    case 16:
        memcpy(&u, p + 2 * at, sizeof u);
        return u;
    case 32:
        memcpy(&f, p + 4 * at, sizeof f);
        return (double)f;
    default:
        memcpy(&d, p + 8 * at, sizeof d);
        return d;
    }
}

/* What pixel k of `size` covers of pixel j of `source`. */
static long double covered(int j, int source, int k, int size) {
    long double low = fmaxl((long double)k * source, (long double)j * size);
    long double high = fminl((long double)(k + 1) * source, (long double)(j + 1) * size);
    return high > low ? high - low : 0;
}

static double mean(const struct imf_info *i, const unsigned char *p, const struct imf_info *to,
                   int x, int y, int c) {
    long double sum = 0, whole = 0, alphas = 0, known = 0, wx, wy;
    int n = i->channels, top = (int)((int64_t)y * i->height / to->height);
    int left = (int)((int64_t)x * i->width / to->width);
    for (int v = top; v < i->height && (wy = covered(v, i->height, y, to->height)) > 0; v++)
        for (int u = left; u < i->width && (wx = covered(u, i->width, x, to->width)) > 0; u++) {
            size_t at = ((size_t)v * (size_t)i->width + (size_t)u) * (size_t)n;
            double value = sample(i, p, at + (size_t)c);
            double alpha = i->alpha ? sample(i, p, at + (size_t)n - 1) : 1;
            alphas += isnan(alpha) ? 0 : wx * wy * alpha;
            known += isnan(alpha) ? 0 : 1;
            long double w = wx * wy * (i->alpha && c < n - 1 ? fmax(alpha, 0) : 1);
            if (w > 0 && !isnan(value)) {
                sum += w * value;
                whole += w;
            }
        }
    bool hidden = i->alpha && c < n - 1 && known > 0 && !(alphas > 0);
    return whole > 0 ? (double)(sum / whole) : hidden || i->depth < 32 ? 0 : (double)NAN;
}

/* Numbers in which NaN and alpha 0 are frequent, and fill an area. */
static void fill(const struct imf_info *i, unsigned char *p) {
    size_t n = (size_t)i->channels, samples = n * (size_t)i->width * (size_t)i->height;
    unsigned unit = i->bits ? 255u / ((1u << i->bits) - 1) : 1;
    for (size_t k = 0; k < samples; k++) {
        unsigned r = random_byte() / unit * unit;
        bool area = k < samples / 5, clear = i->alpha && k % n == n - 1 && (area || r % 4 == 0);
        double d = clear ? 0 : area || r < 9 ? (double)NAN : r / 3.0 - 20;
        float f = (float)d;
        uint16_t u = (uint16_t)(clear ? 0 : 257 * r);
        if (i->depth == 8)
            p[k] = (unsigned char)(clear ? 0 : r);
        else if (i->depth == 16)
            memcpy(p + 2 * k, &u, sizeof u);
        else if (i->depth == 32)
            memcpy(p + 4 * k, &f, sizeof f);
        else
            memcpy(p + 8 * k, &d, sizeof d);
    }
}

static void compare(const struct imf_info *i, const unsigned char *p, const struct imf_info *to,
                    const struct taken *t) {
    int wrong = t->count != to->height, n = i->channels;
    double most = i->bits ? (1 << i->bits) - 1 : i->depth == 16 ? 65535 : 255;
    double full = i->depth == 16 ? 65535 : 255;
    for (int y = 0; y < to->height && !wrong; y++)
        for (int x = 0; x < to->width; x++)
            for (int c = 0; c < n; c++) {
                double want = mean(i, p, to, x, y, c);
                double got = sample(i, t->rows + (size_t)y * t->bytes, (size_t)(x * n + c));
                if (i->depth >= 32)
                    wrong += isnan(want) != isnan(got) || fabs(got - want) > 1e-5;
                else /* quotients by alpha may round at a tie as they like */
                    wrong += fabs(got * most / full - want * most / full) > 0.5 + 1e-9 ||
                             fmod(got * most, full) != 0;
            }
    CHECK(!wrong, "%dx%d, %d channels, %d bits in %d, to %dx%d: %d wrong", i->width, i->height, n,
          i->bits, i->depth, to->width, to->height, wrong);
}

static void check_shape(struct imf_info i, int bits) {
    enum { SIZES = 6 };
    struct imf_shrunk box[SIZES] = {{.width = 0}};
    struct taken taken[SIZES];
    struct imf_info to[SIZES];
    struct imf_shrink b = {.smaller = box, .count = SIZES};
    struct imf_error err;
    i.bits = bits;
    unsigned char *p = random_pixels(&i);
    fill(&i, p);
    for (int k = 0; k < SIZES; k++) { /* halves, some of which are halves of halves, and others */
        const int widths[SIZES] = {i.width / 2, i.width / 4, (i.width + 2) / 3, i.width, 1, 5};
        const int heights[SIZES] = {i.height / 2, i.height / 4, (i.height + 2) / 3, 7, 1, i.height};
        to[k] = i;
        to[k].width = widths[k];
        to[k].height = heights[k];
        taken[k] = (struct taken){malloc(image_bytes(&to[k])), row_bytes(&to[k]), 0};
        box[k] = (struct imf_shrunk){
            .width = to[k].width, .height = to[k].height, .take = take, .data = &taken[k]};
    }
    CHECK(imf_shrink_open(&b, &i, &err) == IMF_OK && b.memory > 0, "opened");
    for (int y = 0; y < i.height; y++)
        CHECK(imf_shrink_row(&b, p + (size_t)y * row_bytes(&i), &err) == IMF_OK, "row %d", y);
    for (int k = 0; k < SIZES; k++) {
        compare(&i, p, &to[k], &taken[k]);
        free(taken[k].rows);
    }
    imf_shrink_close(&b);
    free(p);
}

int main(void) {
    const int sizes[][2] = {{40, 24}, {61, 47}, {8, 8}};
    for (size_t s = 0; s < 3; s++)
        for (int depth = 8; depth <= 64; depth *= 2)
            for (int alpha = 0; alpha < 2; alpha++)
                for (enum imf_color c = IMF_COLOR_GRAY; c <= IMF_COLOR_CMYK; c++)
                    check_shape(shape(sizes[s][0], sizes[s][1], c, alpha, depth, IMF_FORMAT_TIFF),
                                0);
    for (int bits = 1; bits <= 4; bits *= 2)
        check_shape(shape(61, 47, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_TIFF), bits);
    return check_done("test_tiff_shrink");
}
