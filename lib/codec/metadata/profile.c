/*
 * profile.c - ICC profiles that say what other metadata say, made by Little CMS
 *
 * A matrix and curves, or for gray a curve. Those of cICP have ICC.1:2022's tag of the same name, too,
 * by which readers that know PQ and HLG find them; to others these are curves in a table.
 */
#include "codec/metadata/profile.h"

#include "base/error.h"
#include "codec/metadata/bytes.h"
#include "codec/metadata/coding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef IMF_WITH_LCMS2
#include "codec/metadata/cms.h"

#define ENTRIES 4096 /* of a curve that no formula of ICC's has */
#define NAME_BYTES 128

/* ---- curves --------------------------------------------------------------------------------- */

static cmsToneCurve *curve_of(cmsContext context, const struct imf_coding *c) {
    enum { FORMULA = 4 }; /* Little CMS's number */
    double p[5];
    if (imf_coding_formula(c, p))
        return cmsBuildParametricToneCurve(context, FORMULA, p);
    cmsUInt16Number table[ENTRIES];
    for (int i = 0; i < ENTRIES; i++)
        table[i] = (cmsUInt16Number)rint(65535 * imf_coding_light(c, i / (ENTRIES - 1.0)));
    return cmsBuildTabulatedToneCurve16(context, ENTRIES, table);
}

/* ---- profiles ------------------------------------------------------------------------------- */

/* xy: of white, red, green and blue. */
static cmsHPROFILE make(cmsContext context, enum imf_color color, const double xy[4][2],
                        cmsToneCurve *curve) {
    const cmsCIExyY white = {xy[0][0], xy[0][1], 1};
    const cmsCIExyYTRIPLE rgb = {
        {xy[1][0], xy[1][1], 1}, {xy[2][0], xy[2][1], 1}, {xy[3][0], xy[3][1], 1}};
    cmsToneCurve *const curves[3] = {curve, curve, curve};
    if (!curve)
        return NULL;
    return color == IMF_COLOR_GRAY ? cmsCreateGrayProfileTHR(context, cmsD50_xyY(), curve)
                                   : cmsCreateRGBProfileTHR(context, &white, &rgb, curves);
}

static bool set_name(cmsContext context, cmsHPROFILE profile, const char *name) {
    cmsMLU *text = cmsMLUalloc(context, 1);
    bool set = text && cmsMLUsetASCII(text, "en", "US", name) &&
               cmsWriteTag(profile, cmsSigProfileDescriptionTag, text);
    cmsMLUfree(text);
    return set;
}

static bool set_cicp(cmsHPROFILE profile, const struct imf_meta_item *cicp) {
#if LCMS_VERSION >= 2140
    cmsVideoSignalType type = {cicp->data[0], cicp->data[1], cicp->data[2], cicp->data[3]};
    return cmsWriteTag(profile, cmsSigcicpTag, &type);
#else
    (void)profile, (void)cicp;
    return true;
#endif
}

/* The same bytes at any time. */
static struct imf_meta_item *save(cmsHPROFILE profile) {
    enum { DATE = 24, DATE_SIZE = 12 };
    static const unsigned char date[DATE_SIZE] = {2026 >> 8, 2026 & 255, 0, 1, 0, 1};
    cmsUInt32Number size = 0;
    cmsSetProfileVersion(profile, 4.4);
    if (!cmsSaveProfileToMem(profile, NULL, &size) || size < 128)
        return NULL;
    struct imf_meta_item *item = calloc(1, sizeof *item + size);
    if (!item || !cmsSaveProfileToMem(profile, item->data, &size)) {
        free(item);
        return NULL;
    }
    memcpy(item->data + DATE, date, sizeof date);
    item->kind = IMF_META_ICC;
    item->strip = IMF_STRIP_ICC;
    item->size = size;
    return item;
}

static enum imf_status finish(struct imf_meta_item **out, cmsContext context,
                              const struct imf_cms_heap *heap, enum imf_status status,
                              struct imf_error *err) {
    cmsDeleteContext(context);
    if (!heap->out_of_memory && (*out || status))
        return status;
    free(*out);
    *out = NULL;
    return imf_fail(err, IMF_ERR_MEMORY, "out of memory for an ICC profile");
}

/* ---- from another profile ------------------------------------------------------------------- */

static enum imf_status convert(struct imf_meta_item **out, cmsContext context, cmsHPROFILE from,
                               enum imf_color color, struct imf_error *err) {
    static const double srgb[4][2] = {{.3127, .3290}, {.64, .33}, {.30, .60}, {.15, .06}};
    cmsTagSignature tag = color == IMF_COLOR_GRAY ? cmsSigGreenTRCTag : cmsSigGrayTRCTag;
    char name[NAME_BYTES] = "profile";
    if (!cmsIsTag(from, tag) || cmsGetPCS(from) != cmsSigXYZData)
        return imf_fail(err, IMF_ERR_FORMAT, "it has tables instead of curves");
    cmsToneCurve *curve = cmsReadTag(from, tag);
    if (!curve)
        return imf_fail(err, IMF_ERR_DAMAGED, "a curve of it is damaged");
    cmsGetProfileInfoASCII(from, cmsInfoDescription, "en", "US", name,
                           sizeof name - sizeof " (gray)");
    strcat(name, color == IMF_COLOR_GRAY ? " (gray)" : " (RGB)");
    cmsHPROFILE profile = make(context, color, srgb, curve);
    if (profile && set_name(context, profile, name))
        *out = save(profile);
    cmsCloseProfile(profile);
    return IMF_OK;
}

enum imf_status imf_profile_convert(struct imf_meta_item **out, const struct imf_meta_item *icc,
                                    enum imf_color color, struct imf_error *err) {
    *out = NULL;
    if (!imf_icc_fits(icc, color == IMF_COLOR_GRAY ? IMF_COLOR_RGB : IMF_COLOR_GRAY))
        return imf_fail(err, IMF_ERR_FORMAT, "it is for other colours");
    struct imf_cms_heap heap;
    cmsContext context = imf_cms_open(&heap);
    if (!context)
        return imf_fail_memory(err, icc->size);
    cmsHPROFILE from = cmsOpenProfileFromMemTHR(context, icc->data, (cmsUInt32Number)icc->size);
    enum imf_status status = from ? convert(out, context, from, color, err)
                                  : imf_fail(err, IMF_ERR_DAMAGED, "it is damaged");
    if (from)
        cmsCloseProfile(from);
    return finish(out, context, &heap, status, err);
}

/* ---- from a PNG's chunks -------------------------------------------------------------------- */

static enum imf_status make_of(struct imf_meta_item **out, const struct imf_coding *c,
                               enum imf_color color, struct imf_error *err) {
    struct imf_cms_heap heap;
    cmsContext context = imf_cms_open(&heap);
    if (!context)
        return imf_fail_memory(err, sizeof *c);
    char name[NAME_BYTES];
    if (c->cicp)
        snprintf(name, sizeof name, "cICP %d-%d-%d-%d", c->cicp->data[0], c->cicp->data[1],
                 c->cicp->data[2], c->cicp->data[3]);
    else
        snprintf(name, sizeof name, c->transfer ? "cHRM" : "gAMA %.5f", 1 / c->power);
    cmsToneCurve *curve = curve_of(context, c);
    cmsHPROFILE profile = make(context, color, c->xy, curve);
    if (profile && set_name(context, profile, name) &&
        (!c->cicp || color != IMF_COLOR_RGB || set_cicp(profile, c->cicp)))
        *out = save(profile);
    if (profile)
        cmsCloseProfile(profile);
    if (curve)
        cmsFreeToneCurve(curve);
    return finish(out, context, &heap, IMF_OK, err);
}
#else
enum imf_status imf_profile_convert(struct imf_meta_item **out, const struct imf_meta_item *icc,
                                    enum imf_color color, struct imf_error *err) {
    (void)icc, (void)color;
    *out = NULL;
    return imf_fail(err, IMF_ERR_FORMAT, "this imfilter was built without Little CMS");
}

static enum imf_status make_of(struct imf_meta_item **out, const struct imf_coding *c,
                               enum imf_color color, struct imf_error *err) {
    (void)out, (void)c, (void)color;
    return imf_fail(err, IMF_ERR_FORMAT, "this imfilter was built without Little CMS");
}
#endif

enum imf_status imf_profile_of_chunks(struct imf_meta_item **out, const struct imf_metadata *m,
                                      enum imf_color color, struct imf_error *err) {
    struct imf_coding c;
    *out = NULL;
    bool named = imf_coding_of_cicp(&c, m);
    if (c.cicp && !(named && c.known && c.cicp->data[3] == 1))
        return imf_fail(err, IMF_ERR_FORMAT, "of cICP %d-%d-%d-%d no ICC profile can be made",
                        c.cicp->data[0], c.cicp->data[1], c.cicp->data[2], c.cicp->data[3]);
    enum imf_status status = named ? IMF_OK : imf_coding_of_gamma(&c, m, err);
    return status || imf_coding_is_srgb(&c) ? status : make_of(out, &c, color, err);
}
