/*
 * process.c - one image from its input to its output
 *
 * open input -> for each page: plan -> open output -> run -> finish output. On any failure the cleanup at the end of
 * try_image() closes what is open and removes the unfinished output.
 */
#include "batch/process.h"

#include <stdlib.h>
#include <string.h>

#include "batch/account.h"
#include "batch/page.h"
#include "batch/work.h"
#include "input/file_type.h"
#include "input/path.h"
#include "options/pages.h"
#include "output/claims.h"
#include "output/file.h"
#include "output/names.h"
#include "output/signals.h"
#include "report/clock.h"

/* Complete the output under its temporary name. The caller flushes and renames it. */
static enum result finish_output(struct session *s, struct work *w, struct unfinished *later) {
    imf_writer_close(&w->writer);
    if (!output_finish(&w->output))
        return work_fail(w, work_output_name(w), w->output.why);
    message_buffer_mark(w->messages);
    message_buffer_append(&w->pages, w->messages);
    page_report(s, &w->messages->reporter, w);
    *later = (struct unfinished){.job = w->job, .messages = w->messages, .output = w->output};
    w->output = (struct output){.stream = NULL};
    return RESULT_UNFINISHED;
}

/* Those that are taken, of which the reader may know more as they come. */
struct taken {
    int *pages; /* owned */
    size_t count;
    bool open; /* all pages are taken, and more may follow these */
};

/* Page number i from 0 on; 0: there are no more. */
static int page_at(const struct work *w, const struct taken *t, size_t i) {
    return i < t->count                                         ? t->pages[i]
           : t->open && i < (size_t)imf_reader_pages(w->reader) ? (int)i + 1
                                                                : 0;
}

/* How many the input has; -1: more than one, as far as is known. */
static int pages_known(const struct work *w) {
    int pages = imf_reader_pages(w->reader);
    return pages > 1 && imf_reader_pages_open(w->reader) ? -1 : pages;
}

/* Why these pages cannot be in the output, or be filtered so; or NULL. */
static const char *pages_refused(const struct session *s, const struct work *w, size_t count) {
    const struct options *o = s->options;
    bool one = w->job->output && !imf_format_holds_pages(page_format(s, w));
    return count < 2 ? NULL
           : o->report.spectrum || o->report.bench
               ? "has several pages; --spectrum and --bench take one (choose it with --pages)"
           : one && !w->split
               ? "has several pages, of which the output's format holds one (choose it with "
                 "--pages=N, write a TIFF, or have %d in the output's name with --pages)"
               : NULL;
}

/* ---- pages to a file each ------------------------------------------------------------------ */

static enum result write_page(struct session *s, struct work *w) {
    imf_writer_close(&w->writer);
    signals_hold(); /* it is renamed and reported, or neither */
    enum result result = work_commit_result(s, w, &w->output, output_commit(&w->output));
    if (result == RESULT_DONE)
        page_report(s, &w->messages->reporter, w);
    signals_release();
    return result;
}

/* May the page be written to the job's output? */
static enum result claim_page(const struct session *s, const struct work *w) {
    char why[CLAIM_WHY];
    const char *name = w->job->output, *reason = names_skip_reason(w->job, s->options);
    if (reason)
        return work_skip(w, reason);
    if (path_same_file(w->job->input, name))
        return work_fail(w, name, "is both the input and the output of a page");
    return claims_take(s->claims, w->job, name, CLAIM_OUTPUT, why) ? RESULT_DONE
                                                                   : work_fail(w, name, why);
}

static enum result split_page(struct session *s, struct work *w, int page) {
    const struct job *whole = w->job;
    struct job own = *whole;
    own.page_size = 0;
    own.output = names_of_page(whole, page);
    if (!own.output)
        return RESULT_FAILED;
    w->job = &own;
    w->outcome.output = own.output;
    w->outcome.page = page;
    enum result result = claim_page(s, w);
    if (result == RESULT_DONE)
        result = page_turn(s, w, page);
    if (result == RESULT_DONE)
        result = page_filter(s, w, 0, 1);
    w->outcome.pages = pages_known(w);
    if (result == RESULT_DONE && w->writer)
        result = write_page(s, w);
    else if (result == RESULT_DONE)
        page_report(s, &w->messages->reporter, w);
    imf_writer_close(&w->writer);
    output_abandon(&w->output);
    free(own.output);
    w->outcome.output = whole->output;
    w->job = whole;
    return result;
}

/* One that fails does not stop the others, as in a batch. *done: so many of them were, before a device failed. */
static enum result split_pages(struct session *s, struct work *w, const struct taken *t,
                               size_t *done) {
    bool failed = false, written = false;
    if (pages_repeat(t->pages, t->count))
        return work_fail(w, w->job->input,
                         "gets a file for each page, and --pages names one twice");
    for (int page; (page = page_at(w, t, *done)) > 0; ++*done) {
        enum result result = split_page(s, w, page);
        if (w->retry || result == RESULT_NO_DEVICE || (result == RESULT_BAD_USAGE && *done == 0))
            return result;
        written = written || result == RESULT_DONE;
        failed = failed || (result != RESULT_DONE && result != RESULT_SKIPPED);
    }
    w->reported = true;
    return failed ? RESULT_FAILED : written ? RESULT_DONE : RESULT_SKIPPED;
}

/* ---- pages to one file --------------------------------------------------------------------- */

/* Report the page before, and go to another one. */
static enum result turn_page(struct session *s, struct work *w, int page) {
    if (!w->pages.reporter.out && !message_buffer_open(&w->pages, &w->messages->reporter))
        return work_fail(w, w->job->input, "out of memory");
    if (w->outcome.page)
        page_report(s, &w->pages.reporter, w);
    return page_turn(s, w, page);
}

static enum result filter_pages(struct session *s, struct work *w, const struct taken *t) {
    enum result result = RESULT_DONE;
    bool planned = page_is_planned(s, w) && !s->options->parts; /* the first */
    for (size_t i = 0; result == RESULT_DONE && (i == 0 || !planned); i++) {
        int page = page_at(w, t, i);
        if (!page)
            break;
        const char *refused = pages_refused(s, w, i + 1);
        if (refused)
            result = work_fail(w, w->job->input, refused);
        else if (i > 0 || page > 1)
            result = turn_page(s, w, page);
        w->outcome.page = page;
        if (result == RESULT_DONE)
            result = page_filter(s, w, i, t->open ? 0 : t->count);
        w->outcome.pages = pages_known(w);
    }
    return result;
}

/* ---- images -------------------------------------------------------------------------------- */

static enum result filter_image(struct session *s, struct work *w, struct unfinished *later,
                                size_t *pages_done) {
    const struct options *o = s->options;
    const struct imf_limits limits = account_limits(o, s->filter, w->job);
    if (imf_reader_open(&w->reader, w->input, &limits, &w->error) != IMF_OK) {
        if (w->error.status == IMF_ERR_FORMAT)
            file_type_explain(w->input, w->job->input, w->error.text, sizeof w->error.text);
        return work_fail_input(w);
    }
    if (o->in_place && !imf_format_is_written(imf_reader_info(w->reader)->format))
        return work_fail(w, w->job->input,
                         "is of a format that is only read, and cannot be replaced (write another "
                         "file with -o, and choose its format with --format)");
    char why[PAGES_WHY];
    bool open = imf_reader_pages_open(w->reader);
    struct taken t = {.open = open && !o->pages};
    w->outcome.pages = imf_reader_pages(w->reader);
    t.pages = pages_take(o->pages, open ? 0 : w->outcome.pages, &t.count, why);
    w->split = w->job->page_size && (!page_is_planned(s, w) || o->parts);
    const char *refused = t.pages ? pages_refused(s, w, t.count) : why;
    enum result result = refused    ? work_fail(w, w->job->input, refused)
                         : w->split ? split_pages(s, w, &t, pages_done)
                                    : filter_pages(s, w, &t);
    free(t.pages);
    bool done = result == RESULT_DONE && w->writer;
    return done ? finish_output(s, w, later) : result;
}

/* Where inputs come one by one: no file of this job may be another one's. */
static enum result claim_job(const struct session *s, const struct work *w) {
    const struct options *o = s->options;
    const struct job *job = w->job;
    char why[CLAIM_WHY];
    if (!s->streams || job->error)
        return RESULT_DONE;
    if (job->output && !o->in_place && path_same_file(job->input, job->output))
        return work_fail(w, job->input,
                         "is both the input and the output (to replace it use --in-place)");
    if (!claims_take(s->claims, job, job->input, CLAIM_INPUT, why))
        return work_fail(w, job->input, why);
    if (!job->output || job->page_size)
        return RESULT_DONE;
    char *backup = o->backup ? format_text("%s%s", job->output, o->backup) : NULL;
    bool good = claims_take(s->claims, job, job->output, CLAIM_OUTPUT, why) &&
                (!backup || claims_take(s->claims, job, backup, CLAIM_BACKUP, why));
    free(backup);
    return good ? RESULT_DONE : work_fail(w, job->output, why);
}

/* What one attempt leaves to the next. */
struct attempt {
    size_t pages_done;
    bool measures, retry; /* as struct work has them */
};

static enum result try_image(struct session *s, const struct job *job,
                             struct message_buffer *messages, struct unfinished *later,
                             struct attempt *a) {
    const struct options *o = s->options;
    struct work w = {.job = job, .messages = messages, .measures = a->measures, .start = now_ms()};
    w.outcome = (struct outcome){.input = job->input, .output = job->output, .pages = 1};
    w.outcome.filter = s->filter ? imf_filter_text(s->filter) : NULL;

    a->retry = false;
    messages->pixels = a->pages_done ? messages->pixels : 0;
    const char *reason = job->error ? NULL : names_skip_reason(job, o);
    if (reason)
        return work_skip(&w, reason);
    enum result result = claim_job(s, &w);
    if (result == RESULT_DONE)
        result = work_open_input(s, &w);
    if (result == RESULT_DONE && (o->report.explain || o->parts || !o->dry_run))
        result = filter_image(s, &w, later, &a->pages_done);
    if (result == RESULT_DONE && !w.reported) {
        message_buffer_append(&w.pages, messages);
        page_report(s, &messages->reporter, &w);
    }
    message_buffer_free(&w.pages);
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
    a->measures = w.measures;
    a->retry = w.retry;
    return result;
}

enum result process_image(struct session *s, const struct job *job, struct message_buffer *messages,
                          struct unfinished *later) {
    enum result result;
    struct attempt attempt = {0};
    do
        result = try_image(s, job, messages, later, &attempt);
    while (attempt.retry);
    return result;
}

void process_forget(const struct session *s, const struct job *job) {
    if (!s->streams)
        return;
    claims_drop(s->claims, job, job->input);
    if (job->output)
        claims_drop(s->claims, job, job->output);
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
        results[i] = work_commit_result(s, &w, &list[i].output, committed[i]);
    }
}
