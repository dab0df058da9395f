/*
 * batch.h - from the command line's inputs to a list of (input, output) pairs
 *
 * The whole list is made and checked before the first image is read, so that a mistake is found
 * while nothing has been written.
 */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "kinds.h"
#include "options.h"

struct job {
    char *input;  /* owned; "-": standard input */
    char *output; /* owned; "-": standard output; NULL: none */
    char *name;   /* owned: its path below an output directory */
    char *error;  /* owned: the input is known to fail, and why; or NULL */
    bool in_tree; /* found below a directory */
};

struct batch {
    struct job *jobs;
    size_t count, room;
    bool to_directory;   /* outputs are in DIR, which is made when needed */
    struct kinds others; /* images in directories, of kinds that cannot be read */
};

/* False, after one line on standard error, when the command line asks for the impossible. */
bool batch_create(struct batch *b, const struct options *o);
void batch_free(struct batch *b);

/* Append an input. Takes over error, and copies the rest; false after a message without memory. */
bool batch_add(struct batch *b, const char *input, const char *name, char *error, bool in_tree);
/* Take those inputs out of the list: a flag for each. */
void batch_remove(struct batch *b, const bool *which);

#endif
