/* cores.h - a solver's work on the host's cores: what it takes, and memory for its items */
#ifndef IMF_SOLVER_COMMON_CORES_H
#define IMF_SOLVER_COMMON_CORES_H

#include "base/thread_pool.h"

#include <stdbool.h>
#include <stddef.h>

/* Waking threads takes about 0.02 ms: less work than this stays on the caller's thread. */
#define IMF_ALONE_MS 0.3

/* Milliseconds on so many cores of work that takes one of them `ms`. */
double imf_cores_ms(double ms, int cores);

/* Items that are worked on as imf_parallel() does, each with memory of its own while it runs. */
struct imf_items {
    struct imf_pool *pool; /* or NULL */
    int threads;           /* at most; 0: as many as the pool has */
    int count;
    size_t bytes; /* of memory, aligned to 64 bytes; 0: none */
    bool zeroed;
    void (*work)(void *data, int item, void *memory);
    void *data;
};

/* IMF_ERR_MEMORY: some items lacked memory, and were not worked on. */
enum imf_status imf_work(const struct imf_items *items, struct imf_error *err);

#endif
