/* vector_taps.h - the shapes that solver/convolution/vector.c chooses from, and their tables */
#ifndef IMF_SOLVER_CONVOLUTION_VECTOR_TAPS_H
#define IMF_SOLVER_CONVOLUTION_VECTOR_TAPS_H

#include "solver/convolution/vector_dense.h"
#include "solver/convolution/vector_rows.h"

/* All that is decided: the proposal's shape. */
struct imf_vector_shape {
    enum imf_vector_kind kind;
    bool narrow;    /* sums of bytes in 16 bits; else in floats */
    int rank;       /* separable: number of terms */
    double allowed; /* of a kernel that is no product: sum of |taps| that terms may leave out */
    struct imf_vector_end end;
    double ms; /* on one core */
};

/* The kernel as one product of a column and a row or, if real, as a sum of such products; false unless
 * that is fewer taps. Sets rank and allowed. The caller frees terms->store. */
bool imf_vector_find_terms(const struct imf_problem *p, struct imf_vector_shape *s,
                           struct imf_terms *terms);

/* Fill the tables of a shape that is not dense; `terms` are used if it is separable. Returns false if
 * there are too many taps. */
bool imf_vector_fill(const struct imf_problem *p, const struct imf_vector_shape *s,
                     const struct imf_terms *terms, struct imf_vector_rows *w);
/* Fill the tables of a dense shape. */
void imf_vector_fill_dense(const struct imf_problem *p, const struct imf_vector_shape *s,
                           struct imf_dense *d);

/* Bound of the error of a real problem's result before rounding. terms is NULL unless the shape is
 * separable; w is NULL if it is dense. */
double imf_vector_error(const struct imf_problem *p, const struct imf_terms *terms,
                        const struct imf_vector_rows *w);

#endif
