/*
 * parts.c - a TIFF's directories, values and pictures in the account of its file
 *
 * A directory's entries are followed to the values that they point at, to other directories and to the
 * strips and tiles of pictures. Of the picture that is read, and of the first, each value is a part by
 * itself, which metadata.c may claim; of another one all is that picture, and an overview or a mask of the one that is
 * read is an item. Pages that are read after the first have accounts of their own, of what their directories lead to.
 */
#include "codec/ifd/metadata.h"
#include "codec/ifd/pictures.h"
#include "codec/ifd/planes.h"
#include "codec/ifd/subfiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIRECTORIES_MAX IMF_TIFF_PICTURES_MAX
#define NEXT "directory of the next picture"
#define PLANES "planes of the picture's directory"
#define OVERVIEW "overview"
#define MASK "transparency mask"

/* The picture that is read, a directory of its tags, the first picture where that is another, pages that are read
 * later, other pictures. */
enum place { READ, TAGS, FIRST, PAGE, OTHER };

struct walk {
    struct imf_reader *reader;
    struct imf_tiff_input *in;
    uint64_t seen[DIRECTORIES_MAX];
    size_t count;
    uint64_t width, height;                        /* of the picture that is read */
    bool framed;                                   /* GDAL says that tiles are */
    struct imf_tiff_owner page;                    /* the last page, or zeros */
    bool later;                                    /* it has an account of its own */
    enum { CHAIN, BELOW_PAGE, BELOW_OTHER } level; /* of directories */
    struct picture {                               /* that is not read, whose directory this is */
        const char *title;
        enum imf_becomes becomes;
        struct imf_meta_item *item; /* NULL, or what it is */
    } other;
};

static const struct {
    uint16_t tag;
    unsigned strip;
    const char *name;
} names[] = {{269, IMF_STRIP_EXIF, "name of the document"},
             {270, IMF_STRIP_EXIF, "description"},
             {271, IMF_STRIP_EXIF, "make"},
             {272, IMF_STRIP_EXIF, "model"},
             {274, IMF_STRIP_EXIF, "orientation"},
             {282, IMF_STRIP_EXIF, "resolution"},
             {283, IMF_STRIP_EXIF, "resolution"},
             {296, IMF_STRIP_EXIF, "resolution"},
             {301, IMF_STRIP_OTHER, "transfer function"},
             {305, IMF_STRIP_EXIF, "software"},
             {306, IMF_STRIP_EXIF, "date"},
             {315, IMF_STRIP_EXIF, "artist"},
             {700, IMF_STRIP_XMP, "XMP"},
             {330, 0, "picture below the first"},
             {33432, IMF_STRIP_EXIF, "copyright"},
             {33628, 0, "planes (MetaMorph)"},
             {33629, 0, "planes (MetaMorph)"},
             {33723, IMF_STRIP_OTHER, "IPTC"},
             {34377, IMF_STRIP_OTHER, "image resources (IPTC)"},
             {34665, IMF_STRIP_EXIF, "EXIF"},
             {34675, IMF_STRIP_ICC, "ICC profile"},
             {34853, IMF_STRIP_EXIF, "position (GPS)"},
             {37500, IMF_STRIP_EXIF, "notes of the maker (MakerNote)"},
             {37724, 0, "layers (Photoshop)"}};

static void enter(struct walk *w, uint64_t at, uint64_t bytes, enum imf_becomes becomes,
                  unsigned strip, const char *name, uint64_t key, const char *why) {
    struct imf_account_entry *e =
        imf_account_add(&w->reader->account, at, bytes, becomes, strip, name);
    if (e) {
        e->key = key;
        e->part.why = why;
    }
    if (w->other.item)
        imf_account_claim(&w->reader->account, key, w->other.item);
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* GDAL says behind the header how it lays out the file, as one for the cloud (COG). */
static void enter_layout(struct walk *w, uint64_t at) {
    static const char begin[] = "GDAL_STRUCTURAL_METADATA_SIZE=";
    enum { LINE = 43, TEXT_MAX = 1000 };
    char text[LINE + TEXT_MAX + 1] = "";
    if (!imf_bytes_get(&w->in->bytes, at, text, LINE) || strncmp(text, begin, strlen(begin)) != 0)
        return;
    unsigned long size = strtoul(text + strlen(begin), NULL, 10);
    if (size > TEXT_MAX || !imf_bytes_get(&w->in->bytes, at + LINE, text + LINE, size))
        return;
    imf_account_add(&w->reader->account, at, LINE + size, IMF_STRUCTURE, 0, "layout (GDAL)");
    w->framed = strstr(text, "BLOCK_LEADER=SIZE_AS_UINT4\n") &&
                strstr(text, "BLOCK_TRAILER=LAST_4_BYTES_REPEATED\n");
}

/* Does its size stand before a tile, the lowest byte first, and its end once more behind it? */
static bool is_framed(struct walk *w, uint64_t at, uint64_t bytes) {
    unsigned char size[4], end[8];
    return w->framed && bytes >= 4 &&
           imf_bytes_get(&w->in->bytes, at - sizeof size, size, sizeof size) &&
           (size[0] | size[1] << 8 | size[2] << 16 | (uint32_t)size[3] << 24) == bytes &&
           imf_bytes_get(&w->in->bytes, at + bytes - 4, end, sizeof end) &&
           memcmp(end, end + 4, 4) == 0;
}

/* Strips or tiles, by the entries of their offsets and of their sizes. */
static void enter_cells(struct walk *w, const struct imf_tiff_directory *d, enum place place,
                        const char *title) {
    static const unsigned tags[][2] = {{273, 279}, {324, 325}};
    for (size_t k = 0; k < 2; k++) {
        const struct imf_tiff_entry *offsets = imf_tiff_entry(d, tags[k][0]);
        const struct imf_tiff_entry *sizes = imf_tiff_entry(d, tags[k][1]);
        uint64_t at, bytes;
        for (uint64_t i = 0; offsets && imf_tiff_number(w->in, offsets, i, &at); i++) {
            bool known = sizes && imf_tiff_number(w->in, sizes, i, &bytes) && bytes > 0;
            uint64_t frame = known && is_framed(w, at, bytes) ? 4 : 0;
            if (at > 0 && at < w->in->bytes.size)
                enter(w, at - frame, known ? bytes + 2 * frame : w->in->bytes.size - at,
                      place == READ || place == PAGE ? IMF_PIXELS
                      : place == OTHER               ? w->other.becomes
                                                     : IMF_LOST,
                      0, place == READ ? "pixels" : title, at - frame, NULL);
        }
    }
}

/* Is it what it says, a copy with fewer pixels than what is read? */
static bool is_smaller(struct walk *w, const struct imf_tiff_directory *d) {
    uint64_t width = imf_tiff_number_of(w->in, d, 256), height = imf_tiff_number_of(w->in, d, 257);
    return imf_tiff_is_reduced(w->in, d) && width > 0 && height > 0 &&
           (width < w->width || height < w->height) && width <= w->width && height <= w->height;
}

/* ---- directories ----------------------------------------------------------------------------- */

static void walk_directory(struct walk *w, uint64_t at, enum place place, const char *name);

/* Directories that a value points to. */
static void follow(struct walk *w, const struct imf_tiff_entry *e, enum place from,
                   enum place place, const char *name) {
    uint64_t at;
    const int level = w->level;
    w->level = from == READ || from == PAGE ? BELOW_PAGE : BELOW_OTHER;
    for (uint64_t i = 0; i < DIRECTORIES_MAX && imf_tiff_number(w->in, e, i, &at); i++)
        walk_directory(w, at, place, name);
    w->level = level;
}

static bool leads_to_directories(struct walk *w, const struct imf_tiff_entry *e) {
    struct imf_tiff_directory d;
    uint64_t at, i = 0;
    for (; i < DIRECTORIES_MAX && imf_tiff_number(w->in, e, i, &at); i++) {
        if (!imf_tiff_load(&d, w->in, at, &w->reader->metadata.out_of_memory))
            return false;
        imf_tiff_unload(&d);
    }
    return i > 0;
}

static void enter_entry(struct walk *w, const struct imf_tiff_directory *d, size_t i,
                        enum place place, const char *name) {
    const struct imf_tiff_entry *e = &d->entries[i];
    uint64_t at, bytes, key = imf_tiff_key(w->in, d, i);
    uint64_t entry = imf_tiff_key(w->in, d, i + 1) - key;
    bool good = imf_tiff_extent(w->in, e, &at, &bytes), pictures = e->tag == IMF_TIFF_SUB_IFD;
    bool pointer = pictures || imf_tiff_is_pointer(e->tag);
    char text[32];
    const char *title = text;
    unsigned strip = place == TAGS ? IMF_STRIP_EXIF : IMF_STRIP_OTHER;
    snprintf(text, sizeof text, place == TAGS ? "EXIF tag %u" : "tag %u", e->tag);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k].tag == e->tag) {
            title = names[k].name;
            strip = names[k].strip;
        }
    bool other = place == OTHER || place == PAGE;
    if (other ||
        (pointer ? leads_to_directories(w, e) : place != TAGS && imf_tiff_is_storage(e->tag))) {
        enum imf_becomes becomes = place == OTHER ? w->other.becomes : IMF_STRUCTURE;
        title = place == OTHER ? w->other.title : place == PAGE ? name : "directory";
        enter(w, key, entry, becomes, 0, title, key, NULL);
        if (good && at)
            enter(w, at, bytes, becomes, 0, title, at, NULL);
    } else if (good && at) {
        enter(w, key, entry, IMF_STRUCTURE, 0, "directory", key - 1, NULL);
        enter(w, at, bytes, IMF_LOST, strip, title, key, pointer ? "damaged" : NULL);
    } else {
        enter(w, key, entry, IMF_LOST, strip, title, key, good && !pointer ? NULL : "damaged");
    }
    if (good && pictures)
        follow(w, e, place, OTHER, other ? name : "picture below the first");
    else if (good && imf_tiff_is_pointer(e->tag))
        follow(w, e, place, other ? place : TAGS, name);
}

/* A picture that is not read. Titles are those of what is compared in size: what hangs below it is not known by it. */
static struct picture name_picture(struct walk *w, const struct imf_tiff_directory *d,
                                   const char *name) {
    struct imf_metadata *m = &w->reader->metadata;
    enum imf_meta_kind kind =
        w->level == BELOW_OTHER ? IMF_META_KINDS : imf_tiff_subfile_kind(w->in, d, &w->page);
    if (kind == IMF_META_KINDS)
        return (struct picture){is_smaller(w, d) ? "smaller copy of the picture" : name, IMF_LOST,
                                NULL};
    bool mask = kind == IMF_META_TIFF_MASK;
    if (w->later)
        return (struct picture){mask ? MASK : OVERVIEW, mask ? IMF_KEPT : IMF_REBUILT, NULL};
    const struct imf_tiff_subfile c = {.width = (uint32_t)imf_tiff_number_of(w->in, d, 256),
                                       .height = (uint32_t)imf_tiff_number_of(w->in, d, 257),
                                       .page_width = (uint32_t)w->page.width,
                                       .page_height = (uint32_t)w->page.height,
                                       .below = w->level == BELOW_PAGE,
                                       .at = d->at,
                                       .in = *w->in};
    return (struct picture){mask ? MASK : OVERVIEW, IMF_LOST,
                            imf_metadata_add(m, kind, 0, &c, sizeof c)};
}

/* A page, or another picture in the chain, to which those that follow belong. */
static void set_owner(struct walk *w, const struct imf_tiff_directory *d, enum place place) {
    w->page = (struct imf_tiff_owner){.width = 0};
    if (place == READ || place == PAGE) {
        w->page.width = imf_tiff_number_of(w->in, d, 256);
        w->page.height = imf_tiff_number_of(w->in, d, 257);
        if (__builtin_mul_overflow(w->page.width, w->page.height, &w->page.pixels))
            w->page.pixels = UINT64_MAX;
    }
    w->later = place == PAGE;
}

/* All of a directory but what follows it; name: of another picture. */
static void walk_directory(struct walk *w, uint64_t at, enum place place, const char *name) {
    struct imf_tiff_directory d;
    for (size_t i = 0; i < w->count; i++)
        if (w->seen[i] == at)
            return;
    if (w->count == DIRECTORIES_MAX ||
        !imf_tiff_load(&d, w->in, at, &w->reader->metadata.out_of_memory))
        return;
    w->seen[w->count++] = at;
    const struct picture outer = w->other;
    bool page = imf_tiff_is_page(w->in, &d);
    if (place == READ) {
        w->width = imf_tiff_number_of(w->in, &d, 256);
        w->height = imf_tiff_number_of(w->in, &d, 257);
    } else if (place == PAGE && !page) {
        place = OTHER;
    }
    if (place == READ || place == PAGE || place == FIRST ||
        (place == OTHER && page && w->level == CHAIN))
        set_owner(w, &d, place);
    if (place == OTHER)
        w->other = name_picture(w, &d, name);
    const char *title = place == OTHER ? w->other.title : place == PAGE ? name : "directory";
    uint64_t first = imf_tiff_key(w->in, &d, 0), end = imf_tiff_key(w->in, &d, d.count);
    enum imf_becomes becomes = place == OTHER ? w->other.becomes : IMF_STRUCTURE;
    enter(w, at, first - at, becomes, 0, title, at, NULL);
    for (size_t i = 0; i < d.count; i++)
        enter_entry(w, &d, i, place, name);
    enter(w, end, w->in->wide ? 8 : 4, becomes, 0, title, end, NULL);
    if (place != TAGS)
        enter_cells(w, &d, place, place == OTHER ? title : name);
    imf_tiff_unload(&d);
    w->other = outer;
}

/* Overviews and masks behind a page whose account has nothing else that is not its own. */
static void walk_subfiles(struct walk *w, uint64_t at) {
    bool *out_of_memory = &w->reader->metadata.out_of_memory, more = true;
    struct imf_tiff_directory d;
    imf_tiff_load(&d, w->in, at, out_of_memory);
    for (size_t i = 0; i < DIRECTORIES_MAX && more; i++) {
        uint64_t next = d.next;
        imf_tiff_unload(&d);
        more = imf_tiff_load(&d, w->in, next, out_of_memory) && !imf_tiff_is_page(w->in, &d);
        struct imf_tiff_owner page = w->page;
        if (more && imf_tiff_subfile_kind(w->in, &d, &page) != IMF_META_KINDS)
            walk_directory(w, next, OTHER, OVERVIEW);
    }
    imf_tiff_unload(&d);
}

void imf_tiff_enter(struct imf_reader *r, struct imf_tiff_input *in, uint64_t first, uint64_t at) {
    struct walk *w = calloc(1, sizeof *w);
    uint64_t *list = calloc(IMF_TIFF_PICTURES_MAX, sizeof *list);
    r->metadata.out_of_memory |= !w || !list;
    if (w && list) {
        *w = (struct walk){.reader = r, .in = in};
        bool later = r->page > 1;
        uint64_t next = 0;
        size_t count =
            later ? 0 : imf_tiff_list_pictures(in, first, list, &next, &r->metadata.out_of_memory);
        if (!later) {
            imf_account_add(&r->account, 0, in->wide ? 16 : 8, IMF_STRUCTURE, 0, "header");
            enter_layout(w, in->wide ? 16 : 8);
        }
        const struct imf_tiff_planes planes =
            imf_tiff_find_planes(in, at, &r->metadata.out_of_memory);
        if (!later || planes.count == 1) /* the first page's account has all of its planes */
            walk_directory(w, at, READ, NULL);
        if (later && planes.count == 1)
            walk_subfiles(w, at);
        if (!later && planes.count > 1)
            enter(w, planes.first + planes.bytes, (uint64_t)(planes.count - 1) * planes.bytes,
                  r->pages ? IMF_PIXELS : IMF_LOST, 0, PLANES, planes.first + planes.bytes, NULL);
        if (at != first && !later)
            walk_directory(w, first, FIRST, "first picture");
        for (size_t i = 1; i < count; i++) {
            char name[64];
            snprintf(name, sizeof name, "picture %zu of %zu", i + 1, count);
            walk_directory(w, list[i], r->pages ? PAGE : OTHER, name);
        }
        if (next)
            enter(w, in->bytes.size, 0, IMF_LOST, 0, NEXT, in->bytes.size,
                  count < IMF_TIFF_PICTURES_MAX ? "damaged" : "more than 4096 are not read");
        r->metadata.out_of_memory |= r->account.out_of_memory;
    }
    free(w);
    free(list);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static unsigned items_of(unsigned tag, unsigned type) {
    static const struct {
        unsigned tag, items;
    } others[] = {{IMF_TIFF_DESCRIPTION, 1 << IMF_META_EXIF | 1 << IMF_META_COMMENT},
                  {IMF_TIFF_XMP, 1 << IMF_META_XMP},
                  {IMF_TIFF_IPTC, 1 << IMF_META_IRB},
                  {IMF_TIFF_IRB, 1 << IMF_META_IRB},
                  {IMF_TIFF_ICC, 1 << IMF_META_ICC}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].tag == tag)
            return others[i].items;
    return imf_tiff_belongs(tag, type, IMF_TIFF_EXIF)      ? 1 << IMF_META_EXIF
           : imf_tiff_belongs(tag, type, IMF_TIFF_PRIVATE) ? 1 << IMF_META_TIFF_TAGS
                                                           : 0;
}

bool imf_tiff_part(size_t i, struct imf_part_kind *kind) {
    enum { NAMES = sizeof names / sizeof *names, PROGRAM = 65000 };
    static const struct {
        const char *name;
        unsigned tag, type;
        bool page;
        unsigned items;
    } more[] = {{"EXIF tag N", 36864, IMF_TIFF_ASCII, false, 0},
                {"tag N that EXIF has, too", 318, IMF_TIFF_RATIONAL, false, 0},
                {"tag N of text, bytes or 16 bits", PROGRAM, IMF_TIFF_ASCII, false, 0},
                {"tag N of integers of 32 bits", PROGRAM, IMF_TIFF_LONG, false, 0},
                {"picture 2 of 2", IMF_TIFF_SUB_IFD, IMF_TIFF_LONG, true, 0},
                {PLANES, IMF_TIFF_SUB_IFD, IMF_TIFF_LONG, true, 0},
                {"smaller copy of the picture", IMF_TIFF_SUB_IFD, IMF_TIFF_LONG, false, 0},
                {OVERVIEW, IMF_TIFF_SUB_IFD, IMF_TIFF_LONG, false, 1 << IMF_META_TIFF_OVERVIEW},
                {MASK, IMF_TIFF_SUB_IFD, IMF_TIFF_LONG, false, 1 << IMF_META_TIFF_MASK},
                {NEXT, IMF_TIFF_SUB_IFD, IMF_TIFF_LONG, false, 0}};
    if (i >= NAMES + sizeof more / sizeof *more)
        return false;
    snprintf(kind->name, sizeof kind->name, "%s", i < NAMES ? names[i].name : more[i - NAMES].name);
    kind->items = i < NAMES
                      ? items_of(names[i].tag, IMF_TIFF_BYTE)
                      : more[i - NAMES].items | items_of(more[i - NAMES].tag, more[i - NAMES].type);
    kind->page = i >= NAMES && more[i - NAMES].page;
    return true;
}
