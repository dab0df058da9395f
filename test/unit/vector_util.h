/* vector_util.h - for tests of the host's solvers: surfaces of noise, and passes in bands */
#ifndef VECTOR_UTIL_H
#define VECTOR_UTIL_H

#include "chain_util.h"
#include "check.h"
#include "noise.h"
#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

/* With margins as wide as the problem's reach, all of it noise within the samples' range. */
static struct imf_surface surface(const struct imf_problem *p, enum imf_sample sample,
                                  struct imf_margin margin) {
    struct imf_surface s;
    if (imf_surface_layout(&s, sample, p->width, p->height, p->channels, margin, NULL) ||
        imf_surface_alloc(&s, NULL))
        abort();
    for (size_t i = 0; i < s.size; i++)
        imf_sample_put(s.host, sample, (ptrdiff_t)i,
                       sample == IMF_F32 ? noise() % 100000 * (p->in_max / 100000)
                                         : noise() % 65536);
    return s;
}

/* In bands of so many rows. */
static inline void run(const struct imf_solver *solver, const struct imf_problem *p,
                       const struct imf_surface *in, const struct imf_surface *out, int rows) {
    struct imf_proposal proposal;
    struct imf_job *job = NULL;
    imf_propose(&proposal, solver, p, NULL);
    bool ran = proposal.feasible && !imf_job_make(&job, p, &proposal, NULL, NULL);
    for (int y = 0; y < p->height && ran; y += rows) {
        struct imf_surface from = *in, to = *out;
        from.origin += (size_t)y * in->pitch;
        to.origin += (size_t)y * out->pitch;
        from.height = to.height = imf_min(rows, p->height - y);
        ran = !imf_job_run(job, &from, &to, NULL);
    }
    CHECK(ran, "%s", proposal.why);
    imf_job_free(&job);
}

static inline unsigned long differing(const struct imf_surface *a, const struct imf_surface *b) {
    size_t row = (size_t)a->width * (size_t)a->channels * imf_sample_size(a->sample);
    unsigned long rows = 0;
    for (int y = 0; y < a->height; y++)
        rows += memcmp(imf_surface_row(a, y), imf_surface_row(b, y), row) != 0;
    return rows;
}

#endif
