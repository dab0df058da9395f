/* chunks.h - PNG's ancillary chunks as metadata */
#ifndef IMF_CODEC_PNG_CHUNKS_H
#define IMF_CODEC_PNG_CHUNKS_H

#include "codec/decoder.h"

struct imf_png_chunk {
    char name[5];
    bool after_pixels;
    bool again; /* libpng will pass it once more, in its place */
    const unsigned char *data;
    size_t size;
};

/* What some chunks depend on: the type of colours and the bits of a sample. */
static inline unsigned imf_png_form(int type, int bits) {
    enum { PALETTE = 3 };
    return (unsigned)type << 8 | (unsigned)(type == PALETTE ? 8 : bits);
}

#define IMF_PNG_FRAMES "frames of an animation"

/* Of struct imf_decoder. */
bool imf_png_part(size_t i, struct imf_part_kind *kind);
/* Enter a chunk of so many bytes in the account. */
void imf_png_enter_chunk(struct imf_reader *r, uint64_t at, const char *type, uint64_t bytes);
/* Add what the chunk holds to the reader's metadata; a chunk that makes no sense is left out. */
void imf_png_add_chunk(struct imf_reader *r, const struct imf_png_chunk *chunk);
/* Is this the keyword of text that may hold EXIF? */
bool imf_png_names_exif(const char *keyword);
/* EXIF that stands in text is the image's where there is no eXIf. */
void imf_png_use_exif_text(struct imf_reader *r);
/* Read EXIF that follows the pixels, if there is no eXIf before and the stream is a file, and note whether
 * chunks may follow; then imf_png_use_exif_text(). */
void imf_png_find_trailing_exif(struct imf_reader *r);

#endif
