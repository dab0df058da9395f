/* coding.h - colours as a PNG's chunks name them: cICP (ITU-T H.273), sRGB, gAMA and cHRM */
#ifndef IMF_CODEC_METADATA_CODING_H
#define IMF_CODEC_METADATA_CODING_H

#include "codec/metadata/items.h"

struct imf_coding {
    const struct imf_meta_item *cicp; /* that says so, or NULL */
    double xy[4][2];                  /* white, red, green and blue */
    bool known;                       /* are they? cICP may name others */
    bool srgb_primaries;
    int transfer; /* H.273's; 0: a power */
    double power;
};

/* The first of a PNG's chunks of that name, or NULL. */
const struct imf_meta_item *imf_chunk_find(const struct imf_metadata *m, const char *name);
/* From cICP; false: there is none, or of a transfer function that is not known. */
bool imf_coding_of_cicp(struct imf_coding *out, const struct imf_metadata *m);
/* From sRGB, or gAMA and cHRM; without them, sRGB's. */
enum imf_status imf_coding_of_gamma(struct imf_coding *out, const struct imf_metadata *m,
                                    struct imf_error *err);
bool imf_coding_has_srgb_curve(const struct imf_coding *c);
/* Is it sRGB, whose images need no profile? A gamma of 1/2.2 is. */
bool imf_coding_is_srgb(const struct imf_coding *c);
/* The light of a value, both on 0..1; of PQ, 1 is 10,000 cd/m2, of HLG the light of the scene. */
double imf_coding_light(const struct imf_coding *c, double v);
/* The same as a formula: (p1 v + p2)^p0 from p4 on, and below it p3 v. False: it is another one. */
bool imf_coding_formula(const struct imf_coding *c, double p[5]);
/* The weights of red, green and blue in luminance; known primaries have them. */
void imf_coding_luma(const struct imf_coding *c, double luma[3]);

#endif
