/* orient.h - reorder a writer's pixels by their EXIF orientation */
#ifndef IMF_CODEC_ORIENT_H
#define IMF_CODEC_ORIENT_H

#include "codec/codec.h"

/* Pass the caller's next rows to the encoder, in the order of the file's. */
enum imf_status imf_writer_orient(struct imf_writer *w, const unsigned char *src, size_t stride,
                                  int rows, struct imf_error *err);

#endif
