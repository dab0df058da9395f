/*
 * collide.h - files that are an input or an output twice
 */
#ifndef CLI_COLLIDE_H
#define CLI_COLLIDE_H

#include "batch.h"

/* Pass over what -r has found and what an earlier run made: backups of inputs and, where outputs
 * that exist may stay, outputs of inputs. False after a message without memory. */
bool collide_pass_over(struct batch *b, const struct options *o);
/* No output may be an input, or the output of another input; false after a message. */
bool collide_check(const struct batch *b, const struct options *o);

#endif
