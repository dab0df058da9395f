/*
 * items.c - the items of a HEIF or an AVIF: pictures, their tiles, and metadata
 *
 * The box "meta" lists items (iinf), where their bytes are (iloc), what refers to what (iref), and properties
 * (ipco), which are given to items by number (ipma).
 */
#include "codec/bmff/items.h"

#include "codec/metadata/bytes.h"

#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX 16384
#define EXTENTS_MAX 32 /* of an item: libheif takes as many */
#define AUXC IMF_BOX('a', 'u', 'x', 'C')

enum imf_status imf_bmff_damaged(struct imf_error *err, const char *what) {
    return imf_fail(err, IMF_ERR_DAMAGED, "damaged in the header (%s)", what);
}

static int by_id(const void *a, const void *b) {
    const struct imf_bmff_item *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static struct imf_bmff_item *find(const struct imf_bmff *b, uint32_t id) {
    const struct imf_bmff_item key = {.id = id};
    return bsearch(&key, b->items, b->count, sizeof key, by_id);
}

/* The only box of a type: of two, other readers take the other one. Without any *out is empty. */
static enum imf_status find_only(const struct imf_box *in, uint32_t type, struct imf_box *out,
                                 struct imf_error *err) {
    struct imf_box rest = *in, box;
    int found = 0;
    *out = (struct imf_box){.data = NULL};
    while (found < 2 && imf_box_next(&rest, &box))
        if (box.type == type) {
            *out = box;
            found++;
        }
    return found < 2 ? IMF_OK : imf_bmff_damaged(err, "a box that is there twice");
}

static enum imf_status find_needed(const struct imf_box *in, uint32_t type, struct imf_box *out,
                                   const char *without, struct imf_error *err) {
    enum imf_status status = find_only(in, type, out, err);
    return status || out->data ? status : imf_bmff_damaged(err, without);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Of a box whose first byte is a version, behind which three are flags. */
static int version(struct imf_box *box) {
    return (int)(imf_box_take(box, 4) >> 24);
}

static enum imf_status list_items(struct imf_bmff *b, struct imf_error *err) {
    struct imf_box iinf, infe;
    enum imf_status status =
        find_needed(&b->meta, IMF_BOX('i', 'i', 'n', 'f'), &iinf, "it lists no items", err);
    if (status)
        return status;
    size_t count = (size_t)imf_box_take(&iinf, version(&iinf) ? 4 : 2);
    if (count > ITEMS_MAX)
        return imf_fail(err, IMF_ERR_FORMAT, "%zu items are too many (%d)", count, ITEMS_MAX);
    if (!(b->items = calloc(count + 1, sizeof *b->items)))
        return imf_fail_memory(err, (count + 1) * sizeof *b->items);
    while (b->count < count && imf_box_next(&iinf, &infe)) {
        struct imf_bmff_item *item = &b->items[b->count];
        int v = version(&infe);
        item->id = (uint32_t)imf_box_take(&infe, v > 2 ? 4 : 2);
        imf_box_take(&infe, 2); /* protection */
        item->type = v > 1 ? (uint32_t)imf_box_take(&infe, 4) : 0;
        if (item->type == IMF_BOX('m', 'i', 'm', 'e') && imf_box_text(&infe))
            item->content = imf_box_text(&infe);
        if (item->content && infe.size > 1) /* it is deflated */
            item->content = NULL;
        b->count++;
    }
    qsort(b->items, b->count, sizeof *b->items, by_id);
    for (size_t i = 1; i < b->count; i++)
        if (b->items[i].id == b->items[i - 1].id)
            return imf_bmff_damaged(err, "two items of one number");
    return IMF_OK;
}

static enum imf_status locate_items(struct imf_bmff *b, struct imf_error *err) {
    struct imf_box iloc;
    enum imf_status status = find_needed(&b->meta, IMF_BOX('i', 'l', 'o', 'c'), &iloc,
                                         "nothing says where items are", err);
    if (status)
        return status;
    int v = version(&iloc);
    unsigned sizes = (unsigned)imf_box_take(&iloc, 2);
    int base_bytes = sizes >> 4 & 15;
    b->offset_bytes = sizes >> 12;
    b->length_bytes = sizes >> 8 & 15;
    b->index_bytes = v ? sizes & 15 : 0;
    if (base_bytes > 8 || b->offset_bytes > 8 || b->length_bytes > 8 || b->index_bytes > 8)
        return imf_bmff_damaged(err, "sizes of fields");
    size_t count = (size_t)imf_box_take(&iloc, v > 1 ? 4 : 2);
    for (size_t i = 0; i < count && iloc.size > 0; i++) {
        struct imf_bmff_item *item = find(b, (uint32_t)imf_box_take(&iloc, v > 1 ? 4 : 2)),
                             none = {.id = 0};
        item = item ? item : &none;
        if (item->extents.data)
            return imf_bmff_damaged(err, "an item that is in two places");
        unsigned method = v ? imf_box_take(&iloc, 2) & 15 : 0;
        item->in_idat = method == 1;
        item->far = imf_box_take(&iloc, 2) != 0 || method > 1;
        item->base = imf_box_take(&iloc, base_bytes);
        item->extent_count = (int)imf_box_take(&iloc, 2);
        item->extents = iloc;
        if (item->extent_count > EXTENTS_MAX)
            return imf_fail(err, IMF_ERR_FORMAT, "%d parts of an item are too many (%d)",
                            item->extent_count, EXTENTS_MAX);
        imf_box_skip(&iloc, (size_t)item->extent_count *
                                (size_t)(b->index_bytes + b->offset_bytes + b->length_bytes));
    }
    return iloc.cut ? imf_bmff_damaged(err, "where items are") : IMF_OK;
}

static enum imf_status give_properties(struct imf_bmff *b, struct imf_box ipma,
                                       struct imf_error *err) {
    uint32_t head = (uint32_t)imf_box_take(&ipma, 4); /* version and flags */
    b->number_bytes = head & 1 ? 2 : 1;
    for (size_t entries = (size_t)imf_box_take(&ipma, 4); entries > 0 && ipma.size > 0; entries--) {
        struct imf_bmff_item *item = find(b, (uint32_t)imf_box_take(&ipma, head >> 24 ? 4 : 2));
        int count = (int)imf_box_take(&ipma, 1);
        if (item && item->numbers.data)
            return imf_bmff_damaged(err, "properties of an item that are there twice");
        if (item) {
            item->numbers = ipma;
            item->number_count = count;
        }
        imf_box_skip(&ipma, (size_t)count * (size_t)b->number_bytes);
    }
    return IMF_OK;
}

static enum imf_status list_properties(struct imf_bmff *b, struct imf_error *err) {
    static const char none[] = "items have no properties";
    struct imf_box iprp, ipco, ipma, each, rest;
    enum imf_status status = find_needed(&b->meta, IMF_BOX('i', 'p', 'r', 'p'), &iprp, none, err);
    status = status ? status : find_needed(&iprp, IMF_BOX('i', 'p', 'c', 'o'), &ipco, none, err);
    status = status ? status : find_needed(&iprp, IMF_BOX('i', 'p', 'm', 'a'), &ipma, none, err);
    if (status)
        return status;
    size_t count = 0;
    for (rest = ipco; imf_box_next(&rest, &each);)
        count++;
    b->properties = calloc(count + 1, sizeof *b->properties);
    b->ours = calloc(count + 1, sizeof *b->ours);
    if (!b->properties || !b->ours)
        return imf_fail_memory(err, (count + 1) * sizeof *b->properties);
    while (imf_box_next(&ipco, &each))
        b->properties[b->property_count++] = each;
    return give_properties(b, ipma, err);
}

/* The number of the next of an item's properties, from 1 on; 0: none. */
static size_t next_number(const struct imf_bmff *b, struct imf_box *list) {
    size_t mask = b->number_bytes > 1 ? 0x7fff : 0x7f; /* the other bit: it must be known */
    size_t number = (size_t)imf_box_take(list, b->number_bytes) & mask;
    return number <= b->property_count ? number : 0;
}

bool imf_bmff_property(const struct imf_bmff *b, const struct imf_bmff_item *item, uint32_t type,
                       int nth, struct imf_box *out) {
    struct imf_box list = item->numbers;
    for (int i = 0; i < item->number_count && list.size > 0; i++) {
        size_t number = next_number(b, &list);
        const struct imf_box *p = number ? &b->properties[number - 1] : NULL;
        if (p && (!type || p->type == type) && nth-- == 0) {
            *out = *p;
            return true;
        }
    }
    return false;
}

/* ---- roles ----------------------------------------------------------------------------------- */

/* By the name that its property has for it. */
static void set_auxiliary(const struct imf_bmff *b, struct imf_bmff_item *item) {
    struct imf_box auxc;
    const char *urn = NULL;
    if (imf_bmff_property(b, item, AUXC, 0, &auxc)) {
        version(&auxc);
        urn = imf_box_text(&auxc);
    }
    urn = urn ? urn : "";
    item->alpha = strstr(urn, ":alpha") || strcmp(urn, "urn:mpeg:hevc:2015:auxid:1") == 0 ||
                  strcmp(urn, "urn:mpeg:avc:2015:auxid:1") == 0;
    item->role = item->alpha              ? IMF_BMFF_PIXELS
                 : strstr(urn, "gainmap") ? IMF_BMFF_GAIN_MAP
                 : strstr(urn, "depth") || strstr(urn, "disparity") ||
                         strcmp(urn, "urn:mpeg:hevc:2015:auxid:2") == 0
                     ? IMF_BMFF_DEPTH
                     : IMF_BMFF_AUXILIARY;
}

/* One reference; true: it gave an item its role. */
static bool refer(const struct imf_bmff *b, uint32_t type, struct imf_bmff_item *from,
                  struct imf_bmff_item *to) {
    enum imf_bmff_role old = from->role, part = to->role;
    bool alpha = to->alpha;
    if (type == IMF_BOX('c', 'd', 's', 'c')) {
        from->described = true;
        from->ours |= to == b->primary;
    } else if (type == IMF_BOX('t', 'h', 'm', 'b') && !old) {
        from->role = IMF_BMFF_THUMBNAIL;
    } else if (type == IMF_BOX('a', 'u', 'x', 'l') && part == IMF_BMFF_PIXELS &&
               old != IMF_BMFF_PIXELS) { /* alpha is read whatever else it is, of tiles, too */
        set_auxiliary(b, from);
    } else if (type == IMF_BOX('d', 'i', 'm', 'g')) {
        if (from->type == IMF_BOX('t', 'm', 'a', 'p') && !old)
            from->role = IMF_BMFF_GAIN_MAP;
        if (from->role == IMF_BMFF_PIXELS) { /* whatever else it is */
            to->alpha = from->alpha && (alpha || part != IMF_BMFF_PIXELS);
            to->role = IMF_BMFF_PIXELS;
        } else if (!part) {
            to->role = from->role;
        }
    }
    return from->role != old || to->role != part || to->alpha != alpha;
}

/* Of what is referred to as a part of the picture or its alpha: a decoder may take it each time. */
static void count_parts(struct imf_bmff *b, uint32_t type, const struct imf_bmff_item *from,
                        const struct imf_bmff_item *to) {
    uint32_t width = 0, height = 0;
    if (type == IMF_BOX('d', 'i', 'm', 'g') && from->role == IMF_BMFF_PIXELS &&
        imf_bmff_size(b, to, &width, &height)) {
        b->part_pixels += (uint64_t)width * height;
        b->parts++;
    }
}

/* What has no role, though it is coded as a picture, is another one; which properties are the picture's or its
 * tiles'. */
static void set_others(struct imf_bmff *b) {
    static const char pictures[][5] = {"hvc1", "hev1", "av01", "grid", "iovl", "iden"};
    for (size_t i = 0; i < b->count; i++) {
        struct imf_bmff_item *item = &b->items[i];
        for (size_t k = 0; k < sizeof pictures / sizeof *pictures && !item->role; k++)
            if (imf_get32(pictures[k]) == item->type)
                item->role = IMF_BMFF_OTHER;
        struct imf_box list = item->numbers;
        bool ours = item->role == IMF_BMFF_PIXELS && !item->alpha;
        for (int k = 0; k < item->number_count && ours && list.size > 0; k++) {
            size_t number = next_number(b, &list);
            if (number)
                b->ours[number - 1] = true;
        }
    }
}

/* Tiles may be of a picture that is itself made of others. */
static enum imf_status set_roles(struct imf_bmff *b, struct imf_error *err) {
    enum { ROUNDS = 8 };
    struct imf_box iref, rest, box;
    enum imf_status status = find_only(&b->meta, IMF_BOX('i', 'r', 'e', 'f'), &iref, err);
    if (status)
        return status;
    bool any = iref.data != NULL;
    int id_bytes = any && version(&iref) ? 4 : 2;
    bool changed = any;
    b->primary->role = IMF_BMFF_PIXELS;
    for (int round = 0; any && round <= ROUNDS; round++) {
        bool last = !changed;
        if (!last && round == ROUNDS)
            return imf_fail(err, IMF_ERR_FORMAT, "pictures of pictures (%d) are not read", ROUNDS);
        changed = false;
        for (rest = iref; imf_box_next(&rest, &box);) {
            struct imf_bmff_item *from = find(b, (uint32_t)imf_box_take(&box, id_bytes));
            for (size_t count = (size_t)imf_box_take(&box, 2); from && count > 0; count--) {
                struct imf_bmff_item *to = find(b, (uint32_t)imf_box_take(&box, id_bytes));
                if (to && last)
                    count_parts(b, box.type, from, to);
                else if (to)
                    changed |= refer(b, box.type, from, to);
            }
        }
        if (last)
            break;
    }
    set_others(b);
    return IMF_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

enum imf_status imf_bmff_open(struct imf_bmff *b, const unsigned char *file, size_t size,
                              struct imf_error *err) {
    struct imf_box all = {.data = file, .size = size}, pitm;
    *b = (struct imf_bmff){.file = file, .size = size};
    enum imf_status status = find_only(&all, IMF_BOX('m', 'e', 't', 'a'), &b->meta, err);
    if (!status && !b->meta.data)
        status = imf_fail(err, IMF_ERR_DAMAGED, "it has no picture, or is truncated before it");
    if (status)
        return status;
    if (all.data + all.size < b->meta.data + b->meta.size)
        return imf_fail(err, IMF_ERR_DAMAGED, "truncated in the header");
    version(&b->meta);
    status = find_only(&b->meta, IMF_BOX('i', 'd', 'a', 't'), &b->idat, err);
    status = status ? status : list_items(b, err);
    status = status ? status : locate_items(b, err);
    status = status ? status : list_properties(b, err);
    status = status ? status
                    : find_needed(&b->meta, IMF_BOX('p', 'i', 't', 'm'), &pitm,
                                  "nothing says which picture is the main one", err);
    if (status)
        return status;
    b->primary = find(b, (uint32_t)imf_box_take(&pitm, version(&pitm) ? 4 : 2));
    if (!b->primary)
        return imf_bmff_damaged(err, "the main picture is not there");
    return set_roles(b, err);
}

void imf_bmff_close(struct imf_bmff *b) {
    free(b->items);
    free(b->properties);
    free(b->ours);
    *b = (struct imf_bmff){.file = NULL};
}

bool imf_bmff_extent(const struct imf_bmff *b, const struct imf_bmff_item *item, int *at,
                     size_t *offset, size_t *bytes, bool *cut) {
    struct imf_box list = item->extents;
    size_t from = item->in_idat ? b->idat.at : 0;
    size_t end = item->in_idat ? from + b->idat.size : b->size;
    if (item->far || *at >= item->extent_count)
        return false;
    imf_box_skip(&list,
                 (size_t)(*at)++ * (size_t)(b->index_bytes + b->offset_bytes + b->length_bytes));
    imf_box_skip(&list, (size_t)b->index_bytes);
    uint64_t offset_64 = imf_box_take(&list, b->offset_bytes),
             length = imf_box_take(&list, b->length_bytes), first;
    bool over = __builtin_add_overflow(offset_64, item->base, &first) ||
                __builtin_add_overflow(first, from, &first) || first > end;
    first = over ? end : first;
    length = length ? length : end - first; /* 0: all of it */
    *cut |= over || length > end - first;
    *offset = (size_t)first;
    *bytes = (size_t)(length < end - first ? length : end - first);
    return true;
}

bool imf_bmff_size(const struct imf_bmff *b, const struct imf_bmff_item *item, uint32_t *width,
                   uint32_t *height) {
    struct imf_box ispe;
    if (!imf_bmff_property(b, item, IMF_BOX('i', 's', 'p', 'e'), 0, &ispe))
        return false;
    version(&ispe);
    *width = (uint32_t)imf_box_take(&ispe, 4);
    *height = (uint32_t)imf_box_take(&ispe, 4);
    return !ispe.cut;
}

bool imf_bmff_branded(const unsigned char *head, size_t size, const char *const brands[]) {
    static const char *const general[] = {"mif1", "msf1", "miaf", NULL};
    enum { FIRST = 8, OTHERS = 16 };
    if (size < 12 || memcmp(head + 4, "ftyp", 4) != 0)
        return false;
    size_t end = (size_t)imf_get32(head);
    end = end < size ? end : size;
    bool open = false;
    for (const char *const *g = general; *g; g++)
        open |= memcmp(head + FIRST, *g, 4) == 0;
    for (const char *const *brand = brands; *brand; brand++) {
        if (memcmp(head + FIRST, *brand, 4) == 0)
            return true;
        for (size_t at = OTHERS; open && at + 4 <= end; at += 4)
            if (memcmp(head + at, *brand, 4) == 0)
                return true;
    }
    return false;
}
