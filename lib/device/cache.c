/*
 * cache.c - device programs on disk
 *
 * One file an entry, named by its key's hash: a header, then the binary as the driver gave it.
 * Readers trust nothing: magic, key, size and checksum must all fit, so that a damaged, truncated
 * or foreign file is as good as none. Writers fill a temporary file and rename it, so that no
 * reader ever meets half an entry. An entry's modification time is its last use.
 */
#include "device/cache.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct header {
    char magic[8];
    struct imf_cache_key key;
    uint64_t size, checksum;
};
static const char magic[8] = {'I', 'M', 'F', 'C', 'L', 'B', '1', '\n'};

void imf_cache_key_start(struct imf_cache_key *key) {
    *key = (struct imf_cache_key){0x6c62272e07bb0142u, 0x62b821756295c58du, 0}; /* offset basis */
}

/* Times the prime 2^88 + 0x13b, modulo 2^128; not every compiler has integers of 128 bits. */
static void multiply(struct imf_cache_key *key) {
    const uint64_t factor = 0x13b, half = 0xffffffff;
    uint64_t low = (key->low & half) * factor;
    uint64_t middle = (key->low >> 32) * factor + (low >> 32);
    key->high = key->high * factor + (middle >> 32) + (key->low << 24);
    key->low = middle << 32 | (low & half);
}

void imf_cache_key_add(struct imf_cache_key *key, const char *text) {
    size_t n = strlen(text) + 1;
    for (size_t i = 0; i < n; i++) {
        key->low ^= (unsigned char)text[i];
        multiply(key);
    }
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

/* "0123456789abcdef0123456789abcdef.clbin" */
struct name {
    char text[32 + sizeof IMF_CACHE_SUFFIX];
};
static struct name entry_name(const struct imf_cache_key *key) {
    struct name name;
    snprintf(name.text, sizeof name.text, "%016llx%016llx" IMF_CACHE_SUFFIX,
             (unsigned long long)key->high, (unsigned long long)key->low);
    return name;
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
    if (fstat(fd, &st) != 0 || !read_all(fd, &h, sizeof h))
        return NULL;
    if (memcmp(h.magic, magic, sizeof magic) != 0 || memcmp(&h.key, key, sizeof *key) != 0 ||
        h.size == 0 || h.size > IMF_CACHE_ENTRY_BYTES || (uint64_t)st.st_size != sizeof h + h.size)
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
    *size = 0;
    int dirfd = imf_cache_open(dir, false);
    if (dirfd < 0)
        return NULL;
    struct name name = entry_name(key);
    int fd = imf_cache_open_file(dirfd, name.text, O_RDONLY);
    void *data = fd >= 0 ? read_entry(fd, key, size) : NULL;
    if (data)
        (void)!futimens(fd, NULL); /* now: it was used */
    if (fd >= 0)
        close(fd);
    close(dirfd);
    return data;
}

void imf_cache_remove(const char *dir, const struct imf_cache_key *key) {
    int dirfd = imf_cache_open(dir, false);
    if (dirfd < 0)
        return;
    unlinkat(dirfd, entry_name(key).text, 0);
    close(dirfd);
}

/* A new file, open for writing; its name goes to `name`. */
static int make_temporary(int dirfd, char name[32]) {
    for (int tries = 0; tries < 100; tries++) {
        snprintf(name, 32, ".tmp%x%x", (unsigned)getpid(),
                 (unsigned)imf_now_ns() ^ (unsigned)tries << 20);
        int fd = imf_cache_open_file(dirfd, name, O_WRONLY | O_CREAT | O_EXCL);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

bool imf_cache_put(int dirfd, const char *name, const void *head, size_t head_size,
                   const void *data, size_t size) {
    char temporary[32];
    int fd = make_temporary(dirfd, temporary);
    if (fd < 0)
        return false;
    bool ok = write_all(fd, head, head_size) && write_all(fd, data, size);
    ok = close(fd) == 0 && ok;
    ok = ok && renameat(dirfd, temporary, dirfd, name) == 0;
    if (!ok)
        unlinkat(dirfd, temporary, 0);
    return ok;
}

bool imf_cache_store(const char *dir, const struct imf_cache_key *key, const void *data,
                     size_t size) {
    if (size == 0 || size > IMF_CACHE_ENTRY_BYTES)
        return false;
    int dirfd = imf_cache_open(dir, true);
    if (dirfd < 0)
        return false;
    struct header h = {.key = *key, .size = size, .checksum = checksum(data, size)};
    memcpy(h.magic, magic, sizeof magic);
    bool ok = imf_cache_put(dirfd, entry_name(key).text, &h, sizeof h, data, size);
    if (ok)
        imf_cache_prune(dirfd);
    close(dirfd);
    return ok;
}
