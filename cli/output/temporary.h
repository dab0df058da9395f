/*
 * temporary.h - hidden files beside an output, which do not outlive the program
 *
 * Each is named ".imfilter-NAME.XXXXXX" in the output's own directory and locked as long as it is
 * open. Failures remove it, and so does a signal that ends the process. What a killed process left
 * is removed by the next that writes there: nobody holds its lock.
 */
#ifndef CLI_OUTPUT_TEMPORARY_H
#define CLI_OUTPUT_TEMPORARY_H

#include <stdbool.h>
#include <sys/stat.h>

struct temporary {
    int directory; /* borrowed */
    int fd;        /* owned: open for reading and writing, and locked; -1: a name alone */
    char *name;    /* borrowed, valid until it is forgotten or removed; NULL: there is none */
};

/* Make an empty file beside `beside`; false with errno. */
bool temporary_create(struct temporary *t, int directory, const char *beside, mode_t mode);
/* Give the file `beside` a second, hidden name; false with errno. */
bool temporary_link(struct temporary *t, int directory, const char *beside);
/* It has got another name: close it and leave it alone. Both are harmless without a temporary. */
void temporary_forget(struct temporary *t);
void temporary_remove(struct temporary *t);
/* What it holds is wanted, but its place is taken: leave it under a name that can be seen. */
void temporary_leave(struct temporary *t);
/* Remove what killed processes left in a directory; looks once a run. */
void temporary_sweep(int directory);

/* Remove all that there are; a signal's handler may call it. */
void temporary_remove_all(void);

#endif
