/*
 * reference.c - ranks in windows on the host: plain C
 *
 * For each sample those of its window are gathered, and the one of the rank is selected. Nothing is
 * shared between neighbours: this is the reference for all other algorithms. It takes samples of
 * every type.
 */
#include "device/tuning.h"
#include "solver/common/window.h"

#define STRIP_ROWS 4

static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int n) {
    (void)p;
    return ((size_t)((const struct imf_window_facts *)shape)->count + (size_t)n) * sizeof(double);
}

/* Milliseconds: samples * (sample + window * samples of the window) * 1e-6 / cores, in the host's
 * nanoseconds. */
static void rank_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    const struct imf_window_facts *w = imf_window_propose(out, p);
    double samples = (double)p->width * p->height * p->channels;
    (void)d;
    out->error = 0;
    imf_proposal_strips(out, p, 0, p->width * p->channels);
    out->ms =
        samples * (imf_host_rates.sample + imf_host_rates.window * w->count) * 1e-6 / imf_cores();
    snprintf(out->description, sizeof out->description, "plain C rank %d of %d", w->rank + 1,
             w->count);
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

static double rank_at(const struct imf_host_strip *s, int y, int i, double *around) {
    const struct imf_window_facts *w = imf_window_of(s->job);
    const struct imf_run *run = imf_window_kept(s->job), *end = run + w->run_count;
    size_t n = 0;
    for (; run < end; run++) {
        const void *row = imf_surface_row(s->in, y + run->line);
        for (int dx = run->from; dx < run->to; dx++)
            around[n++] = imf_sample_get(row, s->in->sample, i + (ptrdiff_t)dx * s->in->channels);
    }
    return pick(around, n, (size_t)w->rank);
}

static struct imf_strips rank_cut(const struct imf_job *job, int height) {
    return imf_strips_rows(job->p.width * job->p.channels, height, STRIP_ROWS);
}

static void rank_strip(const struct imf_host_strip *s) {
    double *around = s->scratch, *row = around + imf_window_of(s->job)->count;
    for (int y = s->at.y; y < s->at.end; y++) {
        for (int i = 0; i < s->at.n; i++)
            row[i] = rank_at(s, y, i, around);
        imf_window_finish(&s->job->p, row, imf_surface_row(s->out, y), (size_t)s->at.n);
    }
}

const struct imf_solver imf_solver_rank_host = {
    .name = "cpu",
    .backend = IMF_BACKEND_CPU,
    .float64 = true,
    .kinds = 1u << IMF_RANK,
    .propose = rank_propose,
    IMF_WINDOW_RUNS,
    .cut = rank_cut,
    .scratch_bytes = scratch_bytes,
    .strip = rank_strip,
};
