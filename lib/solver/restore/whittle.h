/*
 * whittle.h - a picture's noise and the power of its scene, and a blur, from its spectrum
 */
#ifndef IMF_SOLVER_RESTORE_WHITTLE_H
#define IMF_SOLVER_RESTORE_WHITTLE_H

#include "base/thread_pool.h"
#include "solver/problem.h"

/* Noise counts times this: taking it for half of what it is costs 1.2 dB, for twice 0.3 dB. */
#define IMF_DEBLUR_NOISE 1.5

/* Largest blurs that are looked for. */
#define IMF_BLIND_SIGMA 8
#define IMF_BLIND_RADIUS 15
/* A gaussian below this is no blur: nothing is to be gained. */
#define IMF_BLIND_SHARP 0.5

/* Spectral power of the scene is power * f^-slope, with f in cycles a pixel; of the noise it is `noise`, the
 * variance of a sample. */
struct imf_deblur_model {
    double power, slope, noise;
};

/* What is found in a picture whose blur is not known. */
struct imf_blind {
    bool disk;
    double size;   /* sigma or radius in pixels; 0: the picture is too small to tell */
    bool directed; /* it is neither: the spectrum has a direction, as by motion */
};

/* Of samples. */
struct imf_whittle_scale {
    double least; /* standard deviation of noise */
    double unit;  /* full scale */
};

/* Fit the model to the first `colors` channels of a surface in host memory: mean spectra of windows of
 * them. noise >= 0: known, the standard deviation of a sample. NULL as pool: all cores. */
enum imf_status imf_whittle_fit(struct imf_deblur_model *out, const struct imf_surface *in,
                                int colors, const struct imf_kernel *blur, double noise,
                                struct imf_whittle_scale scale, struct imf_pool *pool,
                                struct imf_error *err);
/* Fit the model to powers, from this slope on; `noise` negative: that too; `sloped`: the slope. Returns the sum that is
 * least, INFINITY for too few frequencies. */
#define IMF_WHITTLE_FEWEST 16
struct imf_powers;
double imf_whittle_model(struct imf_deblur_model *m, const struct imf_powers *p, double noise,
                         const struct imf_whittle_scale *scale, double slope, bool sloped);
/* The blur that is most likely (blind.c). */
enum imf_status imf_whittle_blind(struct imf_blind *out, const struct imf_surface *in, int colors,
                                  struct imf_whittle_scale scale, struct imf_pool *pool,
                                  struct imf_error *err);

#endif
