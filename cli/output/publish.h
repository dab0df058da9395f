/*
 * publish.h - give a finished temporary the name that it was written for
 *
 * At every moment there is a whole file under a name that had one: the old one or the new one.
 * errno holds the cause of PUBLISH_FAILED.
 */
#ifndef CLI_OUTPUT_PUBLISH_H
#define CLI_OUTPUT_PUBLISH_H

#include "input/file_ref.h"
#include "output/temporary.h"

enum publish_result {
    PUBLISH_DONE,
    PUBLISH_EXISTS,  /* the name is taken and was to be left alone */
    PUBLISH_CHANGED, /* the file to be replaced is another one now, or was written to */
    PUBLISH_LOCKED,  /* another process has locked it, and keeps it so */
    PUBLISH_BACKUP,  /* the backup could not be made: errno */
    PUBLISH_FAILED
};

/* Only where nothing has the name. */
enum publish_result publish_new(struct temporary *t, const struct file_ref *p);
/* Whatever has it. */
enum publish_result publish_over(struct temporary *t, const struct file_ref *p);

struct publish_backup {
    const char *name; /* the original's second name; NULL: it goes */
    bool clobber;     /* an older backup may go */
};
struct publish_original {
    int fd; /* its inode may get another number when it is first changed (overlayfs) */
    const struct stat *st; /* as it was when it was opened */
};
/* Only in place of that original, which is kept whatever fails. An older backup is then as before,
 * unless another program has replaced the original meanwhile, or the file system has no locks: the
 * original's backup stays in its place. */
enum publish_result publish_in_place(struct temporary *t, const struct file_ref *p,
                                     const struct publish_original *original,
                                     const struct publish_backup *backup);

/* Is there something else than the original itself under the backup's name? */
bool publish_backup_exists(const struct file_ref *p, const char *backup,
                           const struct stat *original);

#endif
