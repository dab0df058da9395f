/*
 * collisions.h - files that are an input or an output twice
 */
#ifndef CLI_OUTPUT_COLLISIONS_H
#define CLI_OUTPUT_COLLISIONS_H

#include "input/job_list.h"
#include "options/settings.h"

/* Remove the files below directories that an earlier run made: backups of other inputs and, where
 * existing outputs are kept, outputs of other inputs. False after a message without memory. */
bool collisions_drop_results(struct job_list *b, const struct options *o);
/* No output may be an input, or the output of another input; false after a message. */
bool collisions_check(const struct job_list *b, const struct options *o);

#endif
