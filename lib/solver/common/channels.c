/* channels.c - for solvers that work on one channel at a time */
#include "solver/common/channels.h"

#define CHUNK 512 /* samples that are converted at a time */

void imf_channel_read(double *restrict to, const struct imf_surface *s, int channel, int y, int x,
                      int count) {
    imf_channel_widen(to, imf_surface_row(s, y), s->sample, (ptrdiff_t)x * s->channels + channel,
                      s->channels, (size_t)count);
}

void imf_channel_finish(const struct imf_problem *p, const struct imf_surface *s, int channel,
                        int y, int x, double *v, int count) {
    if (channel < p->colors)
        imf_epilogue_sums(&p->epilogue, v, (size_t)count);
    imf_channel_narrow(imf_surface_row(s, y), s->sample, (ptrdiff_t)x * s->channels + channel,
                       s->channels, v, (size_t)count);
}

struct copy {
    const struct imf_problem *p;
    const struct imf_surface *in, *out;
    int first;
};

static void copy_row(void *data, int y) {
    const struct copy *copy = data;
    double values[CHUNK];
    for (int x = 0; x < copy->in->width; x += CHUNK)
        for (int c = copy->first; c < copy->in->channels; c++) {
            int count = imf_min(CHUNK, copy->in->width - x);
            imf_channel_read(values, copy->in, c, y, x, count);
            imf_channel_finish(copy->p, copy->out, c, y, x, values, count);
        }
}

void imf_channels_copy(const struct imf_problem *p, const struct imf_surface *in,
                       const struct imf_surface *out, int first, struct imf_pool *pool) {
    struct copy copy = {p, in, out, first};
    if (first < in->channels)
        imf_parallel(pool, in->height, copy_row, &copy);
}
