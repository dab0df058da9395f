/* source.c - bytes from a stream */
#include "codec/source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool imf_source_seek(struct imf_source *s, uint64_t at) {
    s->at = s->end = 0;
    s->received = at;
    s->ended = false;
    if (at <= INT64_MAX && fseeko(s->stream, s->start + (off_t)at, SEEK_SET) == 0)
        return true;
    s->ended = true;
    return false;
}

struct imf_bytes imf_source_bytes(const struct imf_source *s) {
    struct stat st;
    int fd = fileno(s->stream);
    if (s->start < 0 || fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return (struct imf_bytes){
            .data = s->buffer, .first = s->received - s->end, .size = s->received};
    uint64_t size = st.st_size > s->start ? (uint64_t)(st.st_size - s->start) : 0;
    return (struct imf_bytes){.fd = fd, .start = s->start, .size = size};
}

size_t imf_bytes_read(struct imf_bytes *b, uint64_t at, void *dst, size_t n) {
    size_t done = 0;
    if (at < b->first || at >= b->size)
        return 0;
    n = n < b->size - at ? n : (size_t)(b->size - at);
    if (b->data) {
        memcpy(dst, b->data + (at - b->first), n);
        return n;
    }
    while (done < n) {
        ssize_t got = pread(b->fd, (char *)dst + done, n - done, b->start + (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            b->error = errno;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}
