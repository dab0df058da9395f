/* markers.h - the identifiers that begin a JPEG's segments, and their sizes */
#ifndef IMF_CODEC_JPEG_MARKERS_H
#define IMF_CODEC_JPEG_MARKERS_H

#include "codec/metadata/items.h"

#define IMF_SEGMENT_MAX 65533u /* bytes of a marker segment after its length */

/* Each with its terminating NUL; of EXIF and XMP see codec/metadata/items.h. */
#define IMF_IRB_PREFIX "Photoshop 3.0"
#define IMF_MPF_PREFIX "MPF"                              /* CIPA DC-007, 5.1 */
#define IMF_GAIN_MAP_PREFIX "urn:iso:std:iso:ts:21496:-1" /* ISO 21496-1 */

#define IMF_ICC_SEGMENTS 255 /* of at most 65519 bytes (ICC.1, annex B.4) */
#define IMF_ICC_MAX ((size_t)IMF_ICC_SEGMENTS * 65519)

#endif
