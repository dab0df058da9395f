/*
 * checkcl_bench.c - times a variant that has just been checked, on a larger image
 *
 * The loop that checks solvers hands each case over once it is right; variants that differ in shape
 * and edge only are timed once. Runs are timed in batches long enough for the clock, finished one by
 * one, and the median batch is printed: milliseconds a run, and nanoseconds a sample.
 */
#include "base/clock.h"
#include "checkcl_material.h"
#include "solver/common/edge.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define BATCHES 9
#define BATCH_MS 5.0   /* at least, if that takes no more than MOST runs */
#define ENOUGH_MS 1500 /* after which no further batch begins */
#define MOST 200

bool checkcl_wanted(struct checkcl *c, const char *name) {
    bool wanted = !c->only || fnmatch(c->only, name, FNM_LEADING_DIR) == 0;
    c->met = c->met || wanted;
    return wanted;
}

static bool timed_already(struct checkcl *c, const char *name) {
    for (size_t i = 0; i < c->timed_count; i++)
        if (!strcmp(c->timed[i], name))
            return true;
    char **larger = realloc(c->timed, (c->timed_count + 1) * sizeof *larger);
    if (!larger || !(larger[c->timed_count] = strdup(name)))
        abort();
    c->timed = larger;
    c->timed_count++;
    return false;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Milliseconds of `runs` in a row; negative when one fails. */
static double run(struct checkcl *c, const struct imf_solver *s, struct imf_job *job,
                  const struct imf_surface *in, const struct imf_surface *out, int runs) {
    double start = imf_now_ms();
    for (int i = 0; i < runs; i++)
        if (imf_job_run(job, in, out, NULL))
            return -1;
    bool late = !imf_backend_is_host(s->backend) && imf_queue_finish(c->queue, NULL);
    return late ? -1 : imf_now_ms() - start;
}

/* The median; negative when a run fails. */
static double measure(struct checkcl *c, const struct imf_solver *s, struct imf_job *job,
                      const struct imf_surface *in, const struct imf_surface *out) {
    double ms[BATCHES], spent = 0, first;
    int count = 0, runs = 1;
    if (run(c, s, job, in, out, 1) < 0 || (first = run(c, s, job, in, out, 1)) < 0)
        return -1;
    if (first < BATCH_MS)
        runs = first * MOST < BATCH_MS ? MOST : (int)(BATCH_MS / first) + 1;
    while (count < BATCHES && spent < ENOUGH_MS) {
        double took = run(c, s, job, in, out, runs);
        if (took < 0)
            return -1;
        spent += took;
        ms[count++] = took / runs;
    }
    qsort(ms, (size_t)count, sizeof *ms, by_size);
    return ms[count / 2];
}

void checkcl_time(struct checkcl *c, const struct imf_solver *s, const char *name,
                  const struct imf_problem *checked, enum picture picture) {
    struct imf_problem p = *checked;
    struct shape shape = {c->bench_width, c->bench_height, p.channels};
    struct imf_margin none = {0, 0, 0, 0};
    struct imf_device device = checkcl_device(c, s);
    struct imf_error err = {.text = ""};
    struct imf_proposal proposal;
    double constant[IMF_CHANNELS_MAX];
    uint64_t random = 1;
    struct imf_job *job = NULL;
    if (timed_already(c, name))
        return;
    p.width = shape.width;
    p.height = shape.height;
    imf_propose(&proposal, s, &p, &device);
    proposal.gles = c->gles;
    if (!proposal.feasible) {
        printf("%-52s -  %s\n", name, proposal.why);
        return;
    }
    for (size_t i = 0; i < COUNT(constant); i++)
        constant[i] = CHECKCL_CONSTANT;
    struct imf_surface in = checkcl_surface(p.in, shape, p.reach);
    struct imf_surface out = checkcl_surface(p.out, shape, none);
    checkcl_fill(&in, picture, &random);
    imf_edge_fill_host(&in, p.reach, p.edge, constant);
    if (!imf_backend_is_host(s->backend)) {
        in.mem = checkcl_upload(c, &in);
        out.mem = checkcl_upload(c, &out);
    }
    double ms =
        imf_job_make(&job, &p, &proposal, c->queue, &err) ? -1 : measure(c, s, job, &in, &out);
    if (ms < 0)
        checkcl_result(c, false, "%s at %dx%d: %s", name, p.width, p.height, err.text);
    else
        printf("%-52s %10.3f ms %8.3f ns  %s\n", name, ms,
               ms * 1e6 / ((double)p.width * p.height * p.channels), proposal.description);
    fflush(stdout);
    imf_job_free(&job);
    imf_buffer_free(&in.mem);
    imf_buffer_free(&out.mem);
    imf_surface_free(&in);
    imf_surface_free(&out);
}
