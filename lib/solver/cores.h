/* cores.h - a solver's work on the host's cores: what it takes, and memory for its items */
#ifndef IMF_SOLVER_CORES_H
#define IMF_SOLVER_CORES_H

#include "base/thread_pool.h"

#include <stddef.h>

/* Waking threads takes about 0.02 ms: less work than this stays on the caller's thread. */
#define IMF_ALONE_MS 0.3

/* Milliseconds on so many cores of work that takes one of them `ms`. */
double imf_cores_ms(double ms, int cores);

/* As imf_parallel() and imf_parallel_on(), where each item has memory of its own while it runs, aligned to
 * 64 bytes; 0 bytes: none. IMF_ERR_MEMORY: some items had none, and were not worked on. */
enum imf_status imf_work(struct imf_pool *pool, int count, size_t bytes,
                         void (*work)(void *data, int item, void *memory), void *data,
                         struct imf_error *err);
enum imf_status imf_work_on(struct imf_pool *pool, int threads, int count, size_t bytes,
                            void (*work)(void *data, int item, void *memory), void *data,
                            struct imf_error *err);

#endif
