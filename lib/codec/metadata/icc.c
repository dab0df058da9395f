/*
 * icc.c - an image's transfer function and luminance: the curves and matrix of its ICC profile, read by
 * Little CMS, or what PNG's chunks say
 *
 * A profile of curves and a matrix has a curve for each colour, or one for gray. A profile of tables
 * (a printer's, say) has no curve to linear light. Of PNG's chunks the first of cICP, iCCP, sRGB and
 * gAMA counts (PNG, third edition, 4.3). A profile's luminance is that of its colours relative to D50,
 * as color management has it; that of chunks is relative to their own white.
 */
#include "base/arguments.h"
#include "base/error.h"
#include "base/image/curve.h"
#include "base/image/info.h"
#include "codec/metadata/coding.h"

#include <math.h>
#include <stdlib.h>
#ifdef IMF_WITH_LCMS2
#include "codec/metadata/cms.h"
#else
typedef void cmsToneCurve; /* none is read: curves are powers */
#endif

#define LAST (IMF_CURVE_POINTS - 1)
/* A curve is sRGB's if it is no farther from it than profiles with sRGB's curve in 16 bits are. */
#define SAME 3e-5
#define SAMPLED 51
#define UNSPECIFIED 2 /* cICP's transfer function */

/* A tone curve of the profile, or (NULL) the chunks' curve. */
struct source {
    const cmsToneCurve *tone;
    bool lightness; /* its values are CIE L* / 100 */
    const struct imf_coding *coding;
};

#ifdef IMF_WITH_LCMS2
static double tone_at(const cmsToneCurve *tone, double x) {
    if (cmsGetToneCurveParametricType(tone))
        return cmsEvalToneCurveFloat(tone, (cmsFloat32Number)x);
    /* Between entries Little CMS would round to 16 bits. */
    const cmsUInt16Number *entry = cmsGetToneCurveEstimatedTable(tone);
    int last = (int)cmsGetToneCurveEstimatedTableEntries(tone) - 1;
    double at = x * last;
    int i = (int)fmin(at, last - 1);
    return last < 1 ? NAN : (entry[i] + (at - i) * (entry[i + 1] - entry[i])) / 65535.0;
}
#else
static double tone_at(const cmsToneCurve *tone, double x) {
    (void)tone;
    (void)x;
    return NAN;
}
#endif

static double light_at(const struct source *s, double x) {
    if (!s->tone)
        return imf_coding_light(s->coding, x);
    double v = tone_at(s->tone, x);
    if (!s->lightness)
        return v;
    return v > 0.08 ? pow((v + 0.16) / 1.16, 3) : v * 2700 / 24389;
}

static bool is_srgb(const struct source *s) {
    for (int i = 0; i <= LAST; i += SAMPLED) {
        double x = (double)i / LAST;
        if (!(fabs(light_at(s, x) - imf_curve_to_light(NULL, 0, x)) <= SAME))
            return false;
    }
    return true;
}

/* luma: NULL for Rec. 709's. */
static enum imf_status make_curve(struct imf_curve **out, const struct source *s, int count,
                                  const double *luma, struct imf_error *err) {
    bool srgb = true;
    for (int i = 0; i < count; i++)
        srgb = srgb && is_srgb(&s[i]);
    if (srgb && !luma)
        return IMF_OK;
    count = srgb ? 0 : count;
    struct imf_curve *curve = *out = imf_curve_make(count);
    if (!curve)
        return imf_fail_memory(err, (size_t)count * IMF_CURVE_POINTS * sizeof(double));
    if (luma)
        imf_curve_set_luma(curve, luma);
    for (int i = 0; i < count; i++) {
        double *light = imf_curve_points(curve, i);
        for (int k = 0; k <= LAST; k++)
            light[k] = light_at(&s[i], (double)k / LAST);
    }
    if (imf_curve_settle(curve))
        return IMF_OK;
    imf_curve_free(out);
    return imf_fail(err, IMF_ERR_DAMAGED, "a curve of the ICC profile falls, or is flat");
}

/* ---- profiles ------------------------------------------------------------------------------- */

#ifdef IMF_WITH_LCMS2
#define PROFILE_MAX ((size_t)16 << 20)
#define LUMA_MAX 2 /* a weight beyond it or its negative is a mistake */

/* The Y of the colours, which is 1 in all. False: there are none that can be used. */
static bool read_luma(double luma[3], cmsHPROFILE profile) {
    static const cmsTagSignature tag[] = {cmsSigRedColorantTag, cmsSigGreenColorantTag,
                                          cmsSigBlueColorantTag};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const cmsCIEXYZ *xyz = cmsIsTag(profile, tag[i]) ? cmsReadTag(profile, tag[i]) : NULL;
        if (!xyz)
            return false;
        luma[i] = xyz->Y;
        sum += luma[i];
    }
    bool good = sum > 0.5;
    for (int i = 0; i < 3; i++) {
        luma[i] /= sum;
        good = good && fabs(luma[i]) <= LUMA_MAX;
    }
    return good;
}

/* Gray pixels take the curve of green from a profile of colours, as gray made of colours does. */
static enum imf_status read_curves(struct imf_curve **out, cmsHPROFILE profile,
                                   enum imf_color color, struct imf_error *err) {
    static const cmsTagSignature gray[] = {cmsSigGrayTRCTag}, green[] = {cmsSigGreenTRCTag},
                                 rgb[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
    bool of_gray = cmsGetColorSpace(profile) == cmsSigGrayData;
    const cmsTagSignature *tag = of_gray ? gray : color == IMF_COLOR_GRAY ? green : rgb;
    int count = color == IMF_COLOR_GRAY ? 1 : 3;
    struct source s[3] = {{.tone = NULL}};
    double luma[3];
    for (int i = 0; i < count; i++) {
        if (!cmsIsTag(profile, tag[i]))
            return imf_fail(err, IMF_ERR_FORMAT, "the ICC profile has tables instead of curves");
        s[i].tone = cmsReadTag(profile, tag[i]);
        if (!s[i].tone)
            return imf_fail(err, IMF_ERR_DAMAGED, "a curve of the ICC profile is damaged");
        s[i].lightness = of_gray && cmsGetPCS(profile) == cmsSigLabData;
    }
    /* Tags that share their data give one curve. */
    bool same = count == 3 && s[1].tone == s[0].tone && s[2].tone == s[0].tone;
    bool weighs = color == IMF_COLOR_RGB && read_luma(luma, profile);
    return make_curve(out, s, same ? 1 : count, weighs ? luma : NULL, err);
}

static enum imf_status read_profile(struct imf_curve **out, const struct imf_meta_item *icc,
                                    enum imf_color color, struct imf_error *err) {
    if (icc->size > PROFILE_MAX)
        return imf_fail(err, IMF_ERR_FORMAT, "the ICC profile is larger than 16 MiB");
    if (!imf_icc_fits(icc, color) && !(color == IMF_COLOR_GRAY && imf_icc_fits(icc, IMF_COLOR_RGB)))
        return imf_fail(err, IMF_ERR_FORMAT, "the ICC profile is not for %s images",
                        color == IMF_COLOR_GRAY ? "gray" : "RGB");
    struct imf_cms_heap heap;
    cmsContext context = imf_cms_open(&heap);
    if (!context)
        return imf_fail_memory(err, icc->size);
    cmsHPROFILE profile = cmsOpenProfileFromMemTHR(context, icc->data, (cmsUInt32Number)icc->size);
    enum imf_status st = profile ? read_curves(out, profile, color, err)
                                 : imf_fail(err, IMF_ERR_DAMAGED, "the ICC profile is damaged");
    if (profile)
        cmsCloseProfile(profile);
    cmsDeleteContext(context);
    if (heap.out_of_memory) {
        imf_curve_free(out);
        return imf_fail_memory(err, icc->size);
    }
    return st;
}
#else
static enum imf_status read_profile(struct imf_curve **out, const struct imf_meta_item *icc,
                                    enum imf_color color, struct imf_error *err) {
    (void)out;
    (void)icc;
    (void)color;
    return imf_fail(err, IMF_ERR_FORMAT,
                    "this imfilter was built without Little CMS, which reads ICC profiles: "
                    "build it with liblcms2, or leave out --linear");
}
#endif

/* ---- PNG's chunks --------------------------------------------------------------------------- */

static enum imf_status read_coding(struct imf_curve **out, const struct imf_coding *coding,
                                   struct imf_error *err) {
    struct source s = {.coding = coding};
    double luma[3];
    bool weighs = coding->known && !coding->srgb_primaries;
    if (weighs)
        imf_coding_luma(coding, luma);
    if (imf_coding_has_srgb_curve(coding) && !weighs)
        return IMF_OK;
    return make_curve(out, &s, 1, weighs ? luma : NULL, err);
}

enum imf_status imf_curve_read(struct imf_curve **out, const struct imf_metadata *metadata,
                               const struct imf_info *info, struct imf_error *err) {
    const struct imf_meta_item *icc = imf_metadata_find(metadata, IMF_META_ICC);
    struct imf_coding cicp, gamma;
    *out = NULL;
    enum imf_status status = imf_check_info(info, err);
    if (status)
        return status;
    if (imf_coding_of_cicp(&cicp, metadata))
        return read_coding(out, &cicp, err);
    if (icc)
        return read_profile(out, icc, info->color, err);
    status = imf_coding_of_gamma(&gamma, metadata, err);
    bool none = !imf_chunk_find(metadata, "sRGB") && !imf_chunk_find(metadata, "gAMA");
    if (!imf_info_integer(info)) { /* floats are light, where nothing says otherwise */
        *out = imf_curve_make_light();
        return *out ? IMF_OK : imf_fail_memory(err, sizeof(double) * IMF_CURVE_POINTS);
    }
    if (!status && none && cicp.cicp && cicp.transfer != UNSPECIFIED)
        return imf_fail(err, IMF_ERR_FORMAT, "the transfer function %d (cICP) is not known",
                        cicp.transfer);
    return status ? status : read_coding(out, &gamma, err);
}
