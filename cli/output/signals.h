/*
 * signals.h - signals that end the program: unfinished files are removed first
 *
 * A watcher thread takes the signal: it waits for critical sections, removes unfinished files, reports
 * how many images of a batch are done, and ends the program by the signal, so that the parent sees 128+n.
 * A fault in a decoder or a driver ends so, too, but for one that leaves no stack to handle it.
 */
#ifndef CLI_OUTPUT_SIGNALS_H
#define CLI_OUTPUT_SIGNALS_H

#include <stdbool.h>

/* Start the watcher, which calls cleanup() before the end, and crashed() before that if it is a fault, or
 * an exit() that a library called. Call once, before any other thread starts. Where there can be no thread signals end
 * the program at once, and the next run removes what it left. */
void signals_catch(void (*cleanup)(void), void (*crashed)(void));
/* A library may have put its own handlers: put these before them. */
void signals_catch_again(void);

/* main() returns. */
void signals_over(void);

/* A critical section, which a signal does not interrupt. Pairs nest. */
void signals_hold(void);
void signals_release(void);

/* The watcher calls report(data) before the end; NULL: no more. */
void signals_report(void (*report)(void *data), void *data);

#endif
