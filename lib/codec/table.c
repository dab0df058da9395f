/*
 * table.c - the formats
 *
 * A format is a row here; all else about it stands in its own folder. Files are recognised in the order
 * of the formats' numbers. Those that need a library are here where it was found.
 */
#include "codec/table.h"

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

/* Name what of such an image the format cannot store; false when it can store all. */
static bool misfit(const struct imf_codec *c, const struct imf_info *info, char what[MISFIT_TEXT]) {
    static const char *const color[] = {
        [IMF_COLOR_GRAY] = "gray", [IMF_COLOR_RGB] = "colours", [IMF_COLOR_CMYK] = "CMYK"};
    if (!(c->colors & 1u << info->color))
        snprintf(what, MISFIT_TEXT, "%s", color[info->color]);
    else if (info->alpha && !c->alpha)
        snprintf(what, MISFIT_TEXT, "an alpha channel");
    else if (!(c->depths & (unsigned)info->depth))
        snprintf(what, MISFIT_TEXT, "%d-bit samples", info->depth);
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

enum imf_status imf_codec_fits(const struct imf_codec *codec, const struct imf_info *info,
                               struct imf_error *err) {
    char what[MISFIT_TEXT], other[MISFIT_TEXT], formats[IMF_FORMATS_TEXT],
        formats_8[IMF_FORMATS_TEXT];
    struct imf_info at_8 = *info;
    unsigned set = 0, set_8 = 0;
    if (!misfit(codec, info, what))
        return IMF_OK;
    at_8.depth = 8;
    for (size_t i = 0; i < FORMATS; i++) {
        set |= !codecs[i] || misfit(codecs[i], info, other) ? 0 : 1u << i;
        set_8 |= !codecs[i] || misfit(codecs[i], &at_8, other) ? 0 : 1u << i;
    }
    bool enough = !misfit(codec, &at_8, other);
    list(formats, "--format=", set, false);
    list(formats_8, "--format=", set_8 & ~set, false);
    return imf_fail(err, IMF_ERR_FORMAT, "%s cannot hold %s (%schoose %s%s%s%s)", codec->doc.title,
                    what, enough ? "use --depth=8, or " : "", formats,
                    !enough && *formats_8 ? ", or --depth=8 and " : "", enough ? "" : formats_8,
                    info->color == IMF_COLOR_CMYK && !enough ? "; or convert it to RGB first" : "");
}
