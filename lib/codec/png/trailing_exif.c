/*
 * trailing_exif.c - EXIF after the pixels
 *
 * eXIf and text may follow the image data, and ImageMagick writes eXIf there. A filter's directions
 * and the output's shape depend on the orientation in it before the first row is read. Where the
 * stream is a file, chunks are read by pread(), which leaves the stream's position alone, and tells
 * whether any follow. In a pipe the orientation comes too late.
 */
#include "codec/metadata/bytes.h"
#include "codec/png/chunks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define SIGNATURE 8
#define CHUNKS_MAX 65536 /* enough for 512 MiB in IDAT chunks of libpng's size */
#define EXIF_MAX 65536   /* as much as a JPEG holds */
#define TEXT_MAX (3 * EXIF_MAX)

static bool read_at(int fd, off_t at, void *dst, size_t size) {
    return pread(fd, dst, size, at) == (ssize_t)size;
}

/* Add the chunk whose head is at `at` to the metadata, if its CRC is right. */
static void add_chunk_at(struct imf_reader *r, int fd, off_t at, size_t size) {
    unsigned char *chunk = malloc(size + 8); /* with its name and its CRC */
    r->metadata.out_of_memory |= !chunk;
    if (chunk && read_at(fd, at + 4, chunk, size + 8) &&
        crc32(0, chunk, (uInt)size + 4) == imf_get32(chunk + 4 + size)) {
        struct imf_png_chunk c = {.again = true, .data = chunk + 4, .size = size};
        memcpy(c.name, chunk, 4);
        r->at = (uint64_t)(at - r->source.start);
        imf_png_add_chunk(r, &c);
    }
    free(chunk);
}

/* Is this text whose keyword says that it holds EXIF? */
static bool names_exif(const unsigned char head[], int fd, off_t at) {
    char keyword[sizeof "Raw profile type exif"];
    if (memcmp(head + 5, "EXt", 3) != 0 && memcmp(head + 5, "TXt", 3) != 0)
        return false;
    return read_at(fd, at + 8, keyword, sizeof keyword) && !keyword[sizeof keyword - 1] &&
           imf_png_names_exif(keyword);
}

/* Add eXIf wherever it stands, or else the first text with EXIF after the pixels; text before them
 * was added already. */
static void find_exif(struct imf_reader *r, int fd) {
    off_t at = r->source.start + SIGNATURE, text_at = 0;
    uint32_t text_size = 0;
    bool pixels = false, late = false;
    for (int i = 0; i < CHUNKS_MAX; i++) {
        unsigned char head[8];
        if (!read_at(fd, at, head, sizeof head))
            break;
        uint32_t size = imf_get32(head);
        bool pixel = memcmp(head + 4, "IDAT", 4) == 0;
        if (memcmp(head + 4, "IEND", 4) == 0) {
            r->metadata.late = late;
            break;
        }
        pixels = pixels || pixel;
        late = late || (pixels && !pixel);
        if (memcmp(head + 4, "eXIf", 4) == 0 && size <= EXIF_MAX &&
            !imf_metadata_find(&r->metadata, IMF_META_EXIF))
            add_chunk_at(r, fd, at, size);
        if (pixels && !text_at && size <= TEXT_MAX && names_exif(head, fd, at)) {
            text_at = at;
            text_size = size;
        }
        at += 12 + (off_t)size;
    }
    if (text_at && !imf_metadata_find(&r->metadata, IMF_META_EXIF) &&
        !imf_metadata_find(&r->metadata, IMF_META_EXIF_TEXT))
        add_chunk_at(r, fd, text_at, text_size);
}

void imf_png_find_trailing_exif(struct imf_reader *r) {
    int fd = fileno(r->source.stream);
    r->metadata.late = true;
    if (fd >= 0 && r->source.start >= 0)
        find_exif(r, fd);
    imf_png_use_exif_text(r);
}
