/* jpeg.h - what JPEG's reader and writer agree on: the identifiers that begin a segment */
#ifndef IMF_CODEC_JPEG_H
#define IMF_CODEC_JPEG_H

#include "codec/codec.h"

#include <jpeglib.h>

#define IMF_SEGMENT_MAX 65533u /* bytes of a marker segment behind its length */

/* Each with its terminating NUL; of EXIF and XMP see metadata.h. */
#define IMF_XMP_MORE_PREFIX "http://ns.adobe.com/xmp/extension/"
#define IMF_IRB_PREFIX "Photoshop 3.0"
#define IMF_MPF_PREFIX "MPF"                              /* CIPA DC-007, 5.1 */
#define IMF_GAIN_MAP_PREFIX "urn:iso:std:iso:ts:21496:-1" /* ISO 21496-1 */

#define IMF_JPEG_SCANS 32
#define IMF_ICC_SEGMENTS 255 /* of at most 65519 bytes (ICC.1, annex B.4) */
#define IMF_ICC_MAX ((size_t)IMF_ICC_SEGMENTS * 65519)

extern const struct imf_codec imf_jpeg_codec;
extern const struct imf_encoder imf_jpeg_encoder;

/* Choose tables, sampling, colour space and scans: what was asked for, or else the source's. The
 * script is where scans are kept until the image is finished. */
void imf_jpeg_set_encoding(struct jpeg_compress_struct *c, const struct imf_writer *w,
                           jpeg_scan_info script[IMF_JPEG_SCANS]);
/* Where a list of images (MPF) stands in its file, and where the first image ends. */
struct imf_mpf_place {
    uint64_t mpf, end;
};
/* Put the list's numbers right for its new place, with `behind` bytes behind the image as before;
 * false if it is none, or an image of it is not there. */
bool imf_mpf_move(unsigned char *mpf, size_t size, const struct imf_mpf_place *from,
                  const struct imf_mpf_place *to, uint64_t behind);
/* Bytes of coefficients that libjpeg will hold for this encoding; 0: it needs one pass only. */
uint64_t imf_jpeg_held(const struct jpeg_compress_struct *c);

#endif
