/* profile.h - "Raw profile type" text, and what is deflated */
#ifndef IMF_CODEC_PNG_PROFILE_H
#define IMF_CODEC_PNG_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

/* The text for the bytes of `begin` and data; NULL: no memory. Freed with free(). */
unsigned char *imf_png_profile_text(const char *name, const void *begin, size_t begin_size,
                                    const unsigned char *data, size_t size, size_t *out_size);
/* The bytes of such a text; NULL: it is none, or there is no memory. Freed with free(). */
unsigned char *imf_png_profile(const unsigned char *text, size_t size, size_t *out_size,
                               bool *out_of_memory);
/* Inflate a whole zlib stream; NULL when it is damaged, over 16 MiB (sets *over) or without memory (sets
 * *out_of_memory). Freed with free(). */
unsigned char *imf_png_inflate(const unsigned char *data, size_t size, size_t *out_size, bool *over,
                               bool *out_of_memory);

#endif
