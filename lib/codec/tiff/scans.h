/* scans.h - what JPEG strips and tiles are made of, before libtiff has them decoded */
#ifndef IMF_CODEC_TIFF_SCANS_H
#define IMF_CODEC_TIFF_SCANS_H

#include "codec/tiff/stream.h"

/* Go through all strips or tiles of a file, if it is in JPEG compression. *held grows by the bytes of
 * coefficients that are decoded for one of width x height pixels of so many samples, if it is
 * progressive. IMF_ERR_LIMIT: one has more scans than the reader's limits allow. */
enum imf_status imf_tiff_check_scans(struct imf_tiff_stream *s, uint64_t width, uint64_t height,
                                     int samples, uint64_t *held, struct imf_error *err);

#endif
