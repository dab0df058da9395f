/* strips.h - the strips of a TIFF's picture, as they are written */
#ifndef IMF_CODEC_TIFF_STRIPS_H
#define IMF_CODEC_TIFF_STRIPS_H

#include "codec/encoder.h"
#include "codec/ifd/directory.h"
#include "codec/tiff/numbers.h"

struct imf_compressor;
struct imf_lzw_table;
struct imf_pool;

enum { IMF_TIFF_LANES = 8 }; /* strips at once */

struct imf_tiff_strips {
    struct imf_writer *writer;
    struct imf_info info; /* of the picture */
    bool big_endian;
    int scheme; /* TIFF's number of the compression */
    int bits, level, predictor;
    int channels;                   /* of a row in the file */
    struct imf_channel_roles roles; /* of planes, a channel each */
    struct imf_tiff_numbers type;   /* depth 0: unsigned of `bits` */
    unsigned char
        *line; /* NULL, or room for a row that predictor 3 splits; or Group 4's white one */
    unsigned char *picked; /* NULL, or room for a row of one channel of two */
    size_t row;            /* bytes in the file */
    int strip_rows, row_in_strip;
    struct imf_tiff_lane { /* a strip that is being made */
        unsigned char *plain, *file;
        size_t size, file_size;
        struct imf_compressor *compressor;
        struct imf_lzw_table *lzw;
    } lane[IMF_TIFF_LANES];
    int lanes, filling;
    struct imf_pool *pool, *own; /* own: NULL, or to be closed with the strips */
    uint64_t *offsets, *sizes;
    size_t strips, each; /* all so far; those of the picture, or of a plane */
    uint64_t memory;     /* bytes that all this takes */
};

/* Begin a picture of the writer, which is `info`'s. pool: NULL, or another picture's. To be closed also after a failure. */
enum imf_status imf_tiff_strips_open(struct imf_tiff_strips *strips, struct imf_writer *writer,
                                     const struct imf_info *info, bool big_endian,
                                     struct imf_pool *pool, struct imf_error *err);
/* Add rows, and write the strips that are complete. */
enum imf_status imf_tiff_strips_rows(struct imf_tiff_strips *strips, const unsigned char *src,
                                     size_t stride, int rows, struct imf_error *err);
/* What readers need to know of the pixels. */
void imf_tiff_strips_add(const struct imf_tiff_strips *strips, struct imf_tiff_directory *directory,
                         struct imf_tiff_output *out);
void imf_tiff_strips_close(struct imf_tiff_strips *strips);

#endif
