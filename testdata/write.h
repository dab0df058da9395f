/* write.h - encoders for the test pictures, including forms that a filter program never writes */
#ifndef WRITE_H
#define WRITE_H

#include <stdbool.h>
#include <stdint.h>

/* Samples as 16 bit, interleaved, full scale 65535: each encoder takes what it needs of them. */
struct picture {
    int width, height, channels;
    uint16_t *samples;
};

struct png_form {
    int depth;       /* 1, 2, 4, 8, 16 */
    bool palette;    /* of 2^depth grays or colours */
    bool trns;       /* a transparent colour or palette entry */
    bool interlaced; /* Adam7 */
    bool metadata;   /* sRGB, pHYs, tEXt, eXIf */
};
void write_png(const char *path, const struct picture *p, struct png_form form);

struct jpeg_form {
    int quality;
    int h, v;        /* luma sampling factors: 1x1 444, 2x1 422, 2x2 420 */
    int scans;       /* 0: baseline; 1: the standard progression; more: that many scans */
    int restart;     /* rows of blocks from one restart marker to the next */
    bool cmyk, ycck; /* Adobe's inverted inks */
    int orientation; /* EXIF, 0: none */
    bool arithmetic; /* arithmetic coding */
};
void write_jpeg(const char *path, const struct picture *p, struct jpeg_form form);

/* kind: '1'..'7'. */
void write_pnm(const char *path, const struct picture *p, char kind, int maxval);

/* The first `keep` of the file's bytes per thousand; then, where flip > 0, the byte at that
 * position per thousand is inverted. */
void write_damaged(const char *path, const char *source, int keep, int flip);

void die(const char *path, const char *what);

#endif
