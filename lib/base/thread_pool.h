/* thread_pool.h - the same work on many items, on the processor's cores */
#ifndef IMF_BASE_THREAD_POOL_H
#define IMF_BASE_THREAD_POOL_H

#include "base/error.h"

#include <pthread.h>

/* Cores that this process may use; at least 1. */
int imf_cores(void);

/* pthread_create() with all signals masked in the new thread: signals are for the program's own
 * threads. */
int imf_thread_start(pthread_t *out, void *(*work)(void *data), void *data);

/* Threads that wait for work between calls. They are started when they are first needed. */
struct imf_pool;

/* Open a pool of at most so many threads, the calling one included; 0: as many as cores. */
enum imf_status imf_pool_open(struct imf_pool **out, int threads, struct imf_error *err);
/* The pool must be idle. */
void imf_pool_close(struct imf_pool **pool);
/* How many threads it has at most; NULL: as many as there are cores. */
int imf_pool_threads(const struct imf_pool *pool);

/*
 * Call work(data, item) once for each item 0..count - 1, in no particular order, on the calling
 * thread and on others of the pool, and return when all of it is done. Waking a thread takes about
 * 10 us: an item should take longer. Where a thread cannot be started the others do its share. May
 * be called from several threads: while one call has the pool, others run on their own thread. NULL:
 * a pool of all cores, for this call.
 */
void imf_parallel(struct imf_pool *pool, int count, void (*work)(void *data, int item), void *data);
/* The same on `threads` threads at most. */
void imf_parallel_on(struct imf_pool *pool, int threads, int count,
                     void (*work)(void *data, int item), void *data);

#endif
