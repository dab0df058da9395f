/* plot.c - curves in a box with numbered axes */
#include "picture/picture.h"

#include <math.h>
#include <stdlib.h>

double imf_plot_step(double range, int most) {
    static const double factors[] = {1, 2, 5};
    if (!(range > 0) || !isfinite(range))
        return 1;
    double power = pow(10, floor(log10(range / most)));
    for (;; power *= 10)
        for (int i = 0; i < 3; i++)
            if (range / (factors[i] * power) <= most * (1 + 1e-9))
                return factors[i] * power;
}

static int to_x(const struct imf_plot *t, double x) {
    return t->left + (int)lrint((x - t->x0) / (t->x1 - t->x0) * (t->width - 1));
}

/* Values beyond the box lie just outside it, where a line is clipped. */
static int to_y(const struct imf_plot *t, double y) {
    double part = (y - t->y0) / (t->y1 - t->y0);
    part = part > -0.1 ? part < 1.1 ? part : 1.1 : -0.1;
    return t->top + t->height - 1 - (int)lrint(part * (t->height - 1));
}

void imf_plot_axes(struct imf_picture *p, const struct imf_plot *t, int xs) {
    char number[32];
    for (int i = 0; i < xs; i++) {
        double x = t->x0 + (t->x1 - t->x0) * i / (xs - 1);
        imf_picture_rect(p, to_x(t, x), t->top, 1, t->height + 5, IMF_PALE);
        snprintf(number, sizeof number, "%g", x);
        imf_picture_text_middle(p, to_x(t, x), t->top + t->height + 8, IMF_INK, number);
    }
    double step = imf_plot_step(t->y1 - t->y0, t->height / 36);
    for (double y = ceil(t->y0 / step - 1e-9) * step; y <= t->y1 + step * 1e-9; y += step) {
        bool zero = fabs(y) < step * 1e-6;
        imf_picture_rect(p, t->left - 5, to_y(t, y), t->width + 5, 1, zero ? IMF_SHADE : IMF_PALE);
        snprintf(number, sizeof number, "%.4g", zero ? 0.0 : y);
        imf_picture_text_right(p, t->left - 10, to_y(t, y) - IMF_TEXT_MIDDLE, IMF_INK, number);
    }
    imf_picture_frame(p, t->left, t->top, t->width, t->height, IMF_SHADE);
}

/* Numbers 0.1 apart where they fit, or 0.25, with finer ticks between them. */
void imf_plot_frequencies(struct imf_picture *p, int left, int top, int side) {
    bool wide = side >= 640;
    int ticks = wide ? 100 : 20, every = wide ? 10 : 5, half = every / 2;
    char number[32];
    imf_picture_frame(p, left - 1, top - 1, side + 2, side + 2, IMF_SHADE);
    for (int i = 0; i <= ticks; i++) {
        int at = i * side / ticks - (i == ticks);
        int length = i % every == 0 ? 10 : half && wide && i % half == 0 ? 7 : 4;
        imf_picture_rect(p, left + at, top + side + 1, 1, length, IMF_SHADE);
        imf_picture_rect(p, left - 1 - length, top + at, length, 1, IMF_SHADE);
        if (i % every)
            continue;
        snprintf(number, sizeof number, "%g", (double)(i - ticks / 2) / ticks);
        imf_picture_text_middle(p, left + at, top + side + 14, IMF_INK, number);
        imf_picture_text_right(p, left - 14, top + at - IMF_TEXT_MIDDLE, IMF_INK, number);
    }
    imf_picture_text_middle(p, left + side / 2, top + side + 34, IMF_INK, "u (cycles per pixel)");
    imf_picture_text_right(p, left - 14, top - 28, IMF_INK, "v");
}

/* Two pixels thick; clipped to the box. */
static void stroke(struct imf_picture *p, const struct imf_plot *t, int x0, int y0, int x1, int y1,
                   int color) {
    int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);
    for (int i = 0; i <= steps; i++) {
        double part = steps ? (double)i / steps : 0;
        int x = x0 + (int)lrint(part * (x1 - x0)), y = y0 + (int)lrint(part * (y1 - y0));
        for (int thick = 0; thick < 2; thick++)
            if (y - thick > t->top && y - thick < t->top + t->height)
                imf_picture_rect(p, x, y - thick, 1, 1, color);
    }
}

void imf_plot_curve(struct imf_picture *p, const struct imf_plot *t, int color, size_t count,
                    const double *x, const double *y) {
    for (size_t i = 1; i < count; i++)
        if (isfinite(y[i - 1]) && isfinite(y[i]))
            stroke(p, t, to_x(t, x[i - 1]), to_y(t, y[i - 1]), to_x(t, x[i]), to_y(t, y[i]), color);
}
