/*
 * file_type.h - a file's type by its first bytes: an image that can be read, another format, or none
 */
#ifndef CLI_INPUT_FILE_TYPE_H
#define CLI_INPUT_FILE_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "imfilter_program.h"

/* So many first bytes are looked at. */
#define FILE_TYPE_HEAD 512

struct file_type {
    enum imf_format format; /* that can be read, or IMF_FORMAT_NONE */
    const char *other;      /* else the name of a format that cannot, or NULL; static */
    int error;              /* the file could not be read: errno */
};

/* What the regular file at path is. */
struct file_type file_type_of_file(const char *path);
struct file_type file_type_of_head(const unsigned char *head, size_t size);

/* If the open file has another format, write into text which, and how to convert it. Does nothing for
 * a pipe. */
void file_type_explain(FILE *file, const char *name, char *text, size_t size);

/* How many files of each format that cannot be read were met; zeros to begin with. */
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
