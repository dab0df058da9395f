/*
 * naming.h - what each output is called
 */
#ifndef CLI_NAMING_H
#define CLI_NAMING_H

#include "batch.h"

const char *name_base(const char *path); /* after the last '/' */
/* Behind the last '.' of the base name, or NULL; "" and dot files have none. */
const char *name_extension(const char *path);
/* A formatted string that the caller frees; NULL, after a message, when memory ran out. */
char *name_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fill in every job's output; false after a message. */
bool name_outputs(struct batch *b, const struct options *o);
/* The end of the output's name that was derived from the job's, and not named by the user. */
const char *name_below(const struct job *job);

/* Does an output's name say another format than --format? Then text says so. */
#define NAME_MISMATCH 160
bool name_mismatch(const struct batch *b, const struct options *o, char text[NAME_MISMATCH]);

#endif
