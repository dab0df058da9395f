/* spectrum_picture.c - spectra of one or two images as a picture, on one scale of decibels */
#include "picture/picture.h"
#include "picture/spectrum.h"

#include <math.h>

enum {
    SINGLE = 1024, /* most values of a spectrum's side */
    PAIR = 640,
    SMALLEST = 640, /* pixels of a panel's side */
    AXIS = IMF_FREQUENCIES,
    SCALE = 104, /* right of the last panel */
    TITLE = 60,  /* above the panels */
    RINGS = 300,
    RINGS_WIDE = 1024,
    BELOW = IMF_FREQUENCIES + 24, /* from a panel to the rings' plot */
    LINE = IMF_TEXT_HEIGHT + 8,
    MARK = 8,      /* from the middle of a peak to its frame */
    WAVE_MARK = 12 /* the same of what notch:auto removes */
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

/* From the largest value down to the weakest ring, in tens of decibels; 40 to 160 dB in all. */
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

/* At a peak, or its mirror image. */
static void draw_mark(struct imf_picture *p, int left, int top, int panel, double u, double v,
                      int mark) {
    int x = left + (int)lrint((u + 0.5) * panel), y = top + (int)lrint((v + 0.5) * panel);
    for (int wide = mark; wide <= mark + 1; wide++)
        imf_picture_frame(p, x - wide, y - wide, 2 * wide + 1, 2 * wide + 1, IMF_MARK);
}

static void draw_spectrum(struct imf_picture *p, int left, int top, int panel,
                          const struct imf_spectrum *s, struct scale scale) {
    for (int y = 0; y < panel; y++) {
        const double *row = s->power + (size_t)(y * s->side / panel) * (size_t)s->side;
        for (int x = 0; x < panel; x++) {
            double level = decibels(row[x * s->side / panel]);
            double part = (level - scale.low) / (scale.high - scale.low);
            imf_picture_rect(p, left + x, top + y, 1, 1, imf_color_heat(part));
        }
    }
    imf_plot_frequencies(p, left, top, panel);
}

static void draw_marks(struct imf_picture *p, int left, int top, int panel,
                       const struct imf_peaks *peaks) {
    for (size_t i = 0; i < peaks->count; i++) {
        draw_mark(p, left, top, panel, peaks->u[i], peaks->v[i], MARK);
        draw_mark(p, left, top, panel, -peaks->u[i], -peaks->v[i], MARK);
    }
    for (size_t i = 0; i < peaks->waves; i++) {
        draw_mark(p, left, top, panel, peaks->wave_u[i], peaks->wave_v[i], WAVE_MARK);
        draw_mark(p, left, top, panel, -peaks->wave_u[i], -peaks->wave_v[i], WAVE_MARK);
    }
}

static void draw_peaks(struct imf_picture *p, int left, int top, const struct imf_peaks *peaks) {
    char line[96];
    for (size_t i = 0; i < peaks->count; i++, top += LINE) {
        snprintf(line, sizeof line, "peak %zu, %.1f dB: notch:%g:%g:%g", i + 1, peaks->decibels[i],
                 peaks->u[i], peaks->v[i], peaks->radius[i]);
        imf_picture_text(p, left, top, IMF_INK, line);
    }
    snprintf(line, sizeof line, "outer frames: notch:auto removes %s, descreen the harmonics, too",
             peaks->waves == 1 ? "this wave" : "these waves");
    if (peaks->waves)
        imf_picture_text(p, left, top, IMF_INK, line);
}

static void draw_scale(struct imf_picture *p, int left, int top, int side, struct scale scale) {
    char number[32];
    imf_picture_bar(p, left, top, 16, side, imf_color_heat, 0);
    imf_picture_text(p, left, top - 28, IMF_INK, "dB");
    for (double level = 20 * ceil(scale.low / 20); level <= scale.high; level += 20) {
        int y = top + side - 1 -
                (int)lrint((level - scale.low) / (scale.high - scale.low) * (side - 1));
        snprintf(number, sizeof number, "%g", level);
        imf_picture_rect(p, left + 17, y, 6, 1, IMF_SHADE);
        imf_picture_text(p, left + 26, y - IMF_TEXT_MIDDLE, IMF_INK, number);
    }
}

static void draw_rings(struct imf_picture *p, int left, int top, int width,
                       const struct imf_spectrum *s, int count, struct scale scale) {
    static const int colors[] = {IMF_BLUE, IMF_ORANGE};
    static const char *const names[] = {"before", "after"};
    const struct imf_plot plot = {left, top, width, RINGS, 0, 0.5, scale.low, scale.high};
    double f[IMF_RINGS], level[IMF_RINGS];
    imf_picture_text(p, left, top - 26, IMF_INK, "mean of each ring, dB");
    imf_plot_axes(p, &plot, 11);
    for (int i = 0; i < count; i++) {
        int used = 0;
        for (int r = 0; r < IMF_RINGS; r++)
            if (s[i].ring[r] > 0) {
                f[used] = (r + 0.5) / (2 * IMF_RINGS);
                level[used++] = decibels(s[i].ring[r]);
            }
        imf_plot_curve(p, &plot, colors[i], (size_t)used, f, level);
        if (count > 1)
            imf_picture_text_right(p, left + width - 120 * (1 - i), top - 26, colors[i], names[i]);
    }
    imf_picture_text_middle(p, left + width / 2, top + RINGS + 28, IMF_INK, "cycles per pixel");
    imf_picture_text(p, left, top + RINGS + 28 + LINE, IMF_SHADE,
                     "luma, Hann window; 0 dB: cosine of full contrast");
}

static void draw_title(struct imf_picture *p, int left, int width, const char *what,
                       const char *name) {
    char title[2 * IMF_FITTED], fitted[IMF_FITTED];
    snprintf(title, sizeof title, "%s %s", what, name ? name : "an image");
    imf_picture_text(p, left, TITLE - 42, IMF_INK, imf_picture_fit(fitted, title, width));
}

static enum imf_status draw(struct imf_picture **out, const struct imf_spectrum *s, int count,
                            const struct names *names, struct imf_error *err) {
    int panel = s->side > SMALLEST ? s->side : SMALLEST, step = AXIS + panel + 12;
    int rings = (count - 1) * step + panel,
        list = ((int)s->peaks.count + (s->peaks.waves > 0)) * LINE;
    rings = rings > RINGS_WIDE ? RINGS_WIDE : rings;
    struct scale scale = choose_scale(s, count);
    enum imf_status status = imf_picture_create(
        out, count * step + SCALE, TITLE + panel + BELOW + RINGS + 28 + 2 * LINE + list + 8, err);
    if (status != IMF_OK)
        return status;
    for (int i = 0; i < count; i++) {
        int left = AXIS + i * step;
        draw_title(*out, left, panel,
                   count == 1 ? "spectrum of"
                   : i        ? "after"
                              : "before:",
                   i ? names->filter : names->image);
        draw_spectrum(*out, left, TITLE, panel, &s[i], scale);
    }
    draw_marks(*out, AXIS, TITLE, panel, &s->peaks);
    draw_scale(*out, count * step + 8, TITLE, panel, scale);
    draw_rings(*out, AXIS, TITLE + panel + BELOW, rings, s, count, scale);
    draw_peaks(*out, AXIS, TITLE + panel + BELOW + RINGS + 28 + 2 * LINE, &s->peaks);
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
