/* markers.h - the identifiers that begin a JPEG's segments, and their sizes */
#ifndef IMF_CODEC_JPEG_MARKERS_H
#define IMF_CODEC_JPEG_MARKERS_H

#include "codec/metadata/items.h"

#define IMF_SEGMENT_MAX 65533u /* bytes of a marker segment after its length */

/* Each with its terminating NUL; of EXIF and XMP see codec/metadata/items.h. */
#define IMF_IRB_PREFIX "Photoshop 3.0"
#define IMF_MPF_PREFIX "MPF"                              /* CIPA DC-007, 5.1 */
#define IMF_GAIN_MAP_PREFIX "urn:iso:std:iso:ts:21496:-1" /* ISO 21496-1 */

#define IMF_ICC_SEGMENTS 255          /* (ICC.1, annex B.4) */
#define IMF_ICC_PIECE ((size_t)65519) /* bytes of the profile in one, at most */
#define IMF_ICC_MAX (IMF_ICC_SEGMENTS * IMF_ICC_PIECE)

#endif
