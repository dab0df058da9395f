/* fit.h - rates that explain measured times */
#ifndef IMF_DEVICE_FIT_H
#define IMF_DEVICE_FIT_H

#include <stddef.h>
#include <stdint.h>

enum { IMF_FIT_COSTS = 32 }; /* at most */

/* Measured times, and a model of costs. A cost is the time of an operation: the inverse of a rate. */
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
 * Find the factors by which costs differ from the model's. Times count by their ratio to
 * the estimate; outliers, as when others used the machine, count for little. A cost that the times
 * do not determine gets the common factor; *determined: the bits of the others. Returns the
 * remaining error: the geometric mean of the ratios, the larger over the smaller; *before: the error
 * without factors. INFINITY: memory ran out.
 */
double imf_fit_costs(const struct imf_fit *fit, double *factor, double *before,
                     uint32_t *determined);

#endif
