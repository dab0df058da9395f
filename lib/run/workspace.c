/*
 * workspace.c - what one image needs while it is filtered; running a plan from a reader to a writer
 * or in memory
 *
 * Left to choose, a run survives its device: whatever fails on it between its preparation and the
 * finished pixels, the input is still in the host's memory (exec_input.c) and the host solver
 * does the work, with a note for the user. The plan stays what it was; that the device failed is
 * known to the workspace, and to the context for the plans that are made and run later.
 */
#include "run/workspace.h"
#include "base/clock.h"
#include "codec/ahead.h"
#include "codec/codec.h"
#include "plan/layout.h"
#include "run/bench.h"
#include "run/ends.h"
#include "run/palette.h"
#include "run/stream.h"
#include "run/verify.h"

#include <stdlib.h>
#include <string.h>

static void start(struct imf_workspace *ws, const struct imf_plan *plan) {
    *ws = (struct imf_workspace){.plan = plan,
                                 .on_device = plan->planning.on_device,
                                 .on_gles = plan->planning.gles != NULL,
                                 .choice = plan->choice};
}

enum imf_status imf_workspace_create(struct imf_workspace **out, const struct imf_plan *plan,
                                     struct imf_error *err) {
    struct imf_workspace *ws = *out = malloc(sizeof *ws);
    if (!ws)
        return imf_fail_memory(err, sizeof *ws);
    start(ws, plan);
    return IMF_OK;
}

void imf_workspace_free(struct imf_workspace **workspace) {
    if (!*workspace)
        return;
    imf_exec_free(&(*workspace)->exec);
    free(*workspace);
    *workspace = NULL;
}

const struct imf_plan *imf_workspace_plan(const struct imf_workspace *ws) {
    return ws->plan;
}

const struct imf_choice *imf_workspace_choice(const struct imf_workspace *ws) {
    return &ws->choice;
}

/* ---- running -------------------------------------------------------------------------------- */

/* All rows of a surface in the host's memory. */
static struct imf_rows rows_of(const struct imf_surface *s) {
    return (struct imf_rows){imf_surface_row(s, 0), s->pitch * imf_sample_size(s->sample), 0,
                             s->height};
}

/* The same when the image is on its way, whole: it does not begin to stream on the host. */
static enum imf_status fall_back_whole(struct imf_workspace *ws, const struct imf_error *failure,
                                       bool with_input, struct imf_error *err) {
    ws->streams = false;
    return imf_workspace_fall_back(ws, failure, with_input, err);
}

/* Read the image into the input, which stays mapped. */
static enum imf_status take_in(struct imf_workspace *ws, struct imf_ends *ends,
                               struct imf_report *r, struct imf_error *err) {
    struct imf_error failure;
    const struct imf_surface *in = imf_exec_map_input(ws->exec, &failure);
    if (!in) {
        enum imf_status st = fall_back_whole(ws, &failure, false, err);
        if (st)
            return st;
        in = imf_exec_map_input(ws->exec, err);
    }
    const struct imf_rows rows = rows_of(in);
    double begin = imf_now_ms();
    enum imf_status st = imf_ends_read(ends, &rows, err);
    r->decode_ms = imf_now_ms() - begin;
    if (st)
        (void)imf_exec_unmap_input(ws->exec, NULL);
    return st;
}

/* Write the mapped output. */
static enum imf_status give_out(const struct imf_surface *out, struct imf_ends *ends,
                                struct imf_report *r, struct imf_error *err) {
    const struct imf_rows rows = rows_of(out);
    double begin = imf_now_ms();
    enum imf_status st = imf_ends_write(ends, &rows, true, err);
    r->encode_ms = imf_now_ms() - begin;
    return st;
}

static enum imf_status verify(struct imf_workspace *ws, struct imf_report *r,
                              struct imf_error *err) {
    const struct imf_surface *in = imf_exec_map_input(ws->exec, err);
    if (!in)
        return IMF_ERR_DEVICE;
    enum imf_status st = IMF_ERR_DEVICE;
    const struct imf_surface *out = imf_exec_map_output(ws->exec, err);
    if (out) {
        st = imf_verify(ws->plan->chain, in, out, r, err);
        enum imf_status unmapped = imf_exec_unmap_output(ws->exec, st ? NULL : err);
        st = st ? st : unmapped;
    }
    enum imf_status unmapped = imf_exec_unmap_input(ws->exec, st ? NULL : err);
    return st ? st : unmapped;
}

/* From the mapped input to the mapped output; IMF_OK or a failure of the device, as far as there is
 * one. */
static enum imf_status filter(struct imf_workspace *ws, const struct imf_run_options *options,
                              const struct imf_surface **out, struct imf_report *r,
                              struct imf_error *err) {
    double begin = imf_now_ms();
    *out = NULL;
    enum imf_status st = imf_exec_unmap_input(ws->exec, err);
    double uploaded = imf_now_ms();
    if (!st)
        st = imf_exec_run(ws->exec, err);
    double computed = imf_now_ms();
    if (!st && options && options->bench)
        st = imf_bench(ws->exec, options->bench, r, err);
    if (!st && options && options->verify)
        st = verify(ws, r, err);
    double verified = imf_now_ms();
    if (!st && !(*out = imf_exec_map_output(ws->exec, err)))
        st = IMF_ERR_DEVICE;
    r->upload_ms = uploaded - begin;
    r->compute_ms = computed - uploaded;
    r->download_ms = imf_now_ms() - verified;
    return st;
}

static enum imf_status run_whole(struct imf_workspace *ws, struct imf_ends *ends,
                                 const struct imf_run_options *options, struct imf_report *r,
                                 struct imf_error *err) {
    struct imf_error failure;
    const struct imf_surface *out;
    enum imf_status st = take_in(ws, ends, r, err);
    if (!st && filter(ws, options, &out, r, &failure)) {
        st = fall_back_whole(ws, &failure, true, err);
        if (!st)
            st = filter(ws, options, &out, r, err);
    }
    if (!st) {
        st = give_out(out, ends, r, err);
        bool unmapped = imf_exec_unmap_output(ws->exec, &failure) == IMF_OK;
        if (!unmapped && ws->plan->may_fall_back) {
            imf_exec_free(&ws->exec); /* the pixels were right; the next image starts anew */
        } else if (!unmapped && !st) {
            st = failure.status;
            if (err)
                *err = failure;
        }
    }
    return st;
}

/* The host takes over from a device that failed with this. */
static bool host_goes_on(void *data, const struct imf_error *failure) {
    struct imf_workspace *ws = data;
    if (!imf_workspace_may_fall_back(ws) || !imf_workspace_choose_host(ws, failure->text))
        return false;
    if (failure->status == IMF_ERR_DEVICE)
        imf_context_give_up(ws->plan->ctx, failure);
    return true;
}

static enum imf_status run_bands(struct imf_workspace *ws, struct imf_ends *ends,
                                 struct imf_report *r, struct imf_error *err) {
    struct imf_stream_run stream = {.exec = ws->exec,
                                    .plain = ws->plan->chain,
                                    .host = ws->plan->planning.host_backend,
                                    .read = imf_ends_read,
                                    .write = imf_ends_write,
                                    .ends = ends,
                                    .alone = ws->threads == 1,
                                    .fall_back = ws->plan->may_fall_back ? host_goes_on : NULL,
                                    .data = ws};
    enum imf_status st = imf_stream(&stream, r, err);
    if (stream.spent)
        imf_exec_free(&ws->exec);
    return st;
}

static enum imf_status run(struct imf_workspace *ws, struct imf_ends *ends, bool streams,
                           const struct imf_run_options *options, struct imf_report *r,
                           struct imf_error *err) {
    double begin = imf_now_ms(), opened = imf_context_take_setup_ms(ws->plan->ctx);
    ws->threads = options ? options->threads : 0;
    enum imf_status st = imf_workspace_prepare(ws, streams, err);
    r->setup_ms = imf_now_ms() - begin + opened;
    if (!st) {
        imf_exec_limit(ws->exec, ws->threads);
        st = imf_exec_bands(ws->exec) ? run_bands(ws, ends, r, err)
                                      : run_whole(ws, ends, options, r, err);
    }
    if (ends->reader)
        r->decode_ms += imf_ahead_ms(ends->reader->ahead);
    r->fell_back = ws->on_device != ws->plan->planning.on_device ||
                   ws->on_gles != (ws->plan->planning.gles != NULL);
    r->total_ms = imf_now_ms() - begin;
    r->run_ms = r->total_ms + opened;
    return st;
}

/* ---- the interface -------------------------------------------------------------------------- */

/* 0 is what a caller without metadata leaves. */
static bool lies_like(const struct imf_info *a, const struct imf_info *b) {
    return (a->orientation > 1 ? a->orientation : 1) == (b->orientation > 1 ? b->orientation : 1);
}

/* What is measured or verified is pixels; few bits of gray take less room than a palette. */
static bool may_use_palette(const struct imf_plan *plan, const struct imf_reader *reader,
                            const struct imf_writer *writer,
                            const struct imf_run_options *options) {
    return plan->pointwise && !plan->output.bits && imf_reader_palette(reader) && writer &&
           imf_writer_takes_indices(writer) && !(options && (options->bench || options->verify));
}

/* Bytes of surfaces that are whole, for a plan that was made for others. */
static enum imf_status measure_whole(const struct imf_workspace *ws, double *bytes,
                                     struct imf_error *err) {
    const struct imf_planning *p = &ws->plan->planning;
    const struct imf_device *d = ws->on_device ? imf_runtime_device(p->rt) : NULL;
    struct imf_bands *bands = NULL;
    enum imf_status st =
        d ? imf_bands_plan(&bands, p->chain, p->taken, (struct imf_bands_form){0}, d, err)
          : imf_bands_whole(&bands, ws->plan->chain, err);
    *bytes = st ? 0 : imf_layout_surfaces(bands, d);
    imf_bands_free(&bands);
    return st;
}

/* With what this image's reader and writer hold, which the plan may not have known. */
static enum imf_status check_memory(const struct imf_workspace *ws, const struct imf_reader *reader,
                                    const struct imf_writer *writer, bool streams,
                                    struct imf_error *err) {
    const struct imf_settings *settings = &ws->plan->settings;
    double whole = 0;
    if (!settings->max_memory)
        return IMF_OK;
    if (!ws->choice.chosen->holds && !streams) {
        enum imf_status st = measure_whole(ws, &whole, err);
        if (st)
            return st;
    }
    double bytes = (double)(ws->choice.chosen->bytes - settings->held + imf_reader_held(reader) +
                            (writer ? imf_writer_held(writer) : 0)) +
                   whole;
    if (bytes <= (double)settings->max_memory)
        return IMF_OK;
    return imf_planning_over_limit(bytes, (double)settings->max_memory, err);
}

/* May rows come and go while others are filtered? What is measured or verified is looked at again,
 * and what is turned begins with its last row. */
static bool may_stream(const struct imf_workspace *ws, const struct imf_reader *reader,
                       const struct imf_writer *writer, const struct imf_run_options *options) {
    return ws->plan->form.ends && !(reader && !imf_reader_in_order(reader)) &&
           !(writer && !imf_turn_is_none(writer->turn)) &&
           !(options && (options->bench || options->verify));
}

enum imf_status imf_workspace_run(struct imf_workspace *ws, struct imf_reader *reader,
                                  struct imf_writer *writer, const struct imf_run_options *options,
                                  struct imf_report *report, struct imf_error *err) {
    const struct imf_info *info = imf_reader_info(reader), *input = &ws->plan->input;
    struct imf_report local, *r = report ? report : &local;
    memset(r, 0, sizeof *r);
    if (info->width != input->width || info->height != input->height ||
        info->channels != input->channels || info->depth != input->depth ||
        info->color != input->color || info->alpha != input->alpha || !lies_like(info, input))
        return imf_fail(err, IMF_ERR_ARGUMENT, "the plan was made for another image");
    if (may_use_palette(ws->plan, reader, writer, options)) {
        r->setup_ms = imf_context_take_setup_ms(ws->plan->ctx);
        return imf_palette_run(ws->plan->filter, &ws->plan->settings, reader, writer, r, err);
    }
    bool streams = may_stream(ws, reader, writer, options);
    enum imf_status st = check_memory(ws, reader, writer, streams, err);
    if (st)
        return st;
    struct imf_ends ends = {.reader = reader, .writer = writer};
    return run(ws, &ends, streams, options, r, err);
}

enum imf_status imf_workspace_run_memory(struct imf_workspace *ws, const void *src,
                                         size_t src_stride, void *dst, size_t dst_stride,
                                         const struct imf_run_options *options,
                                         struct imf_report *report, struct imf_error *err) {
    const struct imf_chain *c = ws->plan->chain;
    size_t width = (size_t)c->width;
    struct imf_ends ends = {.src = src,
                            .dst = dst,
                            .src_stride = src_stride,
                            .dst_stride = dst_stride,
                            .src_row = width * (size_t)c->channels_in * imf_sample_size(c->in),
                            .dst_row = width * (size_t)c->channels_out * imf_sample_size(c->out)};
    struct imf_report local, *r = report ? report : &local;
    memset(r, 0, sizeof *r);
    return run(ws, &ends, may_stream(ws, NULL, NULL, options), options, r, err);
}

enum imf_status imf_plan_run(const struct imf_plan *plan, struct imf_reader *reader,
                             struct imf_writer *writer, const struct imf_run_options *options,
                             struct imf_report *report, struct imf_error *err) {
    struct imf_workspace ws;
    start(&ws, plan);
    enum imf_status st = imf_workspace_run(&ws, reader, writer, options, report, err);
    imf_exec_free(&ws.exec);
    return st;
}

enum imf_status imf_plan_run_memory(const struct imf_plan *plan, const void *src, size_t src_stride,
                                    void *dst, size_t dst_stride,
                                    const struct imf_run_options *options,
                                    struct imf_report *report, struct imf_error *err) {
    struct imf_workspace ws;
    start(&ws, plan);
    enum imf_status st =
        imf_workspace_run_memory(&ws, src, src_stride, dst, dst_stride, options, report, err);
    imf_exec_free(&ws.exec);
    return st;
}
