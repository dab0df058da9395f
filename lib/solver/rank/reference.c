/*
 * reference.c - ranks in windows on the host: plain C
 *
 * For each sample those of its window are gathered, and the one of the rank is selected. Nothing is
 * shared between neighbours: this is the reference for all other algorithms. It takes samples of
 * every type.
 */
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/cores.h"
#include "solver/solver.h"

#include <stdlib.h>

#define ITEM_ROWS 4

struct rank_job {
    struct imf_problem p;
    struct imf_run *runs; /* owned */
    size_t run_count, count, rank;
    struct imf_pool *pool; /* borrowed, or NULL */
};

/* Milliseconds: samples * (sample + window * samples of the window) * 1e-6 / cores, in the host's
 * nanoseconds. */
static void rank_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    const struct imf_window_op *window = p->window_op;
    double samples = (double)p->width * p->height * p->channels;
    double count = (double)imf_window_count(window);
    (void)d;
    out->feasible = true;
    out->error = 0;
    out->ms =
        samples * (imf_host_rates.sample + imf_host_rates.window * count) * 1e-6 / imf_cores();
    out->bytes = (count + (double)p->width * p->channels) * imf_cores() * sizeof(double);
    snprintf(out->description, sizeof out->description, "plain C rank %zu of %.0f",
             imf_percentile_rank(window->value, (size_t)count) + 1, count);
}

static enum imf_status rank_make(void **job, const struct imf_problem *p,
                                 const struct imf_proposal *proposal, struct imf_queue *queue,
                                 struct imf_error *err) {
    (void)proposal, (void)queue;
    const struct imf_window_op *window = p->window_op;
    struct rank_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->p = *p;
    j->run_count = imf_window_runs(window, NULL);
    j->runs = malloc(j->run_count * sizeof *j->runs);
    if (!j->runs)
        return imf_fail_memory(err, j->run_count * sizeof *j->runs);
    imf_window_runs(window, j->runs);
    j->count = imf_window_count(window);
    j->rank = imf_percentile_rank(window->value, j->count);
    return IMF_OK;
}

static void rank_use_pool(void *job, struct imf_pool *pool) {
    ((struct rank_job *)job)->pool = pool;
}

static void rank_destroy(void **job) {
    free(((struct rank_job *)*job)->runs);
    free(*job);
    *job = NULL;
}

/* Hoare's selection: v[rank] as if v[0..count - 1] were in order. */
static double pick(double *v, size_t count, size_t rank) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        double pivot = v[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i >= j)
                break;
            double t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
        if (rank <= j) /* v[low..j] <= pivot <= v[j + 1..high], and j < high */
            high = j;
        else
            low = j + 1;
    }
    return v[rank];
}

struct pass {
    const struct rank_job *job;
    const struct imf_surface *in, *out;
};

static double rank_at(const struct rank_job *j, const struct imf_surface *in, int y, ptrdiff_t i,
                      double *around) {
    size_t n = 0;
    for (size_t r = 0; r < j->run_count; r++) {
        const struct imf_run *run = &j->runs[r];
        const void *row = imf_surface_row(in, y + run->dy);
        for (int dx = run->from; dx < run->to; dx++)
            around[n++] = imf_sample_get(row, in->sample, i + (ptrdiff_t)dx * in->channels);
    }
    return pick(around, n, j->rank);
}

static void run_item(void *data, int item, void *memory) {
    struct pass *pass = data;
    const struct rank_job *j = pass->job;
    size_t samples = (size_t)j->p.width * (size_t)j->p.channels;
    double *around = memory, *row = around + j->count;
    int end = imf_min((item + 1) * ITEM_ROWS, pass->out->height);
    for (int y = item * ITEM_ROWS; y < end; y++) {
        for (size_t i = 0; i < samples; i++)
            row[i] = rank_at(j, pass->in, y, (ptrdiff_t)i, around);
        imf_window_finish(&j->p, row, imf_surface_row(pass->out, y), samples);
    }
}

static enum imf_status rank_run(void *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    struct pass pass = {.job = job, .in = in, .out = out};
    return imf_work(pass.job->pool, (out->height - 1) / ITEM_ROWS + 1,
                    (pass.job->count + (size_t)pass.job->p.width * (size_t)pass.job->p.channels) *
                        sizeof(double),
                    run_item, &pass, err);
}

const struct imf_solver imf_solver_rank_host = {
    .name = "cpu",
    .backend = IMF_BACKEND_CPU,
    .float64 = true,
    .kinds = 1u << IMF_RANK,
    .propose = rank_propose,
    .old_make = rank_make,
    .old_run = rank_run,
    .old_destroy = rank_destroy,
    .old_use_pool = rank_use_pool,
};
