/*
 * png_ahead.c - an orientation that stands behind the pixels
 *
 * eXIf may follow the image data, and ImageMagick puts it there; a filter's directions and the
 * output's shape depend on it before the first row is read. Where the stream is a file, the chunks'
 * headers are read past its position, which stays. In a pipe the tag comes too late.
 */
#include "codec/png.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define SIGNATURE 8
#define CHUNKS_MAX 65536 /* enough for 512 MiB in IDAT chunks of libpng's size */
#define EXIF_MAX 65536   /* as much as a JPEG holds */

static bool read_at(int fd, off_t at, void *dst, size_t size) {
    return pread(fd, dst, size, at) == (ssize_t)size;
}

/* A chunk of `size` bytes whose name is at `at`, if its CRC is right. */
static void take_at(struct imf_reader *r, int fd, off_t at, size_t size) {
    unsigned char *chunk = malloc(size + 8); /* with its name and its CRC */
    r->metadata.starved |= !chunk;
    if (chunk && read_at(fd, at, chunk, size + 8) &&
        crc32(0, chunk, (uInt)size + 4) == imf_png_get32(chunk + 4 + size)) {
        struct imf_png_chunk c = {.name = "eXIf", .data = chunk + 4, .size = size};
        imf_png_take_chunk(r, &c);
    }
    free(chunk);
}

void imf_png_look_ahead(struct imf_reader *r) {
    int fd = fileno(r->source.stream);
    if (fd < 0 || r->source.start < 0 || imf_metadata_find(&r->metadata, IMF_META_EXIF))
        return;
    off_t at = r->source.start + SIGNATURE;
    for (int i = 0; i < CHUNKS_MAX; i++) {
        unsigned char head[8];
        if (!read_at(fd, at, head, sizeof head) || memcmp(head + 4, "IEND", 4) == 0)
            return;
        uint32_t size = imf_png_get32(head);
        if (memcmp(head + 4, "eXIf", 4) == 0) {
            if (size <= EXIF_MAX)
                take_at(r, fd, at + 4, size);
            return;
        }
        at += 12 + (off_t)size;
    }
}
