/*
 * apply.c - plans: made for one image shape, run from a reader to a writer or in memory
 *
 * Left to choose, a plan survives its device: whatever fails on it between its preparation and the
 * finished pixels, the input is still in the host's memory (exec_input.c) and the plain C solver
 * does the work, with a note for the user.
 */
#include "base/clock.h"
#include "filter/form.h"
#include "plan/planner.h"
#include "run/exec.h"
#include "run/palette.h"
#include "run/verify.h"

#include <stdlib.h>
#include <string.h>

struct imf_plan {
    struct imf_context *ctx;
    const struct imf_filter *filter;
    struct imf_settings settings;
    bool pointwise; /* a palette may be filtered instead of its pixels */
    struct imf_info input, output;
    struct imf_filter *turned; /* or NULL: the image lies upright */
    struct imf_chain *chain;
    struct imf_planning planning;
    bool may_fall_back;    /* the backend and device were left to us */
    struct imf_exec *exec; /* made by the first run */
    char device[160];
};

static enum imf_status check_info(const struct imf_info *i, struct imf_error *err) {
    if (i->width < 1 || i->height < 1 || i->channels < 1 || i->channels > 4 ||
        (i->depth != 8 && i->depth != 16))
        return imf_fail(err, IMF_ERR_ARGUMENT, "no image has %dx%d pixels of %d %d-bit channels",
                        i->width, i->height, i->channels, i->depth);
    return IMF_OK;
}

static void describe_device(struct imf_plan *plan) {
    const char *name = "host";
    if (plan->planning.on_device)
        name = imf_runtime_device(plan->planning.rt)->name;
    snprintf(plan->device, sizeof plan->device, "%s", name);
}

enum imf_status imf_plan_create(struct imf_plan **out, struct imf_context *ctx,
                                const struct imf_filter *filter, const struct imf_info *input,
                                const struct imf_settings *settings, struct imf_error *err) {
    *out = NULL;
    enum imf_status st = check_info(input, err);
    if (st)
        return st;
    struct imf_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return imf_fail_memory(err, sizeof *plan);
    plan->ctx = ctx;
    plan->filter = filter;
    plan->settings = *settings;
    plan->pointwise = !settings->depth && imf_filter_is_pointwise(filter, settings);
    plan->input = plan->output = *input;
    st = imf_filter_turn(&plan->turned, filter, input->orientation, err);
    if (!st)
        st = imf_chain_build(&plan->chain, plan->turned ? plan->turned : filter, input, settings,
                             err);
    if (!st)
        st = imf_planning_make(&plan->planning, ctx, plan->chain, settings, err);
    if (st) {
        imf_plan_free(&plan);
        return st;
    }
    plan->may_fall_back = settings->backend == IMF_BACKEND_AUTO && !imf_context_device_asked(ctx);
    plan->output.channels = plan->chain->channels_out;
    plan->output.depth = plan->chain->out == IMF_U16 ? 16 : 8;
    if (plan->output.channels - (input->alpha ? 1 : 0) == 1)
        plan->output.color = IMF_COLOR_GRAY;
    plan->output.bits = imf_filter_bits(filter, input, settings);
    describe_device(plan);
    *out = plan;
    return IMF_OK;
}

void imf_plan_free(struct imf_plan **plan) {
    if (!*plan)
        return;
    imf_exec_free(&(*plan)->exec);
    imf_planning_clear(&(*plan)->planning);
    imf_chain_free(&(*plan)->chain);
    imf_filter_free(&(*plan)->turned);
    free(*plan);
    *plan = NULL;
}

const struct imf_info *imf_plan_output(const struct imf_plan *plan) {
    return &plan->output;
}

size_t imf_plan_candidates(const struct imf_plan *plan, const struct imf_candidate **list) {
    *list = plan->planning.candidate;
    return plan->planning.count;
}

const char *imf_plan_backend(const struct imf_plan *plan) {
    return plan->planning.candidate[plan->planning.chosen].backend;
}

const char *imf_plan_algorithm(const struct imf_plan *plan) {
    return plan->planning.candidate[plan->planning.chosen].algorithm;
}

const char *imf_plan_device(const struct imf_plan *plan) {
    return plan->device;
}

const char *imf_plan_note(const struct imf_plan *plan) {
    return plan->planning.note[0] ? plan->planning.note : NULL;
}

static enum imf_status prepare(struct imf_plan *plan, struct imf_error *err);

/*
 * After `failure` on the device: take the host instead, with the device's input if `with_input`.
 * Fails with that failure where the device was asked for or the host cannot do it.
 */
static enum imf_status fall_back(struct imf_plan *plan, const struct imf_error *failure,
                                 bool with_input, struct imf_error *err) {
    if (!plan->may_fall_back || !plan->planning.on_device ||
        !imf_planning_fall_back(&plan->planning, failure->text)) {
        if (err)
            *err = *failure;
        return failure->status;
    }
    /* Too little memory for this image may be enough for the next. */
    if (failure->status == IMF_ERR_DEVICE)
        imf_context_give_up(plan->ctx, failure);
    describe_device(plan);
    struct imf_exec *failed = plan->exec;
    plan->exec = NULL;
    enum imf_status st = prepare(plan, err);
    if (!st && with_input)
        st = imf_exec_copy_input(failed, plan->exec, err);
    imf_exec_free(&failed);
    return st;
}

static enum imf_status prepare(struct imf_plan *plan, struct imf_error *err) {
    if (plan->exec)
        return IMF_OK;
    if (!plan->planning.on_device)
        return imf_exec_make_host(&plan->exec, plan->chain, plan->chain->out, err);
    struct imf_error failure;
    const struct imf_chain *composed = plan->planning.composed;
    enum imf_status st =
        imf_exec_make_device(&plan->exec, composed ? composed : imf_chain_on_device(plan->chain),
                             plan->planning.solver, 0, plan->planning.rt, &failure);
    return st ? fall_back(plan, &failure, false, err) : IMF_OK;
}

/* Where the pixels come from and go to. */
struct ends {
    struct imf_reader *reader;
    struct imf_writer *writer;
    const char *src;
    char *dst;
    size_t src_stride, dst_stride;
};

/* Read the image into the input, which stays mapped. */
static enum imf_status take_in(struct imf_plan *plan, const struct ends *ends, struct imf_report *r,
                               struct imf_error *err) {
    struct imf_error failure;
    const struct imf_surface *in = imf_exec_map_input(plan->exec, &failure);
    if (!in) {
        enum imf_status st = fall_back(plan, &failure, false, err);
        if (st)
            return st;
        in = imf_exec_map_input(plan->exec, err);
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
        (void)imf_exec_unmap_input(plan->exec, NULL);
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

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, size_t n) {
    qsort(v, n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Filter n times after the warm-up that the caller did; each time upload, compute and download. */
static enum imf_status bench(struct imf_plan *plan, unsigned n, struct imf_report *r,
                             struct imf_error *err) {
    double *t = calloc(3 * (size_t)n, sizeof *t);
    if (!t)
        return imf_fail_memory(err, 3 * (size_t)n * sizeof *t);
    enum imf_status st = IMF_OK;
    for (unsigned i = 0; i < n && !st; i++) {
        if (!imf_exec_map_input(plan->exec, err)) {
            st = IMF_ERR_DEVICE;
            break;
        }
        double begin = imf_now_ms();
        st = imf_exec_unmap_input(plan->exec, err);
        double uploaded = imf_now_ms();
        if (!st)
            st = imf_exec_run(plan->exec, err);
        if (!st)
            st = imf_exec_refine(plan->exec, plan->chain, err);
        double computed = imf_now_ms();
        if (!st && !imf_exec_map_output(plan->exec, err))
            st = IMF_ERR_DEVICE;
        double downloaded = imf_now_ms();
        if (!st)
            st = imf_exec_unmap_output(plan->exec, err);
        t[i] = uploaded - begin;
        t[n + i] = computed - uploaded;
        t[2 * n + i] = downloaded - computed;
    }
    if (!st) {
        r->upload_median_ms = median(t, n);
        r->compute_median_ms = median(t + n, n);
        r->compute_min_ms = t[n]; /* sorted by median() */
        r->download_median_ms = median(t + 2 * n, n);
    }
    free(t);
    return st;
}

static enum imf_status verify(struct imf_plan *plan, struct imf_report *r, struct imf_error *err) {
    const struct imf_surface *in = imf_exec_map_input(plan->exec, err);
    if (!in)
        return IMF_ERR_DEVICE;
    enum imf_status st = IMF_ERR_DEVICE;
    const struct imf_surface *out = imf_exec_map_output(plan->exec, err);
    if (out) {
        st = imf_verify(plan->chain, in, out, r, err);
        enum imf_status unmapped = imf_exec_unmap_output(plan->exec, st ? NULL : err);
        st = st ? st : unmapped;
    }
    enum imf_status unmapped = imf_exec_unmap_input(plan->exec, st ? NULL : err);
    return st ? st : unmapped;
}

/* From the mapped input to the mapped output; IMF_OK or a failure of the device, as far as there is
 * one. */
static enum imf_status filter(struct imf_plan *plan, const struct imf_run_options *options,
                              const struct imf_surface **out, struct imf_report *r,
                              struct imf_error *err) {
    double begin = imf_now_ms();
    *out = NULL;
    enum imf_status st = imf_exec_unmap_input(plan->exec, err);
    double uploaded = imf_now_ms();
    if (!st)
        st = imf_exec_run(plan->exec, err);
    if (!st)
        st = imf_exec_refine(plan->exec, plan->chain, err);
    double computed = imf_now_ms();
    if (!st && options && options->bench)
        st = bench(plan, options->bench, r, err);
    if (!st && options && options->verify)
        st = verify(plan, r, err);
    double verified = imf_now_ms();
    if (!st && !(*out = imf_exec_map_output(plan->exec, err)))
        st = IMF_ERR_DEVICE;
    r->upload_ms = uploaded - begin;
    r->compute_ms = computed - uploaded;
    r->download_ms = imf_now_ms() - verified;
    return st;
}

static enum imf_status run(struct imf_plan *plan, const struct ends *ends,
                           const struct imf_run_options *options, struct imf_report *report,
                           struct imf_error *err) {
    struct imf_report local, *r = report ? report : &local;
    struct imf_error failure;
    const struct imf_surface *out;
    double begin = imf_now_ms();
    memset(r, 0, sizeof *r);
    enum imf_status st = prepare(plan, err);
    r->setup_ms = imf_now_ms() - begin + imf_context_take_setup_ms(plan->ctx);
    if (!st)
        st = take_in(plan, ends, r, err);
    if (!st && filter(plan, options, &out, r, &failure)) {
        st = fall_back(plan, &failure, true, err);
        if (!st)
            st = filter(plan, options, &out, r, err);
    }
    if (!st) {
        st = give_out(out, ends, r, err);
        bool unmapped = imf_exec_unmap_output(plan->exec, &failure) == IMF_OK;
        if (!unmapped && plan->may_fall_back) {
            imf_exec_free(&plan->exec); /* the pixels were right; the next image starts anew */
        } else if (!unmapped && !st) {
            st = failure.status;
            if (err)
                *err = failure;
        }
    }
    r->total_ms = imf_now_ms() - begin;
    return st;
}

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
static enum imf_status check_memory(const struct imf_plan *plan, const struct imf_reader *reader,
                                    const struct imf_writer *writer, struct imf_error *err) {
    uint64_t bytes = plan->planning.candidate[plan->planning.chosen].bytes - plan->settings.held +
                     imf_reader_held(reader) + (writer ? imf_writer_held(writer) : 0);
    if (!plan->settings.max_memory || bytes <= plan->settings.max_memory)
        return IMF_OK;
    return imf_planning_over_limit((double)bytes, (double)plan->settings.max_memory, err);
}

enum imf_status imf_plan_run(struct imf_plan *plan, struct imf_reader *reader,
                             struct imf_writer *writer, const struct imf_run_options *options,
                             struct imf_report *report, struct imf_error *err) {
    const struct imf_info *info = imf_reader_info(reader);
    if (info->width != plan->input.width || info->height != plan->input.height ||
        info->channels != plan->input.channels || info->depth != plan->input.depth ||
        info->color != plan->input.color || info->alpha != plan->input.alpha ||
        !lies_like(info, &plan->input))
        return imf_fail(err, IMF_ERR_ARGUMENT, "the plan was made for another image");
    if (may_use_palette(plan, reader, writer, options)) {
        struct imf_report local, *r = report ? report : &local;
        memset(r, 0, sizeof *r);
        r->setup_ms = imf_context_take_setup_ms(plan->ctx);
        return imf_palette_run(plan->filter, &plan->settings, reader, writer, r, err);
    }
    enum imf_status st = check_memory(plan, reader, writer, err);
    if (st)
        return st;
    struct ends ends = {.reader = reader, .writer = writer};
    return run(plan, &ends, options, report, err);
}

enum imf_status imf_plan_run_memory(struct imf_plan *plan, const void *src, size_t src_stride,
                                    void *dst, size_t dst_stride,
                                    const struct imf_run_options *options,
                                    struct imf_report *report, struct imf_error *err) {
    struct ends ends = {.src = src, .dst = dst, .src_stride = src_stride, .dst_stride = dst_stride};
    return run(plan, &ends, options, report, err);
}
