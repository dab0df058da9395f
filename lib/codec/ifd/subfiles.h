/* subfiles.h - pictures that belong to a page of a TIFF: overviews and transparency masks */
#ifndef IMF_CODEC_IFD_SUBFILES_H
#define IMF_CODEC_IFD_SUBFILES_H

#include "codec/encoder.h"
#include "codec/ifd/directory.h"

#include <string.h>

#define IMF_TIFF_SUBFILES_MAX 64 /* of a page */

/* The data of an item of IMF_META_TIFF_OVERVIEW or IMF_META_TIFF_MASK. */
struct imf_tiff_subfile {
    uint32_t width, height;
    uint32_t page_width, page_height;
    bool below;               /* it hangs below the page; or it follows in the chain */
    uint64_t at;              /* of its directory, */
    struct imf_tiff_input in; /* in what is read as long as the reader is open */
};
static inline struct imf_tiff_subfile imf_tiff_subfile_of(const struct imf_meta_item *item) {
    struct imf_tiff_subfile c;
    memcpy(&c, item->data, sizeof c);
    return c;
}

/* A page and what is known of those that belong to it. */
struct imf_tiff_owner {
    uint64_t width, height;
    uint64_t pixels; /* that its overviews may still have: as many as it has */
    int count;       /* of subfiles so far */
};
/* Is the directory's picture one of the owner's, which it is counted for then? An overview is marked as reduced, smaller,
 * and of the same shape within a pixel; a mask is marked as one, has as many pixels as the page or as an overview
 * has, of a byte at most, and nothing that depends on places in the file. IMF_META_KINDS: neither. */
enum imf_meta_kind imf_tiff_subfile_kind(struct imf_tiff_input *in,
                                         const struct imf_tiff_directory *d,
                                         struct imf_tiff_owner *owner);

/* Strips or tiles of a mask in the output. */
struct imf_tiff_mask {
    uint64_t *offsets, *sizes; /* owned */
    size_t count;
};
/* Copy them from `c` to the writer. IMF_ERR_IO: they cannot be read any more. Free both lists with free(), also after a
 * failure. */
enum imf_status imf_tiff_mask_copy(struct imf_tiff_mask *out, struct imf_writer *w,
                                   const struct imf_tiff_subfile *c, struct imf_error *err);
/* Add the mask's tags to a directory. */
void imf_tiff_mask_add(const struct imf_tiff_mask *mask, const struct imf_tiff_subfile *c,
                       struct imf_tiff_directory *d, struct imf_tiff_output *out);

#endif
