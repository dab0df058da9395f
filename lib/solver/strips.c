/* strips.c - a pass cut into strips for the host's cores */
#include "solver/strips.h"

#include "base/thread_pool.h"

/* Strips for each core, so that cores end at about the same time. */
#define EACH 4

struct imf_strips imf_strips_cut_by(int step, int samples, int height, int most, int least_rows) {
    struct imf_strips s = {.samples = samples, .height = height};
    int across = (samples - 1) / most + 1, wanted = EACH * imf_cores();
    s.width = ((samples - 1) / across / step + 1) * step;
    s.across = (samples - 1) / s.width + 1;
    int down = (wanted - 1) / s.across + 1;
    s.rows = imf_max((height - 1) / down + 1, imf_min(least_rows, height));
    /* Too few for the cores: take lower strips, although more halo rows are computed twice. */
    if (s.across * ((height - 1) / s.rows + 1) < imf_cores())
        s.rows = (height - 1) / ((imf_cores() - 1) / s.across + 1) + 1;
    s.count = s.across * ((height - 1) / s.rows + 1);
    return s;
}

struct imf_strips imf_strips_cut(int samples, int height, int most, int least_rows) {
    return imf_strips_cut_by(IMF_SLACK, samples, height, most, least_rows);
}

void imf_strips_align(struct imf_strips *s, int block) {
    if (s->rows > block)
        s->rows -= s->rows % block;
    s->count = s->across * ((s->height - 1) / s->rows + 1);
}

struct imf_strip_area imf_strips_at(const struct imf_strips *s, int index) {
    struct imf_strip_area strip = {.x = index % s->across * s->width,
                                   .y = index / s->across * s->rows};
    strip.n = imf_min(s->width, s->samples - strip.x);
    strip.end = imf_min(strip.y + s->rows, s->height);
    return strip;
}
