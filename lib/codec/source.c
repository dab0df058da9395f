/* source.c - bytes from a stream */
#include "codec/source.h"

#include <errno.h>
#include <string.h>

static size_t read_stream(struct imf_source *s, void *dst, size_t size) {
    if (s->ended)
        return 0;
    errno = 0;
    size_t got = fread(dst, 1, size, s->stream);
    s->received += got;
    if (got < size) {
        s->ended = true;
        if (ferror(s->stream))
            s->error = errno ? errno : EIO;
    }
    return got;
}

bool imf_source_fill(struct imf_source *s) {
    s->at = 0;
    s->end = read_stream(s, s->buffer, sizeof s->buffer);
    return s->end > 0;
}

size_t imf_source_read(struct imf_source *s, void *dst, size_t size) {
    unsigned char *to = dst;
    size_t done = 0;
    while (done < size) {
        size_t left = size - done, held = s->end - s->at;
        if (held == 0 && left >= sizeof s->buffer) {
            s->at = s->end = 0; /* what it held is not the stream's last any more */
            return done + read_stream(s, to + done, left);
        }
        if (held == 0 && !imf_source_fill(s))
            break;
        held = s->end - s->at;
        size_t n = left < held ? left : held;
        memcpy(to + done, s->buffer + s->at, n);
        s->at += n;
        done += n;
    }
    return done;
}
