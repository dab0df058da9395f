/* png.h - what a PNG carries beside its pixels */
#ifndef IMF_CODEC_PNG_H
#define IMF_CODEC_PNG_H

#include "codec/codec.h"

struct imf_png_chunk {
    char name[5];
    bool after_pixels;
    const unsigned char *data;
    size_t size;
};

static inline uint32_t imf_png_get32(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

extern const struct imf_codec imf_png_codec;
extern const struct imf_encoder imf_png_encoder;

/* Photoshop's resources as a "Raw profile" text, and back (NULL: it is none, or there is no
 * memory). Both are freed with free(). */
unsigned char *imf_png_irb_text(const unsigned char *irb, size_t size, size_t *out_size);
unsigned char *imf_png_irb(const unsigned char *text, size_t size, size_t *out_size, bool *starved);
/* Take an eXIf chunk from behind the pixels, if there is none before and the stream is a file. */
void imf_png_look_ahead(struct imf_reader *r);
/* Names of the chunks that imf_png_take_chunk() wants; NULL past the last. */
const char *imf_png_chunk_name(size_t index);
/* Add what the chunk holds to the reader's metadata; a chunk that makes no sense is left out. */
void imf_png_take_chunk(struct imf_reader *r, const struct imf_png_chunk *chunk);

#endif
