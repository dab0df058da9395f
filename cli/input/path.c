/*
 * path.c - the parts of a path, and comparing two
 */
#include "input/path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "report/message.h"

bool path_is_temporary(const char *base) {
    size_t length = strlen(base), prefix = strlen(TEMPORARY_PREFIX), ending = TEMPORARY_RANDOM + 1;
    return strncmp(base, TEMPORARY_PREFIX, prefix) == 0 && length >= prefix + ending &&
           base[length - ending] == '.' &&
           strspn(base + length - TEMPORARY_RANDOM, TEMPORARY_LETTERS) == TEMPORARY_RANDOM;
}

const char *path_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_extension(const char *path) {
    const char *base = path_base(path), *dot = strrchr(base, '.');
    return dot && dot != base && dot[1] ? dot + 1 : NULL;
}

bool path_is_directory(const char *path) {
    struct stat st;
    return path[strlen(path) - 1] == '/' || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

bool path_same_file(const char *a, const char *b) {
    struct stat x, y;
    return strcmp(a, "-") != 0 && strcmp(b, "-") != 0 && stat(a, &x) == 0 && stat(b, &y) == 0 &&
           S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool path_is_older(const char *path, const char *than) {
    struct stat a, b;
    if (stat(path, &a) != 0 || stat(than, &b) != 0)
        return false;
    return a.st_mtim.tv_sec < b.st_mtim.tv_sec ||
           (a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec < b.st_mtim.tv_nsec);
}

char *format_text(const char *format, ...) {
    char *text;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length >= 0)
        return text;
    complain("out of memory");
    return NULL;
}
