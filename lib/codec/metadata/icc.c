/*
 * icc.c - an image's transfer function: the curves of its ICC profile, read by Little CMS, or what
 * PNG's chunks say
 *
 * A profile of curves and a matrix has a curve for each colour, or one for gray. A profile of tables
 * (a printer's, say) has no curve to linear light. Of PNG's chunks the first of cICP, iCCP, sRGB and
 * gAMA counts (PNG, third edition, 4.3).
 */
#include "base/arguments.h"
#include "base/curve.h"
#include "base/error.h"
#include "codec/metadata/bytes.h"
#include "codec/metadata/items.h"

#include <math.h>
#include <stdlib.h>
#ifdef IMF_WITH_LCMS2
#include <lcms2_plugin.h>
#else
typedef void cmsToneCurve; /* none is read: curves are powers */
#endif

#define LAST (IMF_CURVE_POINTS - 1)
/* A curve is sRGB's if it is no farther from it than profiles with sRGB's curve in 16 bits are. */
#define SAME 3e-5
#define SAMPLED 51
/* Gammas beyond this or its inverse are mistakes. */
#define GAMMA_MAX 10.0
#define UNSPECIFIED 2 /* cICP's transfer function */

/* A tone curve of the profile, or (NULL) a power. */
struct source {
    const cmsToneCurve *tone;
    bool lightness; /* its values are CIE L* / 100 */
    double power;
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
        return pow(x, s->power);
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

static enum imf_status make_curve(struct imf_curve **out, const struct source *s, int count,
                                  struct imf_error *err) {
    bool srgb = true;
    for (int i = 0; i < count; i++)
        srgb = srgb && is_srgb(&s[i]);
    if (srgb)
        return IMF_OK;
    struct imf_curve *curve = *out = imf_curve_make(count);
    if (!curve)
        return imf_fail_memory(err, (size_t)count * IMF_CURVE_POINTS * sizeof(double));
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
#define CONTEXTS 2060                        /* the version of Little CMS that has them */
#define HEAP_MAX ((cmsUInt32Number)32 << 20) /* what Little CMS may ask for at once */

static enum imf_status read_curves(struct imf_curve **out, cmsHPROFILE profile,
                                   enum imf_color color, struct imf_error *err) {
    static const cmsTagSignature gray[] = {cmsSigGrayTRCTag},
                                 rgb[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
    const cmsTagSignature *tag = color == IMF_COLOR_GRAY ? gray : rgb;
    int count = color == IMF_COLOR_GRAY ? 1 : 3;
    struct source s[3] = {{.tone = NULL}};
    for (int i = 0; i < count; i++) {
        if (!cmsIsTag(profile, tag[i]))
            return imf_fail(err, IMF_ERR_FORMAT, "the ICC profile has tables instead of curves");
        s[i].tone = cmsReadTag(profile, tag[i]);
        if (!s[i].tone)
            return imf_fail(err, IMF_ERR_DAMAGED, "a curve of the ICC profile is damaged");
        s[i].lightness = color == IMF_COLOR_GRAY && cmsGetPCS(profile) == cmsSigLabData;
    }
    /* Tags that share their data give one curve. */
    bool same = count == 3 && s[1].tone == s[0].tone && s[2].tone == s[0].tone;
    return make_curve(out, s, same ? 1 : count, err);
}

/* Little CMS reports a lack of memory as damage. */
struct heap {
    bool out_of_memory;
};

static void *note(cmsContext context, void *memory, cmsUInt32Number size) {
    struct heap *heap = cmsGetContextUserData(context);
    if (!memory && size <= HEAP_MAX && heap)
        heap->out_of_memory = true;
    return memory;
}

static void *allocate(cmsContext context, cmsUInt32Number size) {
    return note(context, size <= HEAP_MAX ? malloc(size) : NULL, size);
}

static void *reallocate(cmsContext context, void *memory, cmsUInt32Number size) {
    return note(context, size <= HEAP_MAX ? realloc(memory, size) : NULL, size);
}

static void release(cmsContext context, void *memory) {
    (void)context;
    free(memory);
}

/* No lock is needed: a context is used by one thread. (Little CMS's own mutexes crash where memory is
 * short.) */
static void *make_mutex(cmsContext context) {
    return context;
}

static void ignore_mutex(cmsContext context, void *mutex) {
    (void)context;
    (void)mutex;
}

static cmsBool lock_mutex(cmsContext context, void *mutex) {
    ignore_mutex(context, mutex);
    return TRUE;
}

/* The default handler prints nothing either, but belongs to the process. */
static void log_nothing(cmsContext context, cmsUInt32Number code, const char *text) {
    (void)context;
    (void)code;
    (void)text;
}

static enum imf_status read_profile(struct imf_curve **out, const struct imf_meta_item *icc,
                                    enum imf_color color, struct imf_error *err) {
    if (icc->size > PROFILE_MAX)
        return imf_fail(err, IMF_ERR_FORMAT, "the ICC profile is larger than 16 MiB");
    if (!imf_icc_fits(icc, color))
        return imf_fail(err, IMF_ERR_FORMAT, "the ICC profile is not for %s images",
                        color == IMF_COLOR_GRAY ? "gray" : "RGB");
    cmsPluginMutex mutex = {.base = {cmsPluginMagicNumber, CONTEXTS, cmsPluginMutexSig, NULL},
                            .CreateMutexPtr = make_mutex,
                            .DestroyMutexPtr = ignore_mutex,
                            .LockMutexPtr = lock_mutex,
                            .UnlockMutexPtr = ignore_mutex};
    cmsPluginMemHandler memory = {
        .base = {cmsPluginMagicNumber, CONTEXTS, cmsPluginMemHandlerSig, &mutex.base},
        .MallocPtr = allocate,
        .FreePtr = release,
        .ReallocPtr = reallocate};
    struct heap heap = {.out_of_memory = false};
    cmsContext context = cmsCreateContext(&memory, &heap);
    if (!context)
        return imf_fail_memory(err, icc->size);
    cmsSetLogErrorHandlerTHR(context, log_nothing);
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

static const struct imf_meta_item *find_chunk(const struct imf_metadata *m, const char *name) {
    uint32_t tag = imf_get32(name);
    const struct imf_meta_item *item = imf_metadata_find(m, IMF_META_PNG_CHUNK);
    while (item && !(item->kind == IMF_META_PNG_CHUNK && item->tag == tag))
        item = item->next;
    return item;
}

/* png/chunks.c has checked the chunks' sizes. */
static enum imf_status read_gamma(struct imf_curve **out, const struct imf_meta_item *gama,
                                  struct imf_error *err) {
    struct source s = {.power = 1e5 / imf_get32(gama->data)};
    if (s.power > GAMMA_MAX || s.power < 1 / GAMMA_MAX)
        return imf_fail(err, IMF_ERR_FORMAT, "a gamma of %g (gAMA) is not one that images have",
                        s.power);
    return make_curve(out, &s, 1, err);
}

/* The power of an ITU-T H.273 transfer characteristic; 0: sRGB's curve; -1: another curve. */
static double power_of(int coding) {
    enum { GAMMA_22 = 4, GAMMA_28 = 5, LINEAR = 8, SRGB = 13 };
    return coding == GAMMA_22   ? 2.2
           : coding == GAMMA_28 ? 2.8
           : coding == LINEAR   ? 1
           : coding == SRGB     ? 0
                                : -1;
}

enum imf_status imf_curve_read(struct imf_curve **out, const struct imf_metadata *metadata,
                               const struct imf_info *info, struct imf_error *err) {
    const struct imf_meta_item *icc = imf_metadata_find(metadata, IMF_META_ICC);
    const struct imf_meta_item *gama = find_chunk(metadata, "gAMA");
    const struct imf_meta_item *cicp = find_chunk(metadata, "cICP");
    int coding = cicp ? cicp->data[1] : UNSPECIFIED;
    struct source known = {.power = power_of(coding)};
    *out = NULL;
    enum imf_status status = imf_check_info(info, err);
    if (status)
        return status;
    if (known.power >= 0)
        return known.power > 0 ? make_curve(out, &known, 1, err) : IMF_OK;
    if (icc)
        return read_profile(out, icc, info->color, err);
    if (find_chunk(metadata, "sRGB"))
        return IMF_OK;
    if (gama)
        return read_gamma(out, gama, err);
    if (coding == UNSPECIFIED)
        return IMF_OK;
    return imf_fail(err, IMF_ERR_FORMAT,
                    "the transfer function %d (cICP) is none of 4, 5, 8 and 13", coding);
}
