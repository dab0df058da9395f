/*
 * show_picture.c - a filter's coefficients and frequency responses as a picture
 *
 * One panel for each linear part (a kernel or a transfer function), under each other:
 *
 *     title, and what it does in words
 *     +--------------+        +--------------+
 *     | coefficients | scale  |    |H(u,v)|  | scale
 *     +--------------+        +--------------+
 *     facts                   sections along u and v
 *
 * A transfer function has no coefficients; the middle of its impulse response is drawn instead. A
 * structuring element is drawn without numbers, sums and a scale. bilateral and guided are drawn as
 * the kernels that they are in flat parts.
 */
#include "picture/picture.h"
#include "picture/response.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    N = IMF_RESPONSE,
    ZOOM = 2, /* pixels each way for a value of the response */
    SIDE = ZOOM * N,
    MARGIN = 20,
    LEFT_X = MARGIN,
    BAR_GAP = 12,
    BAR = 16,
    RIGHT_X = LEFT_X + SIDE + 250,
    WIDTH = RIGHT_X + SIDE + 160,
    LINE = IMF_TEXT_HEIGHT + 8,
    TITLE = 56,    /* to the top of the panels */
    SECTION = 200, /* height of the sections' plot */
    SECTION_TOP = TITLE + SIDE + IMF_FREQUENCIES,
    PANEL = SECTION_TOP + SECTION + 100,
    TITLE_ONLY = 40 /* height of a stage without a drawing */
};
#define IMPULSE 33 /* taps of an impulse response that are drawn, each way */

struct part {
    char title[2 * IMF_STAGE_SPEC], words[IMF_STAGE_WORDS];
    const struct imf_kernel *taps; /* drawn; NULL: none */
    bool element;                  /* they are those of a structuring element */
    const struct imf_transfer *transfer;
    const double *gain; /* IMF_RESPONSE_SIZE; NULL: there is no response */
};

/* ---- coefficients --------------------------------------------------------------------------- */

static double origin_tap(const struct imf_kernel *k) {
    return k->taps[(size_t)k->cy * (size_t)k->width + (size_t)k->cx];
}

/* The value that has the strongest colour. The tap at the origin of a high-pass filter or an
 * unsharp mask may exceed it; otherwise it would leave the other taps pale. */
static double full_color(const struct imf_kernel *k) {
    size_t origin = (size_t)k->cy * (size_t)k->width + (size_t)k->cx;
    double most = 0;
    for (size_t i = 0, n = (size_t)k->width * (size_t)k->height; i < n; i++)
        if (i != origin)
            most = fmax(most, fabs(k->taps[i]));
    double own = fabs(origin_tap(k));
    if (most == 0 || own < 4 * most)
        most = fmax(most, own);
    return most > 0 ? most : 1;
}

/* The tap of largest magnitude in a square of `step`. */
static double tap_of(const struct imf_kernel *k, int x, int y, int step) {
    double found = 0;
    for (int j = y; j < y + step && j < k->height; j++)
        for (int i = x; i < x + step && i < k->width; i++) {
            double tap = k->taps[(size_t)j * (size_t)k->width + (size_t)i];
            found = fabs(tap) > fabs(found) ? tap : found;
        }
    return found;
}

/* Do all numbers fit into cells? */
static bool numbers_fit(const struct imf_kernel *k, int cell) {
    char number[32];
    if (cell < 32)
        return false;
    for (size_t i = 0, n = (size_t)k->width * (size_t)k->height; i < n; i++) {
        snprintf(number, sizeof number, "%.4g", k->taps[i]);
        if (imf_picture_text_width(number) > cell - 6)
            return false;
    }
    return true;
}

static void draw_taps(struct imf_picture *p, int left, int top, const struct part *part,
                      double most) {
    const struct imf_kernel *k = part->taps;
    int longest = k->width > k->height ? k->width : k->height;
    int step = (longest + SIDE - 1) / SIDE, across = (k->width + step - 1) / step;
    int down = (k->height + step - 1) / step, cell = SIDE / (across > down ? across : down);
    int x0 = left + (SIDE - across * cell) / 2, y0 = top + (SIDE - down * cell) / 2;
    int grid = cell >= 6 ? 1 : 0;
    double shade = part->element ? 0.6 : 1; /* leaves the frame of the origin visible */
    bool numbers = step == 1 && !part->element && numbers_fit(k, cell);
    imf_picture_rect(p, x0 - 1, y0 - 1, across * cell + 2 - grid, down * cell + 2 - grid,
                     IMF_SHADE);
    for (int y = 0; y < down; y++)
        for (int x = 0; x < across; x++) {
            double tap = tap_of(k, x * step, y * step, step);
            int cx = x0 + x * cell, cy = y0 + y * cell;
            imf_picture_rect(p, cx, cy, cell - grid, cell - grid,
                             imf_color_diverging(shade * tap / most));
            if (!numbers)
                continue;
            char number[32];
            snprintf(number, sizeof number, "%.4g", tap);
            imf_picture_text_middle(p, cx + cell / 2, cy + cell / 2 - IMF_TEXT_MIDDLE,
                                    fabs(tap) > 0.65 * most ? IMF_PAPER : IMF_INK, number);
        }
    int cx = x0 + k->cx / step * cell, cy = y0 + k->cy / step * cell;
    if (cell >= 5 && across * down > 1)
        imf_picture_frame(p, cx - 1, cy - 1, cell + 2 - grid, cell + 2 - grid, IMF_INK);
}

static void draw_facts(struct imf_picture *p, int left, int top, const struct part *part,
                       double most) {
    const struct imf_kernel *k = part->taps;
    double sum = imf_kernel_sum(k), size = imf_kernel_abs_sum(k);
    char line[5][IMF_FITTED] = {""}, fitted[IMF_FITTED];
    int lines = 0;
    if (part->transfer) {
        snprintf(line[lines++], IMF_FITTED, "impulse response, middle %dx%d", k->width, k->height);
    } else {
        snprintf(line[lines++], IMF_FITTED, "%dx%d, origin at column %d, row %d", k->width,
                 k->height, k->cx + 1, k->cy + 1);
    }
    if (part->element) {
        snprintf(line[lines++], IMF_FITTED, "%zu of %zu samples count", imf_kernel_nonzero(k),
                 (size_t)k->width * (size_t)k->height);
    } else if (!part->transfer) {
        snprintf(line[lines++], IMF_FITTED, "scale %.6g, bias %.6g", k->scale, k->bias);
        snprintf(line[lines++], IMF_FITTED, "sum %.6g, sum of |taps| %.6g",
                 fabs(sum) < 1e-14 * size ? 0 : sum, size);
    }
    if (fabs(origin_tap(k)) > most)
        snprintf(line[lines++], IMF_FITTED, "origin %.4g, beyond the colours", origin_tap(k));
    if (k->width > SIDE || k->height > SIDE)
        snprintf(line[lines++], IMF_FITTED, "each dot: the largest of a square of %s",
                 part->element ? "samples" : "taps");
    for (int i = 0; i < lines; i++)
        imf_picture_text(p, left, top + i * LINE, IMF_INK,
                         imf_picture_fit(fitted, line[i], RIGHT_X - left - IMF_FREQUENCIES));
}

static void label(struct imf_picture *p, int x, int y, double value) {
    char number[32];
    snprintf(number, sizeof number, "%.4g", value);
    imf_picture_text(p, x, y - IMF_TEXT_MIDDLE, IMF_INK, number);
}

static void draw_left(struct imf_picture *p, int top, const struct part *part) {
    if (!part->taps) {
        imf_picture_text(p, LEFT_X, top + TITLE, IMF_INK, "the product of the stages' |H|");
        return;
    }
    double most = full_color(part->taps);
    int bar = LEFT_X + SIDE + BAR_GAP, text = bar + BAR + 8;
    draw_taps(p, LEFT_X, top + TITLE, part, most);
    draw_facts(p, LEFT_X, top + TITLE + SIDE + 20, part, most);
    if (part->element)
        return;
    imf_picture_bar(p, bar, top + TITLE, BAR, SIDE, imf_color_diverging, -1);
    label(p, text, top + TITLE + 6, most);
    label(p, text, top + TITLE + SIDE / 2, 0);
    label(p, text, top + TITLE + SIDE - 8, -most);
}

/* ---- responses ------------------------------------------------------------------------------ */

static double largest_gain(const double *gain) {
    double most = 0;
    for (size_t i = 0; i < IMF_RESPONSE_SIZE; i++)
        most = gain[i] > most ? gain[i] : most;
    return most > 0 ? most : 1;
}

static void draw_map(struct imf_picture *p, int top, const double *gain, double most) {
    for (int v = 0; v < N; v++)
        for (int u = 0; u < N; u++)
            imf_picture_rect(p, RIGHT_X + ZOOM * u, top + ZOOM * v, ZOOM, ZOOM,
                             imf_color_heat(gain[(size_t)v * N + (size_t)u] / most));
    imf_plot_frequencies(p, RIGHT_X, top, SIDE);
    int bar = RIGHT_X + SIDE + BAR_GAP, text = bar + BAR + 8;
    imf_picture_bar(p, bar, top, BAR, SIDE, imf_color_heat, 0);
    imf_picture_text(p, text, top - 30, IMF_INK, "|H|");
    double step = imf_plot_step(most, 5);
    for (double value = 0; value <= most * (1 + 1e-9); value += step)
        label(p, text, top + SIDE - 1 - (int)lrint(value / most * (SIDE - 1)), value);
}

/* A section is taken through the notch, where there is one, or else through frequency 0. */
static double section(const struct part *part, bool along_v, int k) {
    if (part->transfer) {
        const struct imf_transfer *t = part->transfer;
        double f = (double)(k - N / 2) / N, through = t->kind == IMF_NOTCH;
        return along_v ? imf_transfer_gain(t, through * t->u, f)
                       : imf_transfer_gain(t, f, through * t->v);
    }
    size_t at = (size_t)(k & (N - 1));
    return along_v ? part->gain[at * N + N / 2] : part->gain[N / 2 * N + at];
}

static void draw_sections(struct imf_picture *p, int top, const struct part *part, double most) {
    const struct imf_plot plot = {RIGHT_X, top, SIDE + 1, SECTION, -0.5, 0.5, 0, 1.05 * most};
    double f[N + 1], g[2][N + 1], apart = 0;
    for (int k = 0; k <= N; k++) {
        f[k] = (double)(k - N / 2) / N;
        g[0][k] = section(part, false, k);
        g[1][k] = section(part, true, k);
        apart = fmax(apart, fabs(g[0][k] - g[1][k]));
    }
    bool same = apart < 1e-9 * most;
    imf_plot_axes(p, &plot, 5);
    if (!same)
        imf_plot_curve(p, &plot, IMF_ORANGE, N + 1, f, g[1]);
    imf_plot_curve(p, &plot, IMF_BLUE, N + 1, f, g[0]);
    char u[48], v[48];
    double cut_u = 0, cut_v = 0;
    if (part->transfer && part->transfer->kind == IMF_NOTCH) {
        cut_u = part->transfer->u;
        cut_v = part->transfer->v;
    }
    snprintf(u, sizeof u, same ? "along u, and along v" : "along u (v = %g)", cut_v);
    snprintf(v, sizeof v, "along v (u = %g)", cut_u);
    int below = top + SECTION + 30;
    imf_picture_text_middle(p, RIGHT_X + SIDE / 2, below, IMF_INK, "cycles per pixel");
    below += LINE;
    imf_picture_text(p, RIGHT_X, below, IMF_BLUE, u);
    if (!same)
        imf_picture_text(p, RIGHT_X + SIDE / 2 + 8, below, IMF_ORANGE, v);
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* What the picture of a filter is made of: a part for each kernel, transfer function or other
 * stage, and one for the whole chain. */
struct show {
    struct part *parts;
    size_t count;
    struct imf_kernel **owned; /* impulse responses, one a part, or NULL */
    double **gains;
};

static enum imf_status show_make(struct show *s, size_t capacity, struct imf_error *err) {
    s->parts = calloc(capacity, sizeof *s->parts);
    s->owned = calloc(capacity, sizeof(struct imf_kernel *));
    s->gains = calloc(capacity, sizeof(double *));
    return s->parts && s->owned && s->gains ? IMF_OK
                                            : imf_fail_memory(err, capacity * sizeof *s->parts);
}

static void show_clear(struct show *s) {
    for (size_t i = 0; i < s->count; i++) {
        imf_kernel_free(&s->owned[i]);
        free(s->gains[i]);
    }
    free(s->parts);
    free(s->owned);
    free(s->gains);
}

static enum imf_status add_gain(struct show *s, size_t at, const struct imf_stage *stage,
                                const struct imf_kernel *kernel, struct imf_error *err) {
    double *gain = malloc(IMF_RESPONSE_SIZE * sizeof *gain);
    if (!gain)
        return imf_fail_memory(err, IMF_RESPONSE_SIZE * sizeof *gain);
    s->parts[at].gain = s->gains[at] = gain;
    if (stage->op == IMF_OP_TRANSFER) {
        imf_response_transfer(gain, &stage->transfer);
        return imf_response_impulse(&s->owned[at], &stage->transfer, IMPULSE, err);
    }
    if (stage->op == IMF_OP_UNSHARP) {
        enum imf_status status = imf_response_unsharp(&s->owned[at], stage, err);
        if (status != IMF_OK)
            return status;
        kernel = s->owned[at];
    }
    return imf_response_kernel(gain, kernel, err);
}

static enum imf_status add_part(struct show *s, const struct imf_filter *f, size_t index, int which,
                                struct imf_error *err) {
    const struct imf_stage *stage = &f->stages[index];
    size_t at = s->count++;
    struct part *part = &s->parts[at];
    char spec[IMF_STAGE_SPEC], words[IMF_STAGE_WORDS], number[40] = "";
    enum imf_status status = IMF_OK;
    if (f->count > 1)
        snprintf(number, sizeof number, "%zu. ", index + 1);
    const char *axis = !stage->kernel[1] ? "" : which ? ", gy" : ", gx";
    const char *linear = stage->op == IMF_OP_UNSHARP ? ", at threshold 0" : "";
    snprintf(part->words, sizeof part->words, "%s", imf_stage_words(words, stage));
    part->taps = stage->kernel[which];
    part->element = stage->op == IMF_OP_WINDOW && part->taps;
    if (stage->op == IMF_OP_WINDOW && !part->element) {
        status = imf_response_flat(&s->owned[at], stage, err);
        part->taps = s->owned[at];
        linear = part->taps ? ", where the image is flat" : "";
    }
    snprintf(part->title, sizeof part->title, "%s%s%s%s", number, imf_stage_spec(spec, f, index),
             axis, linear);
    bool responds = s->owned[at] || (imf_op_holds(stage->op) & IMF_RESPONDS);
    if (status != IMF_OK || !responds)
        return status;
    part->transfer = stage->op == IMF_OP_TRANSFER ? &stage->transfer : NULL;
    status = add_gain(s, at, stage, part->taps, err);
    if (s->owned[at])
        part->taps = s->owned[at];
    return status;
}

/* The first stage that is not linear, or count. gray and invert pass every frequency of luma. */
static size_t first_nonlinear(const struct imf_filter *f) {
    size_t i = 0;
    while (i < f->count && imf_op_holds(f->stages[i].op) & IMF_CHAINS)
        i++;
    return i;
}

/* The product of all responses, or why there is none. Where there is one, a stage has one part. */
static enum imf_status add_chain(struct show *s, const struct imf_filter *f,
                                 struct imf_error *err) {
    if (f->count < 2)
        return IMF_OK;
    struct part *part = &s->parts[s->count];
    size_t bad = first_nonlinear(f);
    bool limited = false;
    char spec[IMF_STAGE_SPEC];
    if (bad < f->count) {
        snprintf(part->title, sizeof part->title,
                 "the whole chain has no frequency response: stage %zu, %s, is not linear", bad + 1,
                 imf_stage_spec(spec, f, bad));
        s->count++;
        return IMF_OK;
    }
    double *gain = malloc(IMF_RESPONSE_SIZE * sizeof *gain);
    if (!gain)
        return imf_fail_memory(err, IMF_RESPONSE_SIZE * sizeof *gain);
    for (size_t k = 0; k < IMF_RESPONSE_SIZE; k++)
        gain[k] = 1;
    for (size_t i = 0; i < f->count; i++) {
        limited = limited || f->stages[i].op == IMF_OP_UNSHARP;
        for (size_t k = 0; s->gains[i] && k < IMF_RESPONSE_SIZE; k++)
            gain[k] *= s->gains[i][k];
    }
    snprintf(part->title, sizeof part->title, "the whole chain%s: %s",
             limited ? ", unsharp at threshold 0" : "", f->text);
    part->gain = s->gains[s->count++] = gain;
    return IMF_OK;
}

static enum imf_status collect(struct show *s, const struct imf_filter *f, struct imf_error *err) {
    enum imf_status status = show_make(s, 2 * f->count + 1, err);
    for (size_t i = 0; i < f->count && status == IMF_OK; i++)
        for (int which = 0; which < (f->stages[i].kernel[1] ? 2 : 1) && status == IMF_OK; which++)
            status = add_part(s, f, i, which, err);
    return status == IMF_OK ? add_chain(s, f, err) : status;
}

static int height_of(const struct part *part) {
    int body = part->gain ? PANEL : part->taps ? SECTION_TOP + IMF_FREQUENCIES + LINE : TITLE_ONLY;
    return body + (*part->words ? LINE : 0);
}

enum imf_status imf_filter_picture(struct imf_picture **out, const struct imf_filter *filter,
                                   struct imf_error *err) {
    struct show show = {0};
    *out = NULL;
    enum imf_status status = collect(&show, filter, err);
    int height = 0;
    for (size_t i = 0; i < show.count && status == IMF_OK; i++) {
        int more = height_of(&show.parts[i]);
        if (__builtin_add_overflow(height, more, &height))
            status =
                imf_fail(err, IMF_ERR_LIMIT, "a picture of %zu stages is too large", filter->count);
    }
    if (status == IMF_OK)
        status = imf_picture_create(out, WIDTH, height + MARGIN, err);
    for (size_t i = 0, top = MARGIN; i < show.count && status == IMF_OK; i++) {
        const struct part *part = &show.parts[i];
        char title[IMF_FITTED];
        imf_picture_text(*out, LEFT_X, (int)top, IMF_INK,
                         imf_picture_fit(title, part->title, WIDTH - 2 * MARGIN));
        int body = (int)top;
        if (*part->words) {
            body += LINE;
            imf_picture_text(*out, LEFT_X, body, IMF_INK,
                             imf_picture_fit(title, part->words, WIDTH - 2 * MARGIN));
        }
        if (part->gain || part->taps)
            draw_left(*out, body, part);
        if (part->gain) {
            double most = largest_gain(part->gain);
            draw_map(*out, body + TITLE, part->gain, most);
            draw_sections(*out, body + SECTION_TOP, part, most);
        }
        top += (size_t)height_of(part);
    }
    show_clear(&show);
    return status;
}
