/*
 * work.c - an image's input and messages
 */
#include "batch/work.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum result work_fail(const struct work *w, const char *file, const char *text) {
    char paged[sizeof w->error.text + 400] = "";
    bool later = w->outcome.page > (w->split ? 0 : 1);
    if (later && w->outcome.pages != 1 && !strstr(text, "page "))
        snprintf(paged, sizeof paged, "page %d: %s", w->outcome.page, text);
    report_error(&w->messages->reporter, w->job->input, file, *paged ? paged : text);
    return RESULT_FAILED;
}

/* A failure of the library. Errors of the system need a verb: "cannot read: ". */
static enum result fail_error(const struct work *w, const char *file, const char *verb) {
    char text[sizeof w->error.text + 32];
    bool bare = w->error.status == IMF_ERR_IO && strncmp(w->error.text, "cannot", 6) != 0;
    snprintf(text, sizeof text, "%s%s", bare ? verb : "", w->error.text);
    return work_fail(w, file, text);
}

enum result work_fail_input(const struct work *w) {
    return fail_error(w, w->job->input, "cannot read: ");
}

const char *work_output_name(const struct work *w) {
    return strcmp(w->job->output, "-") == 0 ? "standard output" : w->job->output;
}

enum result work_fail_output(const struct work *w) {
    return fail_error(w, work_output_name(w), "cannot write: ");
}

enum result work_skip(const struct work *w, const char *why) {
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
        return work_skip(w, "its backup exists");
    return work_fail(w, w->job->input, why);
}

enum result work_open_input(struct session *s, struct work *w) {
    const struct options *o = s->options;
    const char *name = w->job->input;
    struct stat st;
    if (w->job->error)
        return work_fail(w, name, w->job->error);
    if (strcmp(name, "-") == 0) {
        w->input = stdin;
        return RESULT_DONE;
    }
    char text[OUTPUT_WHY];
    if (o->in_place ? !open_original(w) : !(w->input = fopen(name, "rb"))) {
        if (o->in_place && errno == EINVAL)
            return work_fail(w, name,
                             "is not a regular file, and only those can be filtered in place");
        if (o->in_place && errno == EISDIR)
            return work_fail(w, name, "is a directory (filter the images in it with -r)");
        snprintf(text, sizeof text, "cannot open: %s", strerror(errno));
        return work_fail(w, name, text);
    }
    if (o->in_place && o->backup && !o->clobber_backup &&
        output_backup_exists(&w->ref, o->backup, text))
        return backup_exists(s, w, text);
    if (fstat(fileno(w->input), &st) == 0 && S_ISDIR(st.st_mode))
        return work_fail(w, name, "is a directory (filter the images in it with -r)");
    w->buffer = file_buffer(w->input);
    return RESULT_DONE;
}

enum result work_commit_result(const struct session *s, const struct work *w,
                               const struct output *output, enum output_result committed) {
    switch (committed) {
    case OUTPUT_DONE:
        return RESULT_DONE;
    case OUTPUT_EXISTS:
        return work_skip(w, "its output exists");
    case OUTPUT_BACKUP_EXISTS:
        return backup_exists(s, w, output->why);
    default:
        return work_fail(w, work_output_name(w), output->why);
    }
}

void work_add_warning(struct work *w, const char *text) {
    size_t used = strlen(w->warning);
    snprintf(w->warning + used, sizeof w->warning - used, "%s%s", used ? "; " : "", text);
    w->outcome.warning = w->warning;
}

void work_collect_warnings(struct work *w, const char *note) {
    const char *read = imf_reader_warning(w->reader);
    const char *written = w->writer ? imf_writer_warning(w->writer) : NULL;
    if (read)
        work_add_warning(w, read);
    if (written)
        work_add_warning(w, written);
    if (*w->warning && strcmp(w->warning, w->warned) != 0) {
        char page[sizeof w->warning + 32] = "";
        if (w->outcome.page > 1)
            snprintf(page, sizeof page, "page %d: ", w->outcome.page);
        strcat(page, w->warning);
        report_warning(&w->messages->reporter, w->job->input, page);
        strcpy(w->warned, w->warning);
    }
    if (note)
        work_add_warning(w, note);
    w->outcome.warning = *w->warning ? w->warning : NULL;
}
