/*
 * publish.c - rename a finished temporary file to its final name
 *
 * In place with a backup: link the original to the backup's name, flush the directory, then rename the
 * new file over the original. Where a file system has no hard links the backup is a copy. An older
 * backup keeps a hidden name until the end. The original is locked meanwhile, so that a second run on
 * the same file finds it replaced.
 */
#include "output/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "output/attributes.h"
#include "output/signals.h"

#define COPY_BUFFER (64 * 1024)
#define LOCK_TRIES 500 /* of 10 ms: a flush of a directory takes less */

/* ---- one name ----------------------------------------------------------------------------- */

/* Rename without replacing: by renameat2(), else by a hard link, else after a check. */
static enum publish_result name_new(struct temporary *t, const struct file_ref *p,
                                    const char *name) {
    struct stat other;
    if (renameat2(t->directory, t->name, p->directory, name, RENAME_NOREPLACE) == 0) {
        temporary_forget(t);
        return PUBLISH_DONE;
    }
    if (errno != EEXIST && linkat(t->directory, t->name, p->directory, name, 0) == 0) {
        temporary_remove(t);
        return PUBLISH_DONE;
    }
    if (errno == EEXIST || file_ref_stat(p, name, &other))
        return PUBLISH_EXISTS;
    if (renameat(t->directory, t->name, p->directory, name) != 0)
        return PUBLISH_FAILED;
    temporary_forget(t);
    return PUBLISH_DONE;
}

static enum publish_result name_over(struct temporary *t, const struct file_ref *p,
                                     const char *name) {
    if (renameat(t->directory, t->name, p->directory, name) != 0)
        return PUBLISH_FAILED;
    /* Between two names of one file a rename does nothing. */
    temporary_remove(t);
    return PUBLISH_DONE;
}

enum publish_result publish(struct temporary *t, const struct file_ref *p, bool replace) {
    signals_hold();
    enum publish_result result = (replace ? name_over : name_new)(t, p, p->name);
    int error = errno;
    signals_release();
    errno = error;
    return result;
}

/* ---- a file's second name ----------------------------------------------------------------- */

static bool copy_bytes(int from, int to) {
    char buffer[COPY_BUFFER];
    off_t at = 0;
    for (ssize_t n; (n = pread(from, buffer, sizeof buffer, at)) != 0; at += n) {
        if (n < 0)
            return false;
        for (ssize_t done = 0, w; done < n; done += w) {
            if ((w = write(to, buffer + done, (size_t)(n - done))) < 0)
                return false;
        }
    }
    return true;
}

static bool copy(struct temporary *t, const struct file_ref *p, const char *name, int from) {
    struct stat st;
    bool good = fstat(from, &st) == 0 && temporary_create(t, p->directory, name, 0600);
    if (good) {
        const struct timespec times[2] = {st.st_atim, st.st_mtim};
        good = copy_bytes(from, t->fd);
        if (good) {
            attributes_copy(from, &st, t->fd);
            (void)!futimens(t->fd, times);
            good = fsync(t->fd) == 0;
        }
    }
    int error = errno;
    if (!good)
        temporary_remove(t);
    errno = error;
    return good;
}

/* A hidden second name for directory/name: a hard link, or else a copy. `open` is the file, or -1.
 * Where locks are mandatory (SMB) only the descriptor that holds the lock can read the file. */
static bool second_name(struct temporary *t, const struct file_ref *p, const char *name, int open) {
    struct file_ref ref = {.directory = p->directory, .name = (char *)name};
    if (temporary_link(t, p->directory, name))
        return true;
    int from = open >= 0 ? open : file_ref_open(&ref);
    bool copied = from >= 0 && copy(t, p, name, from);
    int error = errno;
    if (from >= 0 && from != open)
        close(from);
    errno = error;
    return copied;
}

/* ---- in place ----------------------------------------------------------------------------- */

static bool is_original(const struct file_ref *p, const char *name,
                        const struct publish_original *original) {
    struct stat there, opened;
    return file_ref_stat(p, name, &there) && fstat(original->fd, &opened) == 0 &&
           stat_same_file(&there, &opened);
}

static bool unchanged(const struct file_ref *p, const struct publish_original *original) {
    const struct stat *then = original->st;
    struct stat now;
    return is_original(p, p->name, original) && file_ref_stat(p, p->name, &now) &&
           now.st_size == then->st_size && now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == then->st_mtim.tv_nsec;
}

/* Exchange the two files: then the temporary name shows which file was replaced. If it is not the
 * original, exchange them back. */
static enum publish_result replace_original(struct temporary *t, const struct file_ref *p,
                                            const struct publish_original *original) {
    if (renameat2(t->directory, t->name, p->directory, p->name, RENAME_EXCHANGE) == 0) {
        if (is_original(p, t->name, original)) {
            temporary_remove(t);
            return PUBLISH_DONE;
        }
        if (renameat2(t->directory, t->name, p->directory, p->name, RENAME_EXCHANGE) != 0)
            temporary_leave(t);
        return PUBLISH_CHANGED;
    }
    return unchanged(p, original) ? publish(t, p, true) : PUBLISH_CHANGED;
}

bool publish_backup_exists(const struct file_ref *p, const char *backup,
                           const struct stat *original) {
    struct stat st;
    return file_ref_stat(p, backup, &st) && !stat_same_file(&st, original);
}

/* What undo() has to restore. */
struct kept {
    const char *name;          /* of the new backup, or NULL */
    struct temporary previous; /* the older backup, or none */
};

static enum publish_result keep_original(struct kept *kept, const struct file_ref *p,
                                         const struct publish_original *original,
                                         const struct publish_backup *backup) {
    struct stat st;
    struct temporary link = {0};
    bool exists = file_ref_stat(p, backup->name, &st);
    /* A killed run has made the backup, and not replaced the original. */
    if (is_original(p, backup->name, original))
        return PUBLISH_DONE;
    if (exists && !backup->clobber)
        return PUBLISH_EXISTS;
    errno = EPERM;
    if (exists && !file_ref_may_remove(p, &st))
        return PUBLISH_BACKUP;
    if (exists && !second_name(&kept->previous, p, backup->name, -1))
        return PUBLISH_BACKUP;
    if (!second_name(&link, p, p->name, original->fd))
        return PUBLISH_BACKUP;
    enum publish_result result = PUBLISH_CHANGED;
    if (unchanged(p, original)) {
        result = exists ? name_over(&link, p, backup->name) : name_new(&link, p, backup->name);
        if (result == PUBLISH_DONE) {
            kept->name = backup->name;
            /* The backup must reach the disk before the original is replaced. */
            result = file_ref_sync(p) ? PUBLISH_DONE : PUBLISH_BACKUP;
        } else if (result == PUBLISH_FAILED) {
            result = PUBLISH_BACKUP;
        }
    }
    int error = errno;
    temporary_remove(&link);
    errno = error;
    return result;
}

/* Remove the new backup, but only while the original has its name and is locked: without a lock another
 * program may replace the original at any moment, and the backup would be its only copy. */
static void undo(struct kept *kept, const struct file_ref *p,
                 const struct publish_original *original, bool locked) {
    if (!kept->name || !locked || !is_original(p, p->name, original))
        return;
    if (!kept->previous.name)
        unlinkat(p->directory, kept->name, 0);
    else if (name_over(&kept->previous, p, kept->name) != PUBLISH_DONE)
        temporary_leave(&kept->previous);
}

static enum publish_result publish_locked(struct temporary *t, const struct file_ref *p,
                                          const struct publish_original *original,
                                          const struct publish_backup *backup, bool locked) {
    struct kept kept = {0};
    if (!unchanged(p, original))
        return PUBLISH_CHANGED;
    signals_hold();
    enum publish_result result = PUBLISH_DONE;
    if (backup->name)
        result = keep_original(&kept, p, original, backup);
    if (result == PUBLISH_DONE)
        result = replace_original(t, p, original);
    int error = errno;
    if (result != PUBLISH_DONE)
        undo(&kept, p, original, locked);
    temporary_remove(&kept.previous);
    signals_release();
    errno = error;
    return result;
}

enum publish_result publish_in_place(struct temporary *t, const struct file_ref *p,
                                     const struct publish_original *original,
                                     const struct publish_backup *backup) {
    const struct timespec pause = {.tv_nsec = 10000000};
    bool locked = false, taken = backup->name != NULL;
    for (int i = 0; !locked && taken; i++) {
        locked = flock(original->fd, LOCK_EX | LOCK_NB) == 0;
        taken = !locked && errno == EWOULDBLOCK; /* any other error: a file system without locks */
        if (taken && i == LOCK_TRIES)
            return PUBLISH_LOCKED;
        if (taken)
            nanosleep(&pause, NULL);
    }
    enum publish_result result = publish_locked(t, p, original, backup, locked);
    int error = errno;
    if (locked)
        flock(original->fd, LOCK_UN);
    errno = error;
    return result;
}
