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

/* Refill an empty buffer; false at the end or on an error. */
bool imf_source_fill(struct imf_source *s);
/* Up to size bytes; fewer only at the end or on an error. */
size_t imf_source_read(struct imf_source *s, void *dst, size_t size);
/* The next byte, or EOF. */
static inline int imf_source_getc(struct imf_source *s) {
    return s->at < s->end || imf_source_fill(s) ? s->buffer[s->at++] : EOF;
}

#endif
