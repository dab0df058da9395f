/*
 * table.c - the formats
 *
 * A format is a row here; all else about it stands in its own folder. Files are recognised in the order
 * of the formats' numbers. Those that need a library are here where it was found.
 */
#include "codec/table.h"

#include "base/image/info.h"
#include "imfilter_program.h"

#include <stdio.h>

static const struct imf_codec *const codecs[] = {
    [IMF_FORMAT_PNG] = &imf_png_codec,   [IMF_FORMAT_JPEG] = &imf_jpeg_codec,
    [IMF_FORMAT_PNM] = &imf_pnm_codec,
#ifdef IMF_WITH_TIFF
    [IMF_FORMAT_TIFF] = &imf_tiff_codec,
#endif
#ifdef IMF_WITH_WEBP
    [IMF_FORMAT_WEBP] = &imf_webp_codec,
#endif
#ifdef IMF_WITH_HEIF
    [IMF_FORMAT_HEIF] = &imf_heif_codec,
#endif
#ifdef IMF_WITH_AVIF
    [IMF_FORMAT_AVIF] = &imf_avif_codec,
#endif
};
#define FORMATS (sizeof codecs / sizeof codecs[0])
_Static_assert(FORMATS <= IMF_FORMAT_LAST + 1, "formats are counted in sets of 32 bits");

const struct imf_codec *imf_codec_of(enum imf_format format) {
    return format >= 0 && (size_t)format < FORMATS ? codecs[format] : NULL;
}

enum imf_format imf_codec_recognise(const unsigned char *head, size_t size) {
    for (size_t i = 0; i < FORMATS; i++)
        if (codecs[i] && codecs[i]->recognise(head, size))
            return (enum imf_format)i;
    return IMF_FORMAT_NONE;
}

enum imf_format imf_format_from_head(const void *head, size_t size) {
    enum imf_format format = imf_codec_recognise(head, size);
    const struct imf_codec *codec = imf_codec_of(format);
    bool plausible = codec && (!codec->plausible || codec->plausible(head, size));
    return plausible ? format : IMF_FORMAT_NONE;
}

enum imf_format imf_format_from_name(const char *name) {
    for (size_t i = 0; name && i < FORMATS; i++)
        for (const char *const *e = codecs[i] ? codecs[i]->doc.extensions : NULL; e && *e; e++)
            if (imf_same_word(name, *e))
                return (enum imf_format)i;
    return IMF_FORMAT_NONE;
}

bool imf_format_is_written(enum imf_format format) {
    const struct imf_codec *codec = imf_codec_of(format);
    return codec && codec->encoder;
}

const struct imf_format_doc *imf_format_doc(enum imf_format format) {
    const struct imf_codec *codec = imf_codec_of(format);
    return codec ? &codec->doc : NULL;
}

const char *imf_format_name(enum imf_format format) {
    const struct imf_codec *codec = imf_codec_of(format);
    return codec ? codec->doc.name : "none";
}

/* ---- which formats ------------------------------------------------------------------------ */

#define MISFIT_TEXT 64

/* What samples that the format does not store are called. */
static void name_samples(const struct imf_codec *c, const struct imf_info *info,
                         char what[MISFIT_TEXT]) {
    const char *floats = info->depth == 64 && (c->depths & 32) ? "floats of 64 bits" : "floats";
    if (info->depth <= 16)
        snprintf(what, MISFIT_TEXT, "%d-bit samples", info->depth);
    else if (imf_info_integer(info))
        snprintf(what, MISFIT_TEXT, "%s integers of %d bits",
                 info->type == IMF_TYPE_SIGNED ? "signed" : "unsigned", info->type_bits);
    else
        snprintf(what, MISFIT_TEXT, "%s", floats);
}

/* Name what of such an image the format cannot store; false when it can store all. */
static bool misfit(const struct imf_codec *c, const struct imf_info *info, char what[MISFIT_TEXT]) {
    static const char *const color[] = {
        [IMF_COLOR_GRAY] = "gray", [IMF_COLOR_RGB] = "colours", [IMF_COLOR_CMYK] = "CMYK"};
    unsigned depth = (unsigned)info->depth;
    if (!c->encoder)
        snprintf(what, MISFIT_TEXT, "a filtered picture: it is only read");
    else if (!(c->colors & 1u << info->color))
        snprintf(what, MISFIT_TEXT, "%s", color[info->color]);
    else if (info->alpha && !(c->alpha & depth) && (!c->alpha || (c->depths & depth)))
        snprintf(what, MISFIT_TEXT, "an alpha channel%s", c->alpha ? " of floats" : "");
    else if (info->spectral && !c->spectral)
        snprintf(what, MISFIT_TEXT, "%d channels of one picture", info->spectral);
    else if (!(c->depths & depth))
        name_samples(c, info, what);
    else if (info->color == IMF_COLOR_CMYK && depth > 16)
        snprintf(what, MISFIT_TEXT, "CMYK of floats");
    else if (info->width > c->side_max || info->height > c->side_max)
        snprintf(what, MISFIT_TEXT, "more than %d rows or columns", c->side_max);
    else
        return false;
    return true;
}

/* "a", "a or b", "a, b or c" of those in the set, each after `before`. */
static void list(char text[IMF_FORMATS_TEXT], const char *before, unsigned set, bool titles) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < FORMATS && used < IMF_FORMATS_TEXT; i++) {
        if (!(set & 1u << i))
            continue;
        const struct imf_format_doc *doc = &codecs[i]->doc;
        set &= ~(1u << i);
        used += (size_t)snprintf(text + used, IMF_FORMATS_TEXT - used, "%s%s%s", before,
                                 titles ? doc->title : doc->name,
                                 !set              ? ""
                                 : set & (set - 1) ? ", "
                                                   : " or ");
    }
}

void imf_codec_titles(char text[IMF_FORMATS_TEXT]) {
    unsigned set = 0;
    for (size_t i = 0; i < FORMATS; i++)
        set |= codecs[i] ? 1u << i : 0;
    list(text, "", set, true);
}

/* What becomes of the image if its depth is that one. */
static struct imf_info at_depth(const struct imf_info *info, int depth) {
    struct imf_info i = *info;
    i.depth = depth;
    i.type = IMF_TYPE_ROWS;
    i.type_bits = 0;
    return i;
}

static bool rounds(const struct imf_codec *codec, const struct imf_info *info) {
    return codec->rounds && info->depth == 16 && (!info->maxval || info->maxval >> codec->rounds);
}

/* The set of formats that hold such an image, without rounding it. */
static unsigned holders(const struct imf_info *info) {
    char what[MISFIT_TEXT];
    unsigned set = 0;
    for (size_t i = 0; i < FORMATS; i++)
        if (codecs[i] && !misfit(codecs[i], info, what) && !rounds(codecs[i], info))
            set |= 1u << i;
    return set;
}

enum imf_status imf_codec_fits(const struct imf_codec *codec, const struct imf_info *info,
                               struct imf_error *err) {
    static const struct {
        int depth;
        const char *name; /* --depth's */
    } depths[] = {{32, "float"}, {16, "16"}, {8, "8"}};
    char what[MISFIT_TEXT], other[MISFIT_TEXT], use[32] = "", formats[IMF_FORMATS_TEXT],
                                                formats_lower[IMF_FORMATS_TEXT];
    int lower = 0; /* the most bits below info's that are enough */
    if (!misfit(codec, info, what))
        return IMF_OK;
    for (size_t i = 0; codec->encoder && i < sizeof depths / sizeof *depths && !lower; i++) {
        struct imf_info narrow = at_depth(info, depths[i].depth);
        if (depths[i].depth < info->depth && !misfit(codec, &narrow, other)) {
            lower = depths[i].depth;
            snprintf(use, sizeof use, "use --depth=%s", depths[i].name);
        }
    }
    struct imf_info at_8 = at_depth(info, 8);
    unsigned set = holders(info), set_lower = lower ? 0 : holders(&at_8) & ~set;
    list(formats, "--format=", set, false);
    list(formats_lower, "--format=", set_lower, false);
    return imf_fail(err, IMF_ERR_FORMAT, "%s cannot hold %s (%s%s%s%s%s%s%s)", codec->doc.title,
                    what, use, lower && set ? ", or " : "", set ? "choose " : "", formats,
                    set_lower ? set ? ", or --depth=8 and " : "choose --depth=8 and " : "",
                    formats_lower,
                    info->color == IMF_COLOR_CMYK && !lower ? "; or convert it to RGB first" : "");
}
