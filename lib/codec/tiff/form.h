/* form.h - what the samples of a TIFF's picture are */
#ifndef IMF_CODEC_TIFF_FORM_H
#define IMF_CODEC_TIFF_FORM_H

#include "base/error.h"
#include "codec/tiff/numbers.h"

#include <tiffio.h>

struct imf_tiff_form {
    uint16_t compression, photometric, samples, bits, planar, format, inks;
    uint16_t extras, *extra; /* what samples besides colours are */
    enum imf_color color;
    int colors;                   /* samples of them */
    struct imf_tiff_numbers type; /* depth 0: unsigned of 1, 2, 4, 8 or 16 bits */
};

/* A tag's number, or its default. */
uint16_t imf_tiff_field(TIFF *tif, uint32_t tag);
/* IMF_ERR_FORMAT: they cannot be read, and what changes them to some that can. `extra` is libtiff's. */
enum imf_status imf_tiff_read_form(TIFF *tif, struct imf_tiff_form *form, struct imf_error *err);

#endif
