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
#include <zlib.h>

#define SIGNATURE 8
#define CHUNKS_MAX 65536 /* enough for 512 MiB in IDAT chunks of libpng's size */
#define EXIF_MAX 65536   /* as much as a JPEG holds */
#define TEXT_MAX (3 * EXIF_MAX)

/* Add the chunk whose head is at `at` to the metadata, if its CRC is right. */
static void add_chunk_at(struct imf_reader *r, struct imf_bytes *file, uint64_t at, size_t size) {
    unsigned char *chunk = malloc(size + 8); /* with its name and its CRC */
    r->metadata.out_of_memory |= !chunk;
    if (chunk && imf_bytes_get(file, at + 4, chunk, size + 8) &&
        crc32(0, chunk, (uInt)size + 4) == imf_get32(chunk + 4 + size)) {
        struct imf_png_chunk c = {.again = true, .data = chunk + 4, .size = size};
        memcpy(c.name, chunk, 4);
        r->at = at;
        imf_png_add_chunk(r, &c);
    }
    free(chunk);
}

/* Is this text whose keyword says that it holds EXIF? */
static bool names_exif(const unsigned char head[], struct imf_bytes *file, uint64_t at) {
    char keyword[sizeof "Raw profile type exif"];
    if (memcmp(head + 5, "EXt", 3) != 0 && memcmp(head + 5, "TXt", 3) != 0)
        return false;
    return imf_bytes_get(file, at + 8, keyword, sizeof keyword) && !keyword[sizeof keyword - 1] &&
           imf_png_names_exif(keyword);
}

/* Add eXIf wherever it stands, or else the first text with EXIF after the pixels; text before them
 * was added already. */
static void find_exif(struct imf_reader *r, struct imf_bytes *file) {
    uint64_t at = SIGNATURE, text_at = 0;
    uint32_t text_size = 0;
    bool pixels = false, late = false;
    for (int i = 0; i < CHUNKS_MAX; i++) {
        unsigned char head[8];
        if (!imf_bytes_get(file, at, head, sizeof head))
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
            add_chunk_at(r, file, at, size);
        if (pixels && !text_at && size <= TEXT_MAX && names_exif(head, file, at)) {
            text_at = at;
            text_size = size;
        }
        at += 12 + (uint64_t)size;
    }
    if (text_at && !imf_metadata_find(&r->metadata, IMF_META_EXIF) &&
        !imf_metadata_find(&r->metadata, IMF_META_EXIF_TEXT))
        add_chunk_at(r, file, text_at, text_size);
}

void imf_png_find_trailing_exif(struct imf_reader *r) {
    struct imf_bytes file = imf_source_bytes(&r->source);
    r->metadata.late = true;
    if (!file.data)
        find_exif(r, &file);
    imf_png_use_exif_text(r);
}
