/*
 * clrt_cache.h - device programs on disk
 *
 * A cache that fails in any way only costs the time of a build: every function reports success or
 * nothing more.
 */
#ifndef IMF_CLRT_CACHE_H
#define IMF_CLRT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an entry was made from: a 128-bit FNV-1a hash of everything that goes into a build, and the
 * number of bytes hashed. */
struct imf_cache_key {
    uint64_t high, low, length;
};

void imf_cache_key_start(struct imf_cache_key *key);
/* Add text and its terminating NUL, so that "ab" + "c" differs from "a" + "bc". */
void imf_cache_key_add(struct imf_cache_key *key, const char *text);

/* The entry's bytes (the caller frees them), or NULL when there is no sound one. */
void *imf_cache_load(const char *dir, const struct imf_cache_key *key, size_t *size);
/* Store an entry, making the directory (mode 0700) when it is missing and dropping the entries
 * unused for longest when the cache grows too large. */
bool imf_cache_store(const char *dir, const struct imf_cache_key *key, const void *data,
                     size_t size);

#endif
