/*
 * output.h - outputs that are complete or absent
 *
 * A file is written under a temporary name in its own directory and renamed at the end. Until then
 * a failure, or a signal that ends the process, removes it. Standard output and special files
 * (devices, FIFOs) are written directly.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct output_rules {
    bool make_directories; /* those that the name needs */
    bool no_clobber;       /* never replace a file, not even one that appeared meanwhile */
    bool in_place;         /* synchronise to disk before the original goes */
    const char *backup;    /* keep the original under its name and this suffix, or NULL */
};

enum { OUTPUT_WHY = 256 };

struct output {
    FILE *stream;
    char *target; /* owned: the file that the name resolves to; NULL: written directly */
    struct output_rules rules;
    char why[OUTPUT_WHY]; /* after a failure: "cannot write: No space left on device" */
};

/* Remove the temporary when a signal ends the process. Call once, before any thread starts. */
void output_catch_signals(void);

/* Open the output called name ("-": standard output). */
bool output_open(struct output *out, const char *name, const struct output_rules *rules);
/* Flush, check and rename. Unless this succeeds nothing is left behind. */
enum output_result { OUTPUT_DONE, OUTPUT_EXISTS, OUTPUT_FAILED };
enum output_result output_commit(struct output *out);
/* Remove the temporary and free; harmless after a commit. */
void output_abandon(struct output *out);

#endif
