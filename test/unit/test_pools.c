/*
 * test_pools.c - the host's solvers work on the threads that a run lends them, and on no others
 *
 * pthread_create() here counts and starts nothing: whoever wants threads then does all of the work alone. With a
 * pool of one thread a solver may not ask for any; with two threads it does, if there are two cores.
 */
#include "base/thread_pool.h"
#include "solver/common/edge.h"
#include "solver_check.h"

#include <errno.h>
#include <pthread.h>

static unsigned wanted;

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*work)(void *), void *restrict data) {
    (void)thread, (void)attributes, (void)work, (void)data;
    wanted++;
    return EAGAIN;
}

/* How many threads the solver asks for. */
static unsigned threads_of(const struct imf_proposal *proposal, const struct imf_problem *p,
                           const struct imf_surface *in, const struct imf_surface *out, int most) {
    struct imf_pool *pool = NULL;
    struct imf_job *job = NULL;
    struct imf_error err = {.text = ""};
    bool made = !imf_pool_open(&pool, most, &err) && !imf_job_make(&job, p, proposal, NULL, &err);
    wanted = 0;
    if (made)
        job->pool = pool;
    CHECK(made && !imf_job_run(job, in, out, &err), "%s", err.text);
    imf_job_free(&job);
    imf_pool_close(&pool);
    return wanted;
}

/* Solvers that ran, and those that asked for threads where they may. */
static bool ran[99], shared[99];

static void check_problem(const char *spec, const struct imf_problem *p) {
    struct imf_surface in = noisy(p, p->in), out = surface(p, p->out);
    imf_edge_fill_host(&in, p->reach, p->edge, (const double[4]){0});
    for (size_t i = 0; imf_solvers[i]; i++) {
        const struct imf_solver *s = imf_solvers[i];
        struct imf_proposal one = {.feasible = false};
        if (s->backend == IMF_BACKEND_VECTOR || s->backend == IMF_BACKEND_CPU)
            imf_propose(&one, s, p, NULL);
        /* A blur is looked for otherwise than the noise. */
        if (!one.feasible || (ran[i] && shared[i] && p->kind != IMF_DEBLURRING))
            continue;
        unsigned alone = threads_of(&one, p, &in, &out, 1);
        CHECK(alone == 0, "%s: %s: %u threads", spec, one.description, alone);
        ran[i] = true;
        shared[i] = threads_of(&one, p, &in, &out, 2) > 0;
    }
    imf_surface_free(&in);
    imf_surface_free(&out);
}

/* Work of less than IMF_ALONE_MS stays on the caller's thread. */
static void check_small(void) {
    static const char *const cases[] = {"sharpen", "sobel", "phase"};
    const struct imf_info info = {
        .width = 40, .height = 30, .channels = 3, .depth = 8, .color = IMF_COLOR_RGB};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct chain_case c = chain_make(cases[k], &info, &(struct imf_settings){0});
        const struct imf_problem *p = &c.chain->passes[0].problem;
        struct imf_surface in = noisy(p, p->in), out = surface(p, p->out);
        struct imf_proposal one;
        imf_edge_fill_host(&in, p->reach, p->edge, (const double[4]){0});
        imf_propose_host(&one, p);
        CHECK(one.ms < 0.3 && threads_of(&one, p, &in, &out, 2) == 0, "%s: %g ms, %u threads",
              cases[k], one.ms, wanted);
        imf_surface_free(&in);
        imf_surface_free(&out);
        chain_drop(&c);
    }
}

int main(void) {
    static const char *const cases[] = {
        "sharpen",       "blur:10",     "disk:20",        "kernel:1,2,3/4,5,6/7,8,1",
        "lowpass:0.1",   "descreen",    "erode:3",        "median:1",
        "median:4",      "median:20",   "median:20x3",    "median:9:shape=disk",
        "guided:3:.1",   "denoise",     "bilateral:2:.1", "threshold:local:5:0",
        "phase",         "equalize",    "canny:0.1:0.3",  "clahe",
        "deblur:disk:3", "deblur:auto", "despeckle:9"};
    const struct imf_info info = {.width = 450,
                                  .height = 300,
                                  .channels = 4,
                                  .depth = 8,
                                  .color = IMF_COLOR_RGB,
                                  .alpha = true};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct chain_case c = chain_make(cases[k], &info, &(struct imf_settings){0});
        for (int i = 0; i < c.chain->count; i++) {
            struct imf_problem p = c.chain->passes[i].problem;
            if (c.chain->passes[i].kind != IMF_PASS_CONVOLVE)
                continue;
            check_problem(cases[k], &p);
            p.in = p.out = IMF_F64;
            check_problem(cases[k], &p);
        }
        chain_drop(&c);
    }
    check_small();
    for (size_t i = 0; imf_solvers[i]; i++)
        if (imf_solvers[i]->backend == IMF_BACKEND_VECTOR)
            CHECK(ran[i] && (shared[i] || imf_cores() == 1), "solver %zu: %d, %d", i, ran[i],
                  shared[i]);
    return check_done("test_pools");
}
