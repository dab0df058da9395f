/*
 * coding.c - colours as a PNG's chunks name them
 *
 * png/chunks.c has checked the chunks' sizes. A gamma of 1/2.2 is that of sRGB, as most writers of gAMA
 * mean it, unless cHRM names other primaries.
 */
#include "codec/metadata/coding.h"

#include "base/error.h"
#include "base/image/samples.h"
#include "codec/metadata/bytes.h"

#include <math.h>
#include <string.h>

/* Gammas beyond this or its inverse are mistakes. */
#define GAMMA_MAX 10.0
#define UNIT 1e5 /* of gAMA and cHRM */
#define SRGB_GAMMA 45455
#define NEAR_GAMMA 50 /* writers round 1/2.2 to four digits, or to three */
#define NEAR_XY 1e-3
enum { BT_709 = 1, PQ = 16, HLG = 18, SRGB = 13 };

const struct imf_meta_item *imf_chunk_find(const struct imf_metadata *m, const char *name) {
    uint32_t tag = imf_get32(name);
    const struct imf_meta_item *item = imf_metadata_find(m, IMF_META_PNG_CHUNK);
    while (item && !(item->kind == IMF_META_PNG_CHUNK && item->tag == tag))
        item = item->next;
    return item;
}

/* ---- primaries (H.273, table 2) ------------------------------------------------------------- */

static const struct {
    int code;
    double xy[4][2]; /* white, red, green, blue */
} primaries[] = {{BT_709, {{.3127, .3290}, {.64, .33}, {.30, .60}, {.15, .06}}},
                 {4, {{.310, .316}, {.67, .33}, {.21, .71}, {.14, .08}}},
                 {5, {{.3127, .3290}, {.64, .33}, {.29, .60}, {.15, .06}}},
                 {6, {{.3127, .3290}, {.630, .340}, {.310, .595}, {.155, .070}}},
                 {7, {{.3127, .3290}, {.630, .340}, {.310, .595}, {.155, .070}}},
                 {8, {{.310, .316}, {.681, .319}, {.243, .692}, {.145, .049}}},
                 {9, {{.3127, .3290}, {.708, .292}, {.170, .797}, {.131, .046}}},
                 {10, {{1. / 3, 1. / 3}, {1, 0}, {0, 1}, {0, 0}}},
                 {11, {{.314, .351}, {.680, .320}, {.265, .690}, {.150, .060}}},
                 {12, {{.3127, .3290}, {.680, .320}, {.265, .690}, {.150, .060}}},
                 {22, {{.3127, .3290}, {.630, .340}, {.295, .605}, {.155, .077}}}};

static void set_primaries(struct imf_coding *c, int code) {
    for (size_t i = 0; i < sizeof primaries / sizeof primaries[0]; i++)
        if (primaries[i].code == code) {
            memcpy(c->xy, primaries[i].xy, sizeof c->xy);
            c->known = true;
        }
    c->srgb_primaries = code == BT_709;
}

static void set_chromaticities(struct imf_coding *c, const unsigned char *chrm) {
    bool near = true;
    set_primaries(c, BT_709);
    for (int i = 0; i < 8; i++) {
        double v = imf_get32(chrm + 4 * i) / UNIT;
        near = near && fabs(v - c->xy[i / 2][i % 2]) <= NEAR_XY;
    }
    for (int i = 0; i < 8 && !near; i++)
        c->xy[i / 2][i % 2] = imf_get32(chrm + 4 * i) / UNIT;
    c->srgb_primaries = near;
}

static double determinant(const double a[2], const double b[2], const double c[2]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
}

/* White is a mixture of the primaries: barycentric coordinates, each by its own y. */
void imf_coding_luma(const struct imf_coding *c, double luma[3]) {
    static const double bt_709[3] = {1 - IMF_LUMA_GREEN - IMF_LUMA_BLUE, IMF_LUMA_GREEN,
                                     IMF_LUMA_BLUE};
    const double *w = c->xy[0], *r = c->xy[1], *g = c->xy[2], *b = c->xy[3];
    double by = determinant(r, g, b) * w[1];
    luma[0] = r[1] * determinant(w, g, b) / by;
    luma[1] = g[1] * determinant(r, w, b) / by;
    luma[2] = b[1] * determinant(r, g, w) / by;
    if (c->srgb_primaries)
        memcpy(luma, bt_709, sizeof bt_709);
}

/* ---- transfer functions (H.273, table 3) ---------------------------------------------------- */

/* Light is ((v + a) / (1 + a))^power from `from` on, and below it v / slope. */
#define BT_709_CURVE 1 / .45, .099, .081, 4.5
static const struct {
    int code;
    double power, a, from, slope;
} transfers[] = {{BT_709, BT_709_CURVE},
                 {4, 2.2, 0, 0, 1},
                 {5, 2.8, 0, 0, 1},
                 {6, BT_709_CURVE},
                 {7, 1 / .45, .1115, .0912, 4},
                 {8, 1, 0, 0, 1},
                 {11, BT_709_CURVE},
                 {12, BT_709_CURVE},
                 {SRGB, 2.4, .055, .04045, 12.92},
                 {14, BT_709_CURVE},
                 {15, 1 / .45, .0993, .08145, 4.5},
                 {PQ, 0, 0, 0, 1},
                 {17, 2.6, 0, 0, 1},
                 {HLG, 0, 0, 0, 1}};

static size_t transfer_of(int code) {
    size_t i = 0;
    while (i < sizeof transfers / sizeof transfers[0] && transfers[i].code != code)
        i++;
    return i;
}

/* SMPTE ST 2084 */
static double pq(double v) {
    double m1 = 2610. / 16384, m2 = 2523. / 32, c1 = 3424. / 4096, c2 = 2413. / 128,
           c3 = 2392. / 128, e = pow(v, 1 / m2);
    return pow(fmax(e - c1, 0) / (c2 - c3 * e), 1 / m1);
}

/* BT.2100, table 5: the inverse of the camera's curve */
static double hlg(double v) {
    double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * log(4 * a);
    return v <= 0.5 ? v * v / 3 : (exp((v - c) / a) + b) / 12;
}

bool imf_coding_formula(const struct imf_coding *c, double p[5]) {
    if (c->transfer == PQ || c->transfer == HLG)
        return false;
    p[0] = c->power;
    p[1] = p[3] = 1;
    p[2] = p[4] = 0;
    if (!c->transfer)
        return true;
    size_t i = transfer_of(c->transfer);
    p[0] = transfers[i].power;
    p[1] = 1 / (1 + transfers[i].a);
    p[2] = transfers[i].a / (1 + transfers[i].a);
    p[3] = 1 / transfers[i].slope;
    p[4] = transfers[i].from;
    return true;
}

double imf_coding_light(const struct imf_coding *c, double v) {
    double p[5];
    if (!imf_coding_formula(c, p))
        return c->transfer == PQ ? pq(v) : hlg(v);
    return v < p[4] ? p[3] * v : pow(p[1] * v + p[2], p[0]);
}

bool imf_coding_has_srgb_curve(const struct imf_coding *c) {
    return c->transfer == SRGB;
}

/* ---- chunks --------------------------------------------------------------------------------- */

bool imf_coding_of_cicp(struct imf_coding *out, const struct imf_metadata *m) {
    const struct imf_meta_item *cicp = imf_chunk_find(m, "cICP");
    *out = (struct imf_coding){.cicp = cicp};
    if (!cicp)
        return false;
    out->transfer = cicp->data[1];
    set_primaries(out, cicp->data[0]);
    return transfer_of(out->transfer) < sizeof transfers / sizeof transfers[0];
}

enum imf_status imf_coding_of_gamma(struct imf_coding *out, const struct imf_metadata *m,
                                    struct imf_error *err) {
    const struct imf_meta_item *gama = imf_chunk_find(m, "gAMA"), *chrm = imf_chunk_find(m, "cHRM");
    *out = (struct imf_coding){.transfer = SRGB};
    set_primaries(out, BT_709);
    if (imf_chunk_find(m, "sRGB"))
        return IMF_OK;
    if (chrm)
        set_chromaticities(out, chrm->data);
    if (!gama)
        return IMF_OK;
    uint32_t gamma = imf_get32(gama->data);
    out->power = UNIT / gamma;
    if (out->power > GAMMA_MAX || out->power < 1 / GAMMA_MAX)
        return imf_fail(err, IMF_ERR_FORMAT, "a gamma of %g (gAMA) is not one that images have",
                        out->power);
    out->transfer = 0;
    return IMF_OK;
}

bool imf_coding_is_srgb(const struct imf_coding *c) {
    bool gamma = !c->transfer && fabs(UNIT / c->power - SRGB_GAMMA) <= NEAR_GAMMA;
    return c->srgb_primaries && (gamma || imf_coding_has_srgb_curve(c));
}
