/*
 * signals.h - signals that end the program: what was begun is removed first
 *
 * A run that filters one image dies at once. While a batch is watched such signals are one thread's,
 * which waits for names that are being changed, removes what was begun, says how far the batch has
 * come, and dies. Either way it dies by the signal, so that the parent sees 128+n and why.
 */
#ifndef CLI_OUTPUT_SIGNALS_H
#define CLI_OUTPUT_SIGNALS_H

#include <stdbool.h>

/* Call once, before any thread starts. cleanup, which must be async-signal-safe, runs before the end. */
void signals_catch(void (*cleanup)(void));

/* Between these a signal waits, so that names are changed together or not at all. Pairs nest. */
void signals_hold(void);
void signals_release(void);

/* Watch in a thread, and call tell(data) in it before the end; no other thread may run. False when
 * none can be had: signals then end the program as before. */
bool signals_watch(void (*tell)(void *data), void *data);
void signals_unwatch(void);

#endif
