/*
 * blocks.h - which blocks of a JPEG a filter changed
 *
 * Encoding a decoded block again changes it: samples were rounded and limited, and chroma was brought to
 * the picture's size and back. So the decoder hashes the pixels that each block has a part in, the encoder does
 * the same with the rows that it gets, and where both are equal the block's coefficients are copied from the
 * source's file.
 *
 * Luma follows from the pixels. Cb and Cr follow from the differences of R, G and B, which stay where the same is
 * added to all three; not where one of them is 0 or 255, which may stand for what is beyond.
 */
#ifndef IMF_CODEC_JPEG_BLOCKS_H
#define IMF_CODEC_JPEG_BLOCKS_H

#include "base/error.h"
#include "codec/metadata/items.h"

/* Hashes of an image's blocks, which is taken row by row. */
struct imf_jpeg_blocks {
    int width, height, channels; /* of its rows: 8 bits a sample */
    int components, mcu;         /* mcu: rows of an MCU */
    struct imf_jpeg_component {
        int same;         /* the first component of the same blocks and samples, perhaps itself */
        int wide, high;   /* pixels of a block */
        int across, down; /* blocks */
        bool chroma;
        uint64_t
            *hash; /* owned: of all, or of an MCU row's; 0: unknown; NULL: as `same` has them */
    } component[4];
    bool all;       /* hashes of all blocks are kept */
    int row;        /* rows taken */
    uint32_t *line; /* a row's differences; owned */
};

/* What the encoder needs of the source: an MCU row's hashes before its last row is given out, and once all
 * rows are read libjpeg's object, whose coefficients it may change. */
struct jpeg_decompress_struct;
struct imf_jpeg_original {
    struct imf_jpeg_blocks blocks;
    struct jpeg_decompress_struct *d; /* borrowed */
};

/* IMF_ERR_FORMAT: sampling factors that are not taken. To be closed even then. */
enum imf_status imf_jpeg_blocks_open(struct imf_jpeg_blocks *b,
                                     const struct imf_jpeg_source *source, int width, int height,
                                     bool all);
void imf_jpeg_blocks_close(struct imf_jpeg_blocks *b);
/* Blocks of the image. */
size_t imf_jpeg_blocks_count(const struct imf_jpeg_blocks *b);
/* Take the next row. */
void imf_jpeg_blocks_take(struct imf_jpeg_blocks *b, const unsigned char *row);
/* The hashes of a component's blocks in MCU row i, which were taken last unless all are kept; *count of
 * them. */
const uint64_t *imf_jpeg_blocks_of(const struct imf_jpeg_blocks *b, int component, int i,
                                   size_t *count);

/* Limit the coefficients of so many blocks to those of samples of 8 bits; whether some were beyond. */
bool imf_jpeg_limit(int16_t *blocks, size_t count);

#endif
