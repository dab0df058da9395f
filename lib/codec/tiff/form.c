/* form.c - what the samples of a TIFF's picture are, and whether they can be read */
#include "codec/decoder.h"

#ifdef IMF_WITH_TIFF
#include "codec/tiff/compression.h"
#include "codec/tiff/form.h"

uint16_t imf_tiff_field(TIFF *tif, uint32_t tag) {
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(tif, tag, &value) ? value : 0;
}

static enum imf_status refuse(struct imf_error *err, const char *what, const char *way) {
    return imf_fail(
        err, IMF_ERR_FORMAT,
        "a TIFF of %s cannot be read (gray and RGB of floats and up to 32 bits, palette "
        "and CMYK of up to 16 can%s)",
        what, way);
}

/* Unsigned samples of 1, 2, 4, 8 and 16 bits are scaled to rows of 8 or 16 bits, and need no type; many files do not
 * say that they are unsigned. */
static bool is_plain(const struct imf_tiff_form *f) {
    bool is_unsigned = f->format == SAMPLEFORMAT_UINT || f->format == SAMPLEFORMAT_VOID;
    return is_unsigned && f->bits >= 1 && f->bits <= 16 && !(f->bits & (f->bits - 1));
}

/* IMF_ERR_FORMAT, with what of the form cannot be read, and what changes a file to one that can. Each way
 * was tried on files of its kind: others, as ImageMagick 6, make wrong colours of YCbCr and clip what is
 * not from 0 to 1. */
static enum imf_status check_form(const struct imf_tiff_form *f, struct imf_error *err) {
    static const char to_rgb[] = "; tiff2rgba -n IN OUT makes RGB of it";
    static const char *const formats[] = {[SAMPLEFORMAT_UINT] = "unsigned",
                                          [SAMPLEFORMAT_INT] = "signed",
                                          [SAMPLEFORMAT_IEEEFP] = "floating-point",
                                          [SAMPLEFORMAT_VOID] = "untyped"};
    char compression[80], samples[80], pixlog[96], colors[80];
    bool jbig = f->compression == COMPRESSION_JBIG || f->compression == COMPRESSION_LERC;
    bool logluv = f->compression == COMPRESSION_SGILOG || f->compression == COMPRESSION_SGILOG24;
    bool ycbcr = f->photometric == PHOTOMETRIC_YCBCR, plain = is_plain(f);
    bool odd_inks = f->color == IMF_COLOR_CMYK && f->inks != INKSET_CMYK;
    bool complex = f->format < SAMPLEFORMAT_UINT || f->format > SAMPLEFORMAT_VOID;
    snprintf(samples, sizeof samples, "%s samples of %u bits",
             complex ? "complex" : formats[f->format], f->bits);
    snprintf(pixlog, sizeof pixlog, "%s by PixarLog", samples);
    snprintf(colors, sizeof colors, "%u samples a pixel and photometric interpretation %u",
             f->samples, f->photometric);
    const struct {
        bool is;
        const char *what, *way;
    } misfits[] = {
        {!imf_tiff_decodes(f->compression, compression, sizeof compression), compression,
         f->compression == COMPRESSION_OJPEG ? to_rgb
         : jbig                              ? "; tiffcp -c zip IN OUT deflates it instead"
         : logluv ? "; OpenCV stores floats if IMWRITE_TIFF_COMPRESSION is 1"
                  : ""},
        {complex, "complex samples", ""},
        {!plain && !f->type.depth, samples, ""},
        {!plain && f->compression == COMPRESSION_PIXARLOG && f->type.type != IMF_TYPE_ROWS, pixlog,
         ""}, /* libtiff's decoder has other types then */
        {!plain && f->color == IMF_COLOR_CMYK, "CMYK but for unsigned samples of 8 and 16 bits",
         ""},
        {ycbcr && (f->compression != COMPRESSION_JPEG || f->planar != PLANARCONFIG_CONTIG),
         "YCbCr, but for JPEG's,", to_rgb},
        {f->photometric == PHOTOMETRIC_PALETTE && f->bits > 8, "a palette of 65536 colours", ""},
        {f->photometric == PHOTOMETRIC_PALETTE && !plain, "a palette and such samples", ""},
        {!f->colors || f->samples < f->colors || f->samples > IMF_TIFF_SAMPLES_MAX || odd_inks,
         colors,
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
    if (!is_plain(f) && f->format >= SAMPLEFORMAT_UINT && f->format <= SAMPLEFORMAT_IEEEFP)
        f->type = imf_tiff_numbers_of(f->format == SAMPLEFORMAT_UINT  ? IMF_TYPE_UNSIGNED
                                      : f->format == SAMPLEFORMAT_INT ? IMF_TYPE_SIGNED
                                                                      : IMF_TYPE_FLOAT,
                                      f->bits);
    enum imf_status status = check_form(f, err);
    if (!status && f->photometric == PHOTOMETRIC_YCBCR)
        TIFFSetField(tif, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    return status;
}
#endif
