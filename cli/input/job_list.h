/*
 * job_list.h - the images of a run: (input, output) pairs
 *
 * The whole list is made and checked before the first image is read, so that a mistake is found
 * while nothing has been written; but for names that come on standard input, one by one.
 */
#ifndef CLI_INPUT_JOB_LIST_H
#define CLI_INPUT_JOB_LIST_H

#include "input/file_type.h"

struct job {
    char *input;   /* owned; "-": standard input */
    char *output;  /* owned; "-": standard output; NULL: none */
    char *name;    /* owned: its path below an output directory */
    char *error;   /* owned: the input is known to fail, and why; or NULL */
    bool in_tree;  /* found below a directory */
    size_t number; /* its own in this run */
    /* Where "%d" or "%03d" stands in the output's name, for the number of a page, and its length; 0: nowhere */
    size_t page_at, page_size;
};

struct job_list {
    struct job *jobs;
    size_t count, capacity;
    bool has_tree;                  /* some were found below a directory */
    bool to_directory;              /* outputs are in DIR, which is made when needed */
    bool streams;                   /* more inputs come on standard input, as the run goes on */
    struct file_type_counts others; /* images in directories, of types that cannot be read */
};

/* Append an input. Takes over error, and copies the rest; false after a message without memory. */
bool job_list_add(struct job_list *b, const char *input, const char *name, char *error,
                  bool in_tree);
/* Free what a job has. */
void job_free(struct job *job);
/* Take those inputs out of the list: a flag for each. */
void job_list_remove(struct job_list *b, const bool *which);
void job_list_free(struct job_list *b);

#endif
