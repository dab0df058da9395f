/*
 * canonical.h - one name for each file, whatever paths lead to it
 */
#ifndef CLI_OUTPUT_CANONICAL_H
#define CLI_OUTPUT_CANONICAL_H

#include <stdbool.h>

/* A cache of one directory's real path: neighbours in a list are likely to share it. */
struct canonical {
    char *given, *real; /* owned */
};

/* realpath of the file, else of its directory, or of the nearest above it that exists, and the rest; freed with free(). NULL after
 * a message without memory. */
char *canonical_path(struct canonical *cache, const char *path);
void canonical_free(struct canonical *cache);
/* Is it a file, or may become one? Streams and special files may be written to twice. */
bool canonical_applies(const char *path);
/* Does the directory that it is or will be in ignore the case of letters in names? */
bool canonical_folds_case(const char *path);

#endif
