/*
 * xmp_edit.c - parts of an XMP packet that are removed or changed
 *
 * One pass over the tags: an element with a name to be removed goes with its content, an attribute
 * alone, and the rest is copied byte for byte.
 */
#include "codec/metadata/xmp.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    unsigned part;
    const char *space, *local; /* namespace, and how names in it begin */
} rules[] = {
    {IMF_XMP_TRAILER_REFS, "http://ns.adobe.com/hdr-gain-map/1.0/", ""},
    {IMF_XMP_TRAILER_REFS, "http://ns.apple.com/HDRGainMap/1.0/", ""},
    {IMF_XMP_TRAILER_REFS, "http://ns.google.com/photos/1.0/container/", ""},
    {IMF_XMP_TRAILER_REFS, "http://ns.google.com/photos/1.0/camera/", "MicroVideo"},
    {IMF_XMP_TRAILER_REFS, "http://ns.google.com/photos/1.0/camera/", "MotionPhoto"},
    {IMF_XMP_PICTURES, "http://ns.adobe.com/xap/1.0/", "Thumbnails"},
    {IMF_XMP_PICTURES, "http://ns.adobe.com/xap/1.0/g/img/", ""},
    {IMF_XMP_PICTURES, "http://ns.google.com/photos/1.0/image/", ""},
    {IMF_XMP_PICTURES, "http://ns.google.com/photos/1.0/depthmap/", ""},
    {IMF_XMP_EXTENSION_NOTE, "http://ns.adobe.com/xmp/note/", "HasExtendedXMP"},
};
#define RULES (sizeof rules / sizeof rules[0])

#define DECLARES "xmlns:"
#define PREFIXES_MAX 32

/* Names to be removed, by the prefixes that this packet has for the namespaces. */
struct removal {
    struct {
        const unsigned char *prefix;
        size_t length;
        const char *local;
    } names[PREFIXES_MAX];
    size_t count;
};

struct edit {
    const unsigned char *at, *end;
    unsigned char *to;
    struct removal removal;
};

static bool is_space(int c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool ends_name(int c) {
    return is_space(c) || c == '=' || c == '/' || c == '>' || c == '"' || c == '\'';
}

/* ---- names -------------------------------------------------------------------------------- */

static size_t name_length(const unsigned char *at, const unsigned char *end) {
    const unsigned char *p = at;
    while (p < end && !ends_name(*p))
        p++;
    return (size_t)(p - at);
}

/* Each once: a packet may declare the same prefix in many elements. */
static void add_prefix(struct removal *d, const unsigned char *prefix, size_t length,
                       const char *local) {
    for (size_t i = 0; i < d->count; i++)
        if (d->names[i].length == length && d->names[i].local == local &&
            memcmp(d->names[i].prefix, prefix, length) == 0)
            return;
    if (length > 0 && d->count < PREFIXES_MAX) {
        d->names[d->count].prefix = prefix;
        d->names[d->count].length = length;
        d->names[d->count++].local = local;
    }
}

/* What xmlns:PREFIX="SPACE" declares. */
static void find_prefixes(struct removal *d, const unsigned char *xmp, const unsigned char *end,
                          unsigned parts) {
    for (const unsigned char *at = xmp;
         (at = memmem(at, (size_t)(end - at), DECLARES, sizeof DECLARES - 1)) != NULL;) {
        const unsigned char *prefix = at + sizeof DECLARES - 1;
        size_t length = name_length(prefix, end);
        for (at = prefix + length; at < end && (is_space(*at) || *at == '=');)
            at++;
        for (size_t i = 0; i < RULES; i++) {
            size_t n = strlen(rules[i].space);
            if ((parts & rules[i].part) && (size_t)(end - at) >= n + 2 &&
                (*at == '"' || *at == '\'') && at[n + 1] == *at &&
                memcmp(at + 1, rules[i].space, n) == 0)
                add_prefix(d, prefix, length, rules[i].local);
        }
    }
}

static bool is_removed(const struct removal *d, const unsigned char *name, size_t length) {
    const size_t declares = sizeof DECLARES - 1;
    bool declared = length > declares && memcmp(name, DECLARES, declares) == 0;
    if (declared) {
        name += declares;
        length -= declares;
    }
    for (size_t i = 0; i < d->count; i++) {
        size_t prefix = d->names[i].length, local = strlen(d->names[i].local);
        if (length < prefix || memcmp(name, d->names[i].prefix, prefix) != 0)
            continue;
        if (declared ? length == prefix && local == 0
                     : length >= prefix + 1 + local && name[prefix] == ':' &&
                           memcmp(name + prefix + 1, d->names[i].local, local) == 0)
            return true;
    }
    return false;
}

/* ---- tags --------------------------------------------------------------------------------- */

/* The end of the markup that begins at `at`, or NULL. */
static const unsigned char *markup_end(const unsigned char *at, const unsigned char *end) {
    static const struct {
        const char *begin, *end;
    } quoted[] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    for (size_t i = 0; i < sizeof quoted / sizeof quoted[0]; i++) {
        size_t n = strlen(quoted[i].begin), m = strlen(quoted[i].end);
        if ((size_t)(end - at) < n || memcmp(at, quoted[i].begin, n) != 0)
            continue;
        const unsigned char *close = memmem(at + n, (size_t)(end - at) - n, quoted[i].end, m);
        return close ? close + m : NULL;
    }
    for (int quote = 0; at < end; at++) {
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else if (!quote && *at == '>')
            return at + 1;
    }
    return NULL;
}

static void copy(struct edit *e, const unsigned char *until) {
    memcpy(e->to, e->at, (size_t)(until - e->at));
    e->to += until - e->at;
    e->at = until;
}

/* The end of the element whose start tag ends at `at`. */
static const unsigned char *element_end(const unsigned char *at, const unsigned char *end) {
    for (int depth = 1; depth > 0;) {
        at = memchr(at, '<', (size_t)(end - at));
        const unsigned char *close = at ? markup_end(at, end) : NULL;
        if (!close)
            return NULL;
        if (at[1] == '/')
            depth--;
        else if (at[1] != '!' && at[1] != '?' && close[-2] != '/')
            depth++;
        at = close;
    }
    return at;
}

/* Copy the attributes of a tag that is kept, which ends at `end`. */
static void copy_attributes(struct edit *e, const unsigned char *end) {
    while (e->at < end) {
        const unsigned char *name = e->at;
        while (name < end && is_space(*name))
            name++;
        size_t length = name_length(name, end);
        const unsigned char *value = name + length;
        while (value < end && *value != '"' && *value != '\'')
            value++;
        const unsigned char *close =
            value < end ? memchr(value + 1, *value, (size_t)(end - value) - 1) : NULL;
        if (length == 0 || !close)
            break;
        if (is_removed(&e->removal, name, length))
            e->at = close + 1;
        else
            copy(e, close + 1);
    }
    copy(e, end);
}

static bool edit_tag(struct edit *e) {
    const unsigned char *close = markup_end(e->at, e->end);
    if (!close)
        return false;
    const unsigned char *name = e->at + 1;
    if (*name == '!' || *name == '?' || *name == '/') {
        copy(e, close);
        return true;
    }
    size_t length = name_length(name, close);
    if (!is_removed(&e->removal, name, length)) {
        copy(e, name + length);
        copy_attributes(e, close);
        return true;
    }
    e->at = close[-2] == '/' ? close : element_end(close, e->end);
    return e->at != NULL;
}

unsigned char *imf_xmp_remove(const unsigned char *xmp, size_t size, unsigned parts,
                              size_t *out_size, bool *out_of_memory) {
    unsigned char *out = malloc(size + 1);
    *out_of_memory |= !out;
    struct edit e = {.at = xmp, .end = xmp + size, .to = out};
    if (out && size > 0)
        find_prefixes(&e.removal, xmp, e.end, parts);
    while (out && e.at < e.end) {
        const unsigned char *tag = memchr(e.at, '<', (size_t)(e.end - e.at));
        copy(&e, tag ? tag : e.end);
        if (tag && !edit_tag(&e)) {
            free(out);
            return NULL;
        }
    }
    *out_size = out ? (size_t)(e.to - out) : 0;
    return out;
}

/* The property is an attribute or an element: tiff:Orientation="6", <tiff:Orientation>6</... */
unsigned char *imf_xmp_upright(const struct imf_meta_item *xmp) {
    static const char name[] = "tiff:Orientation";
    const size_t length = sizeof name - 1;
    unsigned char *copy = malloc(xmp->size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, xmp->data, xmp->size);
    copy[xmp->size] = 0; /* ends every search below */
    for (unsigned char *at = copy, *end = copy + xmp->size;
         (at = memmem(at, (size_t)(end - at), name, length));) {
        at += length;
        at += strspn((const char *)at, " \t\r\n=\"'>");
        if (*at >= '2' && *at <= '8' && (at[1] < '0' || at[1] > '9'))
            *at = '1';
    }
    return copy;
}
