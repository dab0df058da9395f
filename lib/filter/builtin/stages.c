/* stages.c - what stages that are no windows get of a spec's values */
#include "filter/builtin/table.h"

#include <math.h>

/* Without a threshold a kernel alone does it (imf_design_unsharp). */
void imf_setup_unsharp(struct imf_stage *stage, const double *values) {
    if (values[2] == 0)
        return;
    stage->op = IMF_OP_UNSHARP;
    stage->amount = values[1];
    stage->threshold = values[2];
}

/* values: a cutoff, or two of a band, or a notch's place and radius; then, but for that, type and order, and of what may
 * keep the mean whether it does: a response around the mean is no signed one. */
void imf_setup_transfer(struct imf_stage *stage, const double *values) {
    struct imf_transfer *t = &stage->transfer;
    if (t->kind == IMF_NOTCH) {
        t->u = values[0];
        t->v = values[1];
        t->radius = values[2];
        return;
    }
    bool band = t->kind == IMF_BANDPASS || t->kind == IMF_BANDSTOP;
    bool may_keep = t->kind == IMF_HIGHPASS || t->kind == IMF_BANDPASS;
    t->low = values[0];
    t->high = band ? values[1] : 0;
    values += band ? 2 : 1;
    t->type = (enum imf_transfer_type)values[0];
    t->order = (int)values[1];
    t->keeps_mean = may_keep && values[2] != 0;
    if (t->keeps_mean)
        stage->range = IMF_RANGE_CLIP;
}

void imf_setup_descreen(struct imf_stage *stage, const double *values) {
    stage->descreen = (struct imf_descreen){.strength = values[0], .harmonics = true};
}

void imf_setup_canny(struct imf_stage *stage, const double *values) {
    stage->canny = (struct imf_canny){.low = values[0],
                                      .high = values[1],
                                      .sigma = values[2],
                                      .aperture = 3 + 2 * (int)values[3],
                                      .squares = values[4] != 0,
                                      .first_x = 1,
                                      .first_y = 1};
}

/* "auto" is read as -1, which is IMF_DENOISE_AUTO. */
void imf_setup_denoise(struct imf_stage *stage, const double *values) {
    stage->denoise = (struct imf_denoise){
        .sigma = values[0], .groups = values[1] != 0, .first_x = 1, .first_y = 1};
}

void imf_setup_despeckle(struct imf_stage *stage, const double *values) {
    stage->despeckle = (struct imf_despeckle){.area = (int)values[0], .light = values[1] != 0};
}

void imf_setup_clahe(struct imf_stage *stage, const double *values) {
    stage->clahe = (struct imf_clahe){.across = (int)floor(values[0] / IMF_SIZE),
                                      .down = (int)fmod(values[0], IMF_SIZE),
                                      .limit = values[1],
                                      .first_x = 1,
                                      .first_y = 1};
}

/* values: the kernel, which is read already, noise, prior, iterations. */
void imf_setup_deblur(struct imf_stage *stage, const double *values) {
    stage->deblur =
        (struct imf_deblur){.method = values[2] != 0 ? IMF_DEBLUR_TV : IMF_DEBLUR_WIENER,
                            .kernel = stage->kernel[0],
                            .noise = values[1],
                            .iterations = (int)values[3],
                            .first_x = 1,
                            .first_y = 1};
}

/* values: the kernel, noise, iterations. */
void imf_setup_rl(struct imf_stage *stage, const double *values) {
    stage->deblur = (struct imf_deblur){.method = IMF_DEBLUR_RL,
                                        .kernel = stage->kernel[0],
                                        .noise = values[1],
                                        .iterations = (int)values[2]};
}

void imf_setup_threshold(struct imf_stage *stage, const double *values) {
    if (values[0] < 0) { /* the word */
        stage->op = IMF_OP_HISTOGRAM;
        stage->histogram_op = IMF_HISTOGRAM_OTSU;
    } else {
        stage->threshold = values[0];
    }
}

void imf_setup_gamma(struct imf_stage *stage, const double *values) {
    stage->gamma = values[0];
}

void imf_setup_blend(struct imf_stage *stage, const double *values) {
    stage->blend = (enum imf_blend_mode)values[0];
    stage->amount = values[1];
}
