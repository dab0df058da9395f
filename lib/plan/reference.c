/* reference.c - what plain C in float64 takes, pass by pass, to filter a whole image */
#include "plan/reference.h"

#include "plan/layout.h"

#include <math.h>

enum imf_status imf_reference_propose(const struct imf_chain *c, int i, enum imf_sample last,
                                      struct imf_proposal *chosen, struct imf_error *err) {
    const struct imf_pass *pass = &c->passes[i];
    struct imf_problem p = pass->problem;
    *chosen = (struct imf_proposal){.backend = IMF_BACKEND_CPU, .feasible = true, .step = 1};
    if (pass->kind != IMF_PASS_CONVOLVE)
        return IMF_OK;
    p.in = imf_chain_sample(c, pass->source + 1, true);
    p.out = i + 1 < c->count ? IMF_F64 : last;
    imf_propose_host(chosen, &p);
    return chosen->feasible ? IMF_OK : imf_fail(err, IMF_ERR_LIMIT, "%s", chosen->why);
}

double imf_reference_bytes(const struct imf_chain *c, bool *again) {
    struct imf_bands *bands;
    double bytes = 0;
    int channels = 0; /* of values that are compared, which are kept beside */
    *again = false;
    if (imf_bands_whole(&bands, c, NULL))
        return INFINITY;
    for (int i = 0; i <= c->count; i++) {
        struct imf_proposal chosen = {.solver = NULL};
        struct imf_surface s;
        if (imf_layout(bands, i, IMF_F64, &s, NULL) ||
            (i < c->count && imf_reference_propose(c, i, IMF_F64, &chosen, NULL)))
            bytes = INFINITY;
        else
            bytes += (double)imf_surface_bytes(&s) + chosen.bytes;
        if (i < c->count && !c->exact && !c->passes[i].exact && imf_chain_decides(c, i)) {
            *again = true;
            int kept = isfinite(imf_pass_jump(&c->passes[i])) + (imf_pass_hides(&c->passes[i]) > 0);
            channels = imf_max(channels, kept * c->passes[i].channels_out);
        }
    }
    imf_bands_free(&bands);
    return bytes + (double)c->width * c->height * channels * sizeof(double);
}
