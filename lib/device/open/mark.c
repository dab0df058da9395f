/*
 * mark.c - files that tell later runs that a driver ended this one
 *
 * A mark gets its name when it is locked, so that no run takes it for one that was left.
 */
#include "device/open/mark.h"

#include "base/clock.h"
#include "device/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "in-use-"
#define UNNAMED ".tmp-in-use-" /* imf_cache_prune() removes old ones */
#define LAST "crashed"         /* the last crash's mark; its time of change is the crash's */
#define AGAIN_SECONDS 3600

/* Keep the mark of a crash under another name. */
static enum imf_crash keep(int directory, const char *name, const struct stat *crash) {
    struct stat last;
    bool again = fstatat(directory, LAST, &last, AT_SYMLINK_NOFOLLOW) == 0 &&
                 last.st_ctim.tv_sec > crash->st_ctim.tv_sec - AGAIN_SECONDS;
    if (renameat(directory, name, directory, LAST) != 0)
        unlinkat(directory, name, 0);
    return again ? IMF_CRASH_AGAIN : IMF_CRASH_ONCE;
}

static enum imf_crash sweep_one(int directory, const char *name, bool *others) {
    struct stat st;
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    enum imf_crash found = IMF_CRASH_NONE;
    if (fd < 0)
        return found;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        *others = true;
    else if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink) {
        if (st.st_mode & S_IWUSR)
            unlinkat(directory, name, 0);
        else
            found = keep(directory, name, &st);
    }
    close(fd);
    return found;
}

enum imf_crash imf_mark_sweep(const char *cache_dir, bool *others) {
    enum imf_crash found = IMF_CRASH_NONE;
    int fd = imf_cache_open(cache_dir, false);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    *others = false;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) != 0)
            continue;
        enum imf_crash one = sweep_one(fd, e->d_name, others);
        found = one > found ? one : found;
    }
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    return found;
}

/* Locked before it has its name. */
static bool make(struct imf_driver_mark *m) {
    char unnamed[sizeof m->name + 8];
    unsigned long long now = imf_now_ns();
    snprintf(m->name, sizeof m->name, PREFIX "%x%llx", (unsigned)getpid(), now);
    snprintf(unnamed, sizeof unnamed, UNNAMED "%x%llx", (unsigned)getpid(), now);
    m->file = imf_cache_open_file(m->directory, unnamed, O_RDWR | O_CREAT | O_EXCL);
    if (m->file < 0)
        return false;
    if (flock(m->file, LOCK_EX | LOCK_NB) == 0 &&
        renameat(m->directory, unnamed, m->directory, m->name) == 0)
        return true;
    unlinkat(m->directory, unnamed, 0);
    close(m->file);
    m->file = -1;
    return false;
}

void imf_mark_open(struct imf_driver_mark *mark, const char *cache_dir, atomic_int *held) {
    int none = -1;
    *mark = (struct imf_driver_mark){.file = -1, .directory = imf_cache_open(cache_dir, true)};
    if (mark->directory < 0)
        return;
    if (atomic_load(held) < 0 && make(mark) &&
        !atomic_compare_exchange_strong(held, &none, mark->file)) {
        unlinkat(mark->directory, mark->name, 0);
        close(mark->file);
        mark->file = -1;
    }
}

void imf_mark_close(struct imf_driver_mark *mark, atomic_int *held) {
    if (mark->file >= 0) {
        unlinkat(mark->directory, mark->name, 0);
        atomic_store(held, -1);
        close(mark->file);
    }
    if (mark->directory >= 0)
        close(mark->directory);
    *mark = (struct imf_driver_mark){.file = -1, .directory = -1};
}
