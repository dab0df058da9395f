/*
 * jobs.h - the images of a batch, several at once, reported in their order
 */
#ifndef CLI_BATCH_JOBS_H
#define CLI_BATCH_JOBS_H

#include "batch/process.h"
#include "batch/summary.h"

/* How many images of a batch are filtered at once. */
int jobs_at_once(const struct options *o, const struct job_list *batch);

/* Filter them all, once in a run, and those that the list streams, each as it comes; false as soon as there is no usable
 * device. A signal meanwhile ends the program, after a line that says how many are done. */
bool jobs_run(struct session *s, struct job_list *batch, int at_once, struct tally *tally);

#endif
