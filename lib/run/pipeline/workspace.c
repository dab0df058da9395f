/*
 * workspace.c - running a plan, from a reader to a writer or in memory
 *
 * Unless the user chose the backend or the device, a run survives a failure of its device: the
 * image is still in the host's memory, and the host does the work, with a note for the user. The
 * plan does not change. The workspace remembers the failure, and the context does for other plans.
 */
#include "run/pipeline/workspace.h"
#include "base/arguments.h"
#include "base/clock.h"
#include "base/sized.h"
#include "codec/codec.h"
#include "plan/layout.h"
#include "plan/reference.h"
#include "run/masks.h"
#include "run/pipeline/bench.h"
#include "run/pipeline/palette.h"
#include "run/pipeline/pixel_io.h"
#include "run/pipeline/stream.h"
#include "run/pipeline/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum imf_status imf_workspace_create(struct imf_workspace **out, const struct imf_plan *plan,
                                     struct imf_error *err) {
    *out = NULL;
    enum imf_status st =
        imf_masks_make(plan->filter, plan->input.orientation, &plan->settings, err);
    if (st)
        return st;
    struct imf_workspace *ws = *out = malloc(sizeof *ws);
    if (!ws)
        return imf_fail_memory(err, sizeof *ws);
    *ws = (struct imf_workspace){
        .plan = plan, .on_device = plan->planning.path.on_device, .choice = plan->choice};
    return IMF_OK;
}

void imf_workspace_free(struct imf_workspace **workspace) {
    if (!*workspace)
        return;
    imf_exec_free(&(*workspace)->exec);
    free((*workspace)->fallback.candidates);
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

/* What imf_stream() hands to its callbacks. */
struct inspection {
    struct imf_workspace *ws;
    const struct imf_run_options *options;
    struct imf_report *report;
};

static bool inspects(const struct imf_run_options *options) {
    return options->bench || options->verify;
}

/* Report how many of the result's rows are filtered. IMF_ERR_CANCELLED: the caller ends the run. */
static enum imf_status report_rows(const struct imf_run_options *o, int filtered, int rows,
                                   struct imf_error *err) {
    if (!o->progress || !o->progress(o->progress_data, filtered, rows) || filtered == rows)
        return IMF_OK;
    return imf_fail(err, IMF_ERR_CANCELLED, "cancelled when %d of %d rows were filtered", filtered,
                    rows);
}

static enum imf_status progress(void *data, int filtered, struct imf_error *err) {
    const struct inspection *i = data;
    return report_rows(i->options, filtered, i->ws->plan->chain->height, err);
}

static enum imf_status make_again(void *data, const struct imf_chain *first, struct imf_exec **out,
                                  struct imf_error *err) {
    return imf_workspace_make(data, first, out, err);
}

/* Time or verify the result of an image that is held whole. */
static enum imf_status inspect(void *data, struct imf_exec *exec, struct imf_rows *result,
                               struct imf_error *err) {
    const struct inspection *i = data;
    enum imf_status st = IMF_OK;
    struct imf_rows image;
    if (i->options->bench)
        st = imf_bench(exec, i->options->bench, result, i->report, err);
    if (st || !i->options->verify)
        return st;
    imf_exec_input_rows(exec, 0, &image);
    const struct imf_witness witness = {make_again, i->ws, imf_workspace_path(i->ws)->float64};
    return imf_verify(i->ws->plan->chain, &image, result, &witness, i->report, err);
}

/* The device failed: take the host, if it can do the work. */
static bool host_takes_over(void *data, const struct imf_error *failure) {
    struct imf_workspace *ws = ((struct inspection *)data)->ws;
    if (!imf_workspace_may_fall_back(ws) || !imf_workspace_choose_host(ws, failure->text))
        return false;
    if (failure->status == IMF_ERR_DEVICE)
        imf_context_give_up(ws->plan->ctx, failure);
    return true;
}

/* Threads cost as much to start and wake as they save below this many samples of the image: a JPEG
 * of 512x512 takes 3.9 ms either way, on two cores. */
#define LEAST_SAMPLES 1e6

static bool single_thread(int width, int height, int channels,
                          const struct imf_run_options *options) {
    double samples = (double)width * height * channels;
    return options->threads == 1 || (options->threads == 0 && samples < LEAST_SAMPLES);
}

static enum imf_status run_bands(struct imf_workspace *ws, struct imf_pixel_io *pixels,
                                 struct imf_pool *pool, const struct imf_run_options *options,
                                 struct imf_report *r, struct imf_error *err) {
    struct inspection data = {ws, options, r};
    const struct imf_chain *c = ws->plan->chain;
    bool alone = single_thread(c->width, c->height, c->channels_in, options);
    imf_exec_use_pool(ws->exec, pool);
    struct imf_stream_run stream = {.exec = ws->exec,
                                    .chain = ws->plan->chain,
                                    .host = &ws->plan->planning.host,
                                    .pixels = pixels,
                                    .pool = pool,
                                    .single_thread = alone,
                                    .fall_back = ws->plan->may_fall_back ? host_takes_over : NULL,
                                    .inspect = inspects(options) ? inspect : NULL,
                                    .progress = progress,
                                    .data = &data};
    enum imf_status st = imf_stream(&stream, r, err);
    imf_exec_tell(ws->exec, r->found, sizeof r->found);
    if (stream.spent)
        imf_exec_free(&ws->exec);
    return st;
}

static enum imf_status run(struct imf_workspace *ws, struct imf_pixel_io *pixels, bool streams,
                           const struct imf_run_options *options, struct imf_report *r,
                           struct imf_error *err) {
    double begin = imf_now_ms(), opened = imf_context_take_setup_ms(ws->plan->ctx);
    struct imf_pool *pool = NULL;
    enum imf_status st = imf_workspace_prepare(ws, streams, err);
    r->setup_ms = imf_now_ms() - begin + opened;
    const struct imf_info *input = pixels->input = &ws->plan->input;
    pixels->output = &ws->plan->output;
    pixels->chain = ws->plan->chain;
    pixels->threads = !single_thread(input->width, input->height, input->channels, options);
    if (!st)
        st = imf_pool_open(&pool, options->threads, err);
    if (!st)
        st = imf_pixel_io_open(pixels, imf_exec_open_rows(ws->exec), err);
    if (!st)
        st = run_bands(ws, pixels, pool, options, r, err);
    imf_pixel_io_close(pixels);
    imf_pool_close(&pool);
    r->fell_back = imf_workspace_path(ws) != &ws->plan->planning.path;
    r->total_ms = imf_now_ms() - begin;
    r->run_ms = r->total_ms + opened;
    return st;
}

/* ---- the interface -------------------------------------------------------------------------- */

/* A caller without metadata leaves the orientation 0. */
static bool same_orientation(const struct imf_info *a, const struct imf_info *b) {
    return (a->orientation > 1 ? a->orientation : 1) == (b->orientation > 1 ? b->orientation : 1);
}

/* Timing and verifying need pixels; gray of few bits is smaller than a palette. */
static bool may_use_palette(const struct imf_plan *plan, const struct imf_reader *reader,
                            const struct imf_writer *writer,
                            const struct imf_run_options *options) {
    return plan->pointwise && !plan->output.bits && imf_reader_palette(reader) && writer &&
           imf_writer_takes_indices(writer) && !inspects(options);
}

/* Bytes of the surfaces if the image is held whole, for a plan whose rows stream. */
static enum imf_status measure_whole(const struct imf_workspace *ws, double *bytes,
                                     struct imf_error *err) {
    const struct imf_planning *p = &ws->plan->planning;
    const struct imf_device *d = ws->on_device ? imf_runtime_device(p->rt) : NULL;
    struct imf_bands *bands = NULL;
    const struct imf_path *path = imf_workspace_path(ws);
    const struct imf_bands_form form = {.float64 = path->float64, .halved = path->halved};
    enum imf_status st = imf_bands_plan(&bands, p->chain, path->chosen, form, d, err);
    *bytes = st ? 0 : imf_layout_surfaces(bands, d);
    imf_bands_free(&bands);
    return st;
}

/* Check the memory limit with what this reader and writer hold, which the plan may not have
 * known. */
static enum imf_status check_memory(const struct imf_workspace *ws, const struct imf_reader *reader,
                                    const struct imf_writer *writer, bool streams, bool verify,
                                    struct imf_error *err) {
    const struct imf_settings *settings = &ws->plan->settings;
    double whole = 0;
    if (!settings->max_memory)
        return IMF_OK;
    if (!ws->choice.chosen->whole_image_reason && !streams) {
        enum imf_status st = measure_whole(ws, &whole, err);
        if (st)
            return st;
    }
    if (verify && !ws->plan->verify) {
        bool again;
        whole += imf_reference_bytes(ws->plan->chain, &again);
        whole += again ? (double)ws->choice.chosen->bytes : 0;
    }
    double bytes = (double)(ws->choice.chosen->bytes - settings->held + imf_reader_held(reader) +
                            (writer ? writer->memory : 0)) +
                   whole;
    if (bytes <= (double)settings->max_memory)
        return IMF_OK;
    return imf_planning_over_limit(ws->plan->chain, bytes, (double)settings->max_memory, err);
}

/* Rows may stream, unless the result is timed or verified, or the reader or writer turns the image:
 * then the last row comes first. */
static bool may_stream(const struct imf_workspace *ws, const struct imf_reader *reader,
                       const struct imf_writer *writer, const struct imf_run_options *options) {
    return ws->plan->form.streams && !(reader && !imf_reader_in_order(reader)) &&
           !(writer && !imf_orientation_is_upright(writer->orientation)) && !inspects(options);
}

static enum imf_status run_files(struct imf_workspace *ws, struct imf_reader *reader,
                                 struct imf_writer *writer, const struct imf_run_options *options,
                                 struct imf_report *r, struct imf_error *err) {
    const struct imf_info *info = imf_reader_info(reader), *input = &ws->plan->input;
    if (info->width != input->width || info->height != input->height ||
        info->channels != input->channels || info->depth != input->depth ||
        info->type != input->type || info->type_bits != input->type_bits ||
        info->color != input->color || info->alpha != input->alpha ||
        info->spectral != input->spectral || !same_orientation(info, input))
        return imf_fail(err, IMF_ERR_ARGUMENT, "the plan was made for another image");
    if (writer && ws->plan->in_parts)
        imf_writer_keep_no_pictures(writer);
    if (may_use_palette(ws->plan, reader, writer, options)) {
        enum imf_status st = report_rows(options, 0, info->height, err);
        r->setup_ms = imf_context_take_setup_ms(ws->plan->ctx);
        if (!st)
            st = imf_palette_run(ws->plan->filter, &ws->plan->settings, reader, writer, r, err);
        return st ? st : report_rows(options, info->height, info->height, err);
    }
    if (ws->plan->settings.twice && !imf_reader_seeks(reader))
        return imf_fail(err, IMF_ERR_ARGUMENT, "the plan is for an image that is read twice");
    bool streams = may_stream(ws, reader, writer, options);
    enum imf_status st = check_memory(ws, reader, writer, streams, options->verify, err);
    if (st)
        return st;
    struct imf_pixel_io pixels = {.reader = reader, .writer = writer};
    return run(ws, &pixels, streams, options, r, err);
}

/* The caller's progress, where it is that of one channel of several. */
struct channel_progress {
    const struct imf_run_options *options;
    int channel, channels;
};

static int channel_progress(void *data, int filtered, int rows) {
    const struct channel_progress *p = data;
    double part = (p->channel + (double)filtered / rows) / p->channels;
    bool end = filtered == rows && p->channel + 1 == p->channels;
    int all = end ? rows : imf_min((int)(part * rows), rows - 1);
    return p->options->progress(p->options->progress_data, all, rows);
}

/* Add what one channel took and had; the rest is the last one's. */
static void add_report(struct imf_report *r, const struct imf_report *one) {
    static const size_t times[] = {
        offsetof(struct imf_report, setup_ms),        offsetof(struct imf_report, decode_ms),
        offsetof(struct imf_report, upload_ms),       offsetof(struct imf_report, compute_ms),
        offsetof(struct imf_report, download_ms),     offsetof(struct imf_report, encode_ms),
        offsetof(struct imf_report, total_ms),        offsetof(struct imf_report, decode_wait_ms),
        offsetof(struct imf_report, compute_wait_ms), offsetof(struct imf_report, encode_wait_ms),
        offsetof(struct imf_report, run_ms)};
    const struct imf_report before = *r;
    *r = *one;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        *(double *)(void *)((char *)r + times[i]) +=
            *(const double *)(const void *)((const char *)&before + times[i]);
    r->bands += before.bands;
    r->verify_max = fmax(r->verify_max, before.verify_max);
    r->verify_differing += before.verify_differing;
    r->verify_samples += before.verify_samples;
    r->verify_unexcused += before.verify_unexcused;
    r->verify_ok = r->verify_ok && (before.verify_ok || !before.verified);
    r->fell_back |= before.fell_back;
}

/* One channel after the other, each as a picture of its own. */
static enum imf_status run_channels(struct imf_workspace *ws, struct imf_reader *reader,
                                    struct imf_writer *writer,
                                    const struct imf_run_options *options, struct imf_report *r,
                                    struct imf_error *err) {
    struct channel_progress progress = {options, 0, imf_reader_info(reader)->spectral};
    struct imf_run_options own = *options;
    enum imf_status st = IMF_OK;
    own.progress = options->progress ? channel_progress : NULL;
    own.progress_data = &progress;
    for (; progress.channel < progress.channels && !st; progress.channel++) {
        struct imf_report one = {0};
        if (progress.channel)
            st = imf_reader_channel(reader, progress.channel, err);
        if (!st)
            st = run_files(ws, reader, writer, &own, &one, err);
        add_report(r, &one);
    }
    return st;
}

enum imf_status imf_workspace_run(struct imf_workspace *ws, struct imf_reader *reader,
                                  struct imf_writer *writer, const struct imf_run_options *options,
                                  struct imf_report *report, struct imf_error *err) {
    struct imf_run_options o;
    struct imf_report r = {0};
    imf_sized_read(&o, sizeof o, options);
    enum imf_status st = imf_check_run(&o, err);
    if (!st && imf_reader_info(reader)->spectral && o.bench)
        st = imf_fail(err, IMF_ERR_ARGUMENT, "one channel is timed, and there are %d",
                      imf_reader_info(reader)->spectral);
    if (!st)
        st = (imf_reader_info(reader)->spectral ? run_channels : run_files)(ws, reader, writer, &o,
                                                                            &r, err);
    imf_sized_write(report, &r, sizeof r);
    return st;
}

enum imf_status imf_workspace_run_memory(struct imf_workspace *ws, const void *src,
                                         size_t src_stride, void *dst, size_t dst_stride,
                                         const struct imf_run_options *options,
                                         struct imf_report *report, struct imf_error *err) {
    struct imf_pixel_io pixels = {
        .src = src, .dst = dst, .src_stride = src_stride, .dst_stride = dst_stride};
    struct imf_run_options o;
    struct imf_report r = {0};
    imf_sized_read(&o, sizeof o, options);
    enum imf_status st = imf_check_run(&o, err);
    if (!st)
        st = imf_check_stride(src_stride, &ws->plan->input, err);
    if (!st)
        st = imf_check_stride(dst_stride, &ws->plan->output, err);
    if (!st)
        st = run(ws, &pixels, may_stream(ws, NULL, NULL, &o), &o, &r, err);
    imf_sized_write(report, &r, sizeof r);
    return st;
}
