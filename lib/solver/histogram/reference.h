/* reference.h - operations that map each sample value by the whole image's histogram */
#ifndef IMF_SOLVER_HISTOGRAM_REFERENCE_H
#define IMF_SOLVER_HISTOGRAM_REFERENCE_H

#include "solver/problem.h"

#define IMF_HISTOGRAM_SIZE 65536 /* values of 16-bit samples, the deepest */

/* Such results as samples of each type. */
union imf_histogram_map {
    uint8_t u8[IMF_HISTOGRAM_SIZE];
    uint16_t u16[IMF_HISTOGRAM_SIZE];
    float f32[IMF_HISTOGRAM_SIZE];
    double f64[IMF_HISTOGRAM_SIZE];
};

/* Set value[v] to the result for samples of value v = 0..full, epilogue included, where count[v]
 * samples of the image have the value v. */
void imf_histogram_op_map(double *value, const struct imf_problem *p, const uint64_t *count);
/* The greatest sample value of a problem: full scale. */
int imf_histogram_op_full(const struct imf_problem *p);

#endif
