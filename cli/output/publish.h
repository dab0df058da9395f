/*
 * publish.h - rename a finished temporary file to its final name
 *
 * A name that had a file has a whole one at every moment: the old one or the new one.
 * errno holds the cause of PUBLISH_FAILED.
 */
#ifndef CLI_OUTPUT_PUBLISH_H
#define CLI_OUTPUT_PUBLISH_H

#include "input/file_ref.h"
#include "output/temporary.h"

enum publish_result {
    PUBLISH_DONE,
    PUBLISH_EXISTS,  /* a file has the name, and must not be replaced */
    PUBLISH_CHANGED, /* the original was replaced or written to by another program */
    PUBLISH_LOCKED,  /* another process keeps the original locked */
    PUBLISH_BACKUP,  /* the backup could not be made: errno */
    PUBLISH_FAILED
};

/* replace: whatever file has the name; else only if none has. */
enum publish_result publish(struct temporary *t, const struct file_ref *p, bool replace);

struct publish_backup {
    const char *name; /* NULL: no backup */
    bool clobber;     /* replace an older backup */
};
struct publish_original {
    int fd;                /* not an inode number: overlayfs changes it at the first write */
    const struct stat *st; /* as it was when it was opened */
};
/* Replace that original only. On failure the original stays, and so does an older backup, unless
 * another program has replaced the original meanwhile or the file system has no locks: then the
 * original's new backup stays. */
enum publish_result publish_in_place(struct temporary *t, const struct file_ref *p,
                                     const struct publish_original *original,
                                     const struct publish_backup *backup);

/* Does another file than the original have the backup's name? */
bool publish_backup_exists(const struct file_ref *p, const char *backup,
                           const struct stat *original);

#endif
