/* md5.h - the MD5 digest (RFC 1321), which names an extension of XMP; it protects nothing */
#ifndef IMF_CODEC_METADATA_MD5_H
#define IMF_CODEC_METADATA_MD5_H

#include <stddef.h>

void imf_md5(unsigned char digest[16], const void *data, size_t size);

#endif
