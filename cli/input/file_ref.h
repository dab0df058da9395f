/*
 * file_ref.h - where a file is: the descriptor of its directory, and its name there
 *
 * A path leads elsewhere as soon as somebody swaps a link or a directory on it. A place does not,
 * so that what was looked at first is also what is read, compared and replaced later.
 */
#ifndef CLI_INPUT_FILE_REF_H
#define CLI_INPUT_FILE_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct file_ref {
    int directory;    /* owned */
    char *name;       /* owned; no slash in it. NULL: no place */
    struct stat file; /* of the file, as file_ref_open() found it */
};

/* Follow path and all of its links. The file itself may be missing; false with errno. */
bool file_ref_resolve(struct file_ref *p, const char *path);
/* The same for `below`, the part of path below a directory that was named: no link is followed there.
 * `make`: directories that are missing there. With ELOOP *link is how much of path names the link. */
bool file_ref_resolve_below(struct file_ref *p, const char *path, const char *below, bool make,
                            size_t *link);
void file_ref_close(struct file_ref *p);

/* Open a regular file for reading: a descriptor, or -1 with errno (EINVAL: it is none). */
int file_ref_open(struct file_ref *p);
/* What is there now; a symbolic link is one. */
bool file_ref_stat(const struct file_ref *p, const char *name, struct stat *st);
/* Do the directory's rights allow to rename and to remove that file, once they allow to write there? */
bool file_ref_may_remove(const struct file_ref *p, const struct stat *st);
bool stat_same_file(const struct stat *a, const struct stat *b);
/* Flush names to the disk; false with errno. */
bool file_ref_sync(const struct file_ref *p);

#endif
