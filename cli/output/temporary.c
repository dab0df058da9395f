/*
 * temporary.c - hidden files beside an output, which do not outlive the program
 *
 * Their names are in static slots, where the thread that waits for signals reads them. An output has at
 * most three: the new file, the new backup, and the older backup.
 */
#include "output/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "input/file_ref.h"
#include "input/path.h"
#include "output/signals.h"

#define SLOTS 1024

static struct slot {
    atomic_bool taken; /* by a struct temporary */
    atomic_bool lives; /* a file may have the name: a signal removes it */
    int directory;
    char name[NAME_MAX + 1];
} slots[SLOTS];

void temporary_remove_all(void) {
    for (size_t i = 0; i < SLOTS; i++) {
        if (atomic_load(&slots[i].lives))
            unlinkat(slots[i].directory, slots[i].name, 0);
    }
}

/* ---- names -------------------------------------------------------------------------------- */

static struct slot *take_slot(void) {
    for (size_t i = 0; i < SLOTS; i++) {
        if (!atomic_exchange(&slots[i].taken, true))
            return &slots[i];
    }
    errno = EMFILE;
    return NULL;
}

static const char letters[] = TEMPORARY_LETTERS;

/* A random name; try_names() tries another if it exists. */
static void choose_name(struct slot *slot, int directory, const char *beside) {
    const int longest = NAME_MAX - (int)strlen(TEMPORARY_PREFIX ".") - TEMPORARY_RANDOM;
    uint64_t number;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        number = ((uint64_t)now.tv_nsec << 24) ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 40;
    }
    slot->directory = directory;
    int used = snprintf(slot->name, sizeof slot->name, TEMPORARY_PREFIX "%.*s.", longest, beside);
    for (int i = 0; i < TEMPORARY_RANDOM; i++, number /= sizeof letters - 1)
        slot->name[used + i] = letters[number % (sizeof letters - 1)];
    slot->name[used + TEMPORARY_RANDOM] = '\0';
}

/* A lock tells other runs that the file is in use. False if one has removed it already. */
static bool lock(int fd) {
    struct stat st;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return errno != EWOULDBLOCK; /* a file system without locks */
    return fstat(fd, &st) != 0 || st.st_nlink > 0;
}

/* ---- making and removing ------------------------------------------------------------------ */

/* Try names until one is free; existing NULL: make a file, else link this one. */
static bool try_names(struct temporary *t, struct slot *slot, int directory, const char *beside,
                      const char *existing, mode_t mode) {
    for (int attempt = 0; attempt < 100; attempt++) {
        choose_name(slot, directory, beside);
        atomic_store(&slot->lives, true); /* before it is created: a signal may come at any time */
        int fd = -1;
        bool made;
        if (existing) {
            made = linkat(directory, existing, directory, slot->name, 0) == 0;
        } else {
            fd = openat(directory, slot->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        mode);
            made = fd >= 0;
        }
        if (made && (fd < 0 || lock(fd))) {
            *t = (struct temporary){directory, fd, slot->name};
            return true;
        }
        if (made) {
            close(fd);
            unlinkat(directory, slot->name, 0);
            errno = EEXIST;
        }
        atomic_store(&slot->lives, false);
        if (errno == ENAMETOOLONG && *beside)
            beside = ""; /* eCryptfs allows only shorter names */
        else if (errno != EEXIST)
            return false;
    }
    return false;
}

static bool make(struct temporary *t, int directory, const char *beside, const char *existing,
                 mode_t mode) {
    struct slot *slot = take_slot();
    *t = (struct temporary){directory, -1, NULL};
    signals_hold();
    bool made = slot && try_names(t, slot, directory, beside, existing, mode);
    int error = errno;
    signals_release();
    if (slot && !made)
        atomic_store(&slot->taken, false);
    errno = error;
    return made;
}

bool temporary_create(struct temporary *t, int directory, const char *beside, mode_t mode) {
    return make(t, directory, beside, NULL, mode);
}

bool temporary_link(struct temporary *t, int directory, const char *beside) {
    /* Lock before linking. A shared lock is enough: it shows that the file is in use. */
    int fd = openat(directory, beside, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0)
        (void)!flock(fd, LOCK_SH | LOCK_NB);
    bool made = make(t, directory, beside, beside, 0);
    int error = errno;
    if (made)
        t->fd = fd;
    else if (fd >= 0)
        close(fd);
    errno = error;
    return made;
}

void temporary_forget(struct temporary *t) {
    if (!t->name)
        return;
    struct slot *slot = (struct slot *)(void *)(t->name - offsetof(struct slot, name));
    atomic_store(&slot->lives, false);
    atomic_store(&slot->taken, false);
    if (t->fd >= 0)
        close(t->fd);
    *t = (struct temporary){-1, -1, NULL};
}

void temporary_remove(struct temporary *t) {
    if (t->name)
        unlinkat(t->directory, t->name, 0);
    temporary_forget(t);
}

void temporary_leave(struct temporary *t) {
    if (t->name)
        renameat2(t->directory, t->name, t->directory, t->name + 1, RENAME_NOREPLACE);
    temporary_forget(t);
}

/* ---- leftovers of killed processes --------------------------------------------------------------------- */

/* Remove a leftover, but not another user's, nor one that a running process has locked. */
static void sweep_one(int directory, const char *name) {
    struct stat st, locked, now;
    if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) ||
        (geteuid() != 0 && st.st_uid != geteuid()))
        return;
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &locked) == 0 &&
        fstatat(directory, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && stat_same_file(&now, &locked))
        unlinkat(directory, name, 0);
    close(fd);
}

/* A run writes to one directory after the other: it reads each once, not for every image. */
static bool is_new(int directory) {
    static pthread_mutex_t lock_of_last = PTHREAD_MUTEX_INITIALIZER;
    static struct stat last;
    struct stat st;
    if (fstat(directory, &st) != 0)
        return false;
    pthread_mutex_lock(&lock_of_last);
    bool new = !stat_same_file(&st, &last);
    last = st;
    pthread_mutex_unlock(&lock_of_last);
    return new;
}

void temporary_sweep(int directory) {
    if (!is_new(directory))
        return;
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    if (!list) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        if (path_is_temporary(entry->d_name))
            sweep_one(directory, entry->d_name);
    }
    closedir(list);
}
