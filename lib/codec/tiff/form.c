/* form.c - what the samples of a TIFF's picture are, and whether they can be read */
#include "codec/decoder.h"

#ifdef IMF_WITH_TIFF
#include "codec/tiff/compression.h"
#include "codec/tiff/form.h"

#define SAMPLES_MAX 64 /* of a pixel, most of which are left out */

uint16_t imf_tiff_field(TIFF *tif, uint32_t tag) {
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(tif, tag, &value) ? value : 0;
}

static enum imf_status refuse(struct imf_error *err, const char *what, const char *way) {
    return imf_fail(err, IMF_ERR_FORMAT,
                    "a TIFF of %s cannot be read (gray, palette, RGB and CMYK of 1 to 16 bits "
                    "can%s)",
                    what, way);
}

/* IMF_ERR_FORMAT, with what of the form cannot be read, and what changes a file to one that can. Each way
 * was tried on files of its kind: others, as ImageMagick 6, make wrong colours of YCbCr and clip what is
 * not from 0 to 1. */
static enum imf_status check_form(const struct imf_tiff_form *f, struct imf_error *err) {
    static const char to_rgb[] = "; tiff2rgba -n IN OUT makes RGB of it",
                      to_integers[] =
                          "; vips linear IN T.v A B, then vips cast T.v OUT.tif ushort "
                          "makes integers A x + B of the samples x";
    char compression[80], bits[80], colors[80];
    bool jbig = f->compression == COMPRESSION_JBIG || f->compression == COMPRESSION_LERC;
    bool ycbcr = f->photometric == PHOTOMETRIC_YCBCR, narrow = f->bits <= 32;
    bool odd_inks = f->color == IMF_COLOR_CMYK && f->inks != INKSET_CMYK;
    snprintf(bits, sizeof bits, "%u bits a sample", f->bits);
    snprintf(colors, sizeof colors, "%u samples a pixel and photometric interpretation %u",
             f->samples, f->photometric);
    const struct {
        bool is;
        const char *what, *way;
    } misfits[] = {
        {!imf_tiff_decodes(f->compression, compression, sizeof compression), compression,
         f->compression == COMPRESSION_OJPEG ? to_rgb
         : jbig                              ? "; tiffcp -c zip IN OUT deflates it instead"
                                             : ""},
        {f->format == SAMPLEFORMAT_IEEEFP, "floating-point samples",
         narrow ? to_integers : "; GraphicsMagick's gm convert IN OUT.png makes 16 bits of 0 to 1"},
        {f->format == SAMPLEFORMAT_INT, "signed samples", narrow ? to_integers : ""},
        {f->format != SAMPLEFORMAT_UINT && f->format != SAMPLEFORMAT_VOID, "complex samples", ""},
        {f->bits < 1 || f->bits > 16 || (f->bits & (f->bits - 1)) != 0, bits,
         f->bits == 12 || f->bits == 32
             ? "; GraphicsMagick's gm convert IN OUT.png makes 16 bits of it"
             : ""},
        {ycbcr && (f->compression != COMPRESSION_JPEG || f->planar != PLANARCONFIG_CONTIG),
         "YCbCr, but for JPEG's,", to_rgb},
        {f->photometric == PHOTOMETRIC_PALETTE && f->bits > 8, "a palette of 65536 colours", ""},
        {!f->colors || f->samples < f->colors || f->samples > SAMPLES_MAX || odd_inks, colors,
         ycbcr                                  ? to_rgb
         : f->photometric == PHOTOMETRIC_CIELAB ? "; vips copy IN OUT.png makes RGB of it"
                                                : ""},
    };
    for (size_t i = 0; i < sizeof misfits / sizeof *misfits; i++)
        if (misfits[i].is)
            return refuse(err, misfits[i].what, misfits[i].way);
    return IMF_OK;
}

enum imf_status imf_tiff_read_form(TIFF *tif, struct imf_tiff_form *f, struct imf_error *err) {
    static const struct {
        uint16_t photometric;
        enum imf_color color;
        int colors;
    } known[] = {
        {PHOTOMETRIC_MINISWHITE, IMF_COLOR_GRAY, 1}, {PHOTOMETRIC_MINISBLACK, IMF_COLOR_GRAY, 1},
        {PHOTOMETRIC_RGB, IMF_COLOR_RGB, 3},         {PHOTOMETRIC_PALETTE, IMF_COLOR_RGB, 1},
        {PHOTOMETRIC_SEPARATED, IMF_COLOR_CMYK, 4},  {PHOTOMETRIC_YCBCR, IMF_COLOR_RGB, 3}};
    *f = (struct imf_tiff_form){.compression = imf_tiff_field(tif, TIFFTAG_COMPRESSION),
                                .samples = imf_tiff_field(tif, TIFFTAG_SAMPLESPERPIXEL),
                                .bits = imf_tiff_field(tif, TIFFTAG_BITSPERSAMPLE),
                                .planar = imf_tiff_field(tif, TIFFTAG_PLANARCONFIG),
                                .format = imf_tiff_field(tif, TIFFTAG_SAMPLEFORMAT),
                                .inks = imf_tiff_field(tif, TIFFTAG_INKSET)};
    if (!TIFFGetField(tif, TIFFTAG_PHOTOMETRIC, &f->photometric))
        return refuse(err, "unknown colours", "");
    TIFFGetField(tif, TIFFTAG_EXTRASAMPLES, &f->extras, &f->extra);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].photometric == f->photometric) {
            f->color = known[i].color;
            f->colors = known[i].colors;
        }
    enum imf_status status = check_form(f, err);
    if (!status && f->photometric == PHOTOMETRIC_YCBCR)
        TIFFSetField(tif, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    return status;
}
#endif
