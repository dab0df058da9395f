/*
 * temporary.h - hidden files beside an output, which do not outlive the program
 *
 * Each is named ".imfilter-NAME.XXXXXX" in the output's own directory and locked as long as it is
 * open. Failures and signals remove it. Files of a killed process are not locked any more, and the
 * next run that writes to the directory removes them.
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
/* It was renamed: close it. This and temporary_remove() are harmless without a temporary. */
void temporary_forget(struct temporary *t);
void temporary_remove(struct temporary *t);
/* Its contents are still needed, but it cannot be renamed as planned: leave it, without the leading
 * dot of its name. */
void temporary_leave(struct temporary *t);
/* Remove files that killed processes left in a directory; reads a directory once in a row. */
void temporary_sweep(int directory);

/* Remove all of this process, from the thread that waits for signals. */
void temporary_remove_all(void);

#endif
