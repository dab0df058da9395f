/*
 * xmp.c - XMP that one JPEG segment cannot hold (XMP part 3, 1.1.3.1)
 *
 * Such a packet is stored as a short packet and an extension, which is cut into segments of its own.
 * Each has a prefix, the extension's MD5 digest, by which the short packet names it, its full length,
 * this piece's offset, and the piece. Other formats store one packet of any length.
 */
#include "codec/metadata/xmp.h"

#include "codec/metadata/bytes.h"
#include "codec/metadata/md5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RDF_END "</rdf:RDF>"

static const unsigned char *find(const unsigned char *in, size_t size, const char *what) {
    return memmem(in, size, what, strlen(what));
}

static const unsigned char *find_last(const unsigned char *in, size_t size, const char *what) {
    const unsigned char *last = NULL, *end = in + size;
    while ((in = find(in, (size_t)(end - in), what)) != NULL)
        last = in++;
    return last;
}

/* ---- joining ------------------------------------------------------------------------------ */

/* A piece of an extension. */
struct piece {
    const unsigned char *guid, *data;
    uint32_t full, offset;
    size_t size;
};

static bool get_piece(struct piece *p, const struct imf_meta_item *item) {
    enum { PREFIX = sizeof IMF_XMP_EXTENSION_PREFIX, GUID = 32, HEAD = PREFIX + GUID + 8 };
    if (item->kind != IMF_META_XMP_EXTENSION || item->size < HEAD ||
        memcmp(item->data, IMF_XMP_EXTENSION_PREFIX, PREFIX) != 0)
        return false;
    *p = (struct piece){item->data + PREFIX, item->data + HEAD,
                        imf_get32(item->data + PREFIX + GUID),
                        imf_get32(item->data + PREFIX + GUID + 4), item->size - HEAD};
    return true;
}

/* The extension that the packet names; NULL unless it is complete. */
static unsigned char *assemble(const struct imf_metadata *m, const unsigned char *xmp, size_t size,
                               size_t *full, bool *out_of_memory) {
    unsigned char *extension = NULL;
    struct piece first = {0}, p;
    for (const struct imf_meta_item *i = m->first; i; i = i->next) {
        if (!get_piece(&p, i))
            continue;
        if (!extension) {
            if (!memmem(xmp, size, p.guid, 32) || p.full == 0 || p.full > IMF_METADATA_MAX)
                return NULL;
            extension = calloc(1, p.full);
            *out_of_memory |= !extension;
            if (!extension)
                return NULL;
            first = p;
        }
        if (memcmp(p.guid, first.guid, 32) == 0 && p.full == first.full && p.offset <= p.full &&
            p.size <= p.full - p.offset)
            memcpy(extension + p.offset, p.data, p.size);
    }
    *full = first.full;
    if (extension && memchr(extension, 0, *full)) { /* a piece is missing: text holds no NUL */
        free(extension);
        return NULL;
    }
    return extension;
}

/* The content of rdf:RDF; NULL where namespaces are declared around it, which would be lost. */
static const unsigned char *rdf_content(const unsigned char *xmp, size_t size, size_t *content) {
    static const char declares[] = "xmlns:";
    const unsigned char *begin = find(xmp, size, "<rdf:RDF"), *end = find_last(xmp, size, RDF_END);
    begin = begin ? memchr(begin, '>', size - (size_t)(begin - xmp)) : NULL;
    if (!begin || !end || end <= begin)
        return NULL;
    begin++;
    int declared = 0;
    for (const unsigned char *p = xmp; (p = find(p, (size_t)(begin - p), declares)) != NULL; p++)
        declared++;
    *content = (size_t)(end - begin);
    return declared <= 2 ? begin : NULL; /* x and rdf */
}

unsigned char *imf_xmp_join(const struct imf_metadata *m, const unsigned char *xmp, size_t size,
                            size_t *out_size, bool *out_of_memory) {
    size_t full, more = 0, alone = 0;
    unsigned char *extension = assemble(m, xmp, size, &full, out_of_memory), *packet = NULL,
                  *out = NULL;
    const unsigned char *content = extension ? rdf_content(extension, full, &more) : NULL;
    if (content)
        packet = imf_xmp_remove(xmp, size, IMF_XMP_EXTENSION_NOTE, &alone, out_of_memory);
    const unsigned char *at = packet ? find_last(packet, alone, RDF_END) : NULL;
    if (at)
        *out_of_memory |= !(out = malloc(alone + more));
    if (out) {
        size_t before = (size_t)(at - packet);
        memcpy(out, packet, before);
        memcpy(out + before, content, more);
        memcpy(out + before + more, at, alone - before);
        *out_size = alone + more;
    }
    free(packet);
    free(extension);
    return out;
}

/* ---- splitting ---------------------------------------------------------------------------- */

/* The extension's name is its MD5 digest. */
static void make_guid(char guid[33], const unsigned char *data, size_t size) {
    unsigned char digest[16];
    imf_md5(digest, data, size);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(guid + 2 * i, 3, "%02X", digest[i]);
}

void imf_xmp_split(struct imf_xmp_split *out, const unsigned char *xmp, size_t size) {
    static const char packet[] =
        "<?xpacket begin='\xef\xbb\xbf' id='W5M0MpCehiHzreSzNTczkc9d'?>\n"
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'>\n"
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\n"
        "<rdf:Description rdf:about='' xmlns:xmpNote='http://ns.adobe.com/xmp/note/'"
        " xmpNote:HasExtendedXMP='%s'/>\n"
        "</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end='w'?>";
    /* The extension has no packet's wrapping, nor its padding. */
    const unsigned char *begin = find(xmp, size, "<x:xmpmeta");
    const unsigned char *end = find_last(xmp, size, "</x:xmpmeta>");
    out->extension = begin && end && begin < end ? begin : xmp;
    out->size = out->extension == begin && begin != NULL
                    ? (size_t)(end - begin) + strlen("</x:xmpmeta>")
                    : size;
    make_guid(out->guid, out->extension, out->size);
    snprintf(out->packet, sizeof out->packet, packet, out->guid);
}
