/*
 * tv_weights.c - how much total variation costs (tv.c)
 *
 * lambda is WEIGHT over the gradients' standard deviation in the model of the picture: gradients of pictures
 * have tails, so that most are smaller than that.
 */
#include "solver/restore/deblur.h"

#include <math.h>

#define WEIGHT 1.0  /* of lambda: 0.7 leaves 1.5 times the overshoot, 1.4 costs 0.2 dB */
#define PENALTY 5.0 /* of rho, over the gradients' variance: 2 and 10 converge more slowly */

/* The variance of gradients of scenes with the model's spectrum. */
static double gradient_variance(const struct imf_deblur_model *m) {
    enum { CELLS = 128 };
    const double pi = 3.14159265358979323846;
    double sum = 0;
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            double u = (i + 0.5) / (2 * CELLS), v = (j + 0.5) / (2 * CELLS);
            double gain = 4 * (pow(sin(pi * u), 2) + pow(sin(pi * v), 2));
            sum += gain * exp(-log(u * u + v * v) * m->slope / 2);
        }
    return m->power * sum / (CELLS * CELLS);
}

struct imf_deblur_tv_weights imf_deblur_tv_weights(const struct imf_deblur_model *m) {
    double variance = gradient_variance(m);
    return (struct imf_deblur_tv_weights){.weight = m->noise * PENALTY / variance,
                                          .limit = sqrt(variance) * WEIGHT / PENALTY};
}
