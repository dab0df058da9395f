/* source.h - bytes from a stream, through a buffer whose first filling is what formats are
 * recognised by */
#ifndef IMF_CODEC_SOURCE_H
#define IMF_CODEC_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define IMF_SOURCE_SIZE 65536
struct imf_source {
    FILE *stream;
    off_t start;       /* of the image in the stream, or -1 */
    size_t at, end;    /* unread part of buffer */
    uint64_t received; /* bytes of the stream so far */
    bool ended;        /* end of file or an error was met */
    int error;         /* errno of a failed read, or 0 */
    unsigned char buffer[IMF_SOURCE_SIZE];
};

/* Bytes that can be read in any order: those of a file, or in memory. */
struct imf_bytes {
    const unsigned char *data; /* NULL: they are a file's */
    uint64_t first;            /* of data: those before it are gone */
    int fd;
    off_t start;
    uint64_t size; /* from start on */
    int error;     /* errno of a failed read, or 0 */
};

/* All that the stream has; if it is no file, what is in its buffer, which comes last so far. */
struct imf_bytes imf_source_bytes(const struct imf_source *s);
/* Up to n bytes from `at` on; how many are there. */
size_t imf_bytes_read(struct imf_bytes *b, uint64_t at, void *dst, size_t n);
/* Exactly n bytes; false: they are not there, or an error. */
static inline bool imf_bytes_get(struct imf_bytes *b, uint64_t at, void *dst, size_t n) {
    return imf_bytes_read(b, at, dst, n) == n;
}

/* Refill an empty buffer; false at the end or on an error. */
bool imf_source_fill(struct imf_source *s);
/* Up to size bytes; fewer only at the end or on an error. */
size_t imf_source_read(struct imf_source *s, void *dst, size_t size);
/* Of a file: go to a byte, from the image's first on. */
bool imf_source_seek(struct imf_source *s, uint64_t at);
/* How many bytes of the stream were taken. */
static inline uint64_t imf_source_position(const struct imf_source *s) {
    return s->received - s->end + s->at;
}
/* The next byte, or EOF. */
static inline int imf_source_getc(struct imf_source *s) {
    return s->at < s->end || imf_source_fill(s) ? s->buffer[s->at++] : EOF;
}

#endif
