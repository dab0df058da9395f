/*
 * file_ref.h - a reference to a file: its directory's descriptor, and its name there
 *
 * A path may lead to another file as soon as a link or a directory on it is replaced. A reference does
 * not, so that the file that is checked is also the one that is read and replaced.
 */
#ifndef CLI_INPUT_FILE_REF_H
#define CLI_INPUT_FILE_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct file_ref {
    int directory;    /* owned */
    char *name;       /* owned, without a slash; NULL: no reference */
    struct stat file; /* of the file, as file_ref_open() found it */
};

/* Follow all links of path. The file itself may be missing. False with errno. */
bool file_ref_resolve(struct file_ref *p, const char *path);
/* The same, but follow no links in `below`, the last part of path. make: create directories that are
 * missing there. With ELOOP the first *link bytes of path name the link. */
bool file_ref_resolve_below(struct file_ref *p, const char *path, const char *below, bool make,
                            size_t *link);
void file_ref_close(struct file_ref *p);

/* Open a regular file for reading: a descriptor, or -1 with errno (EINVAL: it is none). */
int file_ref_open(struct file_ref *p);
/* lstat() of a name in the same directory. */
bool file_ref_stat(const struct file_ref *p, const char *name, struct stat *st);
/* Does the directory's sticky bit allow this user to rename and remove that file? */
bool file_ref_may_remove(const struct file_ref *p, const struct stat *st);
bool stat_same_file(const struct stat *a, const struct stat *b);
/* Flush the directory to the disk; false with errno. */
bool file_ref_sync(const struct file_ref *p);

#endif
