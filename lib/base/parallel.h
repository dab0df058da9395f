/* parallel.h - the same work on many items, on the processor's cores */
#ifndef IMF_BASE_PARALLEL_H
#define IMF_BASE_PARALLEL_H

#include <pthread.h>

/* Cores that this process may use; at least 1. */
int imf_cores(void);

/* pthread_create() with all signals masked in the new thread: signals are for the program's own
 * threads. */
int imf_thread_start(pthread_t *out, void *(*work)(void *data), void *data);

/*
 * Call work(data, item) once for each item 0..count - 1, in no particular order, on the calling
 * thread and on up to imf_cores() - 1 others, and return when all of it is done. The others are
 * started for the call: about 20 us each, so that an item should take longer than that. If a thread cannot be started, the others do its items. May be called from several threads.
 */
void imf_parallel(int count, void (*work)(void *data, int item), void *data);
/* The same on `threads` threads at most, the calling one included; 0: as many as cores. */
void imf_parallel_on(int threads, int count, void (*work)(void *data, int item), void *data);

#endif
