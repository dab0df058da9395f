/* layout.c - the surfaces that a chain is run on, and the bytes that they and its solvers take */
#include "plan/layout.h"

#include <math.h>

enum imf_status imf_layout(const struct imf_chain *c, const struct imf_bands *bands, int i,
                           enum imf_sample last, struct imf_surface *s, struct imf_error *err) {
    enum imf_sample sample = i == 0          ? c->in
                             : i == c->count ? last
                             : bands         ? c->passes[i - 1].out
                                             : IMF_F64;
    int channels = i == 0 ? c->channels_in : c->passes[i - 1].channels_out;
    int rows = bands ? bands->window[i].rows : 0;
    struct imf_margin m = imf_chain_margin(c, i - 1);
    if (rows) /* a window's vertical margins are rows like the others */
        m.top = m.bottom = 0;
    return imf_surface_layout(s, sample, c->width, rows ? rows : c->height, channels, m, err);
}

double imf_layout_bytes(const struct imf_chain *c, const struct imf_proposal *taken,
                        const struct imf_bands *bands, const struct imf_device *d) {
    double total = 0;
    for (int i = 0; i <= c->count; i++) {
        struct imf_surface s;
        if (imf_layout(c, bands, i, c->out, &s, NULL) ||
            (d && (s.pitch > INT32_MAX || imf_surface_bytes(&s) > d->max_alloc)))
            total = INFINITY;
        else
            total += (double)imf_surface_bytes(&s);
        if (i < c->count)
            total += taken[i].bytes;
    }
    return total;
}
