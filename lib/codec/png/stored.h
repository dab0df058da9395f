/* stored.h - for libpng, IDAT that are inflated already */
#ifndef IMF_CODEC_PNG_STORED_H
#define IMF_CODEC_PNG_STORED_H

#include "codec/png/walk.h"

/*
 * The reader's position is behind the head of the first IDAT, which inflate to so many bytes. What
 * imf_png_stored_read() gives instead begins with another head. NULL: zlib has to inflate them. Freed with free().
 */
struct imf_png_stored *imf_png_stored_open(struct imf_reader *r, struct imf_png_walk *walk,
                                           uint64_t bytes);
/* The next bytes; behind the last one *stored is freed and NULL. false: the file is not as it should be,
 * and what zlib makes of it is to be found out from the file's beginning. */
bool imf_png_stored_read(struct imf_png_stored **stored, unsigned char *dst, size_t size);

#endif
