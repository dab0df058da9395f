/*
 * places.h - the files that a run reads and writes, allowed in a rule set
 */
#ifndef CLI_SANDBOX_PLACES_H
#define CLI_SANDBOX_PLACES_H

#include "input/job_list.h"
#include "options/settings.h"

/* Each returns false with errno. rules: of landlock_begin(). */
bool places_allow_images(int rules, const struct options *o, const struct job_list *b);
/* Files that the specs name, the mask, and the folders of a user's filters. */
bool places_allow_filters(int rules, const struct options *o);
/* What the C library, this program and its own libraries read while they run. */
bool places_allow_system(int rules);
/* The directory of a path as it is after all links, or the nearest one above it that exists; the caller
 * frees it. NULL without memory. */
char *places_directory(const char *path);

#endif
