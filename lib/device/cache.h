/*
 * cache.h - device programs on disk
 *
 * A cache that fails in any way only costs the time of a build: every function reports success or
 * nothing more. Programs are code that will run: a directory or an entry is used only if the user
 * owns it, nobody else can write it, and it is no symbolic link.
 */
#ifndef IMF_DEVICE_CACHE_H
#define IMF_DEVICE_CACHE_H

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

/* The entry's bytes (the caller frees them), or NULL if there is no valid one. */
void *imf_cache_load(const char *dir, const struct imf_cache_key *key, size_t *size);
/* Store an entry, making the directory (mode 0700) when it is missing and dropping the entries
 * unused for longest when the cache grows too large. */
bool imf_cache_store(const char *dir, const struct imf_cache_key *key, const void *data,
                     size_t size);

void imf_cache_remove(const char *dir, const struct imf_cache_key *key);

/*
 * Wait until no other process or thread holds this key's lock, for at most two minutes. Returns
 * the argument of imf_cache_unlock(), or -1 if nothing can be locked: continue without.
 */
int imf_cache_lock(const char *dir, const struct imf_cache_key *key);
void imf_cache_unlock(int lock);

/* ---- the directory (device/cache_dir.c) ------------------------------------------------------ */

#define IMF_CACHE_SUFFIX ".clbin"
#define IMF_CACHE_ENTRY_BYTES ((size_t)16 << 20) /* of one entry at most */

/* Open the directory; `make`: create it and its parents. -1: there is none that can be trusted. */
int imf_cache_open(const char *dir, bool make);
/* Open a file in it, with open()'s flags; -1 as above. */
int imf_cache_open_file(int dirfd, const char *name, int flags);
/* Write `head`, then `data` to a file atomically: whole or not at all. */
bool imf_cache_put(int dirfd, const char *name, const void *head, size_t head_size,
                   const void *data, size_t size);
/* Remove temporary files of killed writers, and the least recently used entries above the limits. */
void imf_cache_prune(int dirfd);

#endif
