/*
 * xmp_edit.c - an XMP packet without what is no longer true
 *
 * One walk over the tags: an element of a doomed name goes with all that is in it, a doomed
 * attribute alone, and the rest is copied byte for byte.
 */
#include "codec/metadata/xmp.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    unsigned part;
    const char *space, *local; /* namespace; names in it that begin with this */
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

struct doom {
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
    struct doom doom;
};

static bool is_space(int c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool ends_name(int c) {
    return is_space(c) || c == '=' || c == '/' || c == '>' || c == '"' || c == '\'';
}

/* ---- names -------------------------------------------------------------------------------- */

/* The prefix that xmlns:PREFIX="SPACE" gives, where SPACE stands at `at`. */
static void add_prefix(struct doom *d, const unsigned char *begin, const unsigned char *at,
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

static void find_prefixes(struct doom *d, const unsigned char *xmp, const unsigned char *end,
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

static bool doomed(const struct doom *d, const unsigned char *name, size_t length) {
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

/* Behind the markup that begins at `at`, or NULL. */
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

/* Behind the element whose start tag ends at `at`. */
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

/* The attributes of a tag that stays, which ends at `end`. */
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
        if (doomed(&e->doom, name, length))
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
    if (!doomed(&e->doom, name, length)) {
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
        find_prefixes(&e.doom, xmp, e.end, parts);
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
