/*
 * pocl.c - the directory of PoCL's own cache
 *
 * PoCL writes what it compiles to files, and finds no device where it cannot. Left to itself it
 * takes $XDG_CACHE_HOME or $HOME even if nobody can write there, and without them a name in /tmp
 * that others can make first, from which it then loads code. It never removes anything.
 */
#include "device/cache.h"
#include "device/open/probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_BYTES ((uint64_t)256 << 20)
#define STALE_SECONDS 3600 /* what a process needs, it touched since */
#define TEMPORARY "tempfile_imfilter_"

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk) {
    (void)st;
    (void)type;
    (void)walk;
    (void)remove(path);
    return 0;
}

static void remove_directory(const char *path) {
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- temporary directories ------------------------------------------------------------------- */

/* Remove a directory that a killed process left: the user's own, and not locked. */
static void sweep_one(const char *base, int at, const char *name) {
    struct stat st;
    char *path = NULL;
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool left = fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077);
    if (left && flock(fd, LOCK_EX | LOCK_NB) != 0)
        left = errno != EWOULDBLOCK && st.st_mtim.tv_sec < time(NULL) - STALE_SECONDS;
    if (left && asprintf(&path, "%s/%s", base, name) >= 0) {
        remove_directory(path);
        free(path);
    }
    if (fd >= 0)
        close(fd);
}

static void sweep(const char *base) {
    DIR *d = opendir(base);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, TEMPORARY, strlen(TEMPORARY)) == 0)
            sweep_one(base, dirfd(d), e->d_name);
    }
    if (d)
        closedir(d);
}

/* A new directory, locked if the file system supports it; NULL: none can be made. */
static char *make_temporary(const char *base, int *lock) {
    for (int tries = 0; tries < 100; tries++) {
        char *path = NULL;
        if (asprintf(&path, "%s/" TEMPORARY "XXXXXX", base) < 0)
            return NULL;
        if (!mkdtemp(path)) {
            free(path);
            return NULL;
        }
        *lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        bool taken = *lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!taken && access(path, F_OK) == 0)
            return path;
        /* Another process removed it before it was locked. */
        imf_temporary_remove(path, *lock);
        *lock = -1;
    }
    return NULL;
}

void imf_temporary_remove(char *path, int lock) {
    remove_directory(path);
    if (lock >= 0)
        close(lock);
    free(path);
}

/* The directory within cache_dir, made when missing; NULL: nothing can be written there. */
static char *within(const char *cache_dir) {
    char *path = NULL;
    int dirfd = imf_cache_open(cache_dir, true);
    if (dirfd < 0)
        return NULL;
    close(dirfd);
    if (asprintf(&path, "%s/pocl", cache_dir) < 0)
        return NULL;
    int fd = imf_cache_open(path, true);
    if (fd < 0 || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) != 0) {
        free(path);
        path = NULL;
    }
    if (fd >= 0)
        close(fd);
    return path;
}

char *imf_temporary_directory(const char *cache_dir, int *lock) {
    const char *tmpdir = getenv("TMPDIR");
    char *pocl = within(cache_dir), *path = NULL;
    /* PoCL loads code from there, which /tmp may be
     * mounted against: as it will be, so it is tried. */
    const char *const bases[] = {pocl, tmpdir && tmpdir[0] == '/' ? tmpdir : NULL, "/tmp"};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (bases[i])
            sweep(bases[i]);
        if (bases[i] && !path)
            path = make_temporary(bases[i], lock);
    }
    free(pocl);
    return path;
}

char *imf_pocl_cache_set_aside(const char *cache_dir) {
    const char *set = getenv("POCL_CACHE_DIR");
    char *path = set && *set ? NULL : within(cache_dir), *aside = NULL;
    if (path && asprintf(&aside, "%s.crashed", path) < 0)
        aside = NULL;
    if (aside)
        remove_directory(aside);
    if (aside && rename(path, aside) != 0) {
        free(aside);
        aside = NULL;
    }
    free(path);
    return aside;
}

void imf_pocl_cache_open(struct imf_pocl_cache *cache, const char *cache_dir) {
    const char *set = getenv("POCL_CACHE_DIR");
    *cache = (struct imf_pocl_cache){0};
    if (set && *set)
        return;
    cache->path = within(cache_dir);
    if (!cache->path) {
        cache->path = imf_temporary_directory(NULL, &cache->lock);
        cache->temporary = cache->path != NULL;
    }
    /* PoCL aborts where it is empty. Below a file nothing can be made: it has no device then. */
    if (cache->path || set)
        setenv("POCL_CACHE_DIR", cache->path ? cache->path : "/dev/null/pocl", 1);
}

/* ---- bounds -------------------------------------------------------------------------------- */

/* One program's directory, AB/CDEF... */
struct program {
    char path[64];
    time_t used;
    uint64_t bytes;
};

static int by_use(const void *a, const void *b) {
    time_t x = ((const struct program *)a)->used, y = ((const struct program *)b)->used;
    return (x > y) - (x < y);
}

/* The bytes of a directory's files and of those in its directories, and the newest time. */
static void measure(struct program *p, int at, const char *name, int depth) {
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (e->d_name[0] == '.' || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISDIR(st.st_mode) && depth > 0)
            measure(p, fd, e->d_name, depth - 1);
        p->bytes += (uint64_t)st.st_size;
        p->used = st.st_mtim.tv_sec > p->used ? st.st_mtim.tv_sec : p->used;
    }
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
}

struct programs {
    struct program *list;
    size_t count, capacity;
    uint64_t bytes;
};

/* Add the programs of directory AB. */
static void add_programs(struct programs *all, int at, const char *name) {
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.' || strlen(e->d_name) > 56)
            continue;
        if (all->count == all->capacity) {
            size_t more = all->capacity ? all->capacity * 2 : 64;
            struct program *grown = realloc(all->list, more * sizeof *grown);
            if (!grown)
                break;
            all->list = grown;
            all->capacity = more;
        }
        struct program *p = &all->list[all->count++];
        *p = (struct program){0};
        snprintf(p->path, sizeof p->path, "%.2s/%.56s", name, e->d_name);
        measure(p, fd, e->d_name, 3);
        all->bytes += p->bytes;
    }
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
}

static void remove_oldest(const char *path, struct programs *all, time_t now) {
    if (all->bytes <= MAX_BYTES)
        return;
    qsort(all->list, all->count, sizeof *all->list, by_use);
    for (size_t i = 0; i < all->count && all->bytes > MAX_BYTES / 4 * 3; i++) {
        char *old = NULL;
        if (all->list[i].used > now - STALE_SECONDS ||
            asprintf(&old, "%s/%s", path, all->list[i].path) < 0)
            break;
        remove_directory(old);
        all->bytes -= all->list[i].bytes;
        free(old);
    }
}

static void tidy(const char *path, bool grown) {
    int fd = imf_cache_open(path, false);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    struct programs all = {0};
    time_t now = time(NULL);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (strncmp(e->d_name, TEMPORARY, strlen(TEMPORARY)) == 0) {
            sweep_one(path, fd, e->d_name);
        } else if (strncmp(e->d_name, "tempfile_", 9) == 0) {
            /* PoCL leaves one of these each time it is loaded. */
            if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                st.st_mtim.tv_sec < now - STALE_SECONDS)
                unlinkat(fd, e->d_name, 0);
        } else if (grown && strlen(e->d_name) == 2 && e->d_name[0] != '.') {
            add_programs(&all, fd, e->d_name);
        }
    }
    remove_oldest(path, &all, now);
    free(all.list);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
}

void imf_pocl_cache_close(struct imf_pocl_cache *cache, bool grown) {
    if (cache->path && cache->temporary) {
        imf_temporary_remove(cache->path, cache->lock);
    } else if (cache->path) {
        tidy(cache->path, grown);
        free(cache->path);
    }
    *cache = (struct imf_pocl_cache){0};
}
