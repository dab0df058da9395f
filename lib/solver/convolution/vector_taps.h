/* vector_taps.h - what solver/convolution/vector.c decides, and the tables that are made of it */
#ifndef IMF_SOLVER_CONVOLUTION_VECTOR_TAPS_H
#define IMF_SOLVER_CONVOLUTION_VECTOR_TAPS_H

#include "solver/convolution/dense_rows.h"
#include "solver/convolution/vector_rows.h"

/* All that is decided: the proposal's shape. */
struct imf_vector_shape {
    enum imf_vector_kind kind;
    bool narrow;    /* sums of 16 bits, of bytes; else floats */
    int rank;       /* separable: of so many terms, */
    double allowed; /* which leave at most so much of the kernel */
    struct imf_vector_end end;
    double ms; /* of one core */
};

/* As one product or, of real kernels, a sum of some, where that is fewer taps: sets rank and
 * allowed. The caller frees terms->store. */
bool imf_vector_find_terms(const struct imf_problem *p, struct imf_vector_shape *s,
                           struct imf_terms *terms);
/* The terms of such a shape again; false when memory ran out. */
bool imf_vector_terms(const struct imf_problem *p, const struct imf_vector_shape *s,
                      struct imf_terms *terms);

/* The tables of a shape that is not dense, with its terms, if it has some; false when its taps are
 * too many. */
bool imf_vector_fill(const struct imf_problem *p, const struct imf_vector_shape *s,
                     const struct imf_terms *terms, struct imf_vector_rows *w);
/* The tables of a dense shape. */
void imf_vector_fill_dense(const struct imf_problem *p, const struct imf_vector_shape *s,
                           struct imf_dense *d);

/* How far a real problem's result may be off before it is rounded, by the tables of its shape:
 * terms is NULL unless it is separable, w is NULL where it is dense. */
double imf_vector_error(const struct imf_problem *p, const struct imf_terms *terms,
                        const struct imf_vector_rows *w);

#endif
