/* png.h - what a PNG carries beside its pixels */
#ifndef IMF_CODEC_PNG_H
#define IMF_CODEC_PNG_H

#include "codec/codec.h"

struct imf_png_chunk {
    char name[5];
    bool after_pixels;
    bool again; /* it comes once more, in its place */
    const unsigned char *data;
    size_t size;
};

static inline uint32_t imf_png_get32(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

extern const struct imf_codec imf_png_codec;
extern const struct imf_encoder imf_png_encoder;

/* A "Raw profile" text of `begin` and data, and the bytes of one (NULL: it is none, or there is no
 * memory). Both are freed with free(). */
unsigned char *imf_png_profile_text(const char *name, const void *begin, size_t begin_size,
                                    const unsigned char *data, size_t size, size_t *out_size);
unsigned char *imf_png_profile(const unsigned char *text, size_t size, size_t *out_size,
                               bool *starved);
/* Photoshop's resources from such bytes, which may be IPTC's record alone; likewise. */
unsigned char *imf_png_irb(const unsigned char *data, size_t size, size_t *out_size, bool *starved);
/* Take EXIF from behind the pixels, if there is no eXIf before and the stream is a file; then
 * imf_png_settle_exif(). */
void imf_png_look_ahead(struct imf_reader *r);
/* Is this the keyword of text that may hold EXIF? */
bool imf_png_names_exif(const char *keyword);
/* EXIF that stands in text alone is the image's. */
void imf_png_settle_exif(struct imf_reader *r);
/* Names of the chunks that imf_png_take_chunk() wants; NULL past the last. */
const char *imf_png_chunk_name(size_t index);
/* Add what the chunk holds to the reader's metadata; a chunk that makes no sense is left out. */
void imf_png_take_chunk(struct imf_reader *r, const struct imf_png_chunk *chunk);

#endif
