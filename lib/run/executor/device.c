/*
 * device.c - running a chain on a device
 *
 * A run can read an image only once, so the host's copy of it must stay until the output is there,
 * at no cost where nothing fails. A CPU works on the host's memory itself. For a GPU the host's
 * copy is a pinned buffer, one that stays mapped, from which a transfer takes as long as unmapping
 * would. Results are fetched into pinned buffers, too.
 */
#include "plan/layout.h"
#include "run/executor/host_pass.h"
#include "run/executor/transfer_queue.h"
#include "solver/common/edge.h"

#include <stdlib.h>
#include <string.h>

/* What the device needs for a pass besides its solver's job. */
struct device_step {
    struct imf_edge_job *edge; /* step->fills */
    struct imf_point_job *point;
};

struct device {
    struct imf_exec exec; /* first */
    struct imf_queue *queue;
    struct device_step *device_step; /* exec.chain->count */
    struct imf_alpha_job *alpha;
    struct pinned {
        struct imf_buffer *buffer;
        void *host;
    } input[IMF_EXEC_SLOTS], output[IMF_EXEC_SLOTS]; /* with transfers */
    struct imf_transfer_queue transfer;
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

static enum imf_status move_rows(struct imf_exec *x, int i, int from, int to, int count,
                                 struct imf_error *err) {
    const struct imf_surface *s = &x->surface[i];
    size_t row = s->pitch * imf_sample_size(s->sample);
    return imf_buffer_copy(device_of(x)->queue, s->mem, (size_t)to * row, s->mem,
                           (size_t)from * row, (size_t)count * row, err);
}

static void *map_input(struct imf_exec *x, int slot, struct imf_error *err) {
    const struct imf_surface *s = &x->in[slot];
    if (x->transfers)
        return x->host_input[slot];
    return imf_buffer_map(device_of(x)->queue, s->mem, IMF_ACCESS_BOTH, 0, imf_surface_bytes(s),
                          err);
}

static enum imf_status submit_input(struct imf_exec *x, int slot, int first, int count,
                                    struct imf_error *err) {
    struct device *d = device_of(x);
    if (!x->transfers)
        return imf_buffer_unmap(d->queue, x->in[slot].mem, x->host_input[slot], err);
    return imf_transfer_upload(&d->transfer, slot, x->host_input[slot], &x->in[slot], first, count,
                               err);
}

static enum imf_status copy_halo(struct imf_exec *x, int slot, int from, int count,
                                 struct imf_error *err) {
    struct device *d = device_of(x);
    const struct imf_surface *s = &x->in[slot], *other = &x->in[!slot];
    size_t row = s->pitch * imf_sample_size(s->sample);
    enum imf_status st = imf_buffer_copy(d->queue, s->mem, 0, other->mem, (size_t)from * row,
                                         (size_t)count * row, err);
    return st || !x->transfers ? st : imf_transfer_halo_copied(&d->transfer, err);
}

static enum imf_status map_output(struct imf_exec *x, int slot, struct imf_surface *s, int count,
                                  struct imf_error *err) {
    struct device *d = device_of(x);
    if (!x->transfers)
        return count ? map(x, s, 0, count, IMF_ACCESS_READ, err) : IMF_OK;
    s->host = d->output[slot].host;
    return imf_transfer_download(&d->transfer, slot, s->host, s, (int)(s->origin / s->pitch), count,
                                 err);
}

static enum imf_status unmap_output(struct imf_exec *x, struct imf_surface *s,
                                    struct imf_error *err) {
    return x->transfers || !s->host ? IMF_OK : unmap(x, s, err);
}

static enum imf_status wait(struct imf_exec *x, int slot, struct imf_report *r,
                            struct imf_error *err) {
    return imf_transfer_wait(&device_of(x)->transfer, slot, r, err);
}

static enum imf_status fill_margin(struct imf_exec *x, int i, const struct imf_surface *in, int row,
                                   struct imf_error *err) {
    return imf_edge_run(device_of(x)->device_step[i].edge, in, row, err);
}

static enum imf_status run_point(struct imf_exec *x, int i, const struct imf_point_io *io,
                                 struct imf_error *err) {
    return imf_point_run(device_of(x)->device_step[i].point, io, err);
}

static enum imf_status copy_alpha(struct imf_exec *x, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    return imf_alpha_run(device_of(x)->alpha, in, out, err);
}

static enum imf_status finish(struct imf_exec *x, struct imf_error *err) {
    return imf_queue_finish(device_of(x)->queue, err);
}

static void free_pinned(struct device *d, struct pinned *p) {
    if (p->host)
        (void)imf_buffer_unmap(d->queue, p->buffer, p->host, NULL);
    imf_buffer_free(&p->buffer);
}

static void destroy(struct imf_exec *x) {
    struct device *d = device_of(x);
    imf_transfer_close(&d->transfer);
    for (int i = 0; d->device_step && i < x->chain->count; i++) {
        imf_edge_free(&d->device_step[i].edge);
        imf_point_free(&d->device_step[i].point);
    }
    imf_alpha_free(&d->alpha);
    if (x->surface) /* these two are among x->in and x->out */
        x->surface[0].mem = x->surface[x->chain->count].mem = NULL;
    for (int i = 0; x->surface && i <= x->chain->count; i++)
        imf_buffer_free(&x->surface[i].mem);
    for (int k = 0; k < IMF_EXEC_SLOTS; k++) {
        imf_buffer_free(&x->in[k].mem);
        imf_buffer_free(&x->out[k].mem);
        free_pinned(d, &d->input[k]);
        free_pinned(d, &d->output[k]);
    }
    imf_queue_close(&d->queue);
    free(x->surface);
    free(d->device_step);
    free(d);
}

/* ---- passes of the host ---------------------------------------------------------------------- */

/* Rows from..to - 1 of surface `index`, whose row 0 is the image's. */
static enum imf_status map_rows(struct imf_exec *x, int index, int from, int to,
                                enum imf_access access, struct imf_surface *out,
                                struct imf_error *err) {
    *out = imf_exec_view(x, index, 0, x->chain->height);
    return map(x, out, from, to - from, access, err);
}

/* The part of a mapped surface that begins with row `from`. */
static struct imf_surface rows_from(const struct imf_surface *s, int from, int to) {
    struct imf_surface v = *s;
    v.origin += (size_t)((ptrdiff_t)from * (ptrdiff_t)s->pitch);
    v.height = to - from;
    v.row = s->row + from;
    return v;
}

static enum imf_status run_pass(struct imf_exec *x, int i, const struct imf_surface *in,
                                const struct imf_surface *second, const struct imf_surface *out,
                                struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    const struct imf_window *made = &x->bands->window[i + 1];
    struct imf_surface from = rows_from(in, made->before, made->done);
    struct imf_surface to = rows_from(out, made->before, made->done);
    if (pass->kind == IMF_PASS_POINT) {
        struct imf_surface other = rows_from(second, made->before, made->done);
        const struct imf_point_io io = {&from, pass->second >= -1 ? &other : NULL, &to,
                                        made->before};
        imf_exec_point_host(x, i, &io);
        return IMF_OK;
    }
    from.margin.top = pass->problem.reach.top;
    from.margin.bottom = pass->problem.reach.bottom;
    return imf_job_run(x->step[i].job, &from, &to, err);
}

/* The surfaces are mapped, which on a device with memory of its own moves their rows, and
 * unmapped. */
static enum imf_status run_on_host(struct imf_exec *x, int i, struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    const struct imf_window *source = &x->bands->window[pass->source + 1];
    const struct imf_window *made = &x->bands->window[i + 1];
    struct imf_margin m = imf_chain_margin(x->chain, pass->source);
    struct imf_surface in, second, out;
    bool fills = x->step[i].fills && source->done > source->before, two = pass->second >= -1;
    int first = made->before - pass->problem.reach.top;
    if (fills)
        first = imf_min(first, source->before ? source->before : -m.top);
    if (!fills && made->done == made->before)
        return IMF_OK;
    enum imf_status st = map_rows(x, pass->source + 1, imf_max(first, -m.top),
                                  imf_bands_end(x->bands, pass->source + 1, source->done),
                                  fills ? IMF_ACCESS_BOTH : IMF_ACCESS_READ, &in, err);
    if (st)
        return st;
    if (fills) {
        struct imf_surface fresh = rows_from(&in, source->before, source->done);
        imf_exec_fill_host(x, i, &fresh, source->before);
    }
    if (made->done > made->before) {
        second = in; /* never read where there is none */
        if (two)
            st = map_rows(x, pass->second + 1, made->before, made->done, IMF_ACCESS_READ, &second,
                          err);
        bool held = two && !st;
        if (!st)
            st = map_rows(x, i + 1, made->before, made->done, IMF_ACCESS_BOTH, &out, err);
        if (!st) {
            st = run_pass(x, i, &in, &second, &out, err);
            enum imf_status unmapped = unmap(x, &out, st ? NULL : err);
            st = st ? st : unmapped;
        }
        if (held) {
            enum imf_status unmapped = unmap(x, &second, st ? NULL : err);
            st = st ? st : unmapped;
        }
    }
    enum imf_status unmapped = unmap(x, &in, st ? NULL : err);
    return st ? st : unmapped;
}

static const struct imf_exec_ops device = {.map_input = map_input,
                                           .submit_input = submit_input,
                                           .copy_halo = copy_halo,
                                           .map_output = map_output,
                                           .unmap_output = unmap_output,
                                           .wait = wait,
                                           .finish = finish,
                                           .move_rows = move_rows,
                                           .fill_margin = fill_margin,
                                           .run_point = run_point,
                                           .run_on_host = run_on_host,
                                           .copy_alpha = copy_alpha,
                                           .destroy = destroy};

/* ---- making --------------------------------------------------------------------------------- */

/* A buffer for transfers, which stays mapped. */
static enum imf_status make_pinned(struct device *d, struct pinned *p, size_t bytes,
                                   struct imf_error *err) {
    enum imf_status st = imf_buffer_make(&p->buffer, d->queue, IMF_BUFFER_MAPPED, bytes, err);
    if (st)
        return st;
    p->host = imf_buffer_map(d->queue, p->buffer, IMF_ACCESS_BOTH, 0, bytes, err);
    return p->host ? IMF_OK : IMF_ERR_DEVICE;
}

/* The image's buffer k, laid out already. */
static enum imf_status make_input(struct device *d, int k, struct imf_error *err) {
    struct imf_surface *s = &d->exec.in[k];
    size_t bytes = imf_surface_bytes(s);
    if (d->exec.transfers) {
        enum imf_status st = imf_buffer_make(&s->mem, d->queue, IMF_BUFFER_WORK, bytes, err);
        st = st ? st : make_pinned(d, &d->input[k], bytes, err);
        d->exec.host_input[k] = d->input[k].host;
        return st;
    }
    enum imf_status st = imf_surface_alloc(s, err);
    if (st)
        return st;
    void *memory = s->host;
    s->host = NULL;
    st = imf_buffer_over(&s->mem, d->queue, memory, bytes, err);
    d->exec.host_input[k] = st ? NULL : memory;
    return st;
}

/* The result's. */
static enum imf_status make_output(struct device *d, int k, struct imf_error *err) {
    struct imf_surface *s = &d->exec.out[k];
    size_t bytes = imf_surface_bytes(s);
    enum imf_buffer_use use = d->exec.transfers ? IMF_BUFFER_WORK : IMF_BUFFER_MAPPED;
    enum imf_status st = imf_buffer_make(&s->mem, d->queue, use, bytes, err);
    return st || !d->exec.transfers ? st : make_pinned(d, &d->output[k], bytes, err);
}

/* The host writes or reads surface i in one of its passes. */
static bool host_uses(const struct imf_chain *c, int i, const struct imf_proposal *chosen) {
    bool uses = chosen[i - 1].place == IMF_PLACE_HOST;
    for (int k = i; k < c->count; k++)
        uses = uses || (chosen[k].place == IMF_PLACE_HOST &&
                        (c->passes[k].source == i - 1 || c->passes[k].second == i - 1));
    return uses;
}

static enum imf_status make_surface(struct device *d, int i, const struct imf_proposal *chosen,
                                    struct imf_error *err) {
    const struct imf_chain *c = d->exec.chain;
    struct imf_surface *s = &d->exec.surface[i];
    enum imf_status st = imf_layout(d->exec.bands, i, c->out, s, err);
    if (st)
        return st;
    for (int k = 0; k < d->exec.slots && !st && (i == 0 || i == c->count); k++) {
        *(i ? &d->exec.out[k] : &d->exec.in[k]) = *s;
        st = i ? make_output(d, k, err) : make_input(d, k, err);
    }
    if (i == 0 || i == c->count)
        return st;
    return imf_buffer_make(&s->mem, d->queue,
                           host_uses(c, i, chosen) ? IMF_BUFFER_MAPPED : IMF_BUFFER_WORK,
                           imf_surface_bytes(s), err);
}

/* A pass that the host does on mapped surfaces. */
static enum imf_status make_mapped(struct device *d, int i, const struct imf_proposal *chosen,
                                   struct imf_error *err) {
    const struct imf_pass *pass = &d->exec.chain->passes[i];
    struct imf_step *step = &d->exec.step[i];
    struct imf_problem p = pass->problem;
    if (pass->kind == IMF_PASS_POINT)
        return imf_exec_make_host_point(&d->exec, i, chosen, err);
    p.in = d->exec.surface[pass->source + 1].sample;
    p.out = d->exec.surface[i + 1].sample;
    return imf_job_make(&step->job, &p, chosen, NULL, err);
}

static enum imf_status make_step(struct device *d, int i, const struct imf_proposal *chosen,
                                 struct imf_error *err) {
    const struct imf_chain *c = d->exec.chain;
    const struct imf_pass *pass = &c->passes[i];
    const struct imf_surface *source = &d->exec.surface[pass->source + 1];
    struct imf_step *step = &d->exec.step[i];
    if (chosen->place == IMF_PLACE_HOST) {
        step->on_host = true;
        return make_mapped(d, i, chosen, err);
    }
    if (pass->kind == IMF_PASS_POINT)
        return imf_point_make(&d->device_step[i].point, d->queue, &pass->point, source->sample,
                              pass->out, c->height, err);
    enum imf_status st = IMF_OK;
    if (step->fills) {
        struct imf_surface image = *source; /* the job is for all rows of the image */
        image.height = c->height;
        st = imf_edge_make(&d->device_step[i].edge, d->queue, &image,
                           imf_chain_margin(c, pass->source), imf_chain_edge(c, pass->source),
                           pass->problem.outside, err);
    }
    struct imf_problem p = pass->problem;
    p.height = imf_min(chosen->height, d->exec.bands->window[i + 1].tallest);
    return st ? st : imf_job_make(&step->job, &p, chosen, d->queue, err);
}

static enum imf_status make(struct device *d, const struct imf_proposal *chosen,
                            struct imf_bands_form form, struct imf_runtime *rt,
                            struct imf_error *err) {
    struct imf_exec *x = &d->exec;
    const struct imf_chain *c = x->chain;
    d->device_step = calloc((size_t)c->count, sizeof *d->device_step);
    if (!d->device_step)
        return imf_fail_memory(err, (size_t)c->count * sizeof *d->device_step);
    enum imf_status st =
        imf_bands_plan(&x->bands, c, chosen, form, imf_queue_device(d->queue), err);
    if (!st)
        st = imf_exec_init_bands(x, err);
    x->transfers = form.transfers || imf_queue_device(d->queue)->gpu;
    if (!st && x->transfers)
        st = imf_transfer_open(&d->transfer, d->queue, rt, err);
    for (int i = 0; i <= c->count && !st; i++)
        st = make_surface(d, i, chosen, err);
    for (int i = 0; i < c->count && !st; i++)
        st = make_step(d, i, &chosen[i], err);
    if (!st && c->keep_alpha)
        st = imf_alpha_make(&d->alpha, d->queue, c, err);
    return st;
}

enum imf_status imf_exec_make_device(struct imf_exec **out, const struct imf_chain *c,
                                     const struct imf_proposal *chosen, struct imf_bands_form form,
                                     struct imf_runtime *rt, double spare, struct imf_error *err) {
    struct device *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d)
        return imf_fail_memory(err, sizeof *d);
    *out = &d->exec;
    enum imf_status st = imf_exec_init(&d->exec, &device, c, err);
    if (!st)
        st = imf_queue_open(&d->queue, rt, err);
    if (!st)
        imf_queue_limit(d->queue, spare);
    if (!st)
        st = make(d, chosen, form, rt, err);
    if (st)
        imf_exec_free(out);
    return st;
}
