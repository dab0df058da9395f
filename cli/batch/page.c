/*
 * page.c - one page, or the only picture of a file, from its reader to its output
 */
#include "batch/page.h"

#include <string.h>
#include <sys/stat.h>

#include "batch/account.h"
#include "output/names.h"
#include "output/pictures.h"
#include "report/clock.h"

enum imf_format page_format(const struct session *s, const struct work *w) {
    return names_format(s->options, w->job, imf_reader_info(w->reader)->format);
}

/* Must the whole image be in memory? Its pixels are read twice, or not in order. */
static bool is_held(const struct session *s, const struct work *w) {
    const struct options *o = s->options;
    struct imf_info info = *imf_reader_info(w->reader);
    info.format = page_format(s, w);
    struct imf_info shape = imf_writer_shape(&info, &o->encode, imf_reader_metadata(w->reader));
    bool turned = info.orientation > 1 && shape.orientation <= 1;
    return o->report.bench || o->verify || o->report.spectrum || turned ||
           !imf_reader_in_order(w->reader);
}

/* PNM is hardly coded. */
static enum imf_twice may_read_twice(const struct work *w) {
    bool free = imf_reader_info(w->reader)->format == IMF_FORMAT_PNM;
    return !imf_reader_seeks(w->reader) ? IMF_TWICE_NEVER
           : free                       ? IMF_TWICE_FREELY
                                        : IMF_TWICE_IF_NEEDED;
}

/* Keep the plan's remark, which concerns the whole batch. It may appear when the plan is made or when
 * it runs. */
static const char *note_choice(const struct work *w) {
    const char *note = w->outcome.choice ? w->outcome.choice->note : NULL;
    if (note)
        message_buffer_note(w->messages, note);
    return note;
}

/* A stream cannot be read or written again. */
static bool may_begin_again(const struct work *w) {
    struct stat st;
    bool to_stream = w->job->output && strcmp(w->job->output, "-") == 0;
    return w->input != stdin && !to_stream && fstat(fileno(w->input), &st) == 0 &&
           S_ISREG(st.st_mode);
}

/* The device has failed: the image is tried on another one. */
static bool retry_elsewhere(struct session *s, struct work *w) {
    w->retry = device_pool_drop(&s->devices, s->plans, w->lease.device, &w->error,
                                &w->messages->reporter) &&
               may_begin_again(w);
    return w->retry;
}

static bool has_floats(const struct work *w) {
    const struct imf_info *info = imf_reader_info(w->reader);
    return info->depth > 16 && (info->type == IMF_TYPE_ROWS || info->type == IMF_TYPE_FLOAT);
}

/* A picture of floats was taken to be complete, as most are, and a sample is missing. */
static bool retry_measured(struct work *w) {
    w->retry =
        w->error.status == IMF_ERR_FORMAT && has_floats(w) && !w->measures && may_begin_again(w);
    w->measures |= w->retry;
    return w->retry;
}

/* --linear: the image's own light curve. Where it cannot be used, sRGB's is, with a warning. */
static enum result read_curve(struct session *s, struct work *w) {
    if (!s->options->settings.linear)
        return RESULT_DONE;
    enum imf_status status = imf_curve_read(&w->curve, imf_reader_metadata(w->reader),
                                            imf_reader_info(w->reader), &w->error);
    if (status == IMF_ERR_MEMORY)
        return work_fail_input(w);
    if (status != IMF_OK)
        snprintf(w->warning, sizeof w->warning, "%s: --linear takes the sRGB curve", w->error.text);
    return RESULT_DONE;
}

/* Full scale, and what is known of samples only once all were read. */
static enum result measure(struct session *s, struct work *w) {
    const struct options *o = s->options;
    const struct imf_info *info = imf_reader_info(w->reader);
    struct imf_measured found;
    w->full = o->settings.full;
    w->missing = false;
    bool most = o->full_auto || w->full > 0;
    bool holes = has_floats(w) && (w->measures || page_is_planned(s, w) || !may_begin_again(w));
    if (!s->filter || (!most && !holes))
        return RESULT_DONE;
    if (!imf_reader_seeks(w->reader))
        return o->full_auto
                   ? work_fail(w, w->job->input,
                               "--full=auto reads it twice, which needs a file (name a number)")
                   : RESULT_DONE;
    if (imf_reader_measure(w->reader, &found, most, &w->error) != IMF_OK)
        return work_fail_input(w);
    char text[160] = "";
    if (o->full_auto && found.most > 0)
        w->full = found.most;
    else if (o->full_auto)
        snprintf(text, sizeof text, "no sample is above 0: full scale is %.9g",
                 imf_info_full(info));
    else if (w->full > 0 && found.most > w->full)
        snprintf(text, sizeof text,
                 "samples up to %.9g are above full scale (--full=%.9g), and kept", found.most,
                 w->full);
    if (*text)
        work_add_warning(w, text);
    w->missing = found.missing && !info->alpha && info->channels <= 3;
    if (w->missing && found.partly)
        work_add_warning(w, "pixels that lack one colour (NaN) are missing in all");
    if (w->missing && o->settings.depth && o->settings.depth <= 16)
        work_add_warning(w, "missing samples (NaN) become 0");
    return RESULT_DONE;
}

/* Of what is only read, and becomes a JPEG: 8 bits, and a warning that says so. 0: as the options say. */
static int narrow_for_jpeg(const struct session *s, struct work *w) {
    const struct imf_info *info = imf_reader_info(w->reader);
    if (info->depth != 16 || s->options->settings.depth || imf_format_is_written(info->format) ||
        page_format(s, w) != IMF_FORMAT_JPEG)
        return 0;
    char text[96];
    snprintf(text, sizeof text, "of %d bits a JPEG has 8 (--format=png keeps them)",
             info->maxval ? 32 - __builtin_clz((unsigned)info->maxval) : 16);
    if (w->job->output)
        work_add_warning(w, text);
    return 8;
}

static enum result acquire_workspace(struct session *s, struct work *w) {
    const struct options *o = s->options;
    const struct imf_info *info = imf_reader_info(w->reader);
    uint64_t held = imf_reader_held(w->reader) + pictures_bytes(info, o);
    const struct imf_plan_key key = {.info = *info,
                                     .held = held,
                                     .whole = is_held(s, w),
                                     .verify = o->verify,
                                     .twice = may_read_twice(w),
                                     .full = w->full,
                                     .missing = w->missing,
                                     .depth = narrow_for_jpeg(s, w),
                                     .curve = w->curve};
    enum imf_status status = imf_plan_cache_acquire(s->plans, &key, &w->lease, &w->error);
    bool bad_usage = status == IMF_ERR_ARGUMENT || status == IMF_ERR_SPEC;
    if (status == IMF_ERR_LIMIT && imf_reader_drop_blocks(w->reader))
        return acquire_workspace(s, w);
    if (status != IMF_OK && retry_elsewhere(s, w))
        return RESULT_FAILED;
    if (status != IMF_OK && work_fail_input(w))
        return status == IMF_ERR_NO_DEVICE ? RESULT_NO_DEVICE
               : bad_usage                 ? RESULT_BAD_USAGE
                                           : RESULT_FAILED;
    w->outcome.choice = imf_workspace_choice(w->lease.workspace);
    w->outcome.warning = note_choice(w);
    if ((w->outcome.limited = imf_plan_limited(w->lease.plan)) && o->report.verbosity > 0)
        report_warning(&w->messages->reporter, w->job->input, w->outcome.limited);
    w->outcome.steps = imf_plan_steps(w->lease.plan);
    return RESULT_DONE;
}

/* Before it gets its format. */
static struct imf_info output_info(const struct work *w) {
    return w->lease.plan ? *imf_plan_output(w->lease.plan) : *imf_reader_info(w->reader);
}

static void set_output_format(struct session *s, struct work *w) {
    struct imf_info info = output_info(w);
    info.format = page_format(s, w);
    w->encode = s->options->encode;
    w->encode.pnm = names_pnm(s->options, w->job, imf_reader_info(w->reader)->bits);
    w->encode.threads = w->lease.threads;
    if (s->options->settings.region_count || (s->filter && imf_filter_hides(s->filter)))
        w->encode.strip |= IMF_STRIP_PICTURES;
    if (s->options->settings.depth == 1 && info.format == IMF_FORMAT_TIFF && !info.spectral &&
        !w->encode.compression)
        w->encode.compression = IMF_COMPRESSION_GROUP4;
    w->outcome.source = *imf_reader_info(w->reader);
    w->outcome.shape = imf_writer_shape(&info, &w->encode, imf_reader_metadata(w->reader));
}

/* Of one bit, where that was asked for. */
static enum result check_bit(const struct session *s, struct work *w) {
    const struct imf_info *shape = &w->outcome.shape;
    const struct imf_format_doc *doc = imf_format_doc(shape->format);
    bool pnm = shape->format == IMF_FORMAT_PNM;
    char text[256], no[64];
    if (s->options->settings.depth != 1 || !w->lease.plan || !w->job->output || shape->bits == 1 ||
        !doc)
        return RESULT_DONE;
    snprintf(no, sizeof no, "%s holds no", doc->title);
    snprintf(text, sizeof text, "%s samples of 1 bit (%s)", pnm ? "of PNM only PBM holds" : no,
             pnm ? "name the output .pbm" : "choose --format=png, pbm or tiff");
    return work_fail(w, w->job->input, text);
}

/* Begin the output's next page, whose format is the first one's. */
static enum result turn_output(struct work *w) {
    struct imf_info info = output_info(w);
    info.format = w->outcome.shape.format;
    return imf_writer_turn(w->writer, &info, imf_reader_metadata(w->reader), &w->error) == IMF_OK
               ? RESULT_DONE
               : work_fail_output(w);
}

static enum result open_output(struct session *s, struct work *w) {
    if (w->writer)
        return turn_output(w);
    const struct output_rules rules = {
        .make_directories = s->make_directories,
        .no_clobber = s->options->no_clobber,
        .clobber_backup = s->options->clobber_backup,
        .below = w->job->in_tree ? names_below(w->job) : NULL,
        .backup = s->options->backup,
        .keep_times = s->options->file_times,
        .input = fileno(w->input),
    };
    if (!(s->options->in_place ? output_open_in_place(&w->output, &w->ref, w->input, &rules)
                               : output_open(&w->output, w->job->output, &rules)))
        return work_fail(w, work_output_name(w), w->output.why);
    struct imf_info info = output_info(w);
    info.format = w->outcome.shape.format;
    if (imf_writer_open(&w->writer, w->output.stream, &info, &w->encode,
                        imf_reader_metadata(w->reader), &w->error) == IMF_OK) {
        atomic_fetch_or(&s->formats, 1u << info.format);
        return RESULT_DONE;
    }
    if (w->error.status != IMF_ERR_FORMAT)
        return work_fail_output(w);
    char text[sizeof w->error.text + 300];
    snprintf(text, sizeof text, "cannot be written as %.256s: %s", work_output_name(w),
             w->error.text);
    return work_fail(w, w->job->input, text);
}

static enum imf_status run_plan(struct session *s, struct work *w) {
    const struct options *o = s->options;
    const struct imf_run_options options = {
        .bench = o->report.bench, .verify = o->verify, .threads = w->lease.threads};
    if (o->report.spectrum)
        return pictures_run(&w->spectrum, w->lease.workspace, w->reader, w->writer, o, &w->outcome,
                            &w->error);
    return imf_workspace_run(w->lease.workspace, w->reader, w->writer, &options, &w->outcome.report,
                             &w->error);
}

static enum result account(const struct session *s, struct work *w) {
    char text[ACCOUNT_TEXT];
    const char *why = account_check(s->options, &w->outcome.parts, w->reader, w->writer, text);
    return why ? work_fail(w, w->job->input, why) : RESULT_DONE;
}

static enum result run(struct session *s, struct work *w) {
    struct imf_report *report = &w->outcome.report;
    enum imf_status status = run_plan(s, w);
    const char *note = note_choice(w);
    if (status != IMF_OK && (retry_elsewhere(s, w) || retry_measured(w)))
        return RESULT_FAILED;
    if (status != IMF_OK)
        return w->writer && ferror(w->output.stream) ? work_fail_output(w) : work_fail_input(w);
    w->outcome.ran = w->lease.done = w->lease.plan != NULL;
    if (w->lease.reused)
        report->setup_ms = 0;
    if (w->writer && account(s, w) != RESULT_DONE)
        return RESULT_FAILED;
    work_collect_warnings(w, note);
    if (report->verified && !report->verify_ok) {
        report_unverified(&w->messages->reporter, &w->outcome);
        return RESULT_FAILED;
    }
    return RESULT_DONE;
}

static enum result write_spectrum(struct session *s, struct work *w) {
    char why[PICTURES_WHY];
    const char *name = s->options->report.spectrum;
    const char *failed = pictures_write(s->options, name, w->spectrum, why);
    const char *shown = strcmp(name, "-") == 0 ? "standard output" : name;
    return failed ? work_fail(w, shown, failed) : RESULT_DONE;
}

void page_report(const struct session *s, const struct reporter *r, struct work *w) {
    if (*w->output.note) {
        report_warning(r, work_output_name(w), w->output.note);
        work_add_warning(w, w->output.note);
    }
    w->outcome.report.total_ms = now_ms() - w->start;
    (s->options->parts     ? report_parts
     : s->options->dry_run ? report_planned
                           : report_done)(r, &w->outcome);
}

static enum result list_parts(struct work *w) {
    struct imf_info info = output_info(w);
    info.format = w->outcome.shape.format;
    return account_list(&w->outcome.parts, w->reader, &info, &w->encode, &w->error) == IMF_OK
               ? RESULT_DONE
               : work_fail_input(w);
}

bool page_is_planned(const struct session *s, const struct work *w) {
    const struct options *o = s->options;
    return o->dry_run || (!w->job->output && !o->verify && !o->report.bench && !o->report.spectrum);
}

enum result page_filter(struct session *s, struct work *w, size_t i, size_t count) {
    const struct options *o = s->options;
    /* Much is known before the pixels are read. */
    if (o->in_place && !o->parts && !o->encode.strip && account(s, w) != RESULT_DONE)
        return RESULT_FAILED;
    const struct imf_info *info = imf_reader_info(w->reader);
    w->messages->pixels += (uint64_t)info->width * (uint64_t)info->height;
    if (info->spectral && (o->report.spectrum || o->report.bench)) {
        char text[160];
        snprintf(text, sizeof text,
                 "has %d channels, and --spectrum and --bench take one (vips extract_band IN OUT 0 "
                 "takes the first)",
                 info->spectral);
        return work_fail(w, w->job->input, text);
    }
    enum result result = read_curve(s, w);
    if (result == RESULT_DONE)
        result = measure(s, w);
    if (result == RESULT_DONE && s->filter)
        result = acquire_workspace(s, w);
    if (result != RESULT_DONE)
        return result;
    if (w->lease.plan || o->parts)
        set_output_format(s, w);
    if (o->parts)
        return list_parts(w);
    if ((result = check_bit(s, w)) != RESULT_DONE || page_is_planned(s, w))
        return result;
    if (w->job->output && (result = open_output(s, w)) != RESULT_DONE)
        return result;
    if (w->writer && !count)
        imf_writer_page_of(w->writer, (int)i + 1, w->reader);
    else if (w->writer)
        imf_writer_page(w->writer, (int)i + 1, (int)count,
                        imf_reader_bytes_of_pages(w->reader, options_rows_depth(o)));
    result = run(s, w);
    return result == RESULT_DONE && w->spectrum ? write_spectrum(s, w) : result;
}

enum result page_turn(struct session *s, struct work *w, int page) {
    imf_plan_cache_release(s->plans, &w->lease);
    imf_curve_free(&w->curve);
    *w->warning = '\0';
    w->outcome.warning = NULL;
    w->outcome.choice = NULL;
    w->outcome.report = (struct imf_report){0};
    w->start = now_ms();
    w->outcome.page = page;
    return imf_reader_turn(w->reader, page, &w->error) == IMF_OK ? RESULT_DONE : work_fail_input(w);
}
