/*
 * codec_png_chunk.c - PNG's ancillary chunks as metadata
 *
 * Chunks come as raw bytes, past libpng, which would judge gamma and refuse ICC profiles that
 * everyone else reads. Text chunks are kept as they are, for a PNG, and XMP, ICC and a comment are
 * taken out of them, for any format; what is deflated is inflated up to a bound.
 */
#include "codec_png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define KEYWORD_MAX 79
#define INFLATED_MAX ((size_t)16 << 20)
#define INFLATIONS_MAX 16 /* a file of nothing but bombs takes no longer */

static struct imf_meta_item *add_raw(struct imf_reader *r, const struct imf_png_chunk *c,
                                     unsigned strip) {
    struct imf_meta_item *item = imf_reader_keep(r, IMF_META_PNG_CHUNK, strip, c->data, c->size);
    if (item)
        item->tag = imf_png_get32((const unsigned char *)c->name);
    return item;
}

/* Inflate a whole zlib stream; NULL when it is damaged, over INFLATED_MAX or memory is short. */
static unsigned char *inflated(const unsigned char *data, size_t size, size_t *out_size) {
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size};
    unsigned char *out = NULL, *grown;
    int code = inflateInit(&z);
    if (code != Z_OK)
        return NULL;
    for (size_t room = 16384; code == Z_OK && room <= INFLATED_MAX; room *= 2) {
        if (!(grown = realloc(out, room)))
            break;
        out = grown;
        z.next_out = out + z.total_out;
        z.avail_out = (uInt)(room - z.total_out);
        code = inflate(&z, Z_NO_FLUSH);
    }
    *out_size = z.total_out;
    inflateEnd(&z);
    if (code == Z_STREAM_END)
        return out;
    free(out);
    return NULL;
}

/* ---- text --------------------------------------------------------------------------------- */

/* A text chunk's text in the chunk itself, or inflated into `owned`. */
struct text {
    const unsigned char *at;
    size_t size;
    unsigned char *owned;
};

static bool set_text(struct imf_reader *r, struct text *t, bool deflated, const unsigned char *at,
                     const unsigned char *end) {
    if (deflated && ++r->metadata.inflated > INFLATIONS_MAX)
        return false;
    t->size = (size_t)(end - at);
    t->owned = deflated ? inflated(at, t->size, &t->size) : NULL;
    t->at = deflated ? t->owned : at;
    return t->at != NULL;
}

/* Behind the keyword: nothing (tEXt); the method (zTXt); or whether it is deflated, the method,
 * language and translated keyword (iTXt). */
static bool find_text(struct imf_reader *r, struct text *t, char kind, const unsigned char *at,
                      const unsigned char *end) {
    bool deflated = kind == 'z';
    if (kind == 't')
        return set_text(r, t, false, at, end);
    if (kind == 'i') {
        if (end - at < 2)
            return false;
        deflated = *at++ != 0;
    }
    if (at == end || *at++ != 0)
        return false;
    for (int strings = kind == 'i' ? 2 : 0; strings > 0; strings--) {
        at = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
        if (!at)
            return false;
        at++;
    }
    return set_text(r, t, deflated, at, end);
}

/* tEXt and zTXt are Latin-1; a JPEG comment is by custom UTF-8, at most twice as long. */
static bool latin1_to_utf8(struct text *t) {
    unsigned char *utf8 = malloc(2 * t->size + 1), *to = utf8;
    if (!utf8)
        return false;
    for (size_t i = 0; i < t->size; i++) {
        if (t->at[i] >= 0x80)
            *to++ = (unsigned char)(0xc0 | t->at[i] >> 6);
        *to++ = (unsigned char)(t->at[i] >= 0x80 ? 0x80 | (t->at[i] & 0x3f) : t->at[i]);
    }
    free(t->owned);
    *t = (struct text){utf8, (size_t)(to - utf8), utf8};
    return true;
}

/* Keywords of text that `strip` has a name for ("Raw profile" is ImageMagick's). */
static unsigned text_strip(const char *keyword) {
    static const struct {
        const char *keyword;
        unsigned strip;
    } known[] = {
        {"XML:com.adobe.xmp", IMF_STRIP_XMP},      {"Raw profile type xmp", IMF_STRIP_XMP},
        {"Raw profile type exif", IMF_STRIP_EXIF}, {"Raw profile type APP1", IMF_STRIP_EXIF},
        {"Raw profile type icc", IMF_STRIP_ICC},   {"Raw profile type icm", IMF_STRIP_ICC},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(keyword, known[i].keyword) == 0)
            return known[i].strip;
    return IMF_STRIP_OTHER;
}

/* The end of a keyword, or NULL. */
static const unsigned char *keyword_end(const struct imf_png_chunk *c) {
    size_t most = c->size < KEYWORD_MAX + 1 ? c->size : KEYWORD_MAX + 1;
    const unsigned char *nul = most ? memchr(c->data, 0, most) : NULL;
    return nul && nul > c->data ? nul : NULL;
}

static void take_text(struct imf_reader *r, const struct imf_png_chunk *c) {
    const unsigned char *nul = keyword_end(c), *end = c->data + c->size;
    if (!nul)
        return;
    const char *keyword = (const char *)c->data;
    char kind = c->name[0];
    bool xmp = strcmp(keyword, "XML:com.adobe.xmp") == 0 && kind == 'i';
    struct text text = {0};
    bool found =
        (xmp || strcmp(keyword, "Comment") == 0) && find_text(r, &text, kind, nul + 1, end);
    if (found && xmp) {
        imf_reader_keep(r, IMF_META_XMP, IMF_STRIP_XMP, text.at, text.size);
    } else if (add_raw(r, c, text_strip(keyword)) && found &&
               (kind == 'i' || latin1_to_utf8(&text))) {
        struct imf_meta_item *item =
            imf_reader_keep(r, IMF_META_COMMENT, IMF_STRIP_OTHER, text.at, text.size);
        if (item)
            item->derived = true;
    }
    free(text.owned);
}

/* ---- the others --------------------------------------------------------------------------- */

static void take_exif(struct imf_reader *r, const struct imf_png_chunk *c) {
    bool prefixed = c->size >= 6 && memcmp(c->data, "Exif\0", 6) == 0; /* a known mistake */
    size_t skip = prefixed ? 6 : 0;
    imf_reader_keep(r, IMF_META_EXIF, IMF_STRIP_EXIF, c->data + skip, c->size - skip);
}

static void take_icc(struct imf_reader *r, const struct imf_png_chunk *c) {
    const unsigned char *nul = keyword_end(c);
    struct text profile = {0};
    if (nul && !c->after_pixels && find_text(r, &profile, 'z', nul + 1, c->data + c->size))
        imf_reader_keep(r, IMF_META_ICC, IMF_STRIP_ICC, profile.at, profile.size);
    else
        imf_reader_warn(r, "a damaged ICC profile was left out");
    free(profile.owned);
}

static void take_density(struct imf_reader *r, const struct imf_png_chunk *c) {
    if (c->size == 9)
        r->metadata.density =
            (struct imf_density){c->data[8] == 1 ? IMF_DENSITY_METRE : IMF_DENSITY_ASPECT,
                                 imf_png_get32(c->data), imf_png_get32(c->data + 4)};
}

/* Gamma, primaries and the like: once, and before the pixels. */
static void take_color(struct imf_reader *r, const struct imf_png_chunk *c) {
    if (c->after_pixels)
        return;
    for (const struct imf_meta_item *i = r->metadata.first; i; i = i->next)
        if (i->kind == IMF_META_PNG_CHUNK &&
            i->tag == imf_png_get32((const unsigned char *)c->name))
            return;
    add_raw(r, c, IMF_STRIP_OTHER);
}

static void take_animation(struct imf_reader *r, const struct imf_png_chunk *c) {
    (void)c;
    imf_reader_warn(r, "only the first frame of an animated PNG is read");
}

static const struct {
    char name[5];
    void (*take)(struct imf_reader *r, const struct imf_png_chunk *c);
} chunks[] = {
    {"tEXt", take_text},    {"zTXt", take_text},      {"iTXt", take_text},  {"eXIf", take_exif},
    {"gAMA", take_color},   {"cHRM", take_color},     {"sRGB", take_color}, {"cICP", take_color},
    {"mDCV", take_color},   {"cLLI", take_color},     {"mDCv", take_color}, {"cLLi", take_color},
    {"pHYs", take_density}, {"acTL", take_animation}, {"iCCP", take_icc},
};
#define CHUNKS (sizeof chunks / sizeof chunks[0])

const char *imf_png_chunk_name(size_t index) {
    return index < CHUNKS ? chunks[index].name : NULL;
}

void imf_png_take_chunk(struct imf_reader *r, const struct imf_png_chunk *chunk) {
    for (size_t i = 0; i < CHUNKS; i++)
        if (memcmp(chunk->name, chunks[i].name, 4) == 0)
            chunks[i].take(r, chunk);
}
