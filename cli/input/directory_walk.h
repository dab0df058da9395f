/*
 * directory_walk.h - the images below a directory (-r)
 */
#ifndef CLI_INPUT_DIRECTORY_WALK_H
#define CLI_INPUT_DIRECTORY_WALK_H

#include "input/job_list.h"
#include "options/settings.h"

/* Append the images below the directory at path; false after a message. */
bool directory_walk(struct job_list *b, const struct options *o, const char *path);

#endif
