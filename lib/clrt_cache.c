/*
 * clrt_cache.c - device programs on disk
 *
 * One file an entry, named by its key's hash: a header, then the binary as the driver gave it.
 * Readers trust nothing: magic, key, size and checksum must all fit, so that a damaged, truncated
 * or foreign file is as good as none. Writers fill a temporary file and rename it, so that no
 * reader ever meets half an entry. An entry's modification time is its last use; when the
 * directory outgrows its limit, the entries used least recently go first.
 */
#include "clrt_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_ENTRIES 400
#define MAX_ENTRY_BYTES ((size_t)64 << 20)
#define SUFFIX ".clbin"

struct header {
    char magic[8];
    struct imf_cache_key key;
    uint64_t size, checksum;
};
static const char magic[8] = {'I', 'M', 'F', 'C', 'L', 'B', '1', '\n'};

__extension__ typedef unsigned __int128 fnv128;

void imf_cache_key_start(struct imf_cache_key *key) {
    *key = (struct imf_cache_key){0x6c62272e07bb0142u, 0x62b821756295c58du, 0}; /* offset basis */
}

void imf_cache_key_add(struct imf_cache_key *key, const char *text) {
    const fnv128 prime = (fnv128)1 << 88 | 0x13b;
    fnv128 hash = (fnv128)key->high << 64 | key->low;
    size_t n = strlen(text) + 1;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * prime;
    key->high = (uint64_t)(hash >> 64);
    key->low = (uint64_t)hash;
    key->length += n;
}

static uint64_t checksum(const void *data, size_t n) {
    const unsigned char *p = data;
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a, eight bytes a step */
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 32;
    }
    for (; n > 0; n--, p++)
        hash = (hash ^ *p) * 0x100000001b3u;
    return hash;
}

static bool entry_path(char path[PATH_MAX], const char *dir, const struct imf_cache_key *key) {
    int n = snprintf(path, PATH_MAX, "%s/%016llx%016llx" SUFFIX, dir, (unsigned long long)key->high,
                     (unsigned long long)key->low);
    return n > 0 && n < PATH_MAX;
}

static bool read_all(int fd, void *data, size_t n) {
    for (char *p = data; n > 0;) {
        ssize_t got = read(fd, p, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const void *data, size_t n) {
    for (const char *p = data; n > 0;) {
        ssize_t put = write(fd, p, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        p += put;
        n -= (size_t)put;
    }
    return true;
}

/* The payload of an open entry if its header and checksum hold. */
static void *read_entry(int fd, const struct imf_cache_key *key, size_t *size) {
    struct header h;
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || !read_all(fd, &h, sizeof h))
        return NULL;
    if (memcmp(h.magic, magic, sizeof magic) != 0 || memcmp(&h.key, key, sizeof *key) != 0 ||
        h.size == 0 || h.size > MAX_ENTRY_BYTES || (uint64_t)st.st_size != sizeof h + h.size)
        return NULL;
    void *data = malloc((size_t)h.size);
    if (data && (!read_all(fd, data, (size_t)h.size) || checksum(data, h.size) != h.checksum)) {
        free(data);
        data = NULL;
    }
    if (data)
        *size = (size_t)h.size;
    return data;
}

void *imf_cache_load(const char *dir, const struct imf_cache_key *key, size_t *size) {
    char path[PATH_MAX];
    *size = 0;
    if (!dir || !entry_path(path, dir, key))
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO there must not block */
    if (fd < 0)
        return NULL;
    void *data = read_entry(fd, key, size);
    close(fd);
    if (data)
        utimensat(AT_FDCWD, path, NULL, 0); /* now: it was used */
    return data;
}

/* mkdir -p; what exists is left as it is. */
static void make_directory(const char *dir) {
    char path[PATH_MAX];
    size_t n = strlen(dir);
    if (n == 0 || n >= sizeof path)
        return;
    memcpy(path, dir, n + 1);
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
    mkdir(path, 0700);
}

struct entry {
    char name[64];
    struct timespec used;
};

static int by_age(const void *a, const void *b) {
    const struct timespec *x = &((const struct entry *)a)->used;
    const struct timespec *y = &((const struct entry *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Remove the least recently used quarter when there are too many entries; removing one at a time
 * would scan the directory at every store. */
static void prune(const char *dir) {
    DIR *d = opendir(dir);
    if (!d)
        return;
    struct entry *list = NULL;
    size_t n = 0, capacity = 0;
    for (struct dirent *e; (e = readdir(d));) {
        size_t length = strlen(e->d_name);
        struct stat st;
        if (length < sizeof SUFFIX || length >= sizeof list->name ||
            strcmp(e->d_name + length - (sizeof SUFFIX - 1), SUFFIX) != 0 ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (n == capacity) {
            size_t more = capacity ? capacity * 2 : 64;
            struct entry *grown = realloc(list, more * sizeof *list);
            if (!grown)
                break;
            list = grown;
            capacity = more;
        }
        memcpy(list[n].name, e->d_name, length + 1);
        list[n++].used = st.st_mtim;
    }
    if (n > MAX_ENTRIES) {
        qsort(list, n, sizeof *list, by_age);
        for (size_t i = 0; i < n - MAX_ENTRIES * 3 / 4; i++)
            unlinkat(dirfd(d), list[i].name, 0);
    }
    free(list);
    closedir(d);
}

bool imf_cache_store(const char *dir, const struct imf_cache_key *key, const void *data,
                     size_t size) {
    char path[PATH_MAX], temporary[PATH_MAX];
    if (!dir || size == 0 || size > MAX_ENTRY_BYTES || !entry_path(path, dir, key) ||
        snprintf(temporary, sizeof temporary, "%s/.tmpXXXXXX", dir) >= PATH_MAX)
        return false;
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        make_directory(dir);
        snprintf(temporary, sizeof temporary, "%s/.tmpXXXXXX", dir);
        fd = mkostemp(temporary, O_CLOEXEC);
    }
    if (fd < 0)
        return false;
    struct header h = {.key = *key, .size = size, .checksum = checksum(data, size)};
    memcpy(h.magic, magic, sizeof magic);
    bool ok = write_all(fd, &h, sizeof h) && write_all(fd, data, size);
    ok = close(fd) == 0 && ok;
    ok = ok && rename(temporary, path) == 0;
    if (ok)
        prune(dir);
    else
        unlink(temporary);
    return ok;
}
