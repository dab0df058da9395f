/*
 * transcode.h - a JPEG made of its source's coefficients, and of new ones where blocks changed
 *
 * The caller has the compressor, its destination and its error manager; client_data of the latter is the
 * caller's, too. Functions that take a compressor, and imf_jpeg_transcode_row(), report errors as libjpeg does.
 */
#ifndef IMF_CODEC_JPEG_TRANSCODE_H
#define IMF_CODEC_JPEG_TRANSCODE_H

#include "codec/jpeg/settings.h"

struct imf_jpeg_transcode;

/* False: the file cannot be made so, since the source is not held, or its size, channels, sampling,
 * tables or orientation are others. */
bool imf_jpeg_transcodes(const struct imf_writer *w);
/* NULL: no memory. What it borrows outlives it. */
struct imf_jpeg_transcode *imf_jpeg_transcode_make(const struct imf_writer *w,
                                                   struct jpeg_compress_struct *c);
void imf_jpeg_transcode_free(struct imf_jpeg_transcode **t);
/* Take the next row of pixels. */
void imf_jpeg_transcode_row(struct imf_jpeg_transcode *t, const unsigned char *row);
/* After the last row: give the compressor the source's settings and coding. False: coefficients that no picture
 * has were limited. */
bool imf_jpeg_transcode_configure(struct imf_jpeg_transcode *t, struct jpeg_compress_struct *c,
                                  jpeg_scan_info script[IMF_JPEG_SCANS]);
/* As jpeg_start_compress() with all rows: jpeg_finish_compress() writes them. */
void imf_jpeg_transcode_start(struct imf_jpeg_transcode *t, struct jpeg_compress_struct *c);

#endif
