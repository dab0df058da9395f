/*
 * workspace.c - what one image needs while it is filtered; running a plan from a reader to a writer
 * or in memory
 *
 * Left to choose, a run survives its device: whatever fails on it between its preparation and the
 * finished pixels, the input is still in the host's memory (exec_input.c) and the host solver
 * does the work, with a note for the user. The plan stays what it was; that the device failed is
 * known to the workspace, and to the context for the plans that are made and run later.
 */
#include "base/clock.h"
#include "run/bench.h"
#include "run/palette.h"
#include "run/plan.h"
#include "run/verify.h"

#include <stdlib.h>
#include <string.h>

struct imf_workspace {
    const struct imf_plan *plan;
    struct imf_exec *exec; /* made by the first run */
    bool on_device;
    struct imf_choice choice;     /* the plan's, or what `fallen` says */
    struct imf_fallback fallback; /* if the device failed */
};

static void start(struct imf_workspace *ws, const struct imf_plan *plan) {
    *ws = (struct imf_workspace){
        .plan = plan, .on_device = plan->planning.on_device, .choice = plan->choice};
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

/* ---- preparing, and falling back ------------------------------------------------------------ */

/* Take the host, after a device said `why`; false if it cannot do the work. */
static bool choose_host(struct imf_workspace *ws, const char *why) {
    struct imf_fallback *f = &ws->fallback;
    if (!imf_planning_fall_back(&ws->plan->planning, why, f))
        return false;
    ws->on_device = false;
    ws->choice.candidates = f->candidate;
    ws->choice.chosen = &f->candidate[f->chosen];
    ws->choice.device = IMF_HOST;
    ws->choice.note = f->note;
    return true;
}

static enum imf_status make_host(struct imf_workspace *ws, struct imf_error *err) {
    const struct imf_chain *chain = ws->plan->chain;
    if (ws->plan->planning.host_backend == IMF_BACKEND_VECTOR)
        return imf_exec_make_vector(&ws->exec, chain, err);
    return imf_exec_make_host(&ws->exec, chain, chain->out, err);
}

/*
 * After `failure` on the device: take the host instead, with the device's input if `with_input`.
 * Fails with that failure where the device was asked for or the host cannot do it.
 */
static enum imf_status fall_back(struct imf_workspace *ws, const struct imf_error *failure,
                                 bool with_input, struct imf_error *err) {
    if (!ws->plan->may_fall_back || !ws->on_device || !choose_host(ws, failure->text)) {
        if (err)
            *err = *failure;
        return failure->status;
    }
    /* Too little memory for this image may be enough for the next. */
    if (failure->status == IMF_ERR_DEVICE)
        imf_context_give_up(ws->plan->ctx, failure);
    struct imf_exec *failed = ws->exec;
    ws->exec = NULL;
    enum imf_status st = make_host(ws, err);
    if (!st && with_input)
        st = imf_exec_copy_input(failed, ws->exec, err);
    imf_exec_free(&failed);
    return st;
}

static enum imf_status make_device(struct imf_workspace *ws, struct imf_error *err) {
    const struct imf_planning *p = &ws->plan->planning;
    return imf_exec_make_device(&ws->exec, p->chain, p->taken, 0, p->rt, err);
}

static enum imf_status prepare(struct imf_workspace *ws, struct imf_error *err) {
    struct imf_error failure;
    if (ws->exec)
        return IMF_OK;
    /* Another run may have found out that the device fails. */
    const char *gave_up =
        ws->on_device && ws->plan->may_fall_back ? imf_context_gave_up(ws->plan->ctx) : NULL;
    if (!ws->on_device || (gave_up && choose_host(ws, gave_up)))
        return make_host(ws, err);
    return make_device(ws, &failure) ? fall_back(ws, &failure, false, err) : IMF_OK;
}

/* ---- running -------------------------------------------------------------------------------- */

/* Where the pixels come from and go to. */
struct ends {
    struct imf_reader *reader;
    struct imf_writer *writer;
    const char *src;
    char *dst;
    size_t src_stride, dst_stride;
};

/* Read the image into the input, which stays mapped. */
static enum imf_status take_in(struct imf_workspace *ws, const struct ends *ends,
                               struct imf_report *r, struct imf_error *err) {
    struct imf_error failure;
    const struct imf_surface *in = imf_exec_map_input(ws->exec, &failure);
    if (!in) {
        enum imf_status st = fall_back(ws, &failure, false, err);
        if (st)
            return st;
        in = imf_exec_map_input(ws->exec, err);
    }
    size_t size = imf_sample_size(in->sample);
    double begin = imf_now_ms();
    enum imf_status st = IMF_OK;
    if (ends->reader)
        st = imf_reader_rows(ends->reader, imf_surface_row(in, 0), in->pitch * size, in->height,
                             err);
    else
        for (int y = 0; y < in->height; y++)
            memcpy(imf_surface_row(in, y), ends->src + (size_t)y * ends->src_stride,
                   (size_t)in->width * (size_t)in->channels * size);
    r->decode_ms = imf_now_ms() - begin;
    if (st)
        (void)imf_exec_unmap_input(ws->exec, NULL);
    return st;
}

/* Write the mapped output. */
static enum imf_status give_out(const struct imf_surface *out, const struct ends *ends,
                                struct imf_report *r, struct imf_error *err) {
    double begin = imf_now_ms();
    size_t size = imf_sample_size(out->sample);
    enum imf_status st = IMF_OK;
    if (ends->writer) {
        st = imf_writer_rows(ends->writer, imf_surface_row(out, 0), out->pitch * size, out->height,
                             err);
        if (!st)
            st = imf_writer_finish(ends->writer, err);
    }
    for (int y = 0; ends->dst && y < out->height; y++)
        memcpy(ends->dst + (size_t)y * ends->dst_stride, imf_surface_row(out, y),
               (size_t)out->width * (size_t)out->channels * size);
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
    const struct imf_chain *chain = ws->plan->chain;
    double begin = imf_now_ms();
    *out = NULL;
    enum imf_status st = imf_exec_unmap_input(ws->exec, err);
    double uploaded = imf_now_ms();
    if (!st)
        st = imf_exec_run(ws->exec, err);
    if (!st)
        st = imf_exec_refine(ws->exec, chain, err);
    double computed = imf_now_ms();
    if (!st && options && options->bench)
        st = imf_bench(ws->exec, chain, options->bench, r, err);
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

static enum imf_status run(struct imf_workspace *ws, const struct ends *ends,
                           const struct imf_run_options *options, struct imf_report *r,
                           struct imf_error *err) {
    struct imf_error failure;
    const struct imf_surface *out;
    double begin = imf_now_ms();
    enum imf_status st = prepare(ws, err);
    r->setup_ms = imf_now_ms() - begin + imf_context_take_setup_ms(ws->plan->ctx);
    if (!st)
        st = take_in(ws, ends, r, err);
    if (!st && filter(ws, options, &out, r, &failure)) {
        st = fall_back(ws, &failure, true, err);
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
    r->fell_back = ws->on_device != ws->plan->planning.on_device;
    r->total_ms = imf_now_ms() - begin;
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

/* With what this image's reader and writer hold, which the plan may not have known. */
static enum imf_status check_memory(const struct imf_workspace *ws, const struct imf_reader *reader,
                                    const struct imf_writer *writer, struct imf_error *err) {
    const struct imf_settings *settings = &ws->plan->settings;
    uint64_t bytes = ws->choice.chosen->bytes - settings->held + imf_reader_held(reader) +
                     (writer ? imf_writer_held(writer) : 0);
    if (!settings->max_memory || bytes <= settings->max_memory)
        return IMF_OK;
    return imf_planning_over_limit((double)bytes, (double)settings->max_memory, err);
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
    enum imf_status st = check_memory(ws, reader, writer, err);
    if (st)
        return st;
    const struct ends ends = {.reader = reader, .writer = writer};
    return run(ws, &ends, options, r, err);
}

enum imf_status imf_workspace_run_memory(struct imf_workspace *ws, const void *src,
                                         size_t src_stride, void *dst, size_t dst_stride,
                                         const struct imf_run_options *options,
                                         struct imf_report *report, struct imf_error *err) {
    const struct ends ends = {
        .src = src, .dst = dst, .src_stride = src_stride, .dst_stride = dst_stride};
    struct imf_report local, *r = report ? report : &local;
    memset(r, 0, sizeof *r);
    return run(ws, &ends, options, r, err);
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
