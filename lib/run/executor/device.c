/*
 * device.c - running a chain on a device
 *
 * The host writes the image between map and unmap and reads the output likewise; on a device that
 * shares memory neither copies anything. The image outlives the device's failure (exec_input.h).
 */
#include "plan/layout.h"
#include "run/executor/host_pass.h"
#include "run/executor/transfer_queue.h"
#include "run/point/point.h"
#include "solver/common/edge.h"

#include <stdlib.h>
#include <string.h>

/* What a pass takes beside its solver's job. */
struct beside {
    struct imf_edge_job *edge; /* step->fills */
    struct imf_point_job *point;
};

struct device {
    struct imf_exec exec; /* first */
    struct imf_queue *queue;
    struct beside *beside; /* exec.chain->count */
    struct imf_alpha_job *alpha;
    bool apart;                             /* rows that stream are sent as to a GPU */
    struct imf_exec_input input[IMF_ENDS];  /* what surface[0] or the stream's are made of */
    struct imf_exec_input output[IMF_ENDS]; /* the same of results, where rows are sent */
    struct imf_link link;
};

static struct device *device_of(struct imf_exec *x) {
    return (struct device *)x;
}

/* ---- operations ----------------------------------------------------------------------------- */

static enum imf_status map(struct imf_exec *x, struct imf_surface *s, int first, int count,
                           enum imf_access access, struct imf_error *err) {
    ptrdiff_t pitch = (ptrdiff_t)s->pitch;
    size_t row = s->pitch * imf_sample_size(s->sample); /* of storage: rows begin with a margin */
    size_t from = (size_t)(((ptrdiff_t)s->origin + first * pitch) / pitch);
    s->host =
        imf_buffer_map(device_of(x)->queue, s->mem, access, from * row, (size_t)count * row, err);
    if (!s->host)
        return IMF_ERR_DEVICE;
    s->origin -= from * s->pitch;
    return IMF_OK;
}

static enum imf_status unmap(struct imf_exec *x, struct imf_surface *s, struct imf_error *err) {
    struct imf_queue *queue = device_of(x)->queue;
    enum imf_status st = imf_buffer_unmap(queue, s->mem, s->host, err);
    s->host = NULL;
    return st ? st : imf_queue_finish(queue, err);
}

static enum imf_status move(struct imf_exec *x, int i, int from, int to, int count,
                            struct imf_error *err) {
    const struct imf_surface *s = &x->surface[i];
    size_t row = s->pitch * imf_sample_size(s->sample);
    return imf_buffer_copy(device_of(x)->queue, s->mem, (size_t)to * row, s->mem,
                           (size_t)from * row, (size_t)count * row, err);
}

static void *host(struct imf_exec *x, int which) {
    return device_of(x)->input[which].host;
}

static void *lend(struct imf_exec *x, int which, struct imf_error *err) {
    const struct imf_exec_input *input = &device_of(x)->input[which];
    const struct imf_surface *s = &x->stream->in[which];
    if (input->pinned)
        return input->host;
    return imf_buffer_map(device_of(x)->queue, s->mem, IMF_ACCESS_BOTH, 0, imf_surface_bytes(s),
                          err);
}

static enum imf_status take(struct imf_exec *x, int which, int first, int count,
                            struct imf_error *err) {
    const struct imf_exec_input *input = &device_of(x)->input[which];
    const struct imf_surface *s = &x->stream->in[which];
    if (!input->pinned)
        return imf_buffer_unmap(device_of(x)->queue, s->mem, input->host, err);
    return imf_link_send(&device_of(x)->link, which, input, s, first, count, err);
}

static enum imf_status carry(struct imf_exec *x, int which, int from, int count,
                             struct imf_error *err) {
    struct device *d = device_of(x);
    const struct imf_exec_input *input = d->input;
    const struct imf_surface *s = &x->stream->in[which], *other = &x->stream->in[!which];
    size_t row = s->pitch * imf_sample_size(s->sample);
    if (input->pinned)
        memcpy(input[which].host, (const char *)input[!which].host + (size_t)from * row,
               (size_t)count * row);
    enum imf_status st = imf_buffer_copy(d->queue, s->mem, 0, other->mem, (size_t)from * row,
                                         (size_t)count * row, err);
    return st || !input->pinned ? st : imf_link_carried(&d->link, err);
}

static enum imf_status fetch(struct imf_exec *x, int which, struct imf_surface *s, int count,
                             struct imf_error *err) {
    struct device *d = device_of(x);
    const struct imf_exec_input *to = &d->output[which];
    if (!to->pinned)
        return count ? map(x, s, 0, count, IMF_ACCESS_READ, err) : IMF_OK;
    s->host = to->host;
    return imf_link_fetch(&d->link, which, to, s, (int)(s->origin / s->pitch), count, err);
}

static enum imf_status release(struct imf_exec *x, int which, struct imf_surface *s,
                               struct imf_error *err) {
    return device_of(x)->output[which].pinned || !s->host ? IMF_OK : unmap(x, s, err);
}

static enum imf_status settle(struct imf_exec *x, int which, struct imf_report *r,
                              struct imf_error *err) {
    return imf_link_settle(&device_of(x)->link, which, r, err);
}

static enum imf_status fill(struct imf_exec *x, int i, const struct imf_surface *in, int row,
                            struct imf_error *err) {
    return imf_edge_run(device_of(x)->beside[i].edge, in, row, err);
}

static enum imf_status point(struct imf_exec *x, int i, const struct imf_surface *in,
                             const struct imf_surface *second, const struct imf_surface *out,
                             int row, struct imf_error *err) {
    (void)row;
    return imf_point_run(device_of(x)->beside[i].point, in, second, out, err);
}

static enum imf_status copy_alpha(struct imf_exec *x, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    return imf_alpha_run(device_of(x)->alpha, in, out, err);
}

static enum imf_status finish(struct imf_exec *x, struct imf_error *err) {
    return imf_queue_finish(device_of(x)->queue, err);
}

static void destroy(struct imf_exec *x) {
    struct device *d = device_of(x);
    imf_link_close(&d->link);
    for (int i = 0; d->beside && i < x->chain->count; i++) {
        imf_edge_free(&d->beside[i].edge);
        imf_point_free(&d->beside[i].point);
    }
    imf_alpha_free(&d->alpha);
    if (x->surface)
        x->surface[0].mem = x->surface[x->chain->count].mem = NULL; /* the stream's */
    for (int i = 0; x->surface && i <= x->chain->count; i++)
        imf_buffer_free(&x->surface[i].mem);
    for (int i = 0; i < IMF_ENDS; i++) {
        if (x->stream) {
            imf_buffer_free(&x->stream->in[i].mem);
            imf_buffer_free(&x->stream->out[i].mem);
        }
        imf_exec_input_free(&d->input[i], d->queue);
        imf_exec_input_free(&d->output[i], d->queue);
    }
    imf_queue_close(&d->queue);
    free(x->surface);
    free(d->beside);
    free(d);
}

static const struct imf_executor device = {.map = map,
                                           .unmap = unmap,
                                           .move = move,
                                           .lend = lend,
                                           .take = take,
                                           .carry = carry,
                                           .host = host,
                                           .fetch = fetch,
                                           .release = release,
                                           .settle = settle,
                                           .fill = fill,
                                           .point = point,
                                           .copy_alpha = copy_alpha,
                                           .finish = finish,
                                           .destroy = destroy};

/* ---- making --------------------------------------------------------------------------------- */

/* The stream's storages at one end. */
static enum imf_status make_end(struct device *d, bool image, const struct imf_surface *layout,
                                struct imf_error *err) {
    struct imf_exec_stream *t = d->exec.stream;
    struct imf_surface *end = image ? t->in : t->out;
    struct imf_exec_input *memory = image ? d->input : d->output;
    enum imf_status st = IMF_OK;
    for (int k = 0; k < t->storages && !st; k++) {
        struct imf_surface *s = &end[k];
        *s = *layout;
        st = image || t->sends
                 ? imf_exec_input_make(&memory[k], d->queue, s, d->apart, err)
                 : imf_buffer_make(&s->mem, d->queue, IMF_BUFFER_MAPPED, imf_surface_bytes(s), err);
    }
    return st;
}

/* The host reads or writes surface i: the result, or what its passes work on. */
static bool host_uses(const struct imf_chain *c, int i, const struct imf_proposal *taken) {
    bool uses = taken[i - 1].place == IMF_PLACE_HOST;
    for (int k = i; k < c->count; k++)
        uses = uses || (taken[k].place == IMF_PLACE_HOST &&
                        (c->passes[k].source == i - 1 || c->passes[k].second == i - 1));
    return uses;
}

static enum imf_status make_surface(struct device *d, int i, const struct imf_proposal *taken,
                                    struct imf_error *err) {
    const struct imf_chain *c = d->exec.chain;
    struct imf_surface *s = &d->exec.surface[i];
    enum imf_status st = imf_layout(d->exec.bands, i, c->out, s, err);
    if (st)
        return st;
    if (i == 0 || i == c->count)
        return make_end(d, i == 0, s, err);
    return imf_buffer_make(&s->mem, d->queue,
                           host_uses(c, i, taken) ? IMF_BUFFER_MAPPED : IMF_BUFFER_WORK,
                           imf_surface_bytes(s), err);
}

/* A pass that the host does on mapped surfaces. */
static enum imf_status make_mapped(struct device *d, int i, const struct imf_proposal *taken,
                                   struct imf_error *err) {
    const struct imf_pass *pass = &d->exec.chain->passes[i];
    struct imf_step *step = &d->exec.step[i];
    struct imf_problem p = pass->problem;
    if (pass->kind == IMF_PASS_POINT)
        return imf_exec_make_host_point(&d->exec, i, taken, err);
    p.in = d->exec.surface[pass->source + 1].sample;
    p.out = d->exec.surface[i + 1].sample;
    step->solver = taken->solver;
    return step->solver->make(&step->job, &p, taken, NULL, err);
}

static enum imf_status make_step(struct device *d, int i, const struct imf_proposal *taken,
                                 struct imf_error *err) {
    const struct imf_chain *c = d->exec.chain;
    const struct imf_pass *pass = &c->passes[i];
    const struct imf_surface *source = &d->exec.surface[pass->source + 1];
    struct imf_step *step = &d->exec.step[i];
    if (taken->place == IMF_PLACE_HOST) {
        step->maps = true;
        return make_mapped(d, i, taken, err);
    }
    if (pass->kind == IMF_PASS_POINT)
        return imf_point_make(&d->beside[i].point, d->queue, &pass->point, source->sample,
                              pass->out, c->height, err);
    enum imf_status st = IMF_OK;
    if (step->fills) {
        struct imf_surface image = *source; /* a window stands for all of its rows */
        image.height = c->height;
        st = imf_edge_make(&d->beside[i].edge, d->queue, &image, imf_chain_margin(c, pass->source),
                           c->edge, pass->problem.outside, err);
    }
    step->solver = taken->solver;
    struct imf_problem p = pass->problem;
    p.height = imf_min(taken->height, d->exec.bands->window[i + 1].tallest);
    return st ? st : step->solver->make(&step->job, &p, taken, d->queue, err);
}

static enum imf_status make(struct device *d, const struct imf_proposal *taken,
                            struct imf_bands_form form, struct imf_runtime *rt,
                            struct imf_error *err) {
    struct imf_exec *x = &d->exec;
    const struct imf_chain *c = x->chain;
    d->beside = calloc((size_t)c->count, sizeof *d->beside);
    if (!d->beside)
        return imf_fail_memory(err, (size_t)c->count * sizeof *d->beside);
    enum imf_status st = imf_bands_plan(&x->bands, c, taken, form, imf_queue_device(d->queue), err);
    if (!st)
        st = imf_exec_stream_open(x, err);
    d->apart = form.apart;
    if (!st && (d->apart || imf_queue_device(d->queue)->gpu)) {
        x->stream->sends = true;
        st = imf_link_open(&d->link, d->queue, rt, err);
    }
    for (int i = 0; i <= c->count && !st; i++)
        st = make_surface(d, i, taken, err);
    for (int i = 0; i < c->count && !st; i++)
        st = make_step(d, i, &taken[i], err);
    if (!st && c->keep_alpha)
        st = imf_alpha_make(&d->alpha, d->queue, c, err);
    return st;
}

enum imf_status imf_exec_make_device(struct imf_exec **out, const struct imf_chain *c,
                                     const struct imf_proposal *taken, struct imf_bands_form form,
                                     struct imf_runtime *rt, struct imf_error *err) {
    struct device *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d)
        return imf_fail_memory(err, sizeof *d);
    *out = &d->exec;
    enum imf_status st = imf_exec_init(&d->exec, &device, c, err);
    if (!st)
        st = imf_queue_open(&d->queue, rt, err);
    if (!st)
        st = make(d, taken, form, rt, err);
    if (st)
        imf_exec_free(out);
    return st;
}
