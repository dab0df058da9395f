/* skip.h - whether an output that exists is kept */
#ifndef CLI_SKIP_H
#define CLI_SKIP_H

#include "batch.h"

/* Why the image is passed over, in static storage; NULL: it is not. */
const char *skip_reason(const struct job *job, const struct options *o);

#endif
