/*
 * walk.h - the images below a directory (-r)
 */
#ifndef CLI_WALK_H
#define CLI_WALK_H

#include "batch.h"

/* Append the images below the directory at path; false after a message. */
bool walk_root(struct batch *b, const struct options *o, const char *path);

#endif
