/*
 * bytes.c - point passes of one step on bytes that need no planes
 *
 * A colour that is picked takes 0.3 of the time that it takes in strips, one that is put back 0.4, luma that
 * is 0.7, and a blend (--strength, masks, regions) 0.8.
 */
#include "base/clones.h"
#include "run/point/rows.h"

#include <string.h>

static int color_of(const struct imf_point_rows *rows) {
    const struct imf_operation *op = rows->point.steps;
    return (int)(op->kind == IMF_PUT ? op->blend.pick : op->gray) - IMF_CHANNELS_RED;
}

/* gcc 12 tests values a second time for a literal bound. */
static inline float limited(float v, float most) {
    float positive = v > 0 ? v : 0;
    return positive < most ? positive : most;
}

/* The integer nearest to v in the lowest bits. */
static inline uint32_t rounded(float v) {
    uint32_t bits;
    v += 0x1.8p23f;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

IMF_CLONES static void pick(uint8_t *restrict to, const uint8_t *restrict rgb, int n) {
    for (int i = 0; i < n; i++)
        to[i] = rgb[3 * i];
}

IMF_CLONES static void put(uint8_t *restrict to, const float *restrict v,
                           const uint8_t *restrict rgb, int color, float most, int n) {
    for (int i = 0; i < n; i++) {
        uint8_t x = (uint8_t)rounded(limited(v[i], most));
        to[3 * i] = color == 0 ? x : rgb[3 * i];
        to[3 * i + 1] = color == 1 ? x : rgb[3 * i + 1];
        to[3 * i + 2] = color == 2 ? x : rgb[3 * i + 2];
    }
}

/* As the colours are integers, their sums with the luma's change are rounded where the change is. */
IMF_CLONES static void put_luma(uint8_t *restrict to, const float *restrict v,
                                const uint8_t *restrict rgb, int n) {
    enum { STRIP = 256 };
    uint8_t plane[3][STRIP];
    int16_t change[STRIP];
    for (int from = 0; from < n; from += STRIP, v += STRIP, rgb += 3 * STRIP, to += 3 * STRIP) {
        int some = imf_min(STRIP, n - from);
        for (int i = 0; i < some; i++)
            for (int c = 0; c < 3; c++)
                plane[c][i] = rgb[3 * i + c];
        for (int i = 0; i < some; i++) {
            float r = plane[0][i], g = plane[1][i], b = plane[2][i];
            change[i] = (int16_t)rounded(limited(v[i], 255) - IMF_LUMA(float, r, g, b));
        }
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < some; i++) {
                int16_t x = (int16_t)(plane[c][i] + change[i]);
                x = x > 0 ? x : 0;
                plane[c][i] = (uint8_t)(x < 255 ? x : 255);
            }
        for (int i = 0; i < some; i++)
            for (int c = 0; c < 3; c++)
                to[3 * i + c] = plane[c][i];
    }
}

IMF_CLONES static void mix_samples(uint8_t *restrict to, const float *restrict v,
                                   const uint8_t *restrict b, const float *restrict w, float most,
                                   int n) {
    for (int i = 0; i < n; i++)
        to[i] = (uint8_t)rounded(limited((float)b[i] + w[i] * (v[i] - (float)b[i]), most));
}

static void pick_row(const struct imf_point_rows *rows, const void *from, const void *second,
                     void *to, int width, int y) {
    (void)second, (void)y;
    pick(to, (const uint8_t *)from + color_of(rows), width);
}

static void put_row(const struct imf_point_rows *rows, const void *from, const void *second,
                    void *to, int width, int y) {
    (void)y;
    if (color_of(rows) < 0)
        put_luma(to, from, second, width);
    else
        put(to, from, second, color_of(rows), (float)imf_sample_max(rows->out), width);
}

static void mix_row(const struct imf_point_rows *rows, const void *from, const void *second,
                    void *to, int width, int y) {
    enum { PIXELS = 96 };
    const struct imf_weights *by = &rows->point.steps->blend.weights;
    bool even = !by->mask && !by->regions;
    float w[4 * PIXELS];
    for (int x = 0; x < width; x += PIXELS) {
        int n = imf_min(PIXELS, width - x), at = x * rows->merged;
        if (x == 0 || !even)
            imf_point_weigh(by, w, x, y, n, rows->merged);
        mix_samples((uint8_t *)to + at, (const float *)from + at, (const uint8_t *)second + at, w,
                    (float)imf_sample_max(rows->out), n * rows->merged);
    }
}

imf_point_row *imf_point_row_bytes(const struct imf_point_rows *rows) {
    const struct imf_point *p = &rows->point;
    const struct imf_operation *op = p->steps;
    enum imf_channels pick = op->kind == IMF_PUT ? op->blend.pick : op->gray;
    if (p->count != 1 || p->alpha || p->second_light || rows->out != IMF_U8)
        return NULL; /* and without light luma has sRGB's weights */
    if ((op->kind == IMF_GRAY || op->kind == IMF_PUT) && pick > IMF_CHANNELS_BLUE)
        return NULL;
    if (op->kind == IMF_GRAY)
        return rows->in == IMF_U8 && color_of(rows) >= 0 ? pick_row : NULL;
    if (rows->in != IMF_F32 || rows->second != IMF_U8)
        return NULL;
    bool alike = op->kind == IMF_BLEND && !op->blend.mode && p->in_channels == p->second_channels;
    return op->kind == IMF_PUT ? put_row : alike && !op->blend.pick ? mix_row : NULL;
}
