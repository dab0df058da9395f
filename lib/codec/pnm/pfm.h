/*
 * pfm.h - the raster of a PFM: rows of float32, the bottom row first
 *
 * Pages of a header and rows in the other order: of a file rows are read and written where they are, another stream
 * is held. The header's third number says by its sign which order bytes have (negative: little-endian); its
 * magnitude is a unit that programs multiply by, divide by or ignore, so that samples stay as they are, and it too.
 */
#ifndef IMF_CODEC_PNM_PFM_H
#define IMF_CODEC_PNM_PFM_H

#include "codec/decoder.h"
#include "codec/encoder.h"

/* Of a reader, whose source stands at its first byte when it is opened. */
struct imf_pfm_source {
    bool big_endian;
    uint64_t at;         /* in a file */
    int missing;         /* rows at the top that a file which is cut off has not */
    unsigned char *held; /* owned: all rows, if it is no file */
};
enum imf_status imf_pfm_source_open(struct imf_reader *r, struct imf_pfm_source *s,
                                    struct imf_error *err);
/* As struct imf_decoder's rows. The source is behind the raster after the last row. */
enum imf_status imf_pfm_source_rows(struct imf_reader *r, struct imf_pfm_source *s,
                                    unsigned char *dst, size_t stride, int rows, int *done,
                                    struct imf_error *err);

/* Of a writer, whose header is written when it is opened. Bytes are little-endian. */
struct imf_pfm_target {
    off_t at;             /* of the raster in the stream; -1: it is held */
    unsigned char *rows;  /* owned: all of them, or some that are next to each other */
    int room, count, row; /* rows in it, at most and now; of the picture, the next one */
};
enum imf_status imf_pfm_target_open(struct imf_writer *w, struct imf_pfm_target *t,
                                    struct imf_error *err);
void imf_pfm_target_rows(struct imf_writer *w, struct imf_pfm_target *t, const unsigned char *src,
                         size_t stride, int rows);

#endif
