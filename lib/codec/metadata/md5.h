/* md5.h - the digest by which XMP names a packet's extension */
#ifndef IMF_CODEC_METADATA_MD5_H
#define IMF_CODEC_METADATA_MD5_H

#include <stddef.h>

/* MD5 (RFC 1321) in upper-case hexadecimal digits. */
void imf_md5_hex(char out[33], const unsigned char *data, size_t size);

#endif
