/* verify.c - compare an output with the reference, by the contract's exactness */
#include "run/verify.h"

#include "run/exec.h"

#include <math.h>

static void compare_row(const struct imf_chain *c, const double *want, const void *got, size_t n,
                        struct imf_report *r) {
    double max = imf_sample_max(c->out);
    for (size_t i = 0; i < n; i++) {
        double clamped = fmin(fmax(want[i], 0), max);
        double have = imf_sample_get(got, c->out, (ptrdiff_t)i);
        double difference = fabs(have - rint(clamped));
        if (difference == 0)
            continue;
        bool excused =
            !c->exact && (c->out == IMF_U16 ? difference <= 1 : fabs(have - clamped) <= 0.5 + 1e-3);
        r->verify_differing++;
        r->verify_max = fmax(r->verify_max, difference);
        r->verify_unexcused += !excused;
    }
}

enum imf_status imf_verify(const struct imf_chain *c, const struct imf_surface *in,
                           const struct imf_surface *out, struct imf_report *r,
                           struct imf_error *err) {
    struct imf_exec *reference = NULL;
    enum imf_status st = imf_exec_make_host(&reference, c, IMF_F64, err);
    if (st)
        return st;
    imf_surface_copy(imf_exec_map_input(reference, err), in);
    st = imf_exec_run(reference, err);
    if (!st) {
        const struct imf_surface *want = imf_exec_map_output(reference, err);
        size_t n = (size_t)c->width * (size_t)c->channels_out;
        r->verified = true;
        r->verify_max = 0;
        r->verify_differing = r->verify_unexcused = 0;
        r->verify_samples = (uint64_t)n * (uint64_t)c->height;
        for (int y = 0; y < c->height; y++)
            compare_row(c, imf_surface_row(want, y), imf_surface_row(out, y), n, r);
        r->verify_ok = r->verify_unexcused == 0;
    }
    imf_exec_free(&reference);
    return st;
}
