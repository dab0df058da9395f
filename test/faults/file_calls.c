/*
 * file_calls.c - a shared object to preload that lets the calls which change files fail
 *
 *   FAULT_FAIL=CALL,...   every such call fails, with FAULT_ERROR (a number; 1: EPERM)
 *   FAULT_AT=N            the Nth call of all fails once
 *   FAULT_KILL=1          ... or rather the process is killed before it
 *   FAULT_STOP=1          ... or rather the process is stopped before it
 *   FAULT_RUN=COMMAND     ... or rather a shell runs this before it, and it succeeds
 *   FAULT_LOG=FILE        each call's name is appended there, with what it is about
 *   FAULT_MANDATORY=1     while a file is locked it is read by the descriptor that was locked, or a
 *                         duplicate, alone: as on SMB; others cannot open it
 *   FAULT_DENY=PATH       this link may not be followed, as in a directory of all under
 *                         fs.protected_symlinks
 *
 * Only calls below the directory FAULT_BELOW count, so that a driver's own files do not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

static atomic_int calls;
static struct stat locked; /* with FAULT_MANDATORY; st_nlink 0: none */
static _Thread_local bool busy;

static int number(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text && *text ? atoi(text) : otherwise;
}

/* Is the file, or the directory, that fd is open for below FAULT_BELOW? */
static bool counts(int fd, char path[PATH_MAX]) {
    const char *below = getenv("FAULT_BELOW");
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = fd == AT_FDCWD ? readlink("/proc/self/cwd", path, PATH_MAX - 1)
                                    : readlink(link, path, PATH_MAX - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    return below && strncmp(path, below, strlen(below)) == 0;
}

static bool listed(const char *call) {
    const char *list = getenv("FAULT_FAIL");
    size_t length = strlen(call);
    for (const char *at = list; at && (at = strstr(at, call)) != NULL; at += length) {
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    }
    return false;
}

static void note(const char *call, const char *path, const char *name) {
    const char *log = getenv("FAULT_LOG");
    FILE *f = log ? fopen(log, "a") : NULL;
    if (!f)
        return;
    fprintf(f, "%s %s%s%s\n", call, path, *name ? "/" : "", name);
    fclose(f);
}

/* True, with errno: the call is to fail. */
static bool fault(const char *call, int fd, const char *name) {
    char path[PATH_MAX];
    int error = errno;
    if (busy || !counts(fd, path))
        return false;
    busy = true;
    note(call, path, name);
    bool now = atomic_fetch_add(&calls, 1) + 1 == number("FAULT_AT", 0), fails = listed(call);
    if (now && getenv("FAULT_RUN")) {
        unsetenv("LD_PRELOAD");
        if (system(getenv("FAULT_RUN")) != 0)
            fprintf(stderr, "FAULT_RUN failed\n");
    } else if (now && getenv("FAULT_KILL")) {
        raise(SIGKILL); /* by tgkill(), which the sandbox lets a process send itself */
    } else if (now && getenv("FAULT_STOP")) {
        raise(SIGSTOP);
    } else if (now) {
        fails = true;
    }
    busy = false;
    errno = fails ? number("FAULT_ERROR", EPERM) : error;
    return fails;
}

#define NEXT(call)                                                                                 \
    __typeof__(&call) next;                                                                        \
    *(void **)&next = dlsym(RTLD_NEXT, #call)

int fsync(int fd) {
    NEXT(fsync);
    return fault("fsync", fd, "") ? -1 : next(fd);
}

int flock(int fd, int operation) {
    NEXT(flock);
    if (fault("flock", fd, ""))
        return -1;
    int result = next(fd, operation);
    if (result == 0 && getenv("FAULT_MANDATORY"))
        locked.st_nlink = operation & LOCK_UN || fstat(fd, &locked) != 0 ? 0 : locked.st_nlink;
    return result;
}

int fchmod(int fd, mode_t mode) {
    NEXT(fchmod);
    return fault("fchmod", fd, "") ? -1 : next(fd, mode);
}

int fchown(int fd, uid_t uid, gid_t gid) {
    NEXT(fchown);
    return fault("fchown", fd, "") ? -1 : next(fd, uid, gid);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
    NEXT(linkat);
    return fault("linkat", to, new) ? -1 : next(from, old, to, new, flags);
}

int unlinkat(int directory, const char *name, int flags) {
    NEXT(unlinkat);
    return fault("unlinkat", directory, name) ? -1 : next(directory, name, flags);
}

int renameat(int from, const char *old, int to, const char *new) {
    NEXT(renameat);
    return fault("renameat", to, new) ? -1 : next(from, old, to, new);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
    NEXT(renameat2);
    return fault("renameat2", to, new) ? -1 : next(from, old, to, new, flags);
}

int fsetxattr(int fd, const char *name, const void *value, size_t size, int flags) {
    NEXT(fsetxattr);
    return fault("fsetxattr", fd, "") ? -1 : next(fd, name, value, size, flags);
}

int fremovexattr(int fd, const char *name) {
    NEXT(fremovexattr);
    return fault("fremovexattr", fd, "") ? -1 : next(fd, name);
}

ssize_t write(int fd, const void *bytes, size_t size) {
    NEXT(write);
    return fault("write", fd, "") ? -1 : next(fd, bytes, size);
}

int openat(int directory, const char *name, int flags, ...) {
    NEXT(openat);
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    struct stat st;
    if (fault("openat", directory, name))
        return -1;
    if (locked.st_nlink && fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        st.st_dev == locked.st_dev && st.st_ino == locked.st_ino) {
        errno = EACCES;
        return -1;
    }
    return next(directory, name, flags, mode);
}

/* ---- links that may not be followed ------------------------------------------------------------ */

static bool denied(const char *path) {
    const char *link = getenv("FAULT_DENY");
    if (!link || strcmp(link, path) != 0)
        return false;
    errno = EACCES;
    return true;
}

int stat(const char *path, struct stat *st) {
    NEXT(stat);
    return denied(path) ? -1 : next(path, st);
}

int access(const char *path, int mode) {
    NEXT(access);
    return denied(path) ? -1 : next(path, mode);
}

int open(const char *path, int flags, ...) {
    NEXT(open);
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return denied(path) ? -1 : next(path, flags, mode);
}
