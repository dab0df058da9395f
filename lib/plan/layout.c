/* layout.c - the surfaces of a chain, and the bytes that they and its solvers take */
#include "plan/layout.h"

#include <math.h>

enum imf_status imf_layout(const struct imf_bands *bands, int i, enum imf_sample last,
                           struct imf_surface *s, struct imf_error *err) {
    const struct imf_chain *c = bands->chain;
    enum imf_sample sample = i == c->count ? last : imf_chain_sample(c, i, bands->float64);
    int channels = i == 0 ? c->channels_in : c->passes[i - 1].channels_out;
    int rows = bands->window[i].rows;
    struct imf_margin m = imf_chain_margin(c, i - 1);
    if (rows) /* a window's vertical margins are among its rows */
        m.top = m.bottom = 0;
    return imf_surface_layout(s, sample, c->width, rows ? rows : c->height, channels, m, err);
}

/* Of a part, whole rows are kept until its result lies between their sides: those of three bands. */
static double kept_bytes(const struct imf_bands *bands) {
    const struct imf_chain *c = bands->chain;
    return c->kept_row * (bands->streams ? fmin(3 * bands->window[0].rows, c->height) : c->height);
}

double imf_layout_surfaces(const struct imf_bands *bands, const struct imf_device *d) {
    const struct imf_chain *c = bands->chain;
    double total = kept_bytes(bands);
    for (int i = 0; i <= c->count; i++) {
        struct imf_surface s;
        int storages = bands->streams && (i == 0 || i == c->count) ? 2 : 1;
        if (imf_layout(bands, i, c->out, &s, NULL) ||
            (d && (s.pitch > INT32_MAX || imf_surface_bytes(&s) > d->max_alloc)))
            total = INFINITY;
        else
            total += storages * (double)imf_surface_bytes(&s);
    }
    return total;
}

double imf_layout_bytes(const struct imf_bands *bands, const struct imf_proposal *chosen,
                        const struct imf_device *d) {
    double total = imf_layout_surfaces(bands, d);
    for (int i = 0; i < bands->chain->count; i++)
        total += chosen[i].bytes;
    return total;
}
