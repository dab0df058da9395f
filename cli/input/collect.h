/*
 * collect.h - the inputs: operands, --files-from, and images below directories
 */
#ifndef CLI_INPUT_COLLECT_H
#define CLI_INPUT_COLLECT_H

#include "input/job_list.h"
#include "options/settings.h"

/* Append all inputs that the command line names; false after one line on standard error. */
bool collect_inputs(struct job_list *b, const struct options *o);
/* Append the next input of a list that streams, or all images below the directory that it names. False: there are no more, or
 * not *good, after a message. */
bool collect_next(struct job_list *b, const struct options *o, bool *good);
/* Keep this run's share of them, with --shard; false after a message. */
bool collect_share(struct job_list *b, const struct options *o);

#endif
