/*
 * chunks.c - PNG's ancillary chunks as metadata
 *
 * Chunks are read as raw bytes instead of by libpng, which drops some gammas and refuses ICC profiles
 * that other readers accept. Text chunks are kept as they are for a PNG; XMP, EXIF and a comment in
 * them are kept for any format. What is deflated is inflated up to a bound.
 */
#include "codec/png/chunks.h"

#include "codec/codec.h"
#include "codec/metadata/bytes.h"
#include "codec/metadata/irb.h"
#include "codec/metadata/tiff.h"
#include "codec/png/profile.h"

#include <stdlib.h>
#include <string.h>

#define KEYWORD_MAX 79
#define NUMBER_MAX 0x7fffffffu /* of PNG's four-byte numbers */
#define INFLATIONS_MAX 16      /* of one file: it may consist of decompression bombs */

static struct imf_meta_item *add_raw(struct imf_reader *r, const struct imf_png_chunk *c,
                                     unsigned strip) {
    struct imf_meta_item *item =
        imf_reader_add_metadata(r, IMF_META_PNG_CHUNK, strip, c->data, c->size);
    if (item)
        item->tag = imf_get32((const unsigned char *)c->name);
    return item;
}

/* ---- text --------------------------------------------------------------------------------- */

/* A chunk's text: a part of the chunk, or inflated into `owned`. */
struct text {
    const unsigned char *at;
    size_t size;
    unsigned char *owned;
    bool over; /* inflated it would be too large */
};

static bool set_text(struct imf_reader *r, struct text *t, bool deflated, const unsigned char *at,
                     const unsigned char *end) {
    t->over = deflated && ++r->metadata.inflated > INFLATIONS_MAX;
    if (t->over)
        return false;
    t->size = (size_t)(end - at);
    t->owned = deflated
                   ? imf_png_inflate(at, t->size, &t->size, &t->over, &r->metadata.out_of_memory)
                   : NULL;
    t->at = deflated ? t->owned : at;
    return t->at != NULL;
}

/* Skip what stands between the keyword and the text: nothing (tEXt); the method (zTXt); or whether it
 * is deflated, the method, language and translated keyword (iTXt). NULL: it is malformed. */
static const unsigned char *text_at(char kind, const unsigned char *at, const unsigned char *end,
                                    bool *deflated) {
    *deflated = kind == 'z';
    if (kind == 't')
        return at;
    if (kind == 'i') {
        if (end - at < 2 || *at > 1)
            return NULL;
        *deflated = *at++ != 0;
    }
    if (at == end || *at++ != 0)
        return NULL;
    for (int strings = kind == 'i' ? 2 : 0; strings > 0; strings--) {
        at = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
        if (!at)
            return NULL;
        at++;
    }
    return at;
}

/* tEXt and zTXt are Latin-1; a JPEG's comment is UTF-8 by custom, at most twice as long. */
static bool latin1_to_utf8(struct text *t, bool *out_of_memory) {
    unsigned char *utf8 = malloc(2 * t->size + 1), *to = utf8;
    if (!utf8) {
        *out_of_memory = true;
        return false;
    }
    for (size_t i = 0; i < t->size; i++) {
        if (t->at[i] >= 0x80)
            *to++ = (unsigned char)(0xc0 | t->at[i] >> 6);
        *to++ = (unsigned char)(t->at[i] >= 0x80 ? 0x80 | (t->at[i] & 0x3f) : t->at[i]);
    }
    free(t->owned);
    *t = (struct text){.at = utf8, .size = (size_t)(to - utf8), .owned = utf8};
    return true;
}

/* The end of a keyword, or NULL. */
static const unsigned char *keyword_end(const struct imf_png_chunk *c) {
    size_t most = c->size < KEYWORD_MAX + 1 ? c->size : KEYWORD_MAX + 1;
    const unsigned char *nul = most ? memchr(c->data, 0, most) : NULL;
    return nul && nul > c->data ? nul : NULL;
}

static bool begins(const unsigned char *data, size_t size, const char *begin, size_t length) {
    return size >= length && memcmp(data, begin, length) == 0;
}

/* The first of several: ImageMagick writes the same twice. */
static void add_irb(struct imf_reader *r, const unsigned char *data, size_t size) {
    if (imf_metadata_find(&r->metadata, IMF_META_IRB) || size < 4)
        return;
    bool alone = memcmp(data, IMF_IRB_SIGNATURE, 4) != 0;
    unsigned char *irb = alone ? imf_irb_with_iptc(NULL, 0, data, size, &size)
                               : imf_irb_with_iptc(data, size, NULL, 0, &size);
    r->metadata.out_of_memory |= !irb;
    struct imf_meta_item *item =
        irb ? imf_reader_add_metadata(r, IMF_META_IRB, IMF_STRIP_OTHER, irb, size) : NULL;
    if (item)
        item->derived = true;
    free(irb);
}

/* Add the EXIF or XMP in a text; false if it holds neither. */
static bool add_exif_or_xmp(struct imf_reader *r, const unsigned char *data, size_t size) {
    static const char exif[] = IMF_EXIF_PREFIX, xmp[] = IMF_XMP_PREFIX;
    size_t skip = begins(data, size, exif, sizeof exif) ? sizeof exif
                  : begins(data, size, xmp, sizeof xmp) ? sizeof xmp
                                                        : 0;
    data += skip;
    size -= skip;
    if (imf_tiff_begins(data, size)) {
        if (!imf_metadata_find(&r->metadata, IMF_META_EXIF_TEXT))
            imf_reader_add_metadata(r, IMF_META_EXIF_TEXT, IMF_STRIP_EXIF, data, size);
    } else if (skip == sizeof xmp || begins(data, size, "<?xpacket", 9)) {
        imf_reader_add_metadata(r, IMF_META_XMP, IMF_STRIP_XMP, data, size);
    } else {
        return false;
    }
    return true;
}

#define IN_TEXT(kind) (1u << IMF_META_PNG_CHUNK | 1u << (kind))
/* Keywords of ImageMagick's texts, in upper or lower case. */
static const struct profile {
    const char *keyword;
    unsigned strip, items; /* a set of what it may hold, as text or in another form */
} profiles[] = {
    {"raw profile type exif", IMF_STRIP_EXIF, IN_TEXT(IMF_META_EXIF)},
    {"raw profile type app1", IMF_STRIP_EXIF, IN_TEXT(IMF_META_EXIF)},
    {"raw profile type xmp", IMF_STRIP_XMP, IN_TEXT(IMF_META_XMP)},
    {"raw profile type 8bim", IMF_STRIP_OTHER, IN_TEXT(IMF_META_IRB)},
    {"raw profile type iptc", IMF_STRIP_OTHER, IN_TEXT(IMF_META_IRB)},
    {"raw profile type icc", IMF_STRIP_ICC, 1 << IMF_META_PNG_CHUNK},
    {"raw profile type icm", IMF_STRIP_ICC, 1 << IMF_META_PNG_CHUNK},
};
#define PROFILES (sizeof profiles / sizeof profiles[0])

static const struct profile *profile_of(const char *keyword) {
    for (size_t i = 0; i < PROFILES; i++)
        if (imf_same_word(keyword, profiles[i].keyword))
            return &profiles[i];
    return NULL;
}

bool imf_png_names_exif(const char *keyword) {
    const struct profile *profile = profile_of(keyword);
    return profile && profile->strip == IMF_STRIP_EXIF;
}

static void add_profile(struct imf_reader *r, const struct imf_png_chunk *c,
                        const struct profile *profile, const unsigned char *at, bool deflated) {
    struct text text = {0};
    size_t size = 0;
    unsigned char *data = NULL;
    bool irb = profile->items & 1 << IMF_META_IRB;
    if (profile->items != 1 << IMF_META_PNG_CHUNK &&
        set_text(r, &text, deflated, at, c->data + c->size))
        data = imf_png_profile(text.at, text.size, &size, &r->metadata.out_of_memory);
    bool added = data && !irb && add_exif_or_xmp(r, data, size);
    if (!added && !c->again && add_raw(r, c, profile->strip) && data && irb)
        add_irb(r, data, size);
    if (c->after_pixels)
        imf_png_use_exif_text(r);
    free(data);
    free(text.owned);
}

void imf_png_use_exif_text(struct imf_reader *r) {
    const struct imf_meta_item *text = imf_metadata_find(&r->metadata, IMF_META_EXIF_TEXT);
    if (!text || imf_metadata_find(&r->metadata, IMF_META_EXIF))
        return;
    r->at = imf_account_key(&r->account, text);
    struct imf_meta_item *exif =
        imf_reader_add_metadata(r, IMF_META_EXIF, IMF_STRIP_EXIF, text->data, text->size);
    if (exif)
        exif->derived = true;
}

/* By its keyword. */
static void name_text(struct imf_reader *r, const char *keyword) {
    char text[KEYWORD_MAX + 8] = "text \"";
    size_t n = strlen(text);
    for (; *keyword && n < sizeof text - 2; keyword++)
        text[n++] = *keyword >= ' ' && *keyword < 0x7f ? *keyword : '?';
    text[n] = '"';
    imf_reader_lose(r, text, NULL);
}

static void add_text(struct imf_reader *r, const struct imf_png_chunk *c) {
    const unsigned char *nul = keyword_end(c), *end = c->data + c->size;
    const char *keyword = (const char *)c->data;
    char kind = c->name[0];
    bool deflated;
    const unsigned char *at = nul ? text_at(kind, nul + 1, end, &deflated) : NULL;
    if (!at) {
        imf_reader_lose(r, NULL, "malformed");
        return;
    }
    const struct profile *profile = profile_of(keyword);
    name_text(r, keyword);
    if (profile) {
        add_profile(r, c, profile, at, deflated);
        return;
    }
    bool xml = strcmp(keyword, "XML:com.adobe.xmp") == 0, xmp = xml && kind == 'i';
    struct text text = {0};
    bool found = (xmp || strcmp(keyword, "Comment") == 0) && set_text(r, &text, deflated, at, end);
    if (found && xmp) {
        imf_reader_add_metadata(r, IMF_META_XMP, IMF_STRIP_XMP, text.at, text.size);
    } else if (add_raw(r, c, xml ? IMF_STRIP_XMP : IMF_STRIP_OTHER) && found &&
               (kind == 'i' || latin1_to_utf8(&text, &r->metadata.out_of_memory))) {
        struct imf_meta_item *item =
            imf_reader_add_metadata(r, IMF_META_COMMENT, IMF_STRIP_OTHER, text.at, text.size);
        if (item)
            item->derived = true;
    }
    free(text.owned);
}

/* ---- the others --------------------------------------------------------------------------- */

static void add_exif(struct imf_reader *r, const struct imf_png_chunk *c) {
    imf_reader_add_exif(r, c->data, c->size);
}

static void add_icc(struct imf_reader *r, const struct imf_png_chunk *c) {
    const unsigned char *nul = keyword_end(c), *end = c->data + c->size;
    bool deflated;
    const unsigned char *at = nul ? text_at('z', nul + 1, end, &deflated) : NULL;
    struct text profile = {0};
    bool good = at && !c->after_pixels && set_text(r, &profile, deflated, at, end);
    if (good && imf_reader_add_metadata(r, IMF_META_ICC, IMF_STRIP_ICC, profile.at, profile.size))
        memcpy(r->metadata.icc_name, c->data, (size_t)(nul - c->data));
    else if (!good)
        imf_reader_lose(r, NULL, profile.over ? "too large" : "damaged");
    free(profile.owned);
}

static void add_density(struct imf_reader *r, const struct imf_png_chunk *c) {
    if (c->size != 9 || c->data[8] > 1 || imf_get32(c->data) - 1 >= NUMBER_MAX ||
        imf_get32(c->data + 4) - 1 >= NUMBER_MAX) {
        imf_reader_lose(r, NULL, "malformed");
        return;
    }
    struct imf_density *known = &r->metadata.density,
                       density = {c->data[8] == 1 ? IMF_DENSITY_METRE : IMF_DENSITY_ASPECT,
                                  imf_get32(c->data), imf_get32(c->data + 4)};
    if (known->unit == IMF_DENSITY_NONE)
        *known = density;
    if (memcmp(known, &density, sizeof density) == 0)
        imf_account_claim(&r->account, r->at, NULL);
    else
        imf_reader_lose(r, NULL, "the first of its kind counts");
}

static bool good_gamma(const unsigned char *data) {
    uint32_t gamma = imf_get32(data);
    return gamma > 0 && gamma <= NUMBER_MAX;
}

/* x and y of white, red, green and blue in 1/100000: each sum is 1 at most, and the primaries are a
 * triangle. */
static bool good_primaries(const unsigned char *data) {
    enum { WHOLE = 100000 };
    double x[4], y[4];
    for (int i = 0; i < 4; i++) {
        x[i] = imf_get32(data + 8 * i);
        y[i] = imf_get32(data + 8 * i + 4);
        if (x[i] + y[i] > WHOLE)
            return false;
    }
    double area = (x[2] - x[1]) * (y[3] - y[1]) - (x[3] - x[1]) * (y[2] - y[1]);
    return y[0] > 0 && area != 0;
}

static bool good_intent(const unsigned char *data) {
    return *data <= 3;
}

/* The matrix must be that of RGB. */
static bool good_coding(const unsigned char *data) {
    return data[2] == 0 && data[3] <= 1;
}

static void add_other(struct imf_reader *r, const struct imf_png_chunk *c) {
    if (!c->again)
        add_raw(r, c, IMF_STRIP_OTHER);
}

/* ---- the chunks --------------------------------------------------------------------------- */

/* What is not here is kept as it is if its name says that this does no harm (PNG, 5.4), else lost. */
static const struct kind {
    char type[5];
    enum imf_becomes becomes; /* lost: unless `add` finds a use */
    unsigned strip;
    const char *title;
    void (*add)(struct imf_reader *r, const struct imf_png_chunk *c);
    /* Of gamma, primaries and the like, which stand before the pixels, once; metadata/coding.c relies on
     * it. good: NULL, or what other readers accept. */
    size_t size;
    bool (*good)(const unsigned char *data);
} kinds[] = {
    {"IHDR", IMF_STRUCTURE, 0, "header", NULL, 0, NULL},
    {"PLTE", IMF_STRUCTURE, 0, "palette", NULL, 0, NULL},
    {"tRNS", IMF_STRUCTURE, 0, "transparent colour", NULL, 0, NULL},
    {"IDAT", IMF_PIXELS, 0, "pixels", NULL, 0, NULL},
    {"IEND", IMF_STRUCTURE, 0, "end", NULL, 0, NULL},
    {"acTL", IMF_LOST, 0, IMF_PNG_FRAMES, NULL, 0, NULL},
    {"fcTL", IMF_LOST, 0, IMF_PNG_FRAMES, NULL, 0, NULL},
    {"fdAT", IMF_LOST, 0, IMF_PNG_FRAMES, NULL, 0, NULL},
    {"tEXt", IMF_LOST, IMF_STRIP_OTHER, "text", add_text, 0, NULL},
    {"zTXt", IMF_LOST, IMF_STRIP_OTHER, "text", add_text, 0, NULL},
    {"iTXt", IMF_LOST, IMF_STRIP_OTHER, "text", add_text, 0, NULL},
    {"eXIf", IMF_LOST, IMF_STRIP_EXIF, "EXIF", add_exif, 0, NULL},
    {"iCCP", IMF_LOST, IMF_STRIP_ICC, "ICC profile", add_icc, 0, NULL},
    {"gAMA", IMF_LOST, IMF_STRIP_OTHER, "gamma", add_other, 4, good_gamma},
    {"cHRM", IMF_LOST, IMF_STRIP_OTHER, "primaries of colours (cHRM)", add_other, 32,
     good_primaries},
    {"sRGB", IMF_LOST, IMF_STRIP_OTHER, "sRGB mark", add_other, 1, good_intent},
    {"cICP", IMF_LOST, IMF_STRIP_OTHER, "coding of colours (cICP)", add_other, 4, good_coding},
    {"mDCV", IMF_LOST, IMF_STRIP_OTHER, "colours of the display (mDCV)", add_other, 24, NULL},
    {"mDCv", IMF_LOST, IMF_STRIP_OTHER, "colours of the display (mDCv)", add_other, 24, NULL},
    {"cLLI", IMF_LOST, IMF_STRIP_OTHER, "light levels (cLLI)", add_other, 8, NULL},
    {"cLLi", IMF_LOST, IMF_STRIP_OTHER, "light levels (cLLi)", add_other, 8, NULL},
    {"pHYs", IMF_LOST, IMF_STRIP_OTHER, "resolution", add_density, 0, NULL},
    {"bKGD", IMF_LOST, IMF_STRIP_OTHER, "background colour", add_other, 0, NULL},
    {"sBIT", IMF_LOST, IMF_STRIP_OTHER, "significant bits", add_other, 0, NULL},
    {"sTER", IMF_LOST, IMF_STRIP_OTHER, "stereo layout", add_other, 0, NULL},
    {"tIME", IMF_LOST, IMF_STRIP_OTHER, "time of the last change", add_other, 0, NULL},
    {"hIST", IMF_LOST, IMF_STRIP_OTHER, "histogram of the palette", NULL, 0, NULL},
    {"sPLT", IMF_LOST, IMF_STRIP_OTHER, "suggested palette", NULL, 0, NULL},
    {"iDOT", IMF_LOST, IMF_STRIP_OTHER, "Apple's index of rows (iDOT)", NULL, 0, NULL},
    {"caBX", IMF_LOST, IMF_STRIP_OTHER, "signature (C2PA)", NULL, 0, NULL},
};

static const struct kind *kind_of(const char *type) {
    static const struct kind other[] = {
        {"", IMF_LOST, IMF_STRIP_OTHER, "unknown chunk", NULL, 0, NULL},
        {"", IMF_LOST, IMF_STRIP_OTHER, "unknown chunk", add_other, 0, NULL}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (memcmp(type, kinds[i].type, 4) == 0)
            return &kinds[i];
    return &other[type[3] >> 5 & 1];
}

void imf_png_add_chunk(struct imf_reader *r, const struct imf_png_chunk *chunk) {
    const struct kind *kind = kind_of(chunk->name);
    const char *why = NULL;
    if (kind->size) {
        unsigned bit = 1u << (kind - kinds);
        bool good = chunk->size == kind->size && (!kind->good || kind->good(chunk->data));
        why = chunk->after_pixels        ? "after the pixels"
              : !good                    ? "malformed"
              : r->metadata.colors & bit ? "the first of its kind counts"
                                         : NULL;
        r->metadata.colors |= bit;
    }
    if (why)
        imf_reader_lose(r, NULL, why);
    else if (kind->add)
        kind->add(r, chunk);
}

void imf_png_enter_chunk(struct imf_reader *r, uint64_t at, const char *type, uint64_t bytes) {
    const struct kind *kind = kind_of(type);
    char text[40];
    if (*kind->type) {
        imf_account_add(&r->account, at, bytes, kind->becomes, kind->strip, kind->title);
        return;
    }
    snprintf(text, sizeof text, "unknown chunk ....");
    for (int i = 0; i < 4; i++)
        if (type[i] > ' ' && type[i] < 0x7f)
            text[14 + i] = type[i];
    imf_account_add(&r->account, at, bytes, IMF_LOST, kind->strip, text);
}

/* By what adds it. */
static unsigned items_of(const struct kind *kind) {
    return kind->add == add_exif      ? 1 << IMF_META_EXIF
           : kind->add == add_icc     ? 1 << IMF_META_ICC
           : kind->add == add_density ? 1 << IMF_META_KINDS
           : kind->add                ? 1 << IMF_META_PNG_CHUNK
                                      : 0;
}

/* What becomes of texts, beside that of all in a PNG. */
static bool text_kind(size_t i, struct imf_part_kind *out) {
    static const struct profile texts[] = {
        {"Comment", IMF_STRIP_OTHER, IN_TEXT(IMF_META_COMMENT)},
        {"XML:com.adobe.xmp", IMF_STRIP_XMP, IN_TEXT(IMF_META_XMP)}};
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    if (i >= TEXTS + PROFILES)
        return false;
    const struct profile *p = i < TEXTS ? &texts[i] : &profiles[i - TEXTS];
    snprintf(out->name, sizeof out->name, "text \"%s\"", p->keyword);
    out->items = p->items;
    return true;
}

bool imf_png_part(size_t i, struct imf_part_kind *out) {
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    const struct kind *kind = i < KINDS ? &kinds[i] : NULL;
    if (kind && kind->becomes == IMF_LOST) {
        snprintf(out->name, sizeof out->name, "%s", kind->title);
        out->items = items_of(kind);
        out->tag = imf_get32(kind->type);
    } else if (i == KINDS || i == KINDS + 1) {
        snprintf(out->name, sizeof out->name, "unknown chunk that may%s be copied",
                 i == KINDS ? "" : " not");
        out->items = i == KINDS ? 1 << IMF_META_PNG_CHUNK : 0;
    }
    return kind || i < KINDS + 2 || text_kind(i - KINDS - 2, out);
}
