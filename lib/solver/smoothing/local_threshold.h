/*
 * local_threshold.h - a sample against the mean and the spread of the window around it
 *
 * In a window of n samples, of mean m and standard deviation s, the sample x at its centre becomes
 * full scale where
 *
 *      local:    x > m - OFFSET full             (Wellner, Xerox EuroPARC EPC-93-110, 1993, on windows)
 *      sauvola:  x > m (1 + k (s / (full / 2) - 1))  (Sauvola and Pietikainen, Pattern Recognition 33, 2000)
 *
 * and 0 elsewhere. Samples are first rounded to the image's depth, so that sums over windows, of
 * samples and of squares, are integers below 2^53. The first formula times n is one of integers, where
 * n OFFSET full is rounded up. The second is evaluated in float64, in the order in which it is
 * written here and in scikit-image's threshold_sauvola(), by operations that IEEE 754 rounds
 * correctly. So both give the same results everywhere.
 */
#ifndef IMF_SOLVER_SMOOTHING_LOCAL_THRESHOLD_H
#define IMF_SOLVER_SMOOTHING_LOCAL_THRESHOLD_H

#include "solver/problem.h"

#include <math.h>

struct imf_local_threshold {
    bool sauvola;
    int side;       /* of a window */
    double count;   /* of samples in it */
    double add;     /* local: count * OFFSET * full scale, rounded up */
    double k, half; /* sauvola: `half` of full scale */
};

void imf_local_threshold_make(struct imf_local_threshold *t, const struct imf_problem *p);

/* Whether a sample is above the threshold of its window's sums, of samples and of their squares. */
static inline bool imf_local_threshold_passes(const struct imf_local_threshold *t, double x,
                                              double sum, double squares) {
    if (!t->sauvola)
        return t->count * x - sum + t->add > 0;
    double mean = sum / t->count, variance = squares / t->count - mean * mean;
    double spread = sqrt(variance > 0 ? variance : 0);
    return x > mean * (1 + t->k * (spread / t->half - 1));
}

#endif
