/*
 * path.h - the parts of a path, and comparing two
 */
#ifndef CLI_INPUT_PATH_H
#define CLI_INPUT_PATH_H

#include <stdbool.h>

/* Outputs are written under a temporary name, ".imfilter-NAME.XXXXXX", and renamed when complete. */
#define TEMPORARY_PREFIX ".imfilter-"
#define TEMPORARY_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
enum { TEMPORARY_RANDOM = 6 }; /* letters at the end */
bool path_is_temporary(const char *base);

const char *path_base(const char *path); /* after the last '/' */
/* After the last '.' of the base name, or NULL; "" and dot files have none. */
const char *path_extension(const char *path);
/* Is it a directory, or called like one that is to be made? */
bool path_is_directory(const char *path);
/* Do both lead to one regular file, perhaps by hard links? "-" is none. */
bool path_same_file(const char *a, const char *b);
/* By modification times; false if one cannot be looked at. */
bool path_is_older(const char *path, const char *than);

/* A formatted string that the caller frees; NULL, after a message, without memory. */
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
