/*
 * signals.h - signals that end the program: unfinished files are removed first
 *
 * A run of one image ends in the signal handler. In a batch a watcher thread takes the signal: it waits
 * for critical sections, removes unfinished files, reports how many images are done, and ends the
 * program. Either way the process dies by the signal, so that its parent sees 128+n.
 */
#ifndef CLI_OUTPUT_SIGNALS_H
#define CLI_OUTPUT_SIGNALS_H

#include <stdbool.h>

/* Call once, before any thread starts. cleanup, which must be async-signal-safe, runs before the end. */
void signals_catch(void (*cleanup)(void));

/* A critical section, which a signal does not interrupt. Pairs nest. */
void signals_hold(void);
void signals_release(void);

/* Start the watcher thread, which calls report(data) before the end; before any other thread starts.
 * False if there can be no thread: then the signal handler ends the program. */
bool signals_watch(void (*report)(void *data), void *data);
void signals_unwatch(void);

#endif
