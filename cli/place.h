/*
 * place.h - where a file is: the descriptor of its directory, and its name there
 *
 * A path leads elsewhere as soon as somebody swaps a link or a directory on it. A place does not,
 * so that what was looked at first is also what is read, compared and replaced later.
 */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct place {
    int directory;    /* owned */
    char *name;       /* owned; no slash in it. NULL: no place */
    struct stat file; /* of the file, as place_open() found it */
};

/* Follow path and all of its links. The file itself may be missing; false with errno. */
bool place_find(struct place *p, const char *path);
/* The same for `below`, the part of path below a directory that was named: no link is followed there.
 * `make`: directories that are missing there. With ELOOP *link is how much of path names the link. */
bool place_find_below(struct place *p, const char *path, const char *below, bool make,
                      size_t *link);
void place_close(struct place *p);

/* Open a regular file for reading: a descriptor, or -1 with errno (EINVAL: it is none). */
int place_open(struct place *p);
/* What is there now; a symbolic link is one. */
bool place_stat(const struct place *p, const char *name, struct stat *st);
/* Do the directory's rights allow to rename and to remove that file, once they allow to write there? */
bool place_may_remove(const struct place *p, const struct stat *st);
bool place_same_file(const struct stat *a, const struct stat *b);
/* Flush names to the disk; false with errno. */
bool place_sync(const struct place *p);

#endif
