/* spectrum_picture.c - spectra of one or two images as a picture, on one scale of decibels */
#include "picture.h"
#include "spectrum.h"

#include <math.h>

enum {
    SINGLE = 1024, /* most pixels of a spectrum's side */
    PAIR = 640,
    MARGIN = 16,
    AXIS = 48,  /* left of a panel */
    SCALE = 72, /* right of the last */
    TITLE = 38, /* above the panels */
    RINGS = 150,
    RINGS_WIDE = 640,
    BELOW = 56 /* from a panel to the rings' plot */
};

/* What the titles say; each may be NULL. */
struct names {
    const char *image, *filter;
};

/* Decibels at the ends of the scale. */
struct scale {
    double low, high;
};

static double decibels(double power) {
    return power > 0 ? 10 * log10(power) : -INFINITY;
}

/* From the largest value of all to below the weakest ring, in tens; 40 to 160 dB. */
static struct scale choose_scale(const struct imf_spectrum *s, int count) {
    double most = 0, least = INFINITY;
    for (int i = 0; i < count; i++) {
        for (size_t k = 0, n = (size_t)s[i].side * (size_t)s[i].side; k < n; k++)
            most = fmax(most, s[i].power[k]);
        for (int r = 0; r < IMF_RINGS; r++)
            if (s[i].ring[r] > 0)
                least = fmin(least, s[i].ring[r]);
    }
    if (!(most > 0))
        return (struct scale){-100, 0};
    double high = 10 * ceil(decibels(most) / 10);
    double low = isfinite(least) ? 10 * floor(decibels(least) / 10) - 10 : high - 100;
    return (struct scale){fmin(fmax(low, high - 160), high - 40), high};
}

static void draw_axes(struct imf_picture *p, int left, int top, int side) {
    static const char *const ticks[] = {"-0.5", "-0.25", "0", "0.25", "0.5"};
    imf_picture_frame(p, left - 1, top - 1, side + 2, side + 2, IMF_GRAY);
    for (int i = 0; i < 5; i++) {
        int at = i * side / 4 - (i == 4);
        imf_picture_rect(p, left + at, top + side + 1, 1, 3, IMF_GRAY);
        imf_picture_text_middle(p, left + at, top + side + 6, IMF_INK, ticks[i]);
        imf_picture_rect(p, left - 4, top + at, 3, 1, IMF_GRAY);
        imf_picture_text_right(p, left - 7, top + at - 3, IMF_INK, ticks[i]);
    }
    imf_picture_text_middle(p, left + 3 * side / 8, top + side + 6, IMF_GRAY, "u");
    imf_picture_text_right(p, left - 7, top + 3 * side / 8 - 3, IMF_GRAY, "v");
}

static void draw_spectrum(struct imf_picture *p, int left, int top, const struct imf_spectrum *s,
                          struct scale scale) {
    for (int v = 0; v < s->side; v++)
        for (int u = 0; u < s->side; u++) {
            double level = decibels(s->power[(size_t)v * (size_t)s->side + (size_t)u]);
            double part = (level - scale.low) / (scale.high - scale.low);
            imf_picture_rect(p, left + u, top + v, 1, 1, imf_color_heat(part));
        }
    draw_axes(p, left, top, s->side);
}

static void draw_scale(struct imf_picture *p, int left, int top, int side, struct scale scale) {
    char number[32];
    imf_picture_bar(p, left, top, 12, side, imf_color_heat, 0, 1);
    imf_picture_text(p, left, top - 14, IMF_INK, "dB");
    for (double level = 20 * ceil(scale.low / 20); level <= scale.high; level += 20) {
        int y = top + side - 1 -
                (int)lrint((level - scale.low) / (scale.high - scale.low) * (side - 1));
        snprintf(number, sizeof number, "%g", level);
        imf_picture_rect(p, left + 13, y, 3, 1, IMF_GRAY);
        imf_picture_text(p, left + 18, y - 3, IMF_INK, number);
    }
}

static void draw_rings(struct imf_picture *p, int left, int top, int width,
                       const struct imf_spectrum *s, int count, struct scale scale) {
    static const int colors[] = {IMF_BLUE, IMF_ORANGE};
    static const char *const names[] = {"before", "after"};
    const struct imf_plot plot = {left, top, width, RINGS, 0, 0.5, scale.low, scale.high};
    double f[IMF_RINGS], level[IMF_RINGS];
    imf_picture_text(p, left, top - 14, IMF_INK, "mean of each ring, dB");
    imf_plot_axes(p, &plot, 6);
    for (int i = 0; i < count; i++) {
        int used = 0;
        for (int r = 0; r < IMF_RINGS; r++)
            if (s[i].ring[r] > 0) {
                f[used] = (r + 0.5) / (2 * IMF_RINGS);
                level[used++] = decibels(s[i].ring[r]);
            }
        imf_plot_curve(p, &plot, colors[i], (size_t)used, f, level);
        if (count > 1)
            imf_picture_text_right(p, left + width - 60 * (1 - i), top - 14, colors[i], names[i]);
    }
    imf_picture_text(p, left, top + RINGS + 20, IMF_GRAY,
                     "cycles a pixel; luma, Hann window; 0 dB: cosine of full contrast");
}

static void draw_title(struct imf_picture *p, int left, int width, const char *what,
                       const char *name) {
    char title[2 * IMF_FITTED], fitted[IMF_FITTED];
    snprintf(title, sizeof title, "%s %s", what, name ? name : "an image");
    imf_picture_text(p, left, TITLE - 20, IMF_INK, imf_picture_fit(fitted, title, width));
}

static enum imf_status draw(struct imf_picture **out, const struct imf_spectrum *s, int count,
                            const struct names *names, struct imf_error *err) {
    int side = s->side, step = AXIS + side + 8;
    int rings_wide = (count - 1) * step + side;
    rings_wide = rings_wide > RINGS_WIDE ? RINGS_WIDE : rings_wide;
    struct scale scale = choose_scale(s, count);
    enum imf_status status =
        imf_picture_create(out, count * step + SCALE, TITLE + side + BELOW + RINGS + 40, err);
    if (status != IMF_OK)
        return status;
    for (int i = 0; i < count; i++) {
        int left = AXIS + i * step;
        draw_title(*out, left, side,
                   count == 1 ? "spectrum of"
                   : i        ? "after"
                              : "before:",
                   i ? names->filter : names->image);
        draw_spectrum(*out, left, TITLE, &s[i], scale);
    }
    draw_scale(*out, count * step + 8, TITLE, side, scale);
    draw_rings(*out, AXIS, TITLE + side + BELOW, rings_wide, s, count, scale);
    return IMF_OK;
}

enum imf_status imf_spectrum_picture(struct imf_picture **out, const struct imf_pixels *before,
                                     const struct imf_pixels *after, const char *name,
                                     const char *filter, struct imf_peaks *peaks,
                                     struct imf_error *err) {
    const struct names names = {name, filter};
    struct imf_spectrum s[2] = {0};
    int most = after ? PAIR : SINGLE;
    *out = NULL;
    if (after &&
        (before->info->width != after->info->width || before->info->height != after->info->height))
        return imf_fail(err, IMF_ERR_ARGUMENT, "the two images differ in size");
    enum imf_status status = imf_spectrum_make(&s[0], before, most, err);
    if (status == IMF_OK && after)
        status = imf_spectrum_make(&s[1], after, most, err);
    if (status == IMF_OK)
        status = draw(out, s, after ? 2 : 1, &names, err);
    if (status == IMF_OK && peaks)
        *peaks = s[0].peaks;
    imf_spectrum_free(&s[0]);
    imf_spectrum_free(&s[1]);
    return status;
}
