/*
 * kinds.h - what a file is by its first bytes: an image that can be read, another kind, or neither
 */
#ifndef CLI_KINDS_H
#define CLI_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "imfilter.h"

/* As many first bytes as tell. */
#define KIND_HEAD 512

struct kind {
    enum imf_format format; /* that can be read, or IMF_FORMAT_NONE */
    const char *other;      /* else the name of a format that cannot, or NULL; static */
    int error;              /* the file could not be read: errno */
};

/* What the regular file at path is. */
struct kind kind_of_file(const char *path);
struct kind kind_of_head(const unsigned char *head, size_t size);

/* If the open file is another kind, put into text that it is, and how it becomes one that can be
 * read; of a pipe nothing is known. */
void kind_explain(FILE *file, const char *name, char *text, size_t size);

/* How many files of each kind were met that cannot be read. Zeros to begin with. */
#define KINDS_MOST 48
struct kinds {
    struct {
        const char *name; /* static */
        size_t count;
    } list[KINDS_MOST];
};

void kinds_count(struct kinds *kinds, const char *name);
/* "12 TIFF, 3 WebP" to be freed; NULL when nothing was counted. */
char *kinds_text(const struct kinds *kinds);

#endif
