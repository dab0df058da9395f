/* test_curve.c - how samples stand for light: as Little CMS has it, there and back, and of damage */
#ifdef IMF_WITH_LCMS2
#include "base/image/curve.h"
#include "check.h"
#include "codec/metadata/items.h"

#include <lcms2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FULL 65535

static const cmsCIExyY d65 = {0.3127, 0.3290, 1}, d50 = {0.3457, 0.3585, 1};
static const cmsCIExyYTRIPLE p3 = {{0.680, 0.320, 1}, {0.265, 0.690, 1}, {0.150, 0.060, 1}};
static const cmsCIExyYTRIPLE adobe = {{0.64, 0.33, 1}, {0.21, 0.71, 1}, {0.15, 0.06, 1}};
static const cmsCIExyYTRIPLE prophoto = {
    {0.7347, 0.2653, 1}, {0.1596, 0.8404, 1}, {0.0366, 0.0001, 1}};

/* ---- profiles ------------------------------------------------------------------------------- */

struct bytes {
    unsigned char *at;
    cmsUInt32Number size;
};

/* As a file holds it, with its numbers rounded; the profile is closed. */
static struct bytes saved(cmsHPROFILE profile) {
    struct bytes b = {NULL, 0};
    CHECK(profile && cmsSaveProfileToMem(profile, NULL, &b.size), "no profile");
    b.at = malloc(b.size);
    if (!b.at || !cmsSaveProfileToMem(profile, b.at, &b.size))
        abort();
    cmsCloseProfile(profile);
    return b;
}

static struct bytes rgb_of(const cmsCIExyY *white, const cmsCIExyYTRIPLE *primaries,
                           cmsToneCurve *red, cmsToneCurve *green, cmsToneCurve *blue) {
    cmsToneCurve *curves[] = {red, green, blue};
    return saved(cmsCreateRGBProfile(white, primaries, curves));
}

static double power_18(double x) {
    return x < 16.0 / 512 ? x / 16 : pow(x, 1.8);
}
static double square(double x) {
    return x * x;
}
static double cubic(double x) {
    return 0.1 * x + 0.9 * x * x * x;
}

static cmsToneCurve *sampled(double (*f)(double), int n) {
    cmsUInt16Number *entry = malloc((size_t)n * sizeof *entry);
    if (!entry)
        abort();
    for (int i = 0; i < n; i++)
        entry[i] = (cmsUInt16Number)(f((double)i / (n - 1)) * FULL + 0.5);
    cmsToneCurve *curve = cmsBuildTabulatedToneCurve16(NULL, (cmsUInt32Number)n, entry);
    free(entry);
    return curve;
}

static enum imf_status read_curve(struct imf_curve **out, const void *data, size_t size,
                                  enum imf_color color, struct imf_error *err) {
    struct imf_metadata m = {0};
    struct imf_info info = {.width = 1,
                            .height = 1,
                            .channels = color == IMF_COLOR_GRAY ? 1 : 3,
                            .depth = 8,
                            .color = color};
    if (!imf_metadata_add(&m, IMF_META_ICC, IMF_STRIP_ICC, data, size))
        abort();
    enum imf_status st = imf_curve_read(out, &m, &info, err);
    imf_metadata_clear(&m);
    return st;
}

/* ---- beside Little CMS ---------------------------------------------------------------------- */

/* Light of each channel alone, of all samples, as a transform to the same colours without curves
 * has it. */
static double farthest(const struct imf_curve *curve, const struct bytes *from,
                       const struct bytes *to) {
    cmsHPROFILE a = cmsOpenProfileFromMem(from->at, from->size);
    cmsHPROFILE b = cmsOpenProfileFromMem(to->at, to->size);
    cmsHTRANSFORM t = cmsCreateTransform(a, TYPE_RGB_FLT, b, TYPE_RGB_FLT,
                                         INTENT_RELATIVE_COLORIMETRIC, cmsFLAGS_NOOPTIMIZE);
    double most = 0;
    CHECK(t, "no transform");
    for (int i = 0; i <= FULL && t; i++) {
        float v = (float)i / FULL, in[3] = {v, v, v}, out[3];
        cmsDoTransform(t, in, out, 1);
        for (int c = 0; c < 3; c++) {
            double light = imf_curve_to_light(curve, imf_curve_of(curve, c, 3), (double)i / FULL);
            most = fmax(most, fabs(light - (double)out[c]));
        }
    }
    cmsDeleteTransform(t);
    cmsCloseProfile(a);
    cmsCloseProfile(b);
    return most;
}

static void run_identity(const char *what, struct imf_curve *curve, int depth,
                         enum imf_backend backend) {
    static const char *const spec[] = {"kernel:1"};
    struct imf_info info = {
        .width = 256, .height = 256, .channels = 3, .depth = depth, .color = IMF_COLOR_RGB};
    struct imf_settings settings = {.linear = true, .curve = curve, .backend = backend};
    struct imf_context *ctx = NULL;
    struct imf_filter *filter = NULL;
    struct imf_plan *plan = NULL;
    struct imf_workspace *ws = NULL;
    struct imf_error err = {0};
    size_t count = (size_t)256 * 256 * 3, bytes = count * (size_t)depth / 8, wrong = 0;
    uint16_t *in = malloc(2 * count), *out = calloc(count, 2);
    if (!in || !out)
        abort();
    for (size_t i = 0; i < count; i++)
        if (depth == 16)
            in[i] = (uint16_t)(i / 3);
        else
            ((uint8_t *)in)[i] = (uint8_t)(i / 3);
    bool ok = !imf_context_create(&ctx, &(struct imf_context_options){.cache_dir = ""}, &err) &&
              !imf_filter_parse(&filter, spec, 1, &err) &&
              !imf_plan_create(&plan, ctx, filter, &info, &settings, &err) &&
              !imf_workspace_create(&ws, plan, &err) &&
              !imf_workspace_run_memory(ws, in, bytes / 256, out, bytes / 256, NULL, NULL, &err);
    CHECK(ok, "%s: %s", what, err.text);
    for (size_t i = 0; i < bytes; i++)
        wrong += ((uint8_t *)in)[i] != ((uint8_t *)out)[i];
    CHECK(!wrong, "%s, %d bits, backend %d: %zu bytes of the identity differ", what, depth, backend,
          wrong);
    imf_workspace_free(&ws);
    imf_plan_free(&plan);
    imf_filter_free(&filter);
    imf_context_free(&ctx);
    free(in);
    free(out);
}

/* Of a filter that changes nothing, every sample; by floats where they are precise enough. */
static void check_identity(const char *what, struct imf_curve *curve) {
    for (int depth = 8; depth <= 16; depth += 8)
        run_identity(what, curve, depth, IMF_BACKEND_CPU);
    if (imf_curve_log_slope(curve, false) < 16)
        for (int depth = 8; depth <= 16; depth += 8)
            run_identity(what, curve, depth, IMF_BACKEND_VECTOR);
}

/* The weights of luminance are the Y that Little CMS has of a linear profile's colours. */
static void check_luma(const char *what, const struct imf_curve *curve,
                       const struct bytes *linear) {
    cmsHPROFILE from = cmsOpenProfileFromMem(linear->at, linear->size), xyz = cmsCreateXYZProfile();
    cmsHTRANSFORM t = cmsCreateTransform(from, TYPE_RGB_FLT, xyz, TYPE_XYZ_DBL,
                                         INTENT_RELATIVE_COLORIMETRIC, cmsFLAGS_NOOPTIMIZE);
    for (int c = 0; c < 3 && t; c++) {
        float v[3] = {(float)(c == 0), (float)(c == 1), (float)(c == 2)};
        double out[3], got = imf_curve_luma(curve)[c];
        cmsDoTransform(t, v, out, 1);
        CHECK(fabs(got - out[1]) < 1e-4, "%s: colour %d counts %g, not %g", what, c, got, out[1]);
    }
    CHECK(t, "no transform");
    cmsDeleteTransform(t);
    cmsCloseProfile(from);
    cmsCloseProfile(xyz);
}

static void check_rgb(const char *what, const cmsCIExyY *white, const cmsCIExyYTRIPLE *primaries,
                      cmsToneCurve *red, cmsToneCurve *green, cmsToneCurve *blue, int count) {
    cmsToneCurve *straight = cmsBuildGamma(NULL, 1);
    struct bytes from = rgb_of(white, primaries, red, green, blue);
    struct bytes to = rgb_of(white, primaries, straight, straight, straight);
    struct imf_curve *curve = NULL;
    struct imf_error err = {0};
    enum imf_status st = read_curve(&curve, from.at, from.size, IMF_COLOR_RGB, &err);
    CHECK(!st, "%s: %s", what, err.text);
    CHECK(curve && imf_curve_tables(curve) == count, "%s has %d curves", what,
          imf_curve_tables(curve));
    check_luma(what, curve, &to);
    double most = farthest(curve, &from, &to);
    CHECK(most <= 4e-5, "%s is %g off", what, most);
    check_identity(what, curve);
    imf_curve_free(&curve);
    free(from.at);
    free(to.at);
    cmsFreeToneCurve(straight);
}

static void check_one(const char *what, const cmsCIExyY *white, const cmsCIExyYTRIPLE *primaries,
                      cmsToneCurve *curve, int count) {
    check_rgb(what, white, primaries, curve, curve, curve, count);
    cmsFreeToneCurve(curve);
}

static cmsToneCurve *srgb(void) {
    const double numbers[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    return cmsBuildParametricToneCurve(NULL, 4, numbers);
}

static double srgb_of(double x) {
    return imf_curve_to_light(NULL, 0, x);
}

/* Flat at both ends and in the middle. */
static double steps(double x) {
    return x < 0.1 ? 0 : x > 0.9 ? 1 : x > 0.4 && x < 0.5 ? 0.375 : (x - 0.1) / 0.8;
}

static void check_profiles(void) {
    const double lifted[] = {2.2, 0.89, 0.1, 0.2, 0.1, 0.01, 0.012},
                 cie[] = {3, 1 / 1.16, 0.16 / 1.16};
    check_one("Display P3", &d65, &p3, srgb(), 0);
    check_one("sRGB of 1024 entries", &d65, &p3, sampled(srgb_of, 1024), 0);
    check_one("Adobe RGB", &d65, &adobe, cmsBuildGamma(NULL, 563 / 256.0), 1);
    check_one("ProPhoto", &d50, &prophoto, sampled(power_18, 1024), 1);
    check_one("gamma 1", &d65, &adobe, cmsBuildGamma(NULL, 1), 1);
    check_one("gamma 1.8", &d65, &adobe, cmsBuildGamma(NULL, 1.8), 1);
    check_one("gamma 2.2", &d65, &adobe, cmsBuildGamma(NULL, 2.2), 1);
    check_one("parametric", &d50, &p3, cmsBuildParametricToneCurve(NULL, 2, cie), 1);
    check_one("parametric, lifted", &d50, &p3, cmsBuildParametricToneCurve(NULL, 5, lifted), 1);
    check_one("2 entries", &d65, &p3, sampled(steps, 2), 1);
    check_one("256 entries", &d65, &p3, sampled(square, 256), 1);
    check_one("4096 entries", &d65, &p3, sampled(cubic, 4096), 1);
    check_one("flat stretches", &d65, &p3, sampled(steps, 4096), 1);
    cmsToneCurve *red = cmsBuildGamma(NULL, 1.8), *green = sampled(square, 300), *blue = srgb();
    check_rgb("three curves", &d65, &adobe, red, green, blue, 3);
    cmsFreeToneCurve(red);
    cmsFreeToneCurve(green);
    cmsFreeToneCurve(blue);
}

static void check_gray(const char *what, bool lab, double gamma) {
    cmsToneCurve *tone = cmsBuildGamma(NULL, gamma);
    cmsHPROFILE gray = cmsCreateGrayProfile(cmsD50_xyY(), tone);
    if (lab)
        cmsSetPCS(gray, cmsSigLabData);
    struct bytes b = saved(gray);
    struct imf_curve *curve = NULL;
    struct imf_error err = {0};
    CHECK(!read_curve(&curve, b.at, b.size, IMF_COLOR_GRAY, &err) && curve, "%s: %s", what,
          err.text);
    cmsHPROFILE from = cmsOpenProfileFromMem(b.at, b.size), xyz = cmsCreateXYZProfile();
    cmsHTRANSFORM t = cmsCreateTransform(from, TYPE_GRAY_FLT, xyz, TYPE_XYZ_DBL,
                                         INTENT_RELATIVE_COLORIMETRIC, cmsFLAGS_NOOPTIMIZE);
    double most = 0;
    for (int i = 0; i <= FULL && t && curve; i++) {
        float v = (float)i / FULL;
        double out[3];
        cmsDoTransform(t, &v, out, 1);
        most = fmax(most, fabs(imf_curve_to_light(curve, 0, (double)i / FULL) - out[1]));
    }
    CHECK(t && most <= 4e-5, "%s is %g off", what, most);
    imf_curve_free(&curve);
    CHECK(read_curve(&curve, b.at, b.size, IMF_COLOR_RGB, &err) == IMF_ERR_FORMAT && !curve,
          "%s is taken for RGB", what);
    cmsDeleteTransform(t);
    cmsCloseProfile(from);
    cmsCloseProfile(xyz);
    cmsFreeToneCurve(tone);
    free(b.at);
}

/* ---- what cannot be used -------------------------------------------------------------------- */

static void refuses(const char *what, struct bytes b, enum imf_status want, const char *words) {
    struct imf_curve *curve = NULL;
    struct imf_error err = {0};
    enum imf_status st = read_curve(&curve, b.at, b.size, IMF_COLOR_RGB, &err);
    CHECK(st == want && !curve && strstr(err.text, words), "%s: %d, %s", what, st, err.text);
    free(b.at);
}

static double fall(double x) {
    return 1 - x;
}
static double hollow(double x) {
    return x < 0.5 ? x : x < 0.6 ? 0.4 : x;
}
static double faint(double x) {
    return 0.4 * x;
}

static struct bytes of_tables(void) {
    cmsHPROFILE p = cmsCreateProfilePlaceholder(NULL);
    cmsPipeline *lut = cmsPipelineAlloc(NULL, 3, 3);
    cmsUInt16Number table[8 * 3] = {0};
    cmsSetColorSpace(p, cmsSigRgbData);
    cmsSetPCS(p, cmsSigLabData);
    cmsSetDeviceClass(p, cmsSigOutputClass);
    cmsPipelineInsertStage(lut, cmsAT_BEGIN, cmsStageAllocCLut16bit(NULL, 2, 3, 3, table));
    CHECK(cmsWriteTag(p, cmsSigAToB0Tag, lut), "no table");
    cmsPipelineFree(lut);
    return saved(p);
}

static struct bytes of_curve(cmsToneCurve *tone) {
    struct bytes b = rgb_of(&d65, &p3, tone, tone, tone);
    cmsFreeToneCurve(tone);
    return b;
}

static void check_refused(void) {
    struct bytes large = {calloc(1, (16u << 20) + 1), (16u << 20) + 1};
    refuses("tables", of_tables(), IMF_ERR_FORMAT, "tables");
    refuses("a curve that falls", of_curve(sampled(fall, 256)), IMF_ERR_DAMAGED, "falls");
    refuses("a curve with a hollow", of_curve(sampled(hollow, 256)), IMF_ERR_DAMAGED, "falls");
    refuses("a curve that ends halfway", of_curve(sampled(faint, 256)), IMF_ERR_DAMAGED, "flat");
    refuses("what is too large", large, IMF_ERR_FORMAT, "larger than 16 MiB");
    struct bytes b = of_curve(cmsBuildGamma(NULL, 1));
    memset(b.at + 36, 0, 4); /* the signature of profiles */
    refuses("no profile", b, IMF_ERR_DAMAGED, "damaged");
}

/* Whatever is read, it rises from light to light. */
static void check_damaged(struct bytes b) {
    unsigned seed = 1;
    unsigned char *copy = malloc(b.size);
    unsigned long used = 0, wrong = 0, odd = 0;
    for (int k = 0; copy && k < 600; k++) {
        struct imf_curve *curve = NULL;
        struct imf_error err = {0};
        size_t size = b.size;
        memcpy(copy, b.at, size);
        if (k < 200)
            size = 1 + size * (size_t)k / 200;
        for (int flips = k < 200 ? 0 : 1 + k % 7; flips > 0; flips--) {
            seed = seed * 1664525u + 1013904223u;
            copy[(seed >> 11) % size] ^= (unsigned char)(1u << (seed >> 8) % 8);
        }
        enum imf_status st = read_curve(&curve, copy, size, IMF_COLOR_RGB, &err);
        odd += st && (curve || !err.text[0] || (st != IMF_ERR_DAMAGED && st != IMF_ERR_FORMAT));
        used += curve != NULL;
        for (int c = 0; c < imf_curve_tables(curve); c++) {
            const double *light = imf_curve_table(curve, c);
            bool rises = light[0] >= 0 && light[FULL] <= 1;
            for (int i = 0; i < FULL; i++)
                rises = rises && light[i + 1] > light[i];
            wrong += !rises;
        }
        imf_curve_free(&curve);
    }
    CHECK(used > 50 && used < 600, "%lu of 600 damaged profiles used", used);
    CHECK(!wrong && !odd, "%lu curves do not rise, %lu failures are odd", wrong, odd);
    free(copy);
    free(b.at);
}

int main(void) {
    check_profiles();
    check_gray("gray, gamma 1.8", false, 1.8);
    check_gray("gray, linear", false, 1);
    check_gray("gray of L*", true, 1);
    check_refused();
    check_damaged(of_curve(cmsBuildGamma(NULL, 1.8)));
    check_damaged(of_curve(sampled(square, 64)));
    return check_done("test_curve");
}
#else
#include "check.h"
#include "imfilter_program.h"

#include <string.h>

int main(void) {
    CHECK(strstr(imf_built(false), "Little CMS"), "no profile can be made, nor read");
    return check_done("test_curve");
}
#endif
