/*
 * cache_dir.c - the directory that device programs are kept in
 *
 * Everything goes through the directory's descriptor, so that what was checked is what is used.
 */
#include "device/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_ENTRIES 400
#define MAX_BYTES ((uint64_t)64 << 20) /* about 700 programs as PoCL has them */
#define STALE_SECONDS 3600             /* a writer takes milliseconds */
#define LOCK_SECONDS 120
#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

/* mkdir -p; what exists is left as it is. */
static void make_directory(char *path) {
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
    mkdir(path, 0700);
}

static bool ours(int fd, mode_t kind) {
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind && st.st_uid == geteuid() &&
           !(st.st_mode & OTHERS_WRITE);
}

static int checked(int fd, mode_t kind) {
    if (fd >= 0 && !ours(fd, kind)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int imf_cache_open(const char *dir, bool make) {
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
    char path[PATH_MAX];
    size_t n = dir ? strlen(dir) : 0;
    if (n == 0 || n >= sizeof path)
        return -1;
    memcpy(path, dir, n + 1);
    while (n > 1 && path[n - 1] == '/') /* behind which a link would be followed */
        path[--n] = '\0';
    int fd = open(path, flags);
    if (fd < 0 && errno == ENOENT && make) {
        make_directory(path);
        fd = open(path, flags);
    }
    return checked(fd, S_IFDIR);
}

int imf_cache_open_file(int dirfd, const char *name, int flags) {
    /* A FIFO there must not block. */
    return checked(openat(dirfd, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600), S_IFREG);
}

/* Each key is a byte of one file, locked as open file descriptions do: between threads, too. */
int imf_cache_lock(const char *dir, const struct imf_cache_key *key) {
    int dirfd = imf_cache_open(dir, true);
    if (dirfd < 0)
        return -1;
    int fd = imf_cache_open_file(dirfd, "lock", O_RDWR | O_CREAT);
    close(dirfd);
    struct flock range = {.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)(key->low & 0x3fffffff),
                          .l_len = 1};
    struct timespec pause = {.tv_nsec = 1000000};
    for (long waited = 0; fd >= 0 && fcntl(fd, F_OFD_SETLK, &range) != 0;
         waited += pause.tv_nsec / 1000000) {
        if ((errno != EAGAIN && errno != EACCES && errno != EINTR) ||
            waited >= LOCK_SECONDS * 1000L) {
            close(fd);
            return -1;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 32000000)
            pause.tv_nsec *= 2;
    }
    return fd;
}

void imf_cache_unlock(int lock) {
    if (lock >= 0)
        close(lock);
}

/* ---- removing ------------------------------------------------------------------------------ */

struct entry {
    char name[64];
    struct timespec used;
    uint64_t size;
};

static int by_age(const void *a, const void *b) {
    const struct timespec *x = &((const struct entry *)a)->used;
    const struct timespec *y = &((const struct entry *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static bool has_suffix(const char *name, const char *suffix) {
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

/* Room for one more entry. */
static struct entry *grow(struct entry **list, size_t n, size_t *capacity) {
    if (n == *capacity) {
        size_t more = *capacity ? *capacity * 2 : 64;
        struct entry *grown = realloc(*list, more * sizeof **list);
        if (!grown)
            return NULL;
        *list = grown;
        *capacity = more;
    }
    return &(*list)[n];
}

/* Removing one entry at a time would scan the directory at every store: down to three quarters. */
void imf_cache_prune(int dirfd) {
    int copy = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
    if (!d) {
        if (copy >= 0)
            close(copy);
        return;
    }
    struct entry *list = NULL, *next;
    size_t n = 0, capacity = 0;
    uint64_t bytes = 0;
    time_t now = time(NULL);
    for (struct dirent *e; (e = readdir(d));) {
        struct stat st;
        if (strlen(e->d_name) >= sizeof list->name ||
            fstatat(dirfd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (strncmp(e->d_name, ".tmp", 4) == 0) {
            if (st.st_mtim.tv_sec < now - STALE_SECONDS)
                unlinkat(dirfd, e->d_name, 0);
        } else if (has_suffix(e->d_name, IMF_CACHE_SUFFIX) && (next = grow(&list, n, &capacity))) {
            memcpy(next->name, e->d_name, strlen(e->d_name) + 1);
            next->used = st.st_mtim;
            next->size = (uint64_t)st.st_size;
            bytes += next->size;
            n++;
        }
    }
    if (n > MAX_ENTRIES || bytes > MAX_BYTES) {
        qsort(list, n, sizeof *list, by_age);
        for (size_t i = 0; i < n && (n - i > MAX_ENTRIES * 3 / 4 || bytes > MAX_BYTES / 4 * 3); i++)
            if (unlinkat(dirfd, list[i].name, 0) == 0)
                bytes -= list[i].size;
    }
    free(list);
    closedir(d);
}
