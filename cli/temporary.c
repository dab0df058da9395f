/*
 * temporary.c - hidden files beside an output, which do not outlive the program
 *
 * Their names lie in static slots, for a signal handler can reach nothing else. An output has three
 * at most: itself, the backup to be, and the backup that was.
 */
#include "temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define PREFIX ".imfilter-"
#define RANDOM_LETTERS 6

static struct slot {
    int directory;
    char name[NAME_MAX + 1];
    volatile sig_atomic_t lives;
} slots[3];
#define SLOTS (sizeof slots / sizeof slots[0])

/* ---- signals ------------------------------------------------------------------------------ */

static volatile sig_atomic_t held, pending;

/* Clean up, then die of the same signal, so that the parent sees 128+n and why. */
static void on_signal(int number) {
    if (held) {
        pending = number;
        return;
    }
    for (size_t i = 0; i < SLOTS; i++) {
        if (slots[i].lives)
            unlinkat(slots[i].directory, slots[i].name, 0);
    }
    signal(number, SIG_DFL);
    raise(number); /* delivered when the handler returns */
}

void temporary_catch_signals(void) {
    static const int fatal[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU};
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        struct sigaction action, old;
        /* What the parent had ignored (nohup, a background job) stays ignored. */
        if (sigaction(fatal[i], NULL, &old) != 0 || old.sa_handler == SIG_IGN)
            continue;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESTART;
        sigfillset(&action.sa_mask);
        sigaction(fatal[i], &action, NULL);
    }
    /* A file over the size limit then fails with EFBIG, which gives a proper message. */
    signal(SIGXFSZ, SIG_IGN);
}

void temporary_hold_signals(void) {
    held = 1;
}

void temporary_release_signals(void) {
    held = 0;
    if (pending)
        raise(pending);
}

/* ---- names -------------------------------------------------------------------------------- */

static struct slot *free_slot(void) {
    for (size_t i = 0; i < SLOTS; i++) {
        if (!slots[i].lives)
            return &slots[i];
    }
    errno = EMFILE;
    return NULL;
}

static struct slot *slot_of(const struct temporary *t) {
    for (size_t i = 0; i < SLOTS; i++) {
        if (slots[i].name == t->name)
            return &slots[i];
    }
    return NULL;
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/* A name that nobody else has, in all likelihood. */
static void choose_name(struct slot *slot, int directory, const char *beside) {
    const int room = NAME_MAX - (int)strlen(PREFIX ".") - RANDOM_LETTERS;
    uint64_t number;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        number = ((uint64_t)now.tv_nsec << 24) ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 40;
    }
    slot->directory = directory;
    int used = snprintf(slot->name, sizeof slot->name, PREFIX "%.*s.", room, beside);
    for (int i = 0; i < RANDOM_LETTERS; i++, number /= sizeof letters - 1)
        slot->name[used + i] = letters[number % (sizeof letters - 1)];
    slot->name[used + RANDOM_LETTERS] = '\0';
}

/* Keep others from taking the file for a leftover. False when one has done so already. */
static bool lock(int fd) {
    struct stat st;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return errno != EWOULDBLOCK; /* a file system without locks */
    return fstat(fd, &st) != 0 || st.st_nlink > 0;
}

/* ---- making and removing ------------------------------------------------------------------ */

/* Try names until one is free; existing NULL: make a file, else link this one. */
static bool make(struct temporary *t, int directory, const char *beside, const char *existing,
                 mode_t mode) {
    struct slot *slot = free_slot();
    *t = (struct temporary){directory, -1, NULL};
    for (int attempt = 0; slot && attempt < 100; attempt++) {
        choose_name(slot, directory, beside);
        slot->lives = 1; /* before it is made: a signal may come at any time */
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
        slot->lives = 0;
        if (errno == ENAMETOOLONG && *beside)
            beside = ""; /* eCryptfs has shorter ones */
        else if (errno != EEXIST)
            return false;
    }
    return false;
}

bool temporary_create(struct temporary *t, int directory, const char *beside, mode_t mode) {
    return make(t, directory, beside, NULL, mode);
}

bool temporary_link(struct temporary *t, int directory, const char *beside) {
    /* First the lock, then the name. Many may hold it; that somebody does is what counts. */
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
    struct slot *slot = t->name ? slot_of(t) : NULL;
    if (!slot)
        return;
    slot->lives = 0;
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

/* ---- what others left --------------------------------------------------------------------- */

bool temporary_is_name(const char *name) {
    size_t length = strlen(name), ending = RANDOM_LETTERS + 1;
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0 && length >= strlen(PREFIX) + ending &&
           name[length - ending] == '.' &&
           strspn(name + length - RANDOM_LETTERS, letters) == RANDOM_LETTERS;
}

/* Not another user's, who may know better, nor one that a living process has locked. */
static void sweep_one(int directory, const char *name) {
    struct stat st, locked, now;
    if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) ||
        (geteuid() != 0 && st.st_uid != geteuid()))
        return;
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &locked) == 0 &&
        fstatat(directory, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == locked.st_ino &&
        now.st_dev == locked.st_dev)
        unlinkat(directory, name, 0);
    close(fd);
}

/* Only so many directories, and each once: a run that alternates between two large ones must not
 * read them for every image. */
static bool is_new(int directory) {
    static struct {
        dev_t device;
        ino_t inode;
    } seen[256];
    static size_t count;
    struct stat st;
    if (fstat(directory, &st) != 0 || count == sizeof seen / sizeof seen[0])
        return false;
    for (size_t i = 0; i < count; i++) {
        if (seen[i].device == st.st_dev && seen[i].inode == st.st_ino)
            return false;
    }
    seen[count].device = st.st_dev;
    seen[count++].inode = st.st_ino;
    return true;
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
        if (temporary_is_name(entry->d_name))
            sweep_one(directory, entry->d_name);
    }
    closedir(list);
}
