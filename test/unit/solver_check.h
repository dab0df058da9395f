/*
 * solver_check.h - for tests of the host's solvers: each that proposes to do a problem, beside the plain one
 *
 * It runs on the whole image, twice if it takes no other, since nothing of one may be left for the next, and in bands. Its
 * surface is full of a pattern, which whatever lies outside of the pixels and their slack must still hold.
 */
#ifndef SOLVER_CHECK_H
#define SOLVER_CHECK_H

#include "chain_util.h"
#include "check.h"
#include "noise.h"
#include "solver/common/edge.h"
#include "solver/solver.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN 0xa5

/* Of the pattern alone, with margins that are at least the problem's reach. */
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

/* The same with noise in it, margins and all: integers of the whole range, or floats from 0 to the problem's largest. */
static inline struct imf_surface noisy(const struct imf_problem *p, enum imf_sample sample) {
    struct imf_surface s = surface(p, sample);
    for (size_t i = 0; i < s.size; i++)
        imf_sample_put(s.host, sample, (ptrdiff_t)i,
                       sample >= IMF_F32 ? noise() % 100000 * (p->in_max / 100000)
                                         : noise() % (uint32_t)(imf_sample_max(sample) + 1));
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

/* Measured, if that is the solver's way, and made, in bands of so many rows, `times` times. */
static void run_in_bands(const struct imf_proposal *proposal, const struct imf_problem *p,
                         const struct imf_surface *in, const struct imf_surface *out, int rows,
                         int times) {
    struct imf_error err = {.text = ""};
    struct imf_job *job = NULL;
    bool measures = proposal->bands == IMF_BANDS_TWICE && rows < p->height;
    bool ran = proposal->feasible && !imf_job_make(&job, p, proposal, NULL, &err);
    for (int time = measures ? -1 : 0; time < times; time++)
        for (int y = 0; y < p->height && ran; y += rows) {
            struct imf_surface from = *in, to = *out;
            from.row = to.row = y;
            from.origin += (size_t)y * in->pitch;
            to.origin += (size_t)y * out->pitch;
            from.height = to.height = imf_min(rows, p->height - y);
            ran = !(time < 0 ? imf_job_measure(job, &from, &err)
                             : imf_job_run(job, &from, &to, &err));
        }
    CHECK(ran, "%s %s", proposal->why, err.text);
    imf_job_free(&job);
}

/* Once, in bands of so many rows. */
static inline void run(const struct imf_solver *solver, const struct imf_problem *p,
                       const struct imf_surface *in, const struct imf_surface *out, int rows) {
    struct imf_proposal proposal;
    imf_propose(&proposal, solver, p, NULL);
    run_in_bands(&proposal, p, in, out, rows, 1);
}

/* A solver that takes the whole image, twice: nothing is left over from the first time. */
static inline void run_whole(const struct imf_solver *solver, const struct imf_problem *p,
                             const struct imf_surface *in, const struct imf_surface *out) {
    struct imf_proposal proposal;
    imf_propose(&proposal, solver, p, NULL);
    CHECK(proposal.bands >= IMF_BANDS_TWICE, "%s", proposal.why);
    run_in_bands(&proposal, p, in, out, p->height, 2);
}

static inline unsigned long differing(const struct imf_surface *a, const struct imf_surface *b) {
    size_t row = (size_t)a->width * (size_t)a->channels * imf_sample_size(a->sample);
    unsigned long rows = 0;
    for (int y = 0; y < a->height; y++)
        rows += memcmp(imf_surface_row(a, y), imf_surface_row(b, y), row) != 0;
    return rows;
}

/* A solver gives the bytes of `want` in bands of each of these numbers of rows, of which 0 is behind the last. */
static inline void check_bands(const char *what, const struct imf_solver *solver,
                               const struct imf_problem *p, const struct imf_surface *in,
                               const struct imf_surface *want, const int *rows) {
    for (; *rows; rows++) {
        struct imf_surface got = surface(p, p->out);
        run(solver, p, in, &got, *rows);
        unsigned long wrong = differing(want, &got);
        CHECK(wrong == 0, "%s, %dx%d, %d channels, bands of %d: %lu rows differ", what, p->width,
              p->height, p->channels, *rows, wrong);
        imf_surface_free(&got);
    }
}

/* What plain sums of products are in float64, and how far floats are from that. */
static inline struct imf_surface exact_sums(const struct imf_problem *p,
                                            const struct imf_surface *in) {
    struct imf_problem wide = *p;
    wide.out = IMF_F64;
    struct imf_surface want = surface(&wide, IMF_F64);
    run(&imf_solver_host, &wide, in, &want, p->height);
    return want;
}

static inline double farthest(const struct imf_surface *got, const struct imf_surface *want) {
    double worst = 0;
    for (int y = 0; y < got->height; y++)
        for (int i = 0; i < got->width * got->channels; i++)
            worst = fmax(worst, fabs(imf_sample_get(imf_surface_row(got, y), IMF_F32, i) -
                                     imf_sample_get(imf_surface_row(want, y), IMF_F64, i)));
    return worst;
}

/* On all cores, and on one of them. */
static inline void check_on_cores(void (*check)(void)) {
    cpu_set_t all, one;
    check();
    if (sched_getaffinity(0, sizeof all, &all) || CPU_COUNT(&all) < 2)
        return;
    int first = 0;
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHECK(!sched_setaffinity(0, sizeof one, &one), "one core");
    check();
}

/* A check of a problem, whose result may be off by `most` from float64, once that is limited to integers' range; 0: the
 * plain solver's own bytes. */
struct solver_check {
    const char *what;
    const struct imf_problem *p;
    const struct imf_surface *in; /* margins and all */
    double most;
    bool colors; /* alone: alpha is not compared */
    int rows;    /* of a band, times what the solver takes; 0: only the whole image */
    size_t slack;
    void (*look)(const struct imf_problem *p, const struct imf_surface *want); /* or NULL */
};

/* What results of the contract may be off by. */
static inline double solver_tolerance(const struct imf_problem *p) {
    return p->out == IMF_U16 ? 1 : p->out == IMF_U8 ? 0.5 + 1.0 / 32 : p->in_max / 255 / 32;
}

static unsigned long samples_off(const struct solver_check *c, const struct imf_surface *want,
                                 const struct imf_surface *got) {
    const struct imf_problem *p = c->p;
    unsigned long wrong = 0;
    for (int y = 0; y < p->height; y++)
        for (ptrdiff_t i = 0; i < (ptrdiff_t)p->width * p->channels; i++) {
            double v = imf_sample_get(imf_surface_row(want, y), want->sample, i);
            double limited = p->out >= IMF_F32 ? v : fmin(fmax(v, 0), imf_sample_max(p->out));
            double off = fabs(imf_sample_get(imf_surface_row(got, y), p->out, i) - limited);
            wrong += (!c->colors || i % p->channels < p->colors) && !(off <= c->most);
        }
    return wrong;
}

static inline void check_solver(const struct solver_check *c, const struct imf_proposal *one,
                                const struct imf_surface *want) {
    const struct imf_problem *p = c->p;
    struct imf_surface whole = surface(p, p->out), bands = surface(p, p->out);
    int rows = one->bands == IMF_BANDS_WHOLE ? 0 : c->rows * one->step;
    run_in_bands(one, p, c->in, &whole, p->height, one->bands >= IMF_BANDS_TWICE ? 2 : 1);
    if (rows)
        run_in_bands(one, p, c->in, &bands, rows, 1);
    unsigned long wrong =
        c->most > 0 || c->colors ? samples_off(c, want, &whole) : differing(want, &whole);
    unsigned long apart = rows ? differing(&whole, &bands) : 0;
    unsigned long broken = spoilt(&whole, c->slack) + spoilt(&bands, c->slack);
    CHECK(!wrong && !apart && !broken,
          "%s by %s, %dx%d, %d of %d channels, %d to %d, edge %d: %lu wrong, %lu rows differ in "
          "bands of %d, %lu bytes overwritten",
          c->what, one->description, p->width, p->height, p->colors, p->channels, p->in, p->out,
          p->edge, wrong, apart, rows, broken);
    imf_surface_free(&whole);
    imf_surface_free(&bands);
}

/* Each solver by the host's vectors that takes the problem; their number. */
static inline int check_solvers(const struct solver_check *c) {
    struct imf_problem reference = *c->p;
    struct imf_proposal one;
    int count = 0;
    reference.out = c->most > 0 ? IMF_F64 : c->p->out;
    struct imf_surface want = surface(&reference, reference.out);
    imf_propose_host(&one, &reference);
    run_in_bands(&one, &reference, c->in, &want, reference.height, 1);
    if (c->look)
        c->look(&reference, &want);
    for (size_t i = 0; imf_solvers[i]; i++) {
        if (imf_solvers[i]->backend != IMF_BACKEND_VECTOR)
            continue;
        imf_propose(&one, imf_solvers[i], c->p, NULL);
        if (!one.feasible)
            continue;
        check_solver(c, &one, &want);
        count++;
    }
    CHECK(count > 0, "%s: none takes it", c->what);
    imf_surface_free(&want);
    return count;
}

/*
 * Filters, whose first pass is checked in each shape: from and to samples, of channels, stored in orientations and in bands
 * that change with the turn, so that each meets all others in some.
 */
struct filter_check {
    const char *chains;     /* between blanks */
    const int (*shapes)[2]; /* up to {0, 0} */
    const enum imf_sample (*samples)[2];
    int sample_count, times; /* how often each shape is drawn */
    bool exact;              /* the plain solver's bytes; otherwise what the contract allows, */
    bool colors;             /* of exact ones alpha is not compared, either */
    double (*most)(const struct imf_problem *p);                            /* or this; or NULL */
    void (*draw)(const struct imf_surface *s, const struct imf_problem *p); /* margins and all */
    void (*look)(const struct imf_problem *p, const struct imf_surface *want); /* or NULL */
};

static const enum imf_sample check_samples[][2] = {{IMF_U8, IMF_U8},  {IMF_U16, IMF_U16},
                                                   {IMF_U8, IMF_F32}, {IMF_U16, IMF_F32},
                                                   {IMF_F32, IMF_U8}, {IMF_F32, IMF_F32}};

static inline int check_pass_of(const struct filter_check *f, const char *chain, const int shape[2],
                                int turn) {
    const enum imf_sample *sample = f->samples[turn % f->sample_count];
    int channels = 1 + (turn + turn / f->sample_count) % 4;
    struct imf_info info = chain_info(shape[0], shape[1], channels, sample[0] == IMF_U16 ? 16 : 8);
    info.alpha = channels % 2 == 0;
    info.orientation = 1 + turn % 8;
    const struct imf_settings settings = {.alpha = turn % 3 ? IMF_ALPHA_KEEP : IMF_ALPHA_FILTER};
    struct chain_case c = chain_make(chain, &info, &settings);
    struct imf_problem p = c.chain->passes[0].problem;
    p.in = sample[0];
    p.out = sample[1];
    struct imf_surface in = surface(&p, p.in);
    f->draw(&in, &p);
    int count = check_solvers(
        &(struct solver_check){.what = chain,
                               .p = &p,
                               .in = &in,
                               .most = f->exact ? 0 : (f->most ? f->most : solver_tolerance)(&p),
                               .colors = p.colors > 0 && (!f->exact || f->colors),
                               .rows = 1 + turn % (turn % 2 ? 5 : 50),
                               .slack = f->exact ? IMF_SLACK : 0,
                               .look = f->look});
    imf_surface_free(&in);
    chain_drop(&c);
    return count;
}

/* How many solvers were checked. */
static inline int check_filters(const struct filter_check *f) {
    char *text = strdup(f->chains), *next = text;
    int count = 0, turn = 0;
    for (const char *chain; (chain = strsep(&next, " ")); turn++)
        for (const int(*shape)[2] = f->shapes; (*shape)[0]; shape++)
            for (int i = 0; i < f->times; i++)
                count += check_pass_of(f, chain, *shape, turn++);
    free(text);
    return count;
}

#endif
