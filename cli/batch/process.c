/*
 * process.c - one image from its input to its output
 *
 * open input -> plan -> open output -> run -> finish output. On any failure the cleanup at the end of
 * try_image() closes what is open and removes the unfinished output.
 */
#include "batch/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch/account.h"
#include "input/file_type.h"
#include "input/path.h"
#include "output/file.h"
#include "output/names.h"
#include "output/pictures.h"
#include "report/clock.h"
#include "report/message.h"

/* What one image needs while it is filtered. */
struct work {
    const struct job *job;
    struct message_buffer *messages;
    struct imf_lease lease;
    FILE *input;
    char *buffer;        /* of the input's stream */
    struct file_ref ref; /* in place: the file to replace */
    struct imf_reader *reader;
    struct imf_curve *curve; /* with --linear; NULL: sRGB's */
    struct imf_writer *writer;
    struct output output;
    struct imf_encode encode; /* from the options, for this output */
    struct imf_picture *spectrum;
    struct outcome outcome;
    char warning[1400]; /* of the curve, the reader, the writer and the plan */
    struct imf_error error;
    double start;
    bool retry; /* the device failed: try another one */
};

static enum result fail(const struct work *w, const char *file, const char *text) {
    report_error(&w->messages->reporter, w->job->input, file, text);
    return RESULT_FAILED;
}

/* A failure of the library. Errors of the system need a verb: "cannot read: ". */
static enum result fail_error(const struct work *w, const char *file, const char *verb) {
    char text[sizeof w->error.text + 32];
    bool bare = w->error.status == IMF_ERR_IO && strncmp(w->error.text, "cannot", 6) != 0;
    snprintf(text, sizeof text, "%s%s", bare ? verb : "", w->error.text);
    return fail(w, file, text);
}

static enum result fail_input(const struct work *w) {
    return fail_error(w, w->job->input, "cannot read: ");
}

static const char *output_name(const struct work *w) {
    return strcmp(w->job->output, "-") == 0 ? "standard output" : w->job->output;
}

static enum result fail_output(const struct work *w) {
    return fail_error(w, output_name(w), "cannot write: ");
}

/* ---- steps -------------------------------------------------------------------------------- */

static enum result skip(const struct work *w, const char *why) {
    report_skipped(&w->messages->reporter, w->job->input, w->job->output, why);
    return RESULT_SKIPPED;
}

/* In place: open the file by a reference, so that the file that is read is the one that is replaced,
 * even if its name changes meanwhile. Below a directory that -r walked no link is followed. */
static bool open_original(struct work *w) {
    const struct job *job = w->job;
    int fd = -1;
    size_t link;
    if (job->in_tree ? file_ref_resolve_below(&w->ref, job->input, job->name, false, &link)
                     : file_ref_resolve(&w->ref, job->input))
        fd = file_ref_open(&w->ref);
    w->input = fd < 0 ? NULL : fdopen(fd, "rb");
    return w->input != NULL;
}

/* An older backup exists, and stays: the options say whether that is a failure. */
static enum result backup_exists(const struct session *s, const struct work *w, const char *why) {
    if (s->options->no_clobber || s->options->skip_existing)
        return skip(w, "its backup exists");
    return fail(w, w->job->input, why);
}

static enum result open_input(struct session *s, struct work *w) {
    const struct options *o = s->options;
    const char *name = w->job->input;
    struct stat st;
    if (w->job->error)
        return fail(w, name, w->job->error);
    if (strcmp(name, "-") == 0) {
        w->input = stdin;
        return RESULT_DONE;
    }
    char text[OUTPUT_WHY];
    if (o->in_place ? !open_original(w) : !(w->input = fopen(name, "rb"))) {
        if (o->in_place && errno == EINVAL)
            return fail(w, name, "is not a regular file, and only those can be filtered in place");
        if (o->in_place && errno == EISDIR)
            return fail(w, name, "is a directory (filter the images in it with -r)");
        snprintf(text, sizeof text, "cannot open: %s", strerror(errno));
        return fail(w, name, text);
    }
    if (o->in_place && o->backup && !o->clobber_backup &&
        output_backup_exists(&w->ref, o->backup, text))
        return backup_exists(s, w, text);
    if (fstat(fileno(w->input), &st) == 0 && S_ISDIR(st.st_mode))
        return fail(w, name, "is a directory (filter the images in it with -r)");
    w->buffer = file_buffer(w->input);
    return RESULT_DONE;
}

static enum imf_format output_format(const struct session *s, const struct work *w) {
    return names_format(s->options, w->job, imf_reader_info(w->reader)->format);
}

/* Must the whole image be in memory? Its pixels are read twice, or not in order. */
static bool is_held(const struct session *s, const struct work *w) {
    const struct options *o = s->options;
    struct imf_info info = *imf_reader_info(w->reader);
    info.format = output_format(s, w);
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

/* The device has failed. The image is tried on another one, unless its input or output is a stream,
 * which cannot be read or written again. */
static bool retry_elsewhere(struct session *s, struct work *w) {
    struct stat st;
    bool to_stream = w->job->output && strcmp(w->job->output, "-") == 0;
    w->retry = device_pool_drop(&s->devices, s->plans, w->lease.device, &w->error,
                                &w->messages->reporter) &&
               w->input != stdin && !to_stream && fstat(fileno(w->input), &st) == 0 &&
               S_ISREG(st.st_mode);
    return w->retry;
}

/* --linear: the image's own light curve. Where it cannot be used, sRGB's is, with a warning. */
static enum result read_curve(struct session *s, struct work *w) {
    if (!s->options->settings.linear)
        return RESULT_DONE;
    enum imf_status status = imf_curve_read(&w->curve, imf_reader_metadata(w->reader),
                                            imf_reader_info(w->reader), &w->error);
    if (status == IMF_ERR_MEMORY)
        return fail_input(w);
    if (status != IMF_OK)
        snprintf(w->warning, sizeof w->warning, "%s: --linear takes the sRGB curve", w->error.text);
    return RESULT_DONE;
}

static enum result acquire_workspace(struct session *s, struct work *w) {
    const struct options *o = s->options;
    const struct imf_info *info = imf_reader_info(w->reader);
    uint64_t held = imf_reader_held(w->reader) + pictures_bytes(info, o);
    const struct imf_plan_key key = {*info,   held, is_held(s, w), o->verify, may_read_twice(w),
                                     w->curve};
    enum imf_status status = imf_plan_cache_acquire(s->plans, &key, &w->lease, &w->error);
    bool bad_usage = status == IMF_ERR_ARGUMENT || status == IMF_ERR_SPEC;
    if (status == IMF_ERR_LIMIT && imf_reader_drop_blocks(w->reader))
        return acquire_workspace(s, w);
    if (status != IMF_OK && retry_elsewhere(s, w))
        return RESULT_FAILED;
    if (status != IMF_OK && fail_input(w))
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
    info.format = output_format(s, w);
    w->encode = s->options->encode;
    w->encode.pnm = names_pnm(s->options, w->job, imf_reader_info(w->reader)->bits);
    w->encode.threads = w->lease.threads;
    if (s->options->settings.region_count || (s->filter && imf_filter_hides(s->filter)))
        w->encode.strip |= IMF_STRIP_PICTURES;
    w->outcome.source = *imf_reader_info(w->reader);
    w->outcome.shape = imf_writer_shape(&info, &w->encode, imf_reader_metadata(w->reader));
}

static enum result open_output(struct session *s, struct work *w) {
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
        return fail(w, output_name(w), w->output.why);
    struct imf_info info = output_info(w);
    info.format = w->outcome.shape.format;
    if (imf_writer_open(&w->writer, w->output.stream, &info, &w->encode,
                        imf_reader_metadata(w->reader), &w->error) == IMF_OK) {
        atomic_fetch_or(&s->formats, 1u << info.format);
        return RESULT_DONE;
    }
    if (w->error.status != IMF_ERR_FORMAT)
        return fail_output(w);
    char text[sizeof w->error.text + 300];
    snprintf(text, sizeof text, "cannot be written as %.256s: %s", output_name(w), w->error.text);
    return fail(w, w->job->input, text);
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

static void add_warning(struct work *w, const char *text) {
    size_t used = strlen(w->warning);
    snprintf(w->warning + used, sizeof w->warning - used, "%s%s", used ? "; " : "", text);
    w->outcome.warning = w->warning;
}

/* Print the warnings of the image, and keep them for the JSON object, with the plan's note. */
static void collect_warnings(struct work *w, const char *note) {
    const char *read = imf_reader_warning(w->reader);
    const char *written = w->writer ? imf_writer_warning(w->writer) : NULL;
    if (read)
        add_warning(w, read);
    if (written)
        add_warning(w, written);
    if (*w->warning)
        report_warning(&w->messages->reporter, w->job->input, w->warning);
    if (note)
        add_warning(w, note);
    w->outcome.warning = *w->warning ? w->warning : NULL;
}

static enum result account(const struct session *s, struct work *w) {
    char text[ACCOUNT_TEXT];
    const char *why = account_check(s->options, &w->outcome.parts, w->reader, w->writer, text);
    return why ? fail(w, w->job->input, why) : RESULT_DONE;
}

static enum result run(struct session *s, struct work *w) {
    struct imf_report *report = &w->outcome.report;
    enum imf_status status = run_plan(s, w);
    const char *note = note_choice(w);
    if (status != IMF_OK && retry_elsewhere(s, w))
        return RESULT_FAILED;
    if (status != IMF_OK)
        return w->writer && ferror(w->output.stream) ? fail_output(w) : fail_input(w);
    w->outcome.ran = w->lease.plan != NULL;
    if (w->lease.reused)
        report->setup_ms = 0;
    if (w->writer && account(s, w) != RESULT_DONE)
        return RESULT_FAILED;
    collect_warnings(w, note);
    if (report->verified && !report->verify_ok) {
        report_unverified(&w->messages->reporter, &w->outcome);
        return RESULT_FAILED;
    }
    return RESULT_DONE;
}

static enum result commit_result(const struct session *s, const struct work *w,
                                 const struct output *output, enum output_result committed) {
    switch (committed) {
    case OUTPUT_DONE:
        return RESULT_DONE;
    case OUTPUT_EXISTS:
        return skip(w, "its output exists");
    case OUTPUT_BACKUP_EXISTS:
        return backup_exists(s, w, output->why);
    default:
        return fail(w, output_name(w), output->why);
    }
}

static enum result write_spectrum(struct session *s, struct work *w) {
    char why[PICTURES_WHY];
    const char *name = s->options->report.spectrum;
    const char *failed = pictures_write(s->options, name, w->spectrum, why);
    const char *shown = strcmp(name, "-") == 0 ? "standard output" : name;
    return failed ? fail(w, shown, failed) : RESULT_DONE;
}

static void report_success(const struct session *s, struct work *w) {
    const struct reporter *r = &w->messages->reporter;
    if (*w->output.note) {
        report_warning(r, output_name(w), w->output.note);
        add_warning(w, w->output.note);
    }
    w->outcome.report.total_ms = now_ms() - w->start;
    (s->options->parts     ? report_parts
     : s->options->dry_run ? report_planned
                           : report_done)(r, &w->outcome);
}

/* Complete the output under its temporary name. The caller flushes and renames it. */
static enum result finish_output(struct session *s, struct work *w, struct unfinished *later) {
    imf_writer_close(&w->writer);
    if (!output_finish(&w->output))
        return fail(w, output_name(w), w->output.why);
    message_buffer_mark(w->messages);
    report_success(s, w);
    *later = (struct unfinished){w->job, w->messages, w->output};
    w->output = (struct output){.stream = NULL};
    return RESULT_UNFINISHED;
}

static enum result list_parts(struct work *w) {
    struct imf_info info = output_info(w);
    info.format = w->outcome.shape.format;
    return account_list(&w->outcome.parts, w->reader, &info, &w->encode, &w->error) == IMF_OK
               ? RESULT_DONE
               : fail_input(w);
}

static enum result filter_image(struct session *s, struct work *w, struct unfinished *later) {
    const struct options *o = s->options;
    const struct imf_limits limits = account_limits(o, s->filter, w->job);
    if (imf_reader_open(&w->reader, w->input, &limits, &w->error) != IMF_OK) {
        if (w->error.status == IMF_ERR_FORMAT)
            file_type_explain(w->input, w->job->input, w->error.text, sizeof w->error.text);
        return fail_input(w);
    }
    /* Much is known before the pixels are read. */
    if (o->in_place && !o->parts && !o->encode.strip && account(s, w) != RESULT_DONE)
        return RESULT_FAILED;
    const struct imf_info *info = imf_reader_info(w->reader);
    w->messages->pixels = (uint64_t)info->width * (uint64_t)info->height;
    enum result result = read_curve(s, w);
    if (result == RESULT_DONE && s->filter)
        result = acquire_workspace(s, w);
    if (result != RESULT_DONE)
        return result;
    if (w->lease.plan || o->parts)
        set_output_format(s, w);
    if (o->parts)
        return list_parts(w);
    if (o->dry_run || (!w->job->output && !o->verify && !o->report.bench && !o->report.spectrum))
        return RESULT_DONE; /* only the plan is wanted */
    if (w->job->output && (result = open_output(s, w)) != RESULT_DONE)
        return result;
    result = run(s, w);
    if (result == RESULT_DONE && w->spectrum)
        result = write_spectrum(s, w);
    return result == RESULT_DONE && w->job->output ? finish_output(s, w, later) : result;
}

static enum result try_image(struct session *s, const struct job *job,
                             struct message_buffer *messages, struct unfinished *later,
                             bool *retry) {
    const struct options *o = s->options;
    struct work w = {.job = job, .messages = messages, .start = now_ms()};
    w.outcome = (struct outcome){.input = job->input, .output = job->output};
    w.outcome.filter = s->filter ? imf_filter_text(s->filter) : NULL;

    *retry = false;
    const char *reason = job->error ? NULL : names_skip_reason(job, o);
    if (reason)
        return skip(&w, reason);
    enum result result = open_input(s, &w);
    if (result == RESULT_DONE && (o->report.explain || o->parts || !o->dry_run))
        result = filter_image(s, &w, later);
    if (result == RESULT_DONE)
        report_success(s, &w);
    imf_writer_close(&w.writer);
    imf_reader_close(&w.reader);
    imf_curve_free(&w.curve);
    output_abandon(&w.output);
    file_ref_close(&w.ref);
    imf_picture_free(&w.spectrum);
    imf_parts_free(&w.outcome.parts);
    imf_plan_cache_release(s->plans, &w.lease);
    if (w.input && w.input != stdin)
        fclose(w.input);
    free(w.buffer);
    *retry = w.retry;
    return result;
}

enum result process_image(struct session *s, const struct job *job, struct message_buffer *messages,
                          struct unfinished *later) {
    enum result result;
    bool retry;
    do
        result = try_image(s, job, messages, later, &retry);
    while (retry);
    return result;
}

void process_finish(struct session *s, struct unfinished *list, enum result *results,
                    size_t count) {
    struct output *outputs[PROCESS_TOGETHER] = {NULL};
    enum output_result committed[PROCESS_TOGETHER];
    for (size_t i = 0; i < count; i++)
        outputs[i] = &list[i].output;
    output_commit_all(outputs, committed, count);
    for (size_t i = 0; i < count; i++) {
        const struct work w = {.job = list[i].job, .messages = list[i].messages};
        if (committed[i] != OUTPUT_DONE)
            message_buffer_drop(w.messages);
        results[i] = commit_result(s, &w, &list[i].output, committed[i]);
    }
}
