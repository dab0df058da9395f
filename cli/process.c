/*
 * process.c - one image from its input to its output
 *
 * open input -> plan -> open output -> run -> rename output -> report. Whatever fails, the cleanup
 * at the end of process_image() closes what is open and removes what was begun.
 */
#include "process.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "naming.h"
#include "output.h"
#include "pictures.h"

#define STREAM_BUFFER (256 * 1024)

/* All that is open for one image. */
struct work {
    const struct job *job;
    FILE *input;
    struct place place; /* in place: where the input is, and its result will be */
    struct imf_reader *reader;
    struct imf_writer *writer;
    struct output output;
    struct imf_encode encode; /* the options', for this name */
    struct imf_picture *spectrum;
    struct outcome outcome;
    char warning[1100]; /* the reader's, the writer's and the plan's */
    struct imf_error error;
    double start;
    bool plan_reused;
};

static enum result fail(struct session *s, const struct work *w, const char *file,
                        const char *text) {
    report_error(&s->reporter, w->job->input, file, text);
    return RESULT_FAILED;
}

/* A failure of the library while the input was read. */
static enum result fail_input(struct session *s, const struct work *w) {
    char text[sizeof w->error.text + 32];
    bool bare = w->error.status == IMF_ERR_IO && strncmp(w->error.text, "cannot", 6) != 0;
    snprintf(text, sizeof text, "%s%s", bare ? "cannot read: " : "", w->error.text);
    return fail(s, w, w->job->input, text);
}

static const char *output_name(const struct work *w) {
    return strcmp(w->job->output, "-") == 0 ? "standard output" : w->job->output;
}

/* ---- steps -------------------------------------------------------------------------------- */

/* Why the output that is there should stay, or NULL. */
static const char *reason_to_skip(const struct options *o, const struct job *job) {
    struct stat in, out;
    if (o->in_place || !job->output || strcmp(job->output, "-") == 0 ||
        stat(job->output, &out) != 0)
        return NULL;
    if (o->no_clobber)
        return "its output exists";
    if (!o->skip_existing || strcmp(job->input, "-") == 0 || stat(job->input, &in) != 0)
        return NULL;
    /* Equal times count as newer: the input was there first. */
    if (out.st_mtim.tv_sec != in.st_mtim.tv_sec)
        return out.st_mtim.tv_sec > in.st_mtim.tv_sec ? "its output is newer" : NULL;
    return out.st_mtim.tv_nsec >= in.st_mtim.tv_nsec ? "its output is newer" : NULL;
}

static enum result skip(struct session *s, const struct work *w, const char *why) {
    report_skipped(&s->reporter, w->job->input, w->job->output, why);
    return RESULT_SKIPPED;
}

/* In place, what is read is what will be replaced, whatever becomes of its name meanwhile. Below a
 * directory that was walked no link leads out of it. */
static bool open_original(struct work *w) {
    const struct job *job = w->job;
    int fd = -1;
    if (job->in_tree ? place_find_below(&w->place, job->input, job->name)
                     : place_find(&w->place, job->input))
        fd = place_open(&w->place);
    w->input = fd < 0 ? NULL : fdopen(fd, "rb");
    return w->input != NULL;
}

/* An older backup stays: is that what was asked for, or a failure? */
static enum result keep_backup(struct session *s, const struct work *w, const char *why) {
    if (s->options->no_clobber || s->options->skip_existing)
        return skip(s, w, "its backup exists");
    return fail(s, w, w->job->input, why);
}

static enum result open_input(struct session *s, struct work *w) {
    const struct options *o = s->options;
    const char *name = w->job->input;
    struct stat st;
    if (w->job->error)
        return fail(s, w, name, w->job->error);
    if (strcmp(name, "-") == 0) {
        w->input = stdin;
        return RESULT_DONE;
    }
    char text[OUTPUT_WHY];
    if (o->in_place ? !open_original(w) : !(w->input = fopen(name, "rb"))) {
        if (o->in_place && errno == EINVAL)
            return fail(s, w, name, "is not a regular file, which alone can be filtered in place");
        if (o->in_place && errno == EISDIR)
            return fail(s, w, name, "is a directory (filter what is in it with -r)");
        snprintf(text, sizeof text, "cannot open: %s", strerror(errno));
        return fail(s, w, name, text);
    }
    if (o->in_place && o->backup && !o->clobber_backup &&
        output_backup_exists(&w->place, o->backup, text))
        return keep_backup(s, w, text);
    if (fstat(fileno(w->input), &st) == 0 && S_ISDIR(st.st_mode))
        return fail(s, w, name, "is a directory (filter what is in it with -r)");
    setvbuf(w->input, NULL, _IOFBF, STREAM_BUFFER);
    return RESULT_DONE;
}

static bool same_shape(const struct imf_info *a, const struct imf_info *b) {
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->depth == b->depth && a->color == b->color && a->alpha == b->alpha &&
           a->format == b->format && a->bits == b->bits && a->orientation == b->orientation;
}

/* The plan's warning, which may come when it is made or when it is run. It is printed once: what
 * becomes of a device concerns the whole batch. */
static const char *plan_warning(struct session *s) {
    const char *note = s->workspace ? imf_workspace_choice(s->workspace)->note : NULL;
    if (note && !s->noted) {
        report_warning(&s->reporter, NULL, note);
        s->noted = true;
    }
    return note;
}

static enum imf_format output_format(const struct session *s, const struct work *w) {
    if (s->options->format != IMF_FORMAT_NONE)
        return s->options->format;
    const char *extension = w->job->output ? name_extension(w->job->output) : NULL;
    enum imf_format format =
        extension && !s->options->in_place ? imf_format_from_name(extension) : IMF_FORMAT_NONE;
    return format != IMF_FORMAT_NONE ? format : imf_reader_info(w->reader)->format;
}

/* Whether the image will be whole in memory: it is looked at twice, or not had in order. */
static bool is_held(const struct session *s, const struct work *w) {
    const struct options *o = s->options;
    struct imf_info info = *imf_reader_info(w->reader);
    info.format = output_format(s, w);
    struct imf_info shape = imf_writer_shape(&info, &o->encode, imf_reader_metadata(w->reader));
    bool turned = info.orientation > 1 && shape.orientation <= 1;
    return o->bench || o->verify || o->spectrum || turned || !imf_reader_in_order(w->reader);
}

static enum result make_plan(struct session *s, struct work *w) {
    const struct imf_info *info = imf_reader_info(w->reader);
    uint64_t held = imf_reader_held(w->reader);
    bool whole = is_held(s, w);
    if (s->workspace && same_shape(info, &s->plan_input) && held == s->plan_held &&
        whole == s->plan_whole) {
        w->plan_reused = true;
    } else {
        imf_workspace_free(&s->workspace);
        imf_plan_free(&s->plan);
        struct imf_settings settings = s->options->settings;
        settings.held = held;
        settings.whole = whole;
        enum imf_status status =
            imf_plan_create(&s->plan, s->context, s->filter, info, &settings, &w->error);
        if (status == IMF_OK)
            status = imf_workspace_create(&s->workspace, s->plan, &w->error);
        if (status != IMF_OK) {
            fail_input(s, w);
            if (status == IMF_ERR_NO_DEVICE)
                return RESULT_NO_DEVICE;
            bool hopeless = status == IMF_ERR_ARGUMENT || status == IMF_ERR_SPEC;
            return hopeless ? RESULT_HOPELESS : RESULT_FAILED;
        }
        s->plan_input = *info;
        s->plan_held = held;
        s->plan_whole = whole;
    }
    w->outcome.choice = imf_workspace_choice(s->workspace);
    w->outcome.warning = plan_warning(s);
    return RESULT_DONE;
}

/* A PNM's extension says which one it is. In place it may be wrong, but a bitmap stays one. */
static enum imf_pnm output_pnm(const struct session *s, const struct work *w) {
    const char *extension = w->job->output ? name_extension(w->job->output) : NULL;
    enum imf_pnm named = extension ? imf_pnm_from_name(extension) : IMF_PNM_ANY;
    if (s->options->encode.pnm != IMF_PNM_ANY)
        return s->options->encode.pnm;
    bool bitmap = named == IMF_PNM_PBM && imf_reader_info(w->reader)->bits == 1;
    return !s->options->in_place || bitmap ? named : IMF_PNM_ANY;
}

/* What will be written, and how. */
static void settle_output(struct session *s, struct work *w) {
    struct imf_info info = *imf_plan_output(s->plan);
    info.format = output_format(s, w);
    w->encode = s->options->encode;
    w->encode.pnm = output_pnm(s, w);
    w->outcome.shape = imf_writer_shape(&info, &w->encode, imf_reader_metadata(w->reader));
}

static enum result open_output(struct session *s, struct work *w) {
    const struct output_rules rules = {
        .make_directories = s->make_directories,
        .no_clobber = s->options->no_clobber,
        .clobber_backup = s->options->clobber_backup,
        .backup = s->options->backup,
    };
    if (!(s->options->in_place ? output_open_in_place(&w->output, &w->place, w->input, &rules)
                               : output_open(&w->output, w->job->output, &rules)))
        return fail(s, w, output_name(w), w->output.why);
    struct imf_info info = *imf_plan_output(s->plan);
    info.format = w->outcome.shape.format;
    if (imf_writer_open(&w->writer, w->output.stream, &info, &w->encode,
                        imf_reader_metadata(w->reader), &w->error) == IMF_OK) {
        s->formats |= 1u << info.format;
        return RESULT_DONE;
    }
    const char *cannot = w->error.status == IMF_ERR_IO ? "cannot write: " : "";
    char text[sizeof w->error.text + 32];
    snprintf(text, sizeof text, "%s%s", cannot, w->error.text);
    return fail(s, w, output_name(w), text);
}

static enum imf_status run_plan(struct session *s, struct work *w) {
    const struct options *o = s->options;
    const struct imf_run_options options = {o->bench, o->verify};
    struct imf_report *report = &w->outcome.report;
    if (o->spectrum)
        return pictures_run(&w->spectrum, s->workspace, w->reader, w->writer, o, &w->outcome,
                            &w->error);
    return imf_workspace_run(s->workspace, w->reader, w->writer, &options, report, &w->error);
}

static void add_warning(struct work *w, const char *text) {
    size_t used = strlen(w->warning);
    snprintf(w->warning + used, sizeof w->warning - used, "%s%s", used ? "; " : "", text);
    w->outcome.warning = w->warning;
}

/* What is said of the image is printed here; of the plan it has been. */
static void collect_warnings(struct session *s, struct work *w, const char *note) {
    const char *read = imf_reader_warning(w->reader);
    const char *written = w->writer ? imf_writer_warning(w->writer) : NULL;
    snprintf(w->warning, sizeof w->warning, "%s%s%s", read ? read : "", read && written ? "; " : "",
             written ? written : "");
    if (*w->warning)
        report_warning(&s->reporter, w->job->input, w->warning);
    if (note)
        add_warning(w, note);
    w->outcome.warning = *w->warning ? w->warning : NULL;
}

static enum result run(struct session *s, struct work *w) {
    struct imf_report *report = &w->outcome.report;
    enum imf_status status = run_plan(s, w);
    const char *note = plan_warning(s);
    if (status != IMF_OK) {
        if (!w->writer || !ferror(w->output.stream))
            return fail_input(s, w);
        char text[sizeof w->error.text + 32];
        bool bare = w->error.status == IMF_ERR_IO;
        snprintf(text, sizeof text, "%s%s", bare ? "cannot write: " : "", w->error.text);
        return fail(s, w, output_name(w), text);
    }
    w->outcome.ran = s->plan != NULL;
    if (w->plan_reused)
        report->setup_ms = 0;
    collect_warnings(s, w, note);
    if (report->verified && !report->verify_ok) {
        report_unverified(&s->reporter, &w->outcome);
        return RESULT_FAILED;
    }
    return RESULT_DONE;
}

static enum result commit(struct session *s, struct work *w) {
    imf_writer_close(&w->writer);
    switch (output_commit(&w->output)) {
    case OUTPUT_DONE:
        if (*w->output.note) {
            report_warning(&s->reporter, output_name(w), w->output.note);
            add_warning(w, w->output.note);
        }
        return RESULT_DONE;
    case OUTPUT_EXISTS:
        return skip(s, w, "its output exists");
    case OUTPUT_BACKUP_EXISTS:
        return keep_backup(s, w, w->output.why);
    default:
        return fail(s, w, output_name(w), w->output.why);
    }
}

static enum result write_spectrum(struct session *s, struct work *w) {
    char why[PICTURES_WHY];
    const char *name = s->options->spectrum;
    const char *failed = pictures_write(s->options, name, w->spectrum, why);
    const char *shown = strcmp(name, "-") == 0 ? "standard output" : name;
    return failed ? fail(s, w, shown, failed) : RESULT_DONE;
}

/* Everything between an open input and the report. */
static enum result filter_image(struct session *s, struct work *w) {
    const struct options *o = s->options;
    if (imf_reader_open(&w->reader, w->input, &o->limits, &w->error) != IMF_OK)
        return fail_input(s, w);
    enum result result = s->filter ? make_plan(s, w) : RESULT_DONE;
    if (result != RESULT_DONE)
        return result;
    if (s->plan)
        settle_output(s, w);
    if (o->dry_run || (!w->job->output && !o->verify && !o->bench && !o->spectrum))
        return RESULT_DONE; /* explaining is all */
    if (w->job->output && (result = open_output(s, w)) != RESULT_DONE)
        return result;
    if ((result = run(s, w)) != RESULT_DONE)
        return result;
    if (w->job->output && (result = commit(s, w)) != RESULT_DONE)
        return result;
    return o->spectrum ? write_spectrum(s, w) : RESULT_DONE;
}

enum result process_image(struct session *s, const struct job *job) {
    const struct options *o = s->options;
    struct work w = {.job = job, .start = now_ms()};
    w.outcome.input = job->input;
    w.outcome.output = job->output;
    w.outcome.filter = s->filter ? imf_filter_text(s->filter) : NULL;

    const char *reason = job->error ? NULL : reason_to_skip(o, job);
    if (reason)
        return skip(s, &w, reason);
    enum result result = open_input(s, &w);
    if (result == RESULT_DONE && (o->explain || !o->dry_run))
        result = filter_image(s, &w);
    if (result == RESULT_DONE) {
        w.outcome.report.total_ms = now_ms() - w.start;
        (o->dry_run ? report_planned : report_done)(&s->reporter, &w.outcome);
    }
    imf_writer_close(&w.writer);
    imf_reader_close(&w.reader);
    output_abandon(&w.output);
    place_close(&w.place);
    imf_picture_free(&w.spectrum);
    if (w.input && w.input != stdin)
        fclose(w.input);
    return result;
}
