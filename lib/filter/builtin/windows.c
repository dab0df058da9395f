/*
 * windows.c - stages of windows: ranks, means that keep edges, local thresholds
 *
 * Minimum and maximum are ranks like the median, and the other filters of morphology consist of these
 * two. An opening's second pass uses the element rotated by 180 degrees, so that opening is
 * idempotent. Bilateral and guided are weighted means of the window, in which samples beyond an edge have little or no
 * weight: flat parts do not change, and no result leaves the range of the samples. A local threshold compares a sample
 * with what the samples around it say of the paper there; flatten divides by it: a closing takes away what is darker and
 * narrower than its window, text, and the mean in the same window rounds off the squares that it leaves.
 */
#include "filter/builtin/table.h"

#include <math.h>
#include <stdio.h>

#define TURN 6.283185307179586

static void set_window(struct imf_window_op *w, const struct imf_kernel *element, int reach) {
    int side = 2 * reach + 1;
    w->element = element;
    w->width = element ? element->width : side;
    w->height = element ? element->height : side;
    w->cx = element ? element->cx : reach;
    w->cy = element ? element->cy : reach;
}

void imf_setup_window(struct imf_stage *stage, const double *values) {
    struct imf_window_op *w = &stage->window_op, *second = &stage->second;
    const struct imf_kernel *element = stage->kernel[0];
    set_window(w, element, element ? 0 : (int)values[0]);
    if (!element)
        w->value = values[1];
    if (stage->compound == IMF_ALONE)
        return;
    *second = *w; /* minimum and maximum, in this order or the other, */
    second->value = 100 - w->value;
    second->noun = w->value == 0 ? "a dilation" : "an erosion";
    second->turned = stage->compound != IMF_APART; /* one after the other */
    if (second->turned) {
        second->cx = w->width - 1 - w->cx;
        second->cy = w->height - 1 - w->cy;
    }
}

void imf_setup_percentile(struct imf_stage *stage, const double *values) {
    static const char *const nouns[] = {
        [0] = "an erosion", [50] = "a median", [100] = "a dilation"};
    const char *noun = imf_is_integer(values[0]) ? nouns[(int)values[0]] : NULL;
    stage->window_op.value = values[0];
    stage->window_op.noun = noun ? noun : "a percentile";
    imf_setup_window(stage, values);
}

/* The window reaches 3 sigma, rounded up. */
void imf_setup_bilateral(struct imf_stage *stage, const double *values) {
    imf_setup_window(stage, (const double[]){ceil(3 * values[0]), values[0]});
    stage->window_op.range = values[1];
    /* A sample's own error moves all of its weights, most where half of their sum is of n samples
     * at sqrt(2 ln n) ranges from it: by that distance's square over 4. */
    stage->window_op.gain = fmax(1, 0.5 + log(1 + TURN * values[0] * values[0]) / 2);
}

/* A mean of means: its reach is twice that of its windows. */
void imf_setup_guided(struct imf_stage *stage, const double *values) {
    imf_setup_window(stage, (const double[]){2 * values[0], values[1]});
}

/* Beyond this many times full scale no edge is kept: the user may have meant numbers of samples. */
#define NO_EDGE 2
void imf_smooth_remark(const struct imf_stage *stage, char *note, size_t size) {
    const struct imf_window_op *window = &stage->window_op;
    bool bilateral = window->kind == IMF_BILATERAL, keeps = bilateral || window->kind == IMF_GUIDED;
    double part = bilateral ? window->range : window->value;
    if (stage->op == IMF_OP_WINDOW && keeps && part > NO_EDGE)
        snprintf(note, size,
                 "%s: %s is %g times full scale, which keeps no edges (%g of 255 is %.3g)",
                 bilateral ? "bilateral" : "guided", bilateral ? "RANGE" : "EPS", part, part,
                 part / 255);
}
