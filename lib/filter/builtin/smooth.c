/*
 * smooth.c - stages of smoothing that keeps edges: bilateral, guided and denoise
 * The first two are weighted means of the window, in which samples beyond an edge have little or no weight:
 * flat parts do not change, and no result leaves the range of the samples.
 */
#include "filter/builtin/table.h"

#include <math.h>
#include <stdio.h>

#define TURN 6.283185307179586

/* The window reaches 3 sigma, rounded up. */
enum imf_status imf_setup_bilateral(struct imf_stage *stage, const double *values,
                                    struct imf_error *err) {
    (void)err;
    int reach = (int)ceil(3 * values[0]), side = 2 * reach + 1;
    stage->op = IMF_OP_WINDOW;
    stage->window_op = (struct imf_window_op){
        .function = IMF_WINDOW_BILATERAL,
        .noun = "a bilateral filter",
        .words = "bilateral: the mean of the colours around, by distance and likeness",
        .width = side,
        .height = side,
        .cx = reach,
        .cy = reach,
        .value = values[0],
        .range = values[1],
        /* A sample's own error moves all of its weights, most where half of their sum is of n samples
         * at sqrt(2 ln n) ranges from it: by that distance's square over 4. */
        .gain = fmax(1, 0.5 + log(1 + TURN * values[0] * values[0]) / 2)};
    return IMF_OK;
}

/* Beyond this many times full scale no edge is kept: the user may have meant numbers of samples. */
#define NO_EDGE 2
void imf_smooth_remark(const struct imf_stage *stage, char *note, size_t size) {
    const struct imf_window_op *window = &stage->window_op;
    bool bilateral = window->function == IMF_WINDOW_BILATERAL;
    bool keeps = bilateral || window->function == IMF_WINDOW_GUIDED;
    double part = bilateral ? window->range : window->value;
    if (stage->op == IMF_OP_WINDOW && keeps && part > NO_EDGE)
        snprintf(note, size,
                 "%s: %s is %g times full scale, which keeps no edges (%g of 255 is %.3g)",
                 bilateral ? "bilateral" : "guided", bilateral ? "RANGE" : "EPS", part, part,
                 part / 255);
}

/* A mean of means: its reach is twice that of its windows. */
enum imf_status imf_setup_guided(struct imf_stage *stage, const double *values,
                                 struct imf_error *err) {
    (void)err;
    int reach = 2 * (int)values[0];
    stage->op = IMF_OP_WINDOW;
    stage->window_op = (struct imf_window_op){
        .function = IMF_WINDOW_GUIDED,
        .noun = "a guided filter",
        .words = "guided by itself: the mean of lines fitted to the samples in windows",
        .width = 2 * reach + 1,
        .height = 2 * reach + 1,
        .cx = reach,
        .cy = reach,
        .value = values[1],
        .gain = 1.5};
    return IMF_OK;
}

/* "auto" is read as -1, which is IMF_DENOISE_AUTO. */
enum imf_status imf_setup_denoise(struct imf_stage *stage, const double *values,
                                  struct imf_error *err) {
    (void)err;
    stage->op = IMF_OP_DENOISE;
    stage->denoise = (struct imf_denoise){
        .sigma = values[0], .groups = values[1] != 0, .first_x = 1, .first_y = 1};
    return IMF_OK;
}
