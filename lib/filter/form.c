/*
 * form.c - what follows from a filter's stages, and from the input's format with them; what they take in memory
 *
 * A threshold leaves two values, and so do edges. An image of 1, 2 or 4 bits uses 2, 4 or 16 values, evenly spaced
 * from 0 to full scale, which inversion and the identity map onto themselves; equalization does so
 * with two. Filters that select a sample of the
 * window make no new values, and differences of their results have the same spacing.
 */
#include "filter/form.h"

#include "base/image/curve.h"

#include <math.h>

static bool is_single_tap(const struct imf_kernel *k) {
    return !k || (k->width == 1 && k->height == 1 && k->cx == 0 && k->cy == 0);
}

static bool is_identity(const struct imf_stage *s) {
    const struct imf_kernel *k = s->kernel[0];
    return s->op == IMF_OP_LINEAR && is_single_tap(k) && k->taps[0] == k->scale && k->bias == 0;
}

unsigned imf_op_holds(enum imf_op op) {
#define HOLDS(name, holds, ...) [IMF_OP_##name] = holds,
    static const unsigned all[] = {IMF_STAGES(HOLDS)};
#undef HOLDS
    return all[op];
}

bool imf_op_is_point(enum imf_op op) {
    return imf_op_holds(op) & IMF_IS_POINT;
}

/* Does a filtered pixel depend on those around it? No for point operations, also those by a histogram. */
static bool reads_around(const struct imf_stage *s) {
    bool kernels = s->op == IMF_OP_LINEAR || s->op == IMF_OP_MAGNITUDE;
    return kernels ? !is_single_tap(s->kernel[0]) || !is_single_tap(s->kernel[1])
                   : !imf_op_is_point(s->op);
}

/* How far a gain may be from 1: coefficients are written with few digits. */
#define NEARLY_ONE 1e-3

/* A filtering stage's kernels have a gain of nearly 1 at frequency 0 and no bias. */
static bool keeps_brightness(const struct imf_stage *s) {
    double gain = 0, bias = 0;
    if (s->op == IMF_OP_WINDOW) /* its element is no kernel of sums */
        return false;
    if (s->op == IMF_OP_TRANSFER)
        gain = imf_transfer_gain(&s->transfer, 0, 0);
    for (int i = 0; i < 2 && s->kernel[i]; i++) {
        gain = hypot(gain, imf_kernel_sum(s->kernel[i]) / s->kernel[0]->scale);
        bias = s->kernel[0]->bias;
    }
    return fabs(gain - 1) <= NEARLY_ONE && bias == 0;
}

/* Directions, edges, thresholds and quotients are no weighted sums of colours; blurred ones are not
 * those of the scene where alpha hides them. */
static bool reads_colors(const struct imf_stage *s) {
    return (imf_op_holds(s->op) & IMF_OF_COLORS) ||
           (s->op == IMF_OP_WINDOW && (s->window_op.bilevel || s->compound == IMF_PART));
}

void imf_filter_find_form(struct imf_filter *filter) {
    struct imf_form f = {.alpha = IMF_ALPHA_PREMULTIPLY};
    bool straight = false, blended = false;
    int most = 0;
    for (size_t i = 0; i < filter->count; i++) {
        const struct imf_stage *s = &filter->stages[i];
        bool point = imf_op_is_point(s->op), around = reads_around(s);
        bool fill = s->op == IMF_OP_FILL; /* what is seen stays that of the filters before */
        int rank = !point && !fill ? 2 : s->op != IMF_OP_BLEND && !fill;
        f.shown = rank >= most ? i : f.shown;
        most = imf_max(most, rank);
        f.around = around ? i + 1 : f.around;
        f.filters |= !point;
        /* Histograms count what is visible. */
        f.fills |= around && s->op != IMF_OP_CLAHE && s->op != IMF_OP_FILL;
        straight |= reads_colors(s);
        if (!point && !keeps_brightness(s))
            f.alpha = IMF_ALPHA_KEEP;
    }
    f.keeps_alpha = straight || !f.filters;
    filter->form = f;
    for (size_t i = filter->count; i-- > 0;) {
        struct imf_stage *s = &filter->stages[i];
        s->seen = i == f.shown || blended;
        blended = s->op == IMF_OP_BLEND || (blended && imf_op_is_point(s->op));
    }
}

/* The range mode of a stage. */
static enum imf_range shown(const struct imf_filter *filter, size_t stage,
                            const struct imf_settings *settings) {
    bool asked = settings->range != IMF_RANGE_DEFAULT && stage == filter->form.shown;
    return asked ? settings->range : filter->stages[stage].range;
}

bool imf_filter_is_pointwise(const struct imf_filter *filter, const struct imf_info *input,
                             const struct imf_settings *settings) {
    if (settings->region_count)
        return false;
    for (size_t i = 0; i < filter->count; i++) {
        const struct imf_stage *s = &filter->stages[i];
        bool all = s->op == IMF_OP_HISTOGRAM || shown(filter, i, settings) == IMF_RANGE_NORMALIZE;
        bool around = reads_around(s) && (s->op != IMF_OP_FILL || input->alpha);
        if (all || s->mask || around) /* a mask's weight depends on the pixel's place */
            return false;
    }
    return true;
}

/* Is the border's value one of the values of this many bits? */
static bool edge_fits(const struct imf_settings *settings, int bits) {
    double step = 255.0 / ((1 << bits) - 1);
    return settings->edge != IMF_EDGE_CONSTANT ||
           fmod(nearbyint(settings->edge_value * 255), step) == 0;
}

/* Differences of evenly spaced values are evenly spaced; in linear light only black and white are. */
static bool keeps_steps(const struct imf_settings *settings, int bits) {
    return !settings->linear || (bits == 1 && imf_curve_spans(settings->curve));
}

/* The bits of a window operation's result. */
static int window_bits(const struct imf_stage *s, const struct imf_settings *settings, int bits) {
    bool differs = s->compound != IMF_ALONE && s->compound != IMF_AFTER;
    bool selects = s->window_op.selects && (s->compound == IMF_ALONE || s->second.selects);
    bool even = !differs || keeps_steps(settings, bits);
    bool divides = s->compound == IMF_PART;
    return bits && selects && even && !divides && edge_fits(settings, bits) ? bits : 0;
}

int imf_filter_bits(const struct imf_filter *filter, const struct imf_info *input,
                    const struct imf_settings *settings) {
    bool gray = input->color == IMF_COLOR_GRAY;
    int bits = gray ? input->bits : 0;
    if (settings->depth || input->alpha)
        return settings->depth == 1;
    for (size_t i = 0; i < filter->count; i++) {
        const struct imf_stage *s = &filter->stages[i];
        enum imf_range range = shown(filter, i, settings);
        switch (s->op) {
        case IMF_OP_GRAY:
            bits = gray ? bits : 0;
            gray = true;
            break;
        case IMF_OP_THRESHOLD:
            bits = gray ? 1 : 0;
            break;
        case IMF_OP_CANNY:
            bits = gray;
            break;
        case IMF_OP_HISTOGRAM:
            bits = s->histogram_op == IMF_HISTOGRAM_OTSU || bits == 1 ? gray : 0;
            break;
        case IMF_OP_BLEND: /* has the image's colours again, and other values */
            gray = input->color == IMF_COLOR_GRAY;
            bits = 0;
            break;
        case IMF_OP_FILL:
        case IMF_OP_DESPECKLE:
            break;
        case IMF_OP_INVERT: /* in linear light only black and white change places */
            bits = keeps_steps(settings, bits) ? bits : 0;
            break;
        default:
            if (s->op == IMF_OP_WINDOW && s->window_op.bilevel)
                bits = gray;
            else if (s->op == IMF_OP_WINDOW)
                bits = window_bits(s, settings, bits);
            else if (!is_identity(s))
                bits = 0;
        }
        if (range != IMF_RANGE_DEFAULT && range != IMF_RANGE_CLIP)
            bits = 0;
    }
    if (settings->region_count) /* the image's values as well, and with a feather those between */
        bits = settings->mask_feather == 0 && input->bits && bits ? imf_max(bits, input->bits) : 0;
    return (settings->region_count ? input->color == IMF_COLOR_GRAY : gray) ? bits : 0;
}

double imf_filter_kernel_bytes(const struct imf_filter *filter) {
    double taps = 0;
    for (size_t i = 0; i < filter->count; i++)
        for (int k = 0; k < 2; k++) {
            const struct imf_kernel *kernel = filter->stages[i].kernel[k];
            taps += kernel ? (double)kernel->width * kernel->height : 0;
        }
    return taps * sizeof(double);
}

double imf_filter_bytes(const struct imf_filter *filter) {
    double bytes = imf_filter_kernel_bytes(filter);
    for (size_t i = 0; i < filter->count; i++)
        bytes += filter->stages[i].mask ? imf_mask_bytes(filter->stages[i].mask) : 0;
    return bytes;
}
