/* missing.c - samples of floats that are not there */
#include "run/pipeline/missing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int wrapped(int i, int n) {
    return (i % n + n) % n;
}

static bool wraps(const struct imf_missing *m) {
    return m->chain->edge == IMF_EDGE_WRAP;
}

static unsigned char *holes_of(const struct imf_missing *m, int y) {
    return m->holes + (size_t)(y % m->rows) * (size_t)m->chain->width;
}

enum imf_status imf_missing_open(struct imf_missing *m, const struct imf_chain *chain, int rows,
                                 struct imf_error *err) {
    int64_t kept = (int64_t)rows + chain->lost.top + chain->lost.bottom + 1;
    size_t width = (size_t)chain->width, bytes = 0;
    *m = (struct imf_missing){.chain = chain};
    m->rows = wraps(m) || kept > chain->height ? chain->height : (int)kept;
    m->lost = malloc(width);
    if (imf_size_mul(width, (size_t)m->rows, &bytes))
        m->holes = malloc(bytes);
    return m->lost && m->holes ? IMF_OK : imf_fail_memory(err, bytes);
}

void imf_missing_close(struct imf_missing *m) {
    free(m->holes);
    free(m->lost);
    m->holes = m->lost = NULL;
}

/* Pixel x is missing: mark those that read it, to its right as far as they read to their left. */
static void mark(const struct imf_missing *m, unsigned char *holes, int x) {
    int width = m->chain->width, from = x - m->chain->lost.right, to = x + m->chain->lost.left;
    if (wraps(m))
        for (int i = from; i <= to && i < from + width; i++)
            holes[wrapped(i, width)] = 1;
    else
        memset(holes + imf_max(from, 0), 1,
               (size_t)(imf_min(to, width - 1) - imf_max(from, 0) + 1));
}

#define SPREAD(type)                                                                               \
    for (int x = 0; x < c->width; x++) {                                                           \
        const type *v = (const type *)from + (ptrdiff_t)x * n;                                     \
        type *pixel = (type *)to + (ptrdiff_t)x * (n + 1);                                         \
        bool hole = false;                                                                         \
        for (int k = 0; k < n; k++)                                                                \
            hole = hole || isnan(v[k]);                                                            \
        for (int k = 0; k < n; k++)                                                                \
            pixel[k] = hole ? 0 : v[k];                                                            \
        pixel[n] = hole ? 0 : (type)c->full;                                                       \
        if (hole)                                                                                  \
            mark(m, holes, x);                                                                     \
    }

void imf_missing_spread(const struct imf_missing *m, void *to, const void *from, int y) {
    const struct imf_chain *c = m->chain;
    int n = c->channels_in - 1;
    unsigned char *holes = memset(holes_of(m, y), 0, (size_t)c->width);
    if (c->in == IMF_F32)
        SPREAD(float)
    else
        SPREAD(double)
}

void imf_missing_gather(const struct imf_missing *m, void *to, enum imf_sample sample, int channels,
                        const void *from, int y) {
    const struct imf_chain *c = m->chain;
    size_t size = imf_sample_size(sample), pixel = (size_t)channels * size;
    int first = y - c->lost.top, last = y + c->lost.bottom;
    first = wraps(m) ? first : imf_max(first, 0);
    last = imf_min(last, wraps(m) ? first + c->height - 1 : c->height - 1);
    memset(m->lost, 0, (size_t)c->width);
    for (int i = first; i <= last; i++) {
        const unsigned char *holes = holes_of(m, wrapped(i, c->height));
        for (int x = 0; x < c->width; x++)
            m->lost[x] |= holes[x];
    }
    for (int x = 0; x < c->width; x++) {
        char *made = (char *)to + (size_t)x * pixel;
        memcpy(made, (const char *)from + (size_t)x * (pixel + size), pixel);
        for (int k = 0; m->lost[x] && k < channels; k++)
            imf_sample_put(made, sample, k, NAN);
    }
}
