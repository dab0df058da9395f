/*
 * file.c - output files that are complete or absent
 */
#include "output/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/attributes.h"
#include "output/publish.h"

#define STREAM_BUFFER ((size_t)64 << 10)

static bool fail(struct output *out, int error) {
    snprintf(out->why, sizeof out->why, "cannot write: %s", strerror(error));
    return false;
}

/* ---- open --------------------------------------------------------------------------------- */

/* The directories in the first bytes of a path. */
static bool make_parents(const char *path, size_t length) {
    char partial[PATH_MAX];
    for (size_t i = 1; i < length; i++) {
        if (path[i] != '/' || path[i - 1] == '/')
            continue;
        if (i >= sizeof partial) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(partial, path, i);
        partial[i] = '\0';
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

/* glibc ignores the size if no buffer is given. */
char *file_buffer(FILE *stream) {
    char *buffer = malloc(STREAM_BUFFER);
    if (buffer)
        setvbuf(stream, buffer, _IOFBF, STREAM_BUFFER);
    return buffer;
}

/* On a duplicate descriptor: closing the stream may fail, and the file must stay open and locked. */
static bool open_stream(struct output *out, int fd) {
    out->stream = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!out->stream) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return fail(out, error);
    }
    out->buffer = file_buffer(out->stream);
    return true;
}

/* A replacement is readable by its owner only until it gets the old file's rights at the end. A new
 * file has the usual rights by the umask. */
static bool open_temporary(struct output *out) {
    mode_t mode = out->replaces ? 0600 : 0666;
    if (out->replaces && !file_ref_may_remove(&out->ref, &out->old)) {
        snprintf(out->why, sizeof out->why,
                 "belongs to another user, and its directory's sticky bit lets its owner alone "
                 "replace it (write elsewhere with -o)");
        return false;
    }
    temporary_sweep(out->ref.directory);
    if (!temporary_create(&out->temporary, out->ref.directory, out->ref.name, mode))
        return fail(out, errno);
    return open_stream(out, fcntl(out->temporary.fd, F_DUPFD_CLOEXEC, 0));
}

static bool fail_at_link(struct output *out, const char *name, size_t length) {
    snprintf(out->why, sizeof out->why,
             "\"%.*s\" is a symbolic link, and below an output directory none is followed (remove "
             "it, or name the directory that it leads to with -o)",
             (int)length, name);
    return false;
}

/* Links are followed in the part of the name that the user gave, not in the part that -r adds. */
static bool resolve_name(struct output *out, const char *name) {
    struct stat st;
    const char *below = out->rules.below;
    size_t link = 0, named = strlen(name) - (below ? strlen(below) : 0);
    if (out->rules.make_directories && !make_parents(name, named))
        return fail(out, errno);
    if (below ? file_ref_resolve_below(&out->ref, name, below, out->rules.make_directories, &link)
              : file_ref_resolve(&out->ref, name))
        return true;
    if (below && errno == ELOOP && link)
        return fail_at_link(out, name, link);
    if (below || errno != ENOENT || lstat(name, &st) != 0)
        return fail(out, errno);
    snprintf(out->why, sizeof out->why, "cannot write through a dangling symbolic link");
    return false;
}

static bool open_file(struct output *out, const char *name) {
    struct stat st = {.st_mode = S_IFREG};
    if (!out->rules.below && stat(name, &st) != 0 && errno != ENOENT)
        return fail(out, errno);
    if (S_ISDIR(st.st_mode))
        return fail(out, EISDIR);
    if (!S_ISREG(st.st_mode))
        return open_stream(out, open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!resolve_name(out, name))
        return false;
    out->replaces = file_ref_stat(&out->ref, out->ref.name, &out->old);
    if (out->replaces) {
        if (S_ISLNK(out->old.st_mode) && out->rules.below)
            return fail_at_link(out, name, strlen(name));
        if (S_ISDIR(out->old.st_mode))
            return fail(out, EISDIR);
        if (!S_ISREG(out->old.st_mode)) {
            snprintf(out->why, sizeof out->why,
                     "cannot write: it exists and is not a regular file");
            return false;
        }
        /* Refuse a file without write permission, as a shell's redirection does. */
        if (faccessat(out->ref.directory, out->ref.name, W_OK, 0) != 0)
            return fail(out, errno);
        /* O_PATH: attributes are kept of a file that cannot be read, too. */
        out->old_file = file_ref_open(&out->ref);
        if (out->old_file < 0)
            out->old_file =
                openat(out->ref.directory, out->ref.name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    }
    return open_temporary(out);
}

static void begin(struct output *out, const struct output_rules *rules) {
    *out = (struct output){.ref = {.directory = -1}, .old_file = -1, .rules = *rules};
}

bool output_open(struct output *out, const char *name, const struct output_rules *rules) {
    begin(out, rules);
    if (strcmp(name, "-") == 0) {
        out->stream = stdout;
        return true;
    }
    if (open_file(out, name))
        return true;
    output_abandon(out);
    return false;
}

bool output_open_in_place(struct output *out, struct file_ref *ref, FILE *input,
                          const struct output_rules *rules) {
    begin(out, rules);
    out->ref = *ref;
    out->old = ref->file;
    *ref = (struct file_ref){.directory = -1};
    out->in_place = out->replaces = true;
    out->old_file = fcntl(fileno(input), F_DUPFD_CLOEXEC, 0);
    if (out->old_file < 0)
        fail(out, errno);
    else if (open_temporary(out))
        return true;
    output_abandon(out);
    return false;
}

/* ---- commit ------------------------------------------------------------------------------- */

static char *backup_name(const struct file_ref *ref, const char *suffix) {
    char *name;
    return asprintf(&name, "%s%s", ref->name, suffix) < 0 ? NULL : name;
}

static void say_backup_exists(char why[OUTPUT_WHY], const char *name) {
    snprintf(why, OUTPUT_WHY,
             "its backup \"%s\" exists (pass the image over with --skip-existing, or replace the "
             "backup with --clobber-backup)",
             name);
}

bool output_backup_exists(const struct file_ref *ref, const char *suffix, char why[OUTPUT_WHY]) {
    char *name = backup_name(ref, suffix);
    bool exists = name && publish_backup_exists(ref, name, &ref->file);
    if (exists)
        say_backup_exists(why, name);
    free(name);
    return exists;
}

/* Hard links besides its own name and the backup's, which a killed run may have made. */
static bool has_other_links(const struct output *out) {
    struct stat now, other;
    if (fstat(out->old_file, &now) != 0)
        return out->old.st_nlink > 1;
    char *backup =
        out->in_place && out->rules.backup ? backup_name(&out->ref, out->rules.backup) : NULL;
    bool kept = backup && file_ref_stat(&out->ref, backup, &other) && stat_same_file(&now, &other);
    free(backup);
    return now.st_nlink > (kept ? 2 : 1);
}

/* Behind the last change of the file. */
static bool keep_times(const struct output *out) {
    struct stat st;
    if (!out->rules.keep_times || !out->temporary.name || fstat(out->rules.input, &st) != 0 ||
        !S_ISREG(st.st_mode))
        return true;
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, st.st_mtim};
    return futimens(out->temporary.fd, times) == 0;
}

bool output_finish(struct output *out) {
    errno = 0;
    bool written = fflush(out->stream) == 0 && !ferror(out->stream);
    int error = written ? 0 : errno ? errno : EIO;
    if (out->stream != stdout) {
        if (fclose(out->stream) != 0 && !error)
            error = errno;
        out->stream = NULL;
        free(out->buffer);
        out->buffer = NULL;
    }
    if (error)
        return fail(out, error);
    if (out->replaces) {
        const char *lost = attributes_copy(out->old_file, &out->old, out->temporary.fd);
        if (lost)
            snprintf(out->note, sizeof out->note, "%s could not be kept", lost);
    }
    if (out->temporary.name)
        (void)!sync_file_range(out->temporary.fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    if (out->replaces && has_other_links(out)) {
        size_t used = strlen(out->note);
        snprintf(out->note + used, sizeof out->note - used,
                 "%sits other hard links still name the old image", used ? "; " : "");
    }
    if (!keep_times(out) && !*out->note)
        snprintf(out->note, sizeof out->note, "the input's modification time could not be kept");
    return true;
}

/* Flush the file before it is renamed: after a crash the name must not lead to an incomplete file. */
static bool flush(struct output *out) {
    if (!out->temporary.name || fsync(out->temporary.fd) == 0 || errno == EINVAL ||
        errno == EROFS || errno == ENOTSUP)
        return true;
    return fail(out, errno);
}

static enum publish_result give_name(struct output *out, const char *backup) {
    if (!out->in_place)
        return publish(&out->temporary, &out->ref, !out->rules.no_clobber);
    const struct publish_backup keep = {backup, out->rules.clobber_backup};
    const struct publish_original original = {out->old_file, &out->old};
    return publish_in_place(&out->temporary, &out->ref, &original, &keep);
}

static enum output_result rename_output(struct output *out) {
    static const char *const why[] = {
        [PUBLISH_CHANGED] =
            "was changed or replaced by another program meanwhile, and is left as it is",
        [PUBLISH_LOCKED] =
            "is locked by another program, and is left as it is (run again when that "
            "has ended)",
        [PUBLISH_BACKUP] = "cannot keep a backup",
        [PUBLISH_FAILED] = "cannot write",
    };
    char *backup = NULL;
    if (out->in_place && out->rules.backup &&
        !(backup = backup_name(&out->ref, out->rules.backup))) {
        fail(out, ENOMEM);
        return OUTPUT_FAILED;
    }
    enum output_result result = OUTPUT_FAILED;
    enum publish_result published = give_name(out, backup);
    if (published == PUBLISH_DONE)
        result = OUTPUT_DONE;
    else if (published == PUBLISH_EXISTS)
        result = backup ? OUTPUT_BACKUP_EXISTS : OUTPUT_EXISTS;
    else
        snprintf(out->why, sizeof out->why, "%s%s%s", why[published],
                 published < PUBLISH_BACKUP ? "" : ": ",
                 published < PUBLISH_BACKUP ? "" : strerror(errno));
    if (result == OUTPUT_BACKUP_EXISTS)
        say_backup_exists(out->why, backup);
    free(backup);
    return result;
}

/* Flush the directory of output i, unless it was flushed for an earlier output. */
static bool flush_directory(struct output *const *outputs, const enum output_result *results,
                            size_t i) {
    struct stat mine, other;
    bool known = fstat(outputs[i]->ref.directory, &mine) == 0;
    for (size_t k = 0; known && k < i; k++) {
        if (results[k] == OUTPUT_DONE && outputs[k]->replaces &&
            fstat(outputs[k]->ref.directory, &other) == 0 && stat_same_file(&mine, &other))
            return true;
    }
    return file_ref_sync(&outputs[i]->ref);
}

void output_commit_all(struct output *const *outputs, enum output_result *results, size_t count) {
    for (size_t i = 0; i < count; i++)
        results[i] = flush(outputs[i]) ? OUTPUT_DONE : OUTPUT_FAILED;
    for (size_t i = 0; i < count; i++) {
        if (results[i] == OUTPUT_DONE && outputs[i]->ref.name)
            results[i] = rename_output(outputs[i]);
    }
    for (size_t i = 0; i < count; i++) {
        struct output *out = outputs[i];
        if (results[i] != OUTPUT_DONE || !out->replaces || flush_directory(outputs, results, i))
            continue;
        snprintf(out->why, sizeof out->why, "written, but perhaps not to the disk: %s",
                 strerror(errno));
        results[i] = OUTPUT_FAILED;
    }
    for (size_t i = 0; i < count; i++)
        output_abandon(outputs[i]);
}

enum output_result output_commit(struct output *out) {
    enum output_result result = OUTPUT_FAILED;
    if (output_finish(out))
        output_commit_all(&out, &result, 1);
    else
        output_abandon(out);
    return result;
}

void output_abandon(struct output *out) {
    if (out->stream && out->stream != stdout)
        fclose(out->stream);
    out->stream = NULL;
    free(out->buffer);
    out->buffer = NULL;
    temporary_remove(&out->temporary);
    if (out->ref.name && out->old_file >= 0)
        close(out->old_file);
    file_ref_close(&out->ref);
}
