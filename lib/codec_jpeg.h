/* codec_jpeg.h - what JPEG's reader and writer agree on: the identifiers that begin a segment */
#ifndef IMF_CODEC_JPEG_H
#define IMF_CODEC_JPEG_H

#include "codec.h"

#define IMF_SEGMENT_MAX 65533u /* bytes of a marker segment behind its length */

/* Each with its terminating NUL; EXIF's has a second one (JEITA CP-3451; XMP part 3, 1.1.3). */
#define IMF_EXIF_PREFIX "Exif\0"
#define IMF_XMP_PREFIX "http://ns.adobe.com/xap/1.0/"
#define IMF_XMP_MORE_PREFIX "http://ns.adobe.com/xmp/extension/"

#endif
