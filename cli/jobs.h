/*
 * jobs.h - the images of a batch, several at once, reported in their order
 */
#ifndef CLI_JOBS_H
#define CLI_JOBS_H

#include "process.h"
#include "summary.h"

enum { JOBS_MOST = 256 };

/* How many images of a batch are filtered at once. */
int jobs_at_once(const struct options *o, const struct batch *batch);

/* Filter them all, or until there is no device to do it on: false. The session has plans for so
 * many jobs. A signal meanwhile ends the program, after a line that says how far it came. */
bool jobs_run(struct session *s, const struct batch *batch, int at_once, struct tally *tally);

#endif
