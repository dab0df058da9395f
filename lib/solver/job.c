/*
 * job.c - the frame of all solvers: jobs made of proposals, run on the host's cores or a device, and freed
 */
#include "solver/solver.h"

#include "device/tuning.h"
#include "solver/cores.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static enum imf_status make_buffers(struct imf_job *job, struct imf_error *err) {
    size_t bytes[IMF_JOB_BUFFERS] = {0};
    enum imf_status st = job->solver->sizes(&job->p, imf_job_shape(job), bytes)
                             ? IMF_OK
                             : imf_fail_memory(err, SIZE_MAX);
    for (int i = 0; i < IMF_JOB_BUFFERS && !st; i++)
        if (bytes[i] && job->queue)
            st = imf_buffer_make(&job->buffer[i], job->queue, IMF_BUFFER_WORK, bytes[i], err);
        else if (bytes[i] && !(job->memory[i] = calloc(1, bytes[i])))
            st = imf_fail_memory(err, bytes[i]);
    return st;
}

/* Values of PTX in subword.cl: plain OpenCL C, and PTX for compute capability 9.0. */
enum { PLAIN_C, NEWEST = 2 };

/* With a device's own instructions where it has them: an old one may lack some, and takes plain C. */
static enum imf_status make_program(struct imf_program **out, const struct imf_job *job,
                                    const char *file, const char *entry, const char *const *parts,
                                    struct imf_defines *d, struct imf_error *err) {
    const struct imf_device *device = imf_queue_device(job->queue);
    const struct imf_program_source source = {.file = file, .parts = parts, .defines = d};
    const size_t length = d->length;
    bool nvidia = job->solver->subword && device->gpu && strncmp(device->name, "NVIDIA", 6) == 0;
    for (int ptx = nvidia ? NEWEST : PLAIN_C;; ptx = PLAIN_C) {
        if (job->solver->subword)
            imf_define(d, "PTX", "%d", ptx);
        enum imf_status st = imf_program_make(out, job->queue, &source, entry, err);
        d->length = length;
        if (!st || ptx == PLAIN_C)
            return st;
    }
}

enum imf_status imf_job_programs(struct imf_job *job, int first, const char *const *entries,
                                 const char *const *parts, struct imf_defines *d,
                                 struct imf_error *err) {
    char file[64];
    enum imf_status st = IMF_OK;
    snprintf(file, sizeof file, "%s.cl", job->solver->program);
    for (int i = 0; entries[i] && !st; i++)
        st = make_program(&job->program[first + i], job, file, entries[i], parts, d, err);
    imf_defines_free(d);
    return st;
}

enum imf_status imf_job_table(const struct imf_job *job, struct imf_buffer **out, void *table,
                              size_t bytes, struct imf_error *err) {
    enum imf_status st =
        table ? imf_buffer_table(out, job->queue, table, bytes, err) : imf_fail_memory(err, bytes);
    free(table);
    return st;
}

enum imf_status imf_job_entries(struct imf_job *job, int first, const struct imf_problem *of,
                                struct imf_error *err) {
    const struct imf_solver *s = job->solver;
    struct imf_problem p = *of;
    struct imf_defines d = {0};
    p.exact = p.exact && !s->floats;
    imf_problem_defines(&d, &p);
    imf_define(&d, "CHANNELS", "%d", p.channels);
    imf_define(&d, "IDENTITY", "%d", imf_epilogue_is_identity(&p));
    if (s->define)
        s->define(&d, job);
    return imf_job_programs(job, first, s->entries, s->parts, &d, err);
}

enum imf_status imf_job_make(struct imf_job **out, const struct imf_problem *p,
                             const struct imf_proposal *proposal, struct imf_queue *queue,
                             struct imf_error *err) {
    const struct imf_solver *s = proposal->solver;
    struct imf_job *job = *out = calloc(1, sizeof *job);
    enum imf_status st = job ? IMF_OK : imf_fail_memory(err, sizeof *job);
    if (st)
        return st;
    job->solver = s;
    job->p = *p;
    job->proposal = *proposal;
    job->queue = queue;
    if (s->own && !(job->own = calloc(1, s->own)))
        st = imf_fail_memory(err, s->own);
    if (!st && s->sizes)
        st = make_buffers(job, err);
    if (!st && s->entries)
        st = imf_job_entries(job, 0, p, err);
    if (!st && s->prepare)
        st = s->prepare(job, err);
    if (st)
        imf_job_free(out);
    return st;
}

void imf_job_free(struct imf_job **out) {
    struct imf_job *job = *out;
    if (!job)
        return;
    if (job->solver->release && job->own)
        job->solver->release(job);
    for (int i = 0; i < IMF_JOB_PROGRAMS; i++)
        imf_program_free(&job->program[i]);
    for (int i = 0; i < IMF_JOB_BUFFERS; i++) {
        imf_buffer_free(&job->buffer[i]);
        free(job->memory[i]);
    }
    free(job->own);
    free(job);
    *out = NULL;
}

/* ---- strips on the host's cores ---------------------------------------------------------------- */

struct pass {
    const struct imf_job *job;
    const struct imf_surface *in, *out;
    struct imf_strips strips;
};

static void run_strip(void *data, int item, void *memory) {
    const struct pass *pass = data;
    const struct imf_host_strip strip = {.job = pass->job,
                                         .in = pass->in,
                                         .out = pass->out,
                                         .at = imf_strips_at(&pass->strips, item),
                                         .scratch = memory};
    pass->job->solver->strip(&strip);
}

/* Threads whose scratch memory is not too much. */
static int fit_threads(const struct imf_solver *s, int threads, size_t bytes) {
    double fit = s->most_scratch > 0 && bytes > 0 ? s->most_scratch / (double)bytes : threads;
    return (int)fmax(1, fmin(threads, fit));
}

enum imf_status imf_job_strips(struct imf_job *job, const struct imf_surface *in,
                               const struct imf_surface *out, struct imf_error *err) {
    const struct imf_solver *s = job->solver;
    struct pass pass = {.job = job, .in = in, .out = out, .strips = s->cut(job, out->height)};
    size_t bytes = s->scratch_bytes
                       ? s->scratch_bytes(&job->p, job->proposal.shape.bytes, pass.strips.width)
                       : 0;
    int threads = fit_threads(s, imf_pool_threads(job->pool), bytes);
    return imf_work_on(job->pool, threads, pass.strips.count, bytes, run_strip, &pass, err);
}

enum imf_status imf_job_run(struct imf_job *job, const struct imf_surface *in,
                            const struct imf_surface *out, struct imf_error *err) {
    const struct imf_solver *s = job->solver;
    enum imf_status st =
        s->measure && in->height == job->p.height ? s->measure(job, in, err) : IMF_OK;
    return st ? st : (s->run ? s->run : imf_job_strips)(job, in, out, err);
}

enum imf_status imf_job_measure(struct imf_job *job, const struct imf_surface *in,
                                struct imf_error *err) {
    return job->solver->measure(job, in, err);
}

void imf_job_tell(const struct imf_job *job, char *text, size_t size) {
    *text = '\0';
    if (job->solver->tell)
        job->solver->tell(job, text, size);
}

struct imf_grid imf_job_grid(const struct imf_job *job, size_t items, size_t rows) {
    return imf_grid_over(items, rows, imf_tuning_group(imf_queue_device(job->queue)));
}

/* ---- proposals --------------------------------------------------------------------------------- */

void imf_proposal_strips(struct imf_proposal *out, const struct imf_problem *p, double ms,
                         int most) {
    const struct imf_solver *s = out->solver;
    const struct imf_job job = {.solver = s, .p = *p, .proposal = *out};
    size_t bytes = s->scratch_bytes ? s->scratch_bytes(p, out->shape.bytes, most) : 0;
    int strips = s->cut(&job, p->height).count;
    int cores = fit_threads(s, imf_min(imf_cores(), strips), bytes);
    out->feasible = true;
    out->ms = imf_cores_ms(ms, cores);
    out->bytes += cores * (double)bytes;
}

bool imf_proposal_buffers(struct imf_proposal *out, const struct imf_problem *p) {
    size_t bytes[IMF_JOB_BUFFERS] = {0};
    if (!out->solver->sizes(p, out->shape.bytes, bytes)) {
        imf_proposal_refuse(out, "rows are too long");
        return false;
    }
    for (int i = 0; i < IMF_JOB_BUFFERS; i++) {
        out->bytes += (double)bytes[i];
        out->largest = fmax(out->largest, (double)bytes[i]);
    }
    return true;
}
