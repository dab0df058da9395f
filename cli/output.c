/*
 * output.c - outputs that are complete or absent
 *
 * The temporary's name lives in a static buffer, for a signal handler can reach nothing else. One
 * output is open at a time, so one buffer will do.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STREAM_BUFFER (256 * 1024)

static char temporary[PATH_MAX];
static volatile sig_atomic_t temporary_lives;

/* ---- signals ------------------------------------------------------------------------------ */

/* Clean up, then die of the same signal, so that the parent sees 128+n and why. */
static void on_signal(int number) {
    if (temporary_lives)
        unlink(temporary);
    signal(number, SIG_DFL);
    raise(number); /* delivered when the handler returns */
}

void output_catch_signals(void) {
    static const int fatal[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU};
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        struct sigaction action, old;
        /* What the parent had ignored (nohup, a background job) stays ignored. */
        if (sigaction(fatal[i], NULL, &old) != 0 || old.sa_handler == SIG_IGN)
            continue;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        sigfillset(&action.sa_mask);
        sigaction(fatal[i], &action, NULL);
    }
    /* A file over the size limit then fails with EFBIG, which gives a proper message. */
    signal(SIGXFSZ, SIG_IGN);
}

/* ---- names -------------------------------------------------------------------------------- */

static bool fail(struct output *out, int error) {
    snprintf(out->why, sizeof out->why, "cannot write: %s", strerror(error));
    return false;
}

/* The directory part of path with its last slash, "" for none: length. */
static size_t directory_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool make_parents(const char *path) {
    char partial[PATH_MAX];
    size_t length = directory_length(path);
    if (length >= sizeof partial) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (size_t i = 1; i < length; i++) {
        if (path[i] != '/' || path[i - 1] == '/')
            continue;
        memcpy(partial, path, i);
        partial[i] = '\0';
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

/* Create "DIR/.NAME.XXXXXX" beside the target, readable by its owner alone for now. */
static int create_temporary(const char *target) {
    size_t directory = directory_length(target), name = strlen(target + directory);
    const size_t extra = sizeof "..XXXXXX";
    if (name + extra > NAME_MAX + 1)
        name = NAME_MAX + 1 - extra;
    int n = snprintf(temporary, sizeof temporary, "%.*s.%.*s.XXXXXX", (int)directory, target,
                     (int)name, target + directory);
    if (n < 0 || (size_t)n >= sizeof temporary) {
        errno = ENAMETOOLONG;
        return -1;
    }
    temporary_lives = 1; /* before the file is made: a signal may come at any time */
    int fd = mkstemp(temporary);
    if (fd < 0)
        temporary_lives = 0;
    return fd;
}

/* Owner and mode of the file to be replaced, or those of a new file. */
static void set_mode(int fd, const struct stat *old) {
    mode_t mode;
    if (old) {
        mode = old->st_mode & 07777;
        if ((old->st_uid != geteuid() || old->st_gid != getegid()) &&
            fchown(fd, old->st_uid, old->st_gid) != 0)
            mode &= 0777; /* another's set-user-ID bit must not become ours */
    } else {
        mode_t mask = umask(0);
        umask(mask);
        mode = 0666 & ~mask;
    }
    /* Some file systems have no modes; the image is good all the same. */
    if (fchmod(fd, mode) != 0)
        return;
}

/* ---- open, commit, abandon ---------------------------------------------------------------- */

static bool open_special(struct output *out, const char *name) {
    int fd = open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    out->stream = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!out->stream) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return fail(out, error);
    }
    return true;
}

static bool open_temporary(struct output *out, const char *name) {
    struct stat old;
    bool exists = stat(name, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return fail(out, EISDIR);
    if (exists && !S_ISREG(old.st_mode))
        return open_special(out, name);
    if (!exists && lstat(name, &old) == 0) {
        snprintf(out->why, sizeof out->why, "cannot write through a dangling symbolic link");
        return false;
    }
    /* As a shell's redirection would; in place only the directory needs to be writable. */
    if (exists && !out->rules.in_place && access(name, W_OK) != 0)
        return fail(out, errno);
    if (out->rules.make_directories && !make_parents(name))
        return fail(out, errno);
    out->target = exists ? realpath(name, NULL) : strdup(name);
    if (!out->target)
        return fail(out, errno);
    int fd = create_temporary(out->target);
    if (fd < 0)
        return fail(out, errno);
    set_mode(fd, exists ? &old : NULL);
    out->stream = fdopen(fd, "wb");
    if (!out->stream) {
        int error = errno;
        close(fd);
        return fail(out, error);
    }
    return true;
}

bool output_open(struct output *out, const char *name, const struct output_rules *rules) {
    memset(out, 0, sizeof *out);
    out->rules = *rules;
    if (strcmp(name, "-") == 0) {
        out->stream = stdout;
        return true;
    }
    if (!open_temporary(out, name)) {
        output_abandon(out);
        return false;
    }
    setvbuf(out->stream, NULL, _IOFBF, STREAM_BUFFER);
    return true;
}

/* Keep the original as target + suffix: a second link, so that it is never without a name. */
static bool keep_backup(const char *target, const char *suffix) {
    char backup[PATH_MAX];
    int n = snprintf(backup, sizeof backup, "%s%s", target, suffix);
    if (n < 0 || (size_t)n >= sizeof backup) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (unlink(backup) != 0 && errno != ENOENT)
        return false;
    if (link(target, backup) == 0)
        return true;
    /* A file system without links. */
    return rename(target, backup) == 0;
}

/* Give the temporary its name. link() fails where rename() would replace. */
static enum output_result publish(struct output *out) {
    if (out->rules.no_clobber) {
        if (link(temporary, out->target) == 0)
            return OUTPUT_DONE; /* output_abandon() removes the other name */
        struct stat other;
        if (errno == EEXIST || lstat(out->target, &other) == 0)
            return OUTPUT_EXISTS;
    }
    if (rename(temporary, out->target) != 0) {
        fail(out, errno);
        return OUTPUT_FAILED;
    }
    temporary_lives = 0;
    return OUTPUT_DONE;
}

enum output_result output_commit(struct output *out) {
    errno = 0;
    bool written = fflush(out->stream) == 0 && !ferror(out->stream);
    int error = written ? 0 : errno ? errno : EIO;
    if (written && out->rules.in_place && out->target && fsync(fileno(out->stream)) != 0 &&
        errno != EINVAL && errno != EROFS && errno != ENOTSUP) {
        error = errno;
    }
    if (out->stream != stdout) {
        if (fclose(out->stream) != 0 && !error)
            error = errno;
        out->stream = NULL;
    }
    if (!error && out->target && out->rules.backup &&
        !keep_backup(out->target, out->rules.backup)) {
        snprintf(out->why, sizeof out->why, "cannot keep a backup: %s", strerror(errno));
        output_abandon(out);
        return OUTPUT_FAILED;
    }
    enum output_result result = OUTPUT_DONE;
    if (error) {
        fail(out, error);
        result = OUTPUT_FAILED;
    } else if (out->target) {
        result = publish(out);
    }
    output_abandon(out);
    return result;
}

void output_abandon(struct output *out) {
    if (out->stream && out->stream != stdout)
        fclose(out->stream);
    out->stream = NULL;
    if (temporary_lives) {
        unlink(temporary);
        temporary_lives = 0;
    }
    free(out->target);
    out->target = NULL;
}
