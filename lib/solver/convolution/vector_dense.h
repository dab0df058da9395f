/* vector_dense.h - kernels with few zero taps: several output rows at a time */
#ifndef IMF_SOLVER_CONVOLUTION_VECTOR_DENSE_H
#define IMF_SOLVER_CONVOLUTION_VECTOR_DENSE_H

#include "solver/convolution/vector_rows.h"

#define IMF_DENSE_ROWS 4  /* output rows that share loaded samples */
#define IMF_DENSE_SIDE 31 /* largest width or height: the FFT is faster for larger kernels */

struct imf_dense {
    struct imf_vector_end end;
    float tap[IMF_DENSE_SIDE * IMF_DENSE_SIDE];
};

/* Bytes of imf_vector_dense()'s store. */
size_t imf_dense_bytes(const struct imf_problem *p);

/* Filter output rows first..end - 1; samples are not IMF_F64. Reads and writes up to IMF_SLACK samples
 * behind a row. */
void imf_vector_dense(const struct imf_dense *d, const struct imf_problem *p,
                      const struct imf_surface *in, const struct imf_surface *out, int first,
                      int end, void *store);

#endif
