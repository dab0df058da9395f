/*
 * file_type.h - what a file is by its first bytes: an image that can be read, another kind, or neither
 */
#ifndef CLI_INPUT_FILE_TYPE_H
#define CLI_INPUT_FILE_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "imfilter.h"

/* As many first bytes as tell. */
#define FILE_TYPE_HEAD 512

struct file_type {
    enum imf_format format; /* that can be read, or IMF_FORMAT_NONE */
    const char *other;      /* else the name of a format that cannot, or NULL; static */
    int error;              /* the file could not be read: errno */
};

/* What the regular file at path is. */
struct file_type file_type_of_file(const char *path);
struct file_type file_type_of_head(const unsigned char *head, size_t size);

/* If the open file is another kind, put into text that it is, and how it becomes one that can be
 * read; of a pipe nothing is known. */
void file_type_explain(FILE *file, const char *name, char *text, size_t size);

/* How many files of each kind were met that cannot be read. Zeros to begin with. */
#define FILE_TYPES_MAX 48
struct file_type_counts {
    struct {
        const char *name; /* static */
        size_t count;
    } list[FILE_TYPES_MAX];
};

void file_type_count(struct file_type_counts *kinds, const char *name);
/* "12 TIFF, 3 WebP" to be freed; NULL when nothing was counted. */
char *file_type_counts_text(const struct file_type_counts *kinds);

#endif
