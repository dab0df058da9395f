/* settings.h - how a JPEG is encoded */
#ifndef IMF_CODEC_JPEG_SETTINGS_H
#define IMF_CODEC_JPEG_SETTINGS_H

#include "codec/encoder.h"

#include <jpeglib.h>

#define IMF_JPEG_SCANS 32

/* Set the shape, and choose tables, sampling, colour space and scans: what was asked for, or else the
 * source's. The script is where scans are kept until the image is finished. */
void imf_jpeg_configure(struct jpeg_compress_struct *c, const struct imf_writer *w,
                        jpeg_scan_info script[IMF_JPEG_SCANS]);
/* Of it, the scans; each of one component where a scan cannot have all. */
void imf_jpeg_set_scans(struct jpeg_compress_struct *c, bool progressive,
                        jpeg_scan_info script[IMF_JPEG_SCANS]);
/* Bytes of coefficients that libjpeg will buffer for this encoding; 0: it needs one pass only. */
uint64_t imf_jpeg_coefficient_bytes(const struct jpeg_compress_struct *c);

#endif
