/* picture.c - drawing into a struct imf_picture: shapes, text and colour maps */
#include "picture/picture.h"

#include "base/image/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum imf_status imf_picture_create(struct imf_picture **out, int width, int height,
                                   struct imf_error *err) {
    size_t size;
    *out = NULL;
    if (width < 1 || height < 1 || !imf_size_mul((size_t)width, (size_t)height, &size) ||
        !imf_size_mul(size, 3, &size))
        return imf_fail(err, IMF_ERR_LIMIT, "a picture of %dx%d pixels is too large", width,
                        height);
    struct imf_picture *p = malloc(sizeof *p);
    unsigned char *rgb = malloc(size);
    if (!p || !rgb) {
        free(p);
        free(rgb);
        return imf_fail_memory(err, size);
    }
    memset(rgb, 255, size);
    *p = (struct imf_picture){.width = width, .height = height, .rgb = rgb};
    *out = p;
    return IMF_OK;
}

void imf_picture_free(struct imf_picture **picture) {
    if (*picture) {
        free((*picture)->rgb);
        free((*picture)->power);
    }
    free(*picture);
    *picture = NULL;
}

/* ---- shapes --------------------------------------------------------------------------------- */

void imf_picture_rect(struct imf_picture *p, int x, int y, int width, int height, int color) {
    int x1 = x + width > p->width ? p->width : x + width;
    int y1 = y + height > p->height ? p->height : y + height;
    for (int row = y < 0 ? 0 : y; row < y1; row++) {
        unsigned char *at = p->rgb + (size_t)row * (size_t)p->width * 3;
        for (int column = x < 0 ? 0 : x; column < x1; column++) {
            at[3 * column] = (unsigned char)(color >> 16);
            at[3 * column + 1] = (unsigned char)(color >> 8);
            at[3 * column + 2] = (unsigned char)color;
        }
    }
}

void imf_picture_frame(struct imf_picture *p, int x, int y, int width, int height, int color) {
    imf_picture_rect(p, x, y, width, 1, color);
    imf_picture_rect(p, x, y + height - 1, width, 1, color);
    imf_picture_rect(p, x, y, 1, height, color);
    imf_picture_rect(p, x + width - 1, y, 1, height, color);
}

/* ---- text ----------------------------------------------------------------------------------- */

void imf_picture_text(struct imf_picture *p, int x, int y, int color, const char *text) {
    for (; *text; text++, x += IMF_TEXT_WIDTH)
        for (int row = 0; row < 8; row++)
            for (int column = 0; column < 5; column++)
                if (imf_font_dot((unsigned char)*text, column, row))
                    imf_picture_rect(p, x + IMF_TEXT_DOT * column, y + IMF_TEXT_DOT * row,
                                     IMF_TEXT_DOT, IMF_TEXT_DOT, color);
}

int imf_picture_text_width(const char *text) {
    return *text ? IMF_TEXT_WIDTH * (int)strlen(text) - IMF_TEXT_DOT : 0;
}

void imf_picture_text_middle(struct imf_picture *p, int x, int y, int color, const char *text) {
    imf_picture_text(p, x - imf_picture_text_width(text) / 2, y, color, text);
}

void imf_picture_text_right(struct imf_picture *p, int x, int y, int color, const char *text) {
    imf_picture_text(p, x - imf_picture_text_width(text), y, color, text);
}

const char *imf_picture_fit(char buffer[IMF_FITTED], const char *text, int width) {
    size_t room = width < 4 * IMF_TEXT_WIDTH ? 3 : (size_t)(width + IMF_TEXT_DOT) / IMF_TEXT_WIDTH,
           length = strlen(text);
    if (room > IMF_FITTED - 1)
        room = IMF_FITTED - 1;
    if (length <= room)
        memcpy(buffer, text, length + 1);
    else
        snprintf(buffer, IMF_FITTED, "%.*s...", (int)room - 3, text);
    return buffer;
}

/* ---- colours -------------------------------------------------------------------------------- */

/* Between evenly spaced colours; t is 0..1. */
static int blend(const int *colors, int count, double t) {
    t = t > 0 ? t < 1 ? t : 1 : 0; /* NaN too */
    int i = (int)(t * (count - 1));
    if (i > count - 2)
        i = count - 2;
    double part = t * (count - 1) - i;
    int mixed = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        int from = colors[i] >> shift & 255, to = colors[i + 1] >> shift & 255;
        mixed |= (from + (int)lrint(part * (to - from))) << shift;
    }
    return mixed;
}

int imf_color_diverging(double t) {
    static const int colors[] = {0x10408c, 0x2e75b6, 0x7fb2d9, 0xc9dfee, 0xf4f4f4,
                                 0xfbdcc0, 0xf6a868, 0xe2631c, 0xa63406};
    return blend(colors, (int)(sizeof colors / sizeof colors[0]), (t + 1) / 2);
}

int imf_color_heat(double t) {
    static const int colors[] = {0x000004, 0x1d0f47, 0x541a72, 0x87286c, 0xb8385a,
                                 0xe05a3a, 0xf68a1e, 0xfac13a, 0xfcfbc0};
    return blend(colors, (int)(sizeof colors / sizeof colors[0]), t);
}

void imf_picture_bar(struct imf_picture *p, int x, int y, int width, int height, int (*map)(double),
                     double low) {
    for (int i = 0; i < height; i++)
        imf_picture_rect(p, x, y + i, width, 1,
                         map(1 + (low - 1) * i / (height > 1 ? height - 1 : 1)));
    imf_picture_frame(p, x - 1, y - 1, width + 2, height + 2, IMF_SHADE);
}
