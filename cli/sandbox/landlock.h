/*
 * landlock.h - what files this process may still open, by Linux's Landlock
 *
 * A rule set is made, places are allowed in it, and the calling thread and all that it starts later are
 * restricted to them. Files that are open already stay usable.
 */
#ifndef CLI_SANDBOX_LANDLOCK_H
#define CLI_SANDBOX_LANDLOCK_H

#include <stdbool.h>

enum landlock_use {
    LANDLOCK_READ = 1, /* files, and lists of directories */
    LANDLOCK_WRITE =
        2, /* and make, rename and remove files and directories; reading is not included */
    LANDLOCK_RUN = 4 /* execute */
};

/* A descriptor of an empty rule set; -1 with errno (ENOSYS, EOPNOTSUPP: the kernel has no Landlock). */
int landlock_begin(void);
/* Allow that use of a file, or of a directory and all below it. A path that cannot be opened is passed
 * over: nothing can be done to it anyway. False with errno. */
bool landlock_allow(int rules, const char *path, unsigned use);
/* Restrict this thread; the descriptor is closed either way. False with errno. */
bool landlock_enforce(int rules);

#endif
