/* pixels.h - from samples as a TIFF packs them to pixels */
#ifndef IMF_CODEC_TIFF_PIXELS_H
#define IMF_CODEC_TIFF_PIXELS_H

#include "codec/tiff/numbers.h"

struct imf_tiff_pixels {
    int samples, bits;            /* of a pixel, of a sample: 1, 2, 4, 8 or 16, or the type's */
    struct imf_tiff_numbers type; /* depth 0: unsigned ones */
    bool separate;                /* each sample has a plane; else a pixel's are neighbours */
    int planes;    /* that are read: the channels', or one of a palette's, or all as one */
    int channels;  /* of the result */
    int from[4];   /* which sample each of them is */
    bool inverted; /* of from[0] 0 is white, as of the first sample if */
    bool white_is_zero;
    bool alpha, premultiplied;
    bool palette;
    unsigned char color[256][3]; /* of a palette */
    unsigned char *line;         /* if bits < 8, without a type: room for a row's samples */
};

/* Set p->color from a file's red, green and blue. Some writers have 8 bits where 16 are meant. */
void imf_tiff_set_palette(struct imf_tiff_pixels *p, uint16_t *const channel[3]);
/* Convert `count` pixels of a row, of which planes are `apart` bytes from each other. */
void imf_tiff_convert(const struct imf_tiff_pixels *p, unsigned char *to, const unsigned char *from,
                      size_t apart, size_t count);

#endif
