/* fit.h - rates that explain measured times */
#ifndef IMF_DEVICE_FIT_H
#define IMF_DEVICE_FIT_H

#include <stddef.h>
#include <stdint.h>

enum { IMF_FIT_COSTS = 32 }; /* at most */

/* Times that were measured, and what a model makes of costs. A cost is what an operation takes: the
 * inverse of a rate. */
struct imf_fit {
    size_t costs, times;
    const double *measured; /* each above 0 */
    /* Estimate of time i with each cost times its factor; above 0. */
    double (*estimate)(void *data, size_t i, const double *factor);
    /* The costs that count for time i, as a set of bits. */
    uint32_t (*uses)(void *data, size_t i);
    void *data;
};

/*
 * Find the factors by which costs differ from the model's. Times count by their ratio to the
 * estimate; those that no factors explain, as others used the machine, count for little. What the
 * times do not determine goes with the rest; *determined: the others, as a set of bits. Returns by how
 * much estimates are still off: the geometric mean of the ratios, the larger over the smaller;
 * *before: as they were.
 */
double imf_fit_costs(const struct imf_fit *fit, double *factor, double *before,
                     uint32_t *determined);

#endif
