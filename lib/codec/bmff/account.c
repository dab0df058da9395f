/*
 * account.c - the parts of a HEIF or an AVIF, and the metadata in them
 *
 * Items are parts, where their bytes are. Of "meta" properties are, which describe pictures, and else it is
 * structure.
 */
#include "codec/bmff/account.h"

#include "base/image/orientation.h"
#include "codec/metadata/bytes.h"
#include "codec/metadata/xmp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "header"
#define ICC "ICC profile"
#define NCLX "colours (nclx)"
#define FILM "further pictures (film)"
#define FRAMES "frames of an animation"

static const char *const roles[] = {
    [IMF_BMFF_NONE] = "unknown item",     [IMF_BMFF_PIXELS] = "pixels",
    [IMF_BMFF_THUMBNAIL] = "thumbnail",   [IMF_BMFF_GAIN_MAP] = "HDR picture (gain map)",
    [IMF_BMFF_DEPTH] = "depth map",       [IMF_BMFF_AUXILIARY] = "auxiliary picture",
    [IMF_BMFF_OTHER] = "further pictures"};

/* "unknown box abcd" */
static void add_unknown(struct imf_reader *r, size_t at, size_t bytes, const char *what,
                        uint32_t type) {
    char text[40];
    int used = snprintf(text, sizeof text, "unknown %s ", what);
    for (int shift = 24; shift >= 0; shift -= 8) {
        unsigned c = type >> shift & 255;
        text[used++] = c > ' ' && c < 0x7f ? (char)c : '.';
    }
    text[used] = '\0';
    imf_account_add(&r->account, at, bytes, IMF_LOST, IMF_STRIP_OTHER, text);
}

static void add_structure(struct imf_reader *r, size_t from, size_t to) {
    if (to > from)
        imf_account_add(&r->account, from, to - from, IMF_STRUCTURE, 0, HEADER);
}

/* ---- properties ------------------------------------------------------------------------------ */

static uint32_t colour_kind(struct imf_box colr) {
    return (uint32_t)imf_box_take(&colr, 4);
}
static bool is_icc(uint32_t kind) {
    return kind == IMF_BOX('p', 'r', 'o', 'f') || kind == IMF_BOX('r', 'I', 'C', 'C');
}

/* Of any kind, or a profile, which says more than numbers of colours. */
static bool has_colours(const struct imf_bmff *b, bool icc) {
    bool any = false;
    for (size_t i = 0; i < b->property_count; i++)
        any |= b->ours[i] && b->properties[i].type == IMF_BOX('c', 'o', 'l', 'r') &&
               (!icc || is_icc(colour_kind(b->properties[i])));
    return any;
}

/* H.273's numbers of colours, kept as a PNG has them. True: they say more than sRGB, or what the profile beside them does. */
static bool add_nclx(struct imf_reader *r, struct imf_box nclx, bool icc) {
    enum { UNKNOWN = 2, BT_709 = 1, SRGB = 13, PQ = 16, HLG = 18 };
    unsigned primaries = (unsigned)imf_box_take(&nclx, 2),
             transfer = (unsigned)imf_box_take(&nclx, 2);
    bool whole = primaries != UNKNOWN && transfer != UNKNOWN && primaries < 256 && transfer < 256;
    if (nclx.cut || (primaries == BT_709 && transfer == SRGB))
        return false;
    if (icc || !whole)
        return transfer == PQ || transfer == HLG ||
               (!icc && transfer == UNKNOWN && primaries > UNKNOWN);
    if (r->metadata.of[IMF_META_PNG_CHUNK]) /* another one's */
        return true;
    const unsigned char cicp[4] = {(unsigned char)primaries, (unsigned char)transfer, 0, 1};
    struct imf_meta_item *item =
        imf_reader_add_metadata(r, IMF_META_PNG_CHUNK, IMF_STRIP_ICC, cicp, sizeof cicp);
    if (item)
        item->tag = IMF_BOX('c', 'I', 'C', 'P');
    return true;
}

static void add_colours(struct imf_reader *r, const struct imf_bmff *b, struct imf_box colr,
                        bool ours) {
    size_t begin = colr.begin, end = colr.at + colr.size;
    uint32_t kind = (uint32_t)imf_box_take(&colr, 4);
    bool icc = is_icc(kind);
    r->at = colr.at;
    if (ours && icc) {
        add_structure(r, begin, colr.at);
        imf_account_add(&r->account, colr.at, colr.size, IMF_LOST, IMF_STRIP_ICC, ICC);
        imf_reader_add_metadata(r, IMF_META_ICC, IMF_STRIP_ICC, colr.data, colr.size);
        return;
    }
    if (ours && kind == IMF_BOX('n', 'c', 'l', 'x') && add_nclx(r, colr, has_colours(b, true))) {
        add_structure(r, begin, colr.at);
        imf_account_add(&r->account, colr.at, colr.size, IMF_LOST, IMF_STRIP_ICC, NCLX);
        return;
    }
    add_structure(r, begin, end);
}

/* A stream's numbers count where the file has none; its configuration stands for them. */
static bool add_coding(struct imf_reader *r, const struct imf_bmff *b, struct imf_box av1c) {
    const struct imf_box nclx = {.data = b->coding, .size = sizeof b->coding};
    r->at = av1c.at;
    if (!b->coding[1] || has_colours(b, false) || r->metadata.of[IMF_META_PNG_CHUNK] ||
        !add_nclx(r, nclx, false))
        return false;
    add_structure(r, av1c.begin, av1c.at);
    imf_account_add(&r->account, av1c.at, av1c.size, IMF_LOST, IMF_STRIP_ICC, NCLX);
    return true;
}

static void add_properties(struct imf_reader *r, const struct imf_bmff *b, struct imf_box ipco) {
    static const char known[][5] = {"ispe", "pixi", "hvcC", "av1C", "irot", "imir", "clap", "auxC",
                                    "pasp", "a1op", "a1lx", "lsel", "free", "skip", "rloc"};
    struct imf_box p;
    add_structure(r, ipco.begin, ipco.at);
    for (size_t number = 0; imf_box_next(&ipco, &p); number++) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found |= imf_get32(known[i]) == p.type;
        if (p.type == IMF_BOX('a', 'v', '1', 'C') && b->ours[number] && add_coding(r, b, p))
            continue;
        if (p.type == IMF_BOX('c', 'o', 'l', 'r'))
            add_colours(r, b, p, b->ours[number]);
        else if (found)
            add_structure(r, p.begin, p.at + p.size);
        else
            add_unknown(r, p.begin, p.at + p.size - p.begin, "property", p.type);
    }
    add_structure(r, ipco.at, ipco.at + ipco.size);
}

/* A box of others: "meta" and "iprp" in it. */
static void add_inside(struct imf_reader *r, const struct imf_bmff *b, struct imf_box box) {
    struct imf_box part;
    add_structure(r, box.begin, box.at);
    while (imf_box_next(&box, &part)) {
        if (part.type == IMF_BOX('i', 'p', 'c', 'o'))
            add_properties(r, b, part);
        else if (part.type == IMF_BOX('i', 'p', 'r', 'p'))
            add_inside(r, b, part);
        else /* of "idat" the items are entered */
            add_structure(r, part.begin,
                          part.at + (part.type == IMF_BOX('i', 'd', 'a', 't') ? 0 : part.size));
    }
    add_structure(r, box.at, box.at + box.size);
}

/* ---- items ----------------------------------------------------------------------------------- */

/* All bytes of an item, to be freed; NULL: there is no memory, or they are too many. */
static unsigned char *gather(struct imf_reader *r, const struct imf_bmff *b,
                             const struct imf_bmff_item *item, size_t *size) {
    size_t offset, bytes;
    bool cut = false;
    *size = 0;
    for (int at = 0; imf_bmff_extent(b, item, &at, &offset, &bytes, &cut);)
        *size += bytes < IMF_METADATA_MAX ? bytes : IMF_METADATA_MAX;
    unsigned char *data = *size <= IMF_METADATA_MAX ? malloc(*size + 1) : NULL;
    r->metadata.out_of_memory |= *size <= IMF_METADATA_MAX && !data;
    *size = 0;
    for (int at = 0; data && imf_bmff_extent(b, item, &at, &offset, &bytes, &cut);) {
        memcpy(data + *size, b->file + offset, bytes);
        *size += bytes;
    }
    return data;
}

/* Behind four bytes that say where its TIFF stream begins, counted from there. */
static void add_exif(struct imf_reader *r, const struct imf_bmff *b, const unsigned char *data,
                     size_t size) {
    size_t skip = size >= 4 ? imf_get32(data) : size;
    if (size < 4 || skip > size - 4) {
        imf_reader_lose(r, NULL, "damaged");
        return;
    }
    imf_reader_add_exif(r, data + 4 + skip, size - 4 - skip);
    struct imf_meta_item *exif = r->metadata.of[IMF_META_EXIF];
    int told = imf_metadata_orientation(&r->metadata);
    if (!exif || told == 1)
        return;
    /* Its width and height are of the rows before they were turned, as its orientation was. */
    bool swap = told > 4 && imf_orientation_of(imf_bmff_orientation(b)).swap;
    unsigned char *upright = imf_exif_edit(exif, true, swap, false);
    r->metadata.out_of_memory |= !upright;
    if (upright)
        memcpy(exif->data, upright, exif->size);
    free(upright);
}

static void add_xmp(struct imf_reader *r, const unsigned char *data, size_t size) {
    struct imf_meta_item *xmp = imf_reader_add_metadata(r, IMF_META_XMP, IMF_STRIP_XMP, data, size);
    unsigned char *upright = xmp ? imf_xmp_upright(xmp) : NULL;
    r->metadata.out_of_memory |= xmp && !upright;
    if (upright)
        memcpy(xmp->data, upright, size);
    free(upright);
}

static void add_metadata(struct imf_reader *r, const struct imf_bmff *b,
                         const struct imf_bmff_item *item, bool exif) {
    size_t size;
    unsigned char *data = gather(r, b, item, &size);
    if (data && exif)
        add_exif(r, b, data, size);
    else if (data)
        add_xmp(r, data, size);
    else
        imf_reader_lose(r, NULL, "too large");
    free(data);
}

static void add_item(struct imf_reader *r, const struct imf_bmff *b,
                     const struct imf_bmff_item *item) {
    static const char mime[] = "application/rdf+xml";
    bool exif = item->type == IMF_BOX('E', 'x', 'i', 'f'), cut = false;
    bool xmp = item->content && strcmp(item->content, mime) == 0;
    bool ours = (exif || xmp) && (item->ours || !item->described);
    size_t offset, bytes;
    for (int at = 0; imf_bmff_extent(b, item, &at, &offset, &bytes, &cut);) {
        const char *name = exif  ? ours ? "EXIF" : "further pictures: EXIF"
                           : xmp ? ours ? "XMP" : "further pictures: XMP"
                                 : roles[item->role];
        if (!exif && !xmp && item->role == IMF_BMFF_NONE)
            add_unknown(r, offset, bytes, "item", item->type);
        else
            imf_account_add(&r->account, offset, bytes,
                            item->role == IMF_BMFF_PIXELS ? IMF_PIXELS : IMF_LOST,
                            exif  ? IMF_STRIP_EXIF
                            : xmp ? IMF_STRIP_XMP
                                  : 0,
                            name);
        if (at == 1)
            r->at = offset;
    }
    if (ours && item->extent_count && !item->far)
        add_metadata(r, b, item, exif);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Not a box, but what was put behind the file's end: no type has such letters, or its size leads further. */
static bool is_behind(const struct imf_box *box, bool cut) {
    static const char known[][5] = {"ftyp", "meta", "mdat", "moov", "moof", "mpvd", "free", "skip"};
    bool named = false, plain = true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        named |= imf_get32(known[i]) == box->type;
    for (int shift = 24; shift >= 0; shift -= 8)
        plain = plain && (box->type >> shift & 255) >= ' ' && (box->type >> shift & 255) < 0x7f;
    return !named && (cut || !plain);
}

/* Extents of all items. */
struct spans {
    struct span {
        size_t begin, end;
    } * of; /* owned, by their begins */
    size_t count, passed;
};

static int by_begin(const void *a, const void *b) {
    const struct span *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static struct spans list_spans(struct imf_reader *r, const struct imf_bmff *b) {
    size_t count = 0, offset, bytes;
    bool cut = false;
    for (size_t i = 0; i < b->count; i++)
        count += (size_t)b->items[i].extent_count;
    struct spans s = {.of = malloc((count + 1) * sizeof *s.of)};
    r->metadata.out_of_memory |= !s.of;
    for (size_t i = 0; i < b->count && s.of; i++)
        for (int at = 0; imf_bmff_extent(b, &b->items[i], &at, &offset, &bytes, &cut);)
            s.of[s.count++] = (struct span){offset, offset + bytes};
    if (s.count)
        qsort(s.of, s.count, sizeof *s.of, by_begin);
    return s;
}

/* What stands behind the items' data is the frames': of boxes one behind the other. */
static void add_frames(struct imf_reader *r, struct spans *s, const struct imf_box *mdat,
                       size_t *from) {
    size_t end = mdat->at + mdat->size;
    for (; s->passed < s->count && s->of[s->passed].begin < end; s->passed++)
        *from = s->of[s->passed].end > *from ? s->of[s->passed].end : *from;
    *from = mdat->at > *from ? mdat->at : *from;
    if (*from < end)
        imf_account_add(&r->account, *from, end - *from, IMF_LOST, 0, FRAMES);
}

void imf_bmff_read_parts(struct imf_reader *r, const struct imf_bmff *b) {
    struct imf_box file = {.data = b->file, .size = b->size}, box;
    bool animated = imf_box_find(&file, IMF_BOX('m', 'o', 'o', 'v'), &box) ||
                    imf_box_find(&file, IMF_BOX('m', 'o', 'o', 'f'), &box);
    struct spans spans = animated ? list_spans(r, b) : (struct spans){.of = NULL};
    size_t from = 0; /* behind all extents so far */
    while (imf_box_next(&file, &box) && !is_behind(&box, file.cut)) {
        size_t bytes = box.at + box.size - box.begin;
        if (box.begin <= b->meta.begin && b->meta.begin < box.begin + bytes)
            add_inside(r, b, b->meta);
        else if (box.type == IMF_BOX('m', 'd', 'a', 't')) {
            add_structure(r, box.begin, box.at);
            if (animated)
                add_frames(r, &spans, &box, &from);
        } else if (box.type == IMF_BOX('f', 't', 'y', 'p') ||
                   box.type == IMF_BOX('f', 'r', 'e', 'e') ||
                   box.type == IMF_BOX('s', 'k', 'i', 'p'))
            add_structure(r, box.begin, box.begin + bytes);
        else if (box.type == IMF_BOX('m', 'o', 'o', 'v') || box.type == IMF_BOX('m', 'o', 'o', 'f'))
            imf_account_add(&r->account, box.begin, bytes, IMF_LOST, 0, FRAMES);
        else if (box.type == IMF_BOX('m', 'p', 'v', 'd'))
            imf_account_add(&r->account, box.begin, bytes, IMF_LOST, 0, FILM);
        else
            add_unknown(r, box.begin, bytes, "box", box.type);
    }
    free(spans.of);
    for (size_t i = 0; i < b->count; i++)
        add_item(r, b, &b->items[i]);
}

void imf_bmff_leave_out_alpha(struct imf_bmff *b) {
    for (size_t i = 0; i < b->count; i++)
        if (b->items[i].alpha)
            b->items[i].role = IMF_BMFF_AUXILIARY;
}

bool imf_bmff_part(size_t i, struct imf_part_kind *kind) {
    static const struct {
        const char *name;
        unsigned items;
        uint32_t tag;
    } kinds[] = {
        {"EXIF", 1u << IMF_META_EXIF, 0},
        {"XMP", 1u << IMF_META_XMP, 0},
        {ICC, 1u << IMF_META_ICC, 0},
        {NCLX, 1u << IMF_META_PNG_CHUNK, IMF_BOX('c', 'I', 'C', 'P')},
        {"thumbnail", 0, 0},
        {"HDR picture (gain map)", 0, 0},
        {"depth map", 0, 0},
        {"auxiliary picture", 0, 0},
        {"further pictures", 0, 0},
        {FRAMES, 0, 0},
        {"unknown box, item or property", 0, 0},
    };
    if (i >= sizeof kinds / sizeof *kinds)
        return false;
    snprintf(kind->name, sizeof kind->name, "%s", kinds[i].name);
    kind->items = kinds[i].items;
    kind->tag = kinds[i].tag;
    return true;
}

int imf_bmff_orientation(const struct imf_bmff *b) {
    /* Mirrored left to right or not, then turned by so many quarters against the clock. */
    static const int all[2][4] = {{1, 8, 3, 6}, {2, 5, 4, 7}};
    struct imf_box p;
    unsigned turn = 0;
    bool mirrored = false;
    for (int i = 0; imf_bmff_property(b, b->primary, 0, i, &p); i++) {
        if (p.type == IMF_BOX('i', 'r', 'o', 't')) {
            turn += (unsigned)imf_box_take(&p, 1);
        } else if (p.type == IMF_BOX('i', 'm', 'i', 'r')) {
            bool across =
                imf_box_take(&p, 1) & 1; /* or top to bottom, which is turned by two more */
            turn = (across ? 0 : 2) - turn;
            mirrored = !mirrored;
        }
    }
    return all[mirrored][turn & 3];
}

enum imf_status imf_bmff_read_file(struct imf_reader *r, const char *what, unsigned char **file,
                                   size_t *size, struct imf_error *err) {
    return imf_reader_read_all(r, SIZE_MAX / 4, what, file, size, err);
}
