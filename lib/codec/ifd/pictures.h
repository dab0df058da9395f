/* pictures.h - which picture of a TIFF is the one to read */
#ifndef IMF_CODEC_IFD_PICTURES_H
#define IMF_CODEC_IFD_PICTURES_H

#include "codec/decoder.h"
#include "codec/ifd/directory.h"

struct imf_tiff_picture {
    uint64_t at, width, height; /* at: of its directory; 0: none has the full resolution */
    bool raw;                   /* the file is a camera raw: its pictures are previews */
};

/* The first picture, or the largest of full resolution that hangs below it; where the first is marked
 * as a smaller copy, the largest of all. */
struct imf_tiff_picture imf_tiff_find_picture(struct imf_tiff_input *in, uint64_t first,
                                              bool *out_of_memory);

#define IMF_TIFF_PICTURES_MAX 4096
/* Where the directories of pictures begin, as far as they follow each other, at most so many; returns how many. *next:
 * what the last one names as the next and is not listed, or 0. */
size_t imf_tiff_list_pictures(struct imf_tiff_input *in, uint64_t first,
                              uint64_t list[IMF_TIFF_PICTURES_MAX], uint64_t *next,
                              bool *out_of_memory);
/* A page: no smaller copy of another picture, and no mask. */
bool imf_tiff_is_page(struct imf_tiff_input *in, const struct imf_tiff_directory *d);
/* The list of pages among them, freed with free(), and bounds of their size. NULL: no memory. */
uint64_t *imf_tiff_list_pages(struct imf_tiff_input *in, uint64_t first, int *count,
                              struct imf_pages_size *size, bool *out_of_memory);

#endif
