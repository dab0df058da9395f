/*
 * device.c - operations that map each sample value by the whole image's histogram, on a device
 * (cl/histogram_op.cl)
 *
 * The device counts and looks up; in between the host fetches the counts and makes the map (reference.c),
 * so that all devices give the same bytes.
 */
#include "device/tuning.h"
#include "solver/histogram/reference.h"
#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

#define LOCAL_VALUES 256 /* at most: counts are in local memory */

struct device_job {
    struct imf_queue *queue;
    struct imf_problem p;
    struct imf_program *count, *look_up;
    struct imf_buffer *counts, *map;
    uint32_t counted[IMF_HISTOGRAM_SIZE];
    uint64_t total[IMF_HISTOGRAM_SIZE];
    double value[IMF_HISTOGRAM_SIZE];
    union {
        uint8_t u8[IMF_HISTOGRAM_SIZE];
        uint16_t u16[IMF_HISTOGRAM_SIZE];
        float f32[IMF_HISTOGRAM_SIZE];
    } mapped; /* `value` as output samples */
};

static size_t values_of(const struct imf_problem *p) {
    return (size_t)imf_histogram_op_full(p) + 1;
}

/* Milliseconds: two launches + samples * (count or count_wide) * 1e-6 / units. */
static void histogram_device_propose(const struct imf_problem *p, const struct imf_device *d,
                                     struct imf_proposal *out) {
    const struct imf_tuning *t = imf_tuning(d);
    double samples = (double)p->width * p->height * p->channels;
    if (samples > UINT32_MAX || (double)p->width * p->channels > INT32_MAX - 4096) {
        imf_proposal_refuse(out, "counts of so many samples exceed 32 bits");
        return;
    }
    bool few = values_of(p) <= LOCAL_VALUES;
    double ns = few ? t->filters.count : t->filters.count_wide;
    out->feasible = true;
    out->error = 0;
    out->bands = IMF_BANDS_WHOLE;
    out->ms = 2 * t->launch_ms + samples * ns * 1e-6 / imf_tuning_units(d);
    out->local = few ? LOCAL_VALUES * sizeof(uint32_t) : 0;
    out->bytes = (double)values_of(p) * (double)(sizeof(uint32_t) + imf_sample_size(p->out)) +
                 sizeof(struct device_job);
    snprintf(out->description, sizeof out->description, "histogram of %zu values", values_of(p));
}

static void histogram_device_destroy(void **job) {
    struct device_job *j = *job;
    imf_program_free(&j->count);
    imf_program_free(&j->look_up);
    imf_buffer_free(&j->counts);
    imf_buffer_free(&j->map);
    free(j);
    *job = NULL;
}

static enum imf_status histogram_device_make(void **job, const struct imf_problem *p,
                                             const struct imf_proposal *proposal,
                                             struct imf_queue *queue, struct imf_error *err) {
    static const char *const parts[] = {"common.cl", NULL};
    struct device_job *j = *job = calloc(1, sizeof *j);
    (void)proposal;
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    size_t values = values_of(p);
    struct imf_defines d = {0};
    const struct imf_program_source source = {
        .file = "histogram_op.cl", .parts = parts, .defines = &d};
    j->queue = queue;
    j->p = *p;
    imf_problem_defines(&d, p);
    imf_define(&d, "CHANNELS", "%d", p->channels);
    imf_define(&d, "COLORS", "%d", p->colors);
    imf_define(&d, "WEIGH", "%d", p->weigh);
    imf_define(&d, "VALUES", "%zu", values);
    imf_define(&d, "LOCAL", "%d", values <= LOCAL_VALUES);
    imf_define(&d, "GROUP", "%zu", imf_tuning_group(imf_queue_device(queue)));
    enum imf_status st = imf_program_make(&j->count, queue, &source, "histogram_count", err);
    if (!st)
        st = imf_program_make(&j->look_up, queue, &source, "histogram_look_up", err);
    imf_defines_free(&d);
    if (!st)
        st = imf_buffer_make(&j->counts, queue, IMF_BUFFER_WORK, values * sizeof *j->counted, err);
    if (!st)
        st =
            imf_buffer_make(&j->map, queue, IMF_BUFFER_WORK, values * imf_sample_size(p->out), err);
    return st;
}

static enum imf_status count(struct device_job *j, const struct imf_surface *in,
                             struct imf_error *err) {
    const struct imf_device *d = imf_queue_device(j->queue);
    size_t bytes = values_of(&j->p) * sizeof *j->counted, units = d->compute_units;
    size_t groups = (size_t)(imf_tuning(d)->groups_per_unit * (double)(units ? units : 1));
    size_t height = (size_t)in->height;
    const struct imf_grid grid = {1, groups < height ? groups : height, imf_tuning_group(d)};
    const struct imf_arg args[] = {imf_arg_buffer(in->mem), imf_arg_size(in->origin),
                                   imf_arg_size(in->pitch), imf_arg_int(in->width),
                                   imf_arg_int(in->height), imf_arg_buffer(j->counts)};
    enum imf_status st = imf_buffer_clear(j->queue, j->counts, 0, bytes, err);
    if (!st)
        st = imf_program_launch(j->queue, j->count, grid, args, err);
    return st ? st : imf_buffer_download(j->queue, j->counts, 0, j->counted, bytes, err);
}

static enum imf_status histogram_device_run(void *job, const struct imf_surface *in,
                                            const struct imf_surface *out, struct imf_error *err) {
    struct device_job *j = job;
    size_t values = values_of(&j->p), samples = (size_t)in->width * (size_t)in->channels;
    enum imf_status st = count(j, in, err);
    if (st)
        return st;
    for (size_t v = 0; v < values; v++)
        j->total[v] = j->counted[v];
    imf_histogram_op_map(j->value, &j->p, j->total);
    imf_samples_narrow(&j->mapped, out->sample, j->value, values);
    st = imf_buffer_upload(j->queue, j->map, 0, &j->mapped, values * imf_sample_size(out->sample),
                           err);
    const struct imf_arg args[] = {imf_arg_buffer(in->mem),   imf_arg_size(in->origin),
                                   imf_arg_size(in->pitch),   imf_arg_buffer(out->mem),
                                   imf_arg_size(out->origin), imf_arg_size(out->pitch),
                                   imf_arg_int((int)samples), imf_arg_buffer(j->map)};
    struct imf_grid grid =
        imf_grid_over(samples, (size_t)out->height, imf_tuning_group(imf_queue_device(j->queue)));
    return st ? st : imf_program_launch(j->queue, j->look_up, grid, args, err);
}

const struct imf_solver imf_solver_histogram_op_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_HISTOGRAM_OP,
    .propose = histogram_device_propose,
    .old_make = histogram_device_make,
    .old_run = histogram_device_run,
    .old_destroy = histogram_device_destroy,
};
