/*
 * boxes.h - the boxes of ISO's base media file format (ISO/IEC 14496-12), in memory
 *
 * A box is its size, its type of four letters, and what it holds: fields, or other boxes.
 */
#ifndef IMF_CODEC_BMFF_BOXES_H
#define IMF_CODEC_BMFF_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMF_BOX(a, b, c, d)                                                                        \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/* What is left of a box, or of the file. Behind an end every field is 0, and `cut` is set. */
struct imf_box {
    uint32_t type;
    size_t begin;              /* of its header in the file */
    size_t at;                 /* of `data` in the file */
    const unsigned char *data; /* borrowed */
    size_t size;               /* bytes from data on */
    bool cut;                  /* a box or a field reaches beyond this one */
};

/* The next box in this one; false: there is no other. One that is too long ends where this one does. */
bool imf_box_next(struct imf_box *in, struct imf_box *out);
/* The first box of a type in this one, which is not changed; false: there is none. */
bool imf_box_find(const struct imf_box *in, uint32_t type, struct imf_box *out);
/* A big-endian number of up to 8 bytes. */
uint64_t imf_box_take(struct imf_box *box, int bytes);
/* Text up to its NUL, which must be there, or NULL. */
const char *imf_box_text(struct imf_box *box);
void imf_box_skip(struct imf_box *box, size_t bytes);

#endif
