/* sums.h - what solvers share that add up products: types of sums, and what is known of taps */
#ifndef IMF_SOLVER_CONVOLUTION_SUMS_H
#define IMF_SOLVER_CONVOLUTION_SUMS_H

#include "device/tuning.h"
#include "solver/solver.h"

/* Types of sums on devices. */
enum imf_acc { IMF_ACC_SHORT, IMF_ACC_FLOAT, IMF_ACC_INT, IMF_ACC_LONG };

struct imf_acc_type {
    const char *name;
    size_t size;
    enum imf_width width;
    const char *text;
};
extern const struct imf_acc_type imf_acc_types[];

/* "#define name taps", as literals of this type. */
void imf_define_taps(struct imf_defines *d, const char *name, const double *taps, size_t n,
                     enum imf_acc acc);

static inline size_t imf_tap_count(const struct imf_kernel *k) {
    return (size_t)k->width * (size_t)k->height;
}
double imf_sum_abs(const double *taps, size_t n);
/* 1: taps mirror each other, -1: with opposite sign, 0: neither. */
int imf_taps_symmetry(const double *taps, size_t n);

/* Refuse a problem whose error exceeds what is allowed; or an exact magnitude with a scale. False: it is
 * not refused. */
bool imf_refuse_error(struct imf_proposal *out, double error, double allowed);
bool imf_refuse_scaled_magnitude(struct imf_proposal *out, const struct imf_problem *p);

/* The sample under the first tap of pixel (0, 0), on a device. */
size_t imf_first_tap(const struct imf_surface *in, const struct imf_kernel *k);

#endif
