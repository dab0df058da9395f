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
    {IMF_XMP_EXTENSION_NOTE, "http://ns.adobe.com/xmp/note/", "HasExtendedXMP"},
};
#define RULES (sizeof rules / sizeof rules[0])

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

/* Add the prefix that xmlns:PREFIX="SPACE" declares, where SPACE stands at `at`. */
static void add_prefix(struct removal *d, const unsigned char *begin, const unsigned char *at,
                       const char *local) {
    static const char declares[] = "xmlns:";
    const unsigned char *end = at - 1; /* the quote */
    while (end > begin && (is_space(end[-1]) || end[-1] == '='))
        end--;
    const unsigned char *prefix = end;
    while (prefix > begin && prefix[-1] != ':' && !ends_name(prefix[-1]))
        prefix--;
    size_t before = sizeof declares - 1;
    if (prefix == end || (size_t)(prefix - begin) < before ||
        memcmp(prefix - before, declares, before) != 0 || d->count == PREFIXES_MAX)
        return;
    for (size_t i = 0; i < d->count; i++)
        if (d->names[i].length == (size_t)(end - prefix) && d->names[i].local == local &&
            memcmp(d->names[i].prefix, prefix, d->names[i].length) == 0)
            return;
    d->names[d->count].prefix = prefix;
    d->names[d->count].length = (size_t)(end - prefix);
    d->names[d->count++].local = local;
}

static void find_prefixes(struct removal *d, const unsigned char *xmp, const unsigned char *end,
                          unsigned parts) {
    for (size_t i = 0; i < RULES; i++) {
        size_t length = strlen(rules[i].space);
        const unsigned char *at = xmp + 1;
        while ((parts & rules[i].part) &&
               (at = memmem(at, (size_t)(end - at), rules[i].space, length)) != NULL) {
            bool quoted =
                (at[-1] == '"' || at[-1] == '\'') && at + length < end && at[length] == at[-1];
            if (quoted)
                add_prefix(d, xmp, at, rules[i].local);
            at += length;
        }
    }
}

static bool is_removed(const struct removal *d, const unsigned char *name, size_t length) {
    static const char declares[] = "xmlns:";
    bool declared =
        length > sizeof declares - 1 && memcmp(name, declares, sizeof declares - 1) == 0;
    if (declared) {
        name += sizeof declares - 1;
        length -= sizeof declares - 1;
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

static size_t name_length(const unsigned char *at, const unsigned char *end) {
    const unsigned char *p = at;
    while (p < end && !ends_name(*p))
        p++;
    return (size_t)(p - at);
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
