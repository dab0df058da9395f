/* canary_util.h - for tests of solvers: surfaces in which every byte that is written to is told */
#ifndef CANARY_UTIL_H
#define CANARY_UTIL_H

#include "base/surface.h"
#include "noise.h"
#include "solver/problem.h"

#include <stdlib.h>
#include <string.h>

#define PATTERN 0xa5

/* Of the pattern alone, with margins. */
static struct imf_surface surface(const struct imf_problem *p, enum imf_sample sample) {
    struct imf_surface s;
    if (imf_surface_layout(&s, sample, p->width, p->height, p->channels,
                           (struct imf_margin){70, 70, 1, 1}, NULL) ||
        imf_surface_alloc(&s, NULL))
        abort();
    memset(s.host, PATTERN, imf_surface_bytes(&s));
    return s;
}

/* Bytes that were written to beside the pixels and `slack` samples behind each row. */
static unsigned long spoilt(struct imf_surface *s, size_t slack) {
    size_t n = (size_t)s->width * (size_t)s->channels + slack;
    unsigned long wrong = 0;
    for (int y = 0; y < s->height; y++)
        memset(imf_surface_row(s, y), PATTERN, n * imf_sample_size(s->sample));
    for (size_t i = 0; i < imf_surface_bytes(s); i++)
        wrong += ((const unsigned char *)s->host)[i] != PATTERN;
    return wrong;
}

#endif
