/* sums.c - what solvers share that add up products */
#include "solver/convolution/sums.h"

#include <math.h>

const struct imf_acc_type imf_acc_types[] = {
    [IMF_ACC_SHORT] = {"short", 2, IMF_WIDTH_16, "16-bit integers"},
    [IMF_ACC_FLOAT] = {"float", 4, IMF_WIDTH_32, "float32"},
    [IMF_ACC_INT] = {"int", 4, IMF_WIDTH_INT, "32-bit integers"},
    [IMF_ACC_LONG] = {"long", 8, IMF_WIDTH_64, "64-bit integers"},
};

void imf_define_taps(struct imf_defines *d, const char *name, const double *taps, size_t n,
                     enum imf_acc acc) {
    (acc == IMF_ACC_FLOAT ? imf_define_floats : imf_define_ints)(d, name, taps, n);
}

double imf_sum_abs(const double *taps, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(taps[i]);
    return sum;
}

int imf_taps_symmetry(const double *taps, size_t n) {
    bool even = true, odd = true;
    for (size_t i = 0; i < n; i++) {
        even = even && taps[i] == taps[n - 1 - i];
        odd = odd && taps[i] == -taps[n - 1 - i];
    }
    return n == 1 ? 0 : even ? 1 : odd ? -1 : 0;
}

bool imf_refuse_error(struct imf_proposal *out, double error, double allowed) {
    if (error > allowed)
        imf_proposal_refuse(out,
                            "float32 sums would be off by up to %.2g, more than the %.2g allowed",
                            error, allowed);
    return error > allowed;
}

bool imf_refuse_scaled_magnitude(struct imf_proposal *out, const struct imf_problem *p) {
    bool refused = p->exact && p->kind == IMF_MAGNITUDE && fabs(p->epilogue.scale) != 1;
    if (refused)
        imf_proposal_refuse(out, "an exact magnitude needs scale 1");
    return refused;
}

size_t imf_first_tap(const struct imf_surface *in, const struct imf_kernel *k) {
    return in->origin - (size_t)k->cy * in->pitch - (size_t)(k->cx * in->channels);
}
