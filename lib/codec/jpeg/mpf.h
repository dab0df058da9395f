/* mpf.h - the list of the images in a JPEG (CIPA DC-007, Multi-Picture Format) */
#ifndef IMF_CODEC_JPEG_MPF_H
#define IMF_CODEC_JPEG_MPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the list stands in its file, and where the first image ends. */
struct imf_mpf_position {
    uint64_t mpf, end;
};
/* Update the list's sizes and offsets for its new position, with the same `trailer` bytes after
 * the first image; false if it is no such list, or an image of it is not there. */
bool imf_mpf_move(unsigned char *mpf, size_t size, const struct imf_mpf_position *from,
                  const struct imf_mpf_position *to, uint64_t trailer);

#endif
