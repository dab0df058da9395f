/* canary_util.h - for tests of solvers: surfaces in which every byte that is written to is told */
#ifndef CANARY_UTIL_H
#define CANARY_UTIL_H

#include "base/surface.h"
#include "check.h"
#include "noise.h"
#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

#define PATTERN 0xa5

/* Of the pattern alone, with margins. */
static struct imf_surface surface(const struct imf_problem *p, enum imf_sample sample) {
    struct imf_margin margin = {imf_max(70, p->reach.left), imf_max(70, p->reach.right),
                                imf_max(1, p->reach.top), imf_max(1, p->reach.bottom)};
    struct imf_surface s;
    if (imf_surface_layout(&s, sample, p->width, p->height, p->channels, margin, NULL) ||
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

/* Run a solver that takes the whole image, twice: nothing is left over from the first time. */
static inline void run_whole(const struct imf_solver *solver, const struct imf_problem *p,
                             const struct imf_surface *in, const struct imf_surface *out) {
    struct imf_proposal proposal;
    struct imf_job *job = NULL;
    imf_propose(&proposal, solver, p, NULL);
    bool ran = proposal.feasible && !imf_job_make(&job, p, &proposal, NULL, NULL) &&
               !imf_job_run(job, in, out, NULL) && !imf_job_run(job, in, out, NULL);
    CHECK(ran && proposal.bands >= IMF_BANDS_TWICE, "%s", proposal.why);
    imf_job_free(&job);
}

/* Rows that differ, and bytes of `got` outside of them and their slack that were written to. */
static inline unsigned long differing_rows(const struct imf_surface *want,
                                           struct imf_surface *got) {
    size_t size = imf_sample_size(got->sample), n = (size_t)got->width * (size_t)got->channels;
    unsigned long wrong = 0;
    for (int y = 0; y < got->height; y++)
        wrong += memcmp(imf_surface_row(want, y), imf_surface_row(got, y), n * size) != 0;
    return wrong + spoilt(got, IMF_SLACK);
}

#endif
