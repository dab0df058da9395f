/*
 * metadata.c - what a TIFF carries besides pixels
 *
 * Its directory holds EXIF's first one, as far as that is not about pixels. IPTC's record has a tag,
 * and Photoshop's resources, which repeat it, another; of two records the tag's counts, which other
 * programs edit.
 */
#include "codec/ifd/metadata.h"

#include "codec/metadata/irb.h"
#include "codec/metadata/tiff.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading --------------------------------------------------------------------------------- */

struct value {
    unsigned char *data; /* NULL: there is none */
    size_t size;
    bool text; /* bytes, not numbers */
};

static struct value value_of(struct imf_reader *r, struct imf_tiff_input *in,
                             const struct imf_tiff_directory *d, unsigned tag) {
    const struct imf_tiff_entry *e = imf_tiff_entry(d, tag);
    struct value v = {.data = NULL};
    if (e)
        v.data = imf_tiff_value(in, e, IMF_METADATA_MAX, &v.size, &r->metadata.out_of_memory);
    if (e) {
        r->at = imf_tiff_key(in, d, (size_t)(e - d->entries));
        v.text = e->type <= IMF_TIFF_ASCII || e->type == IMF_TIFF_UNDEFINED;
    }
    if (e && !v.data) {
        imf_reader_lose(r, NULL,
                        tag == in->untrue ? "it tells of pictures that are left out"
                                          : "damaged or too large");
        v.size = 0;
    }
    return v;
}

static void add_item(struct imf_reader *r, enum imf_meta_kind kind, unsigned strip,
                     struct value v) {
    if (v.data)
        imf_reader_add_metadata(r, kind, strip, v.data, v.size);
    free(v.data);
}

static void add_tags(struct imf_reader *r, struct imf_tiff_input *in, uint64_t first, uint64_t at,
                     enum imf_tiff_set set) {
    bool is_exif = set == IMF_TIFF_EXIF;
    struct imf_account *account = &r->account;
    size_t claims = account->claim_count;
    unsigned char header[16];
    struct imf_tiff_directory exif = {.entries = NULL};
    size_t size = imf_tiff_make_header(header, in->big_endian, false, 0);
    struct imf_tiff_output out = {.big_endian = in->big_endian, .base = size, .account = account};
    imf_tiff_copy(&exif, &out, in, at, set);
    if (at != first)
        imf_tiff_copy(&exif, &out, in, first, set);
    uint64_t stored = exif.count ? imf_tiff_store(&exif, &out) : 0;
    imf_tiff_make_header(header, in->big_endian, false, stored);
    unsigned char *stream = stored ? malloc(size + out.size) : NULL;
    struct imf_meta_item *item = NULL;
    if (stream) {
        memcpy(stream, header, size);
        memcpy(stream + size, out.data, out.size);
        r->at = UINT64_MAX; /* it has many parts */
        item = imf_reader_add_metadata(r, is_exif ? IMF_META_EXIF : IMF_META_TIFF_TAGS,
                                       is_exif ? IMF_STRIP_EXIF : IMF_STRIP_OTHER, stream,
                                       size + out.size);
    }
    for (size_t i = claims; item && i < account->claim_count; i++)
        account->claims[i].item = item;
    account->claim_count = item ? account->claim_count : claims;
    r->metadata.out_of_memory |= out.out_of_memory || (stored && !stream);
    imf_tiff_unload(&exif);
    free(out.data);
    free(stream);
}

static void add_irb(struct imf_reader *r, struct imf_tiff_input *in,
                    const struct imf_tiff_directory *d) {
    struct value irb = value_of(r, in, d, IMF_TIFF_IRB), both = {.data = NULL};
    uint64_t key = r->at;
    struct value iptc = value_of(r, in, d, IMF_TIFF_IPTC);
    if (irb.data || iptc.data) {
        both.data = imf_irb_with_iptc(irb.data, irb.size, iptc.data, iptc.size, &both.size);
        r->metadata.out_of_memory |= !both.data;
    }
    add_item(r, IMF_META_IRB, IMF_STRIP_OTHER, both);
    struct imf_meta_item *item = r->metadata.of[IMF_META_IRB];
    const struct imf_tiff_entry *e = imf_tiff_entry(d, IMF_TIFF_IPTC);
    if (item && irb.data)
        imf_account_claim(&r->account, key, item);
    if (item && e)
        item->iptc_type = irb.data ? 0 : e->type;
    free(irb.data);
    free(iptc.data);
}

/* EXIF's description is the comment, too. */
static void add_comment(struct imf_reader *r, struct value v) {
    size_t size = v.data && v.text ? strnlen((const char *)v.data, v.size) : 0;
    struct imf_meta_item *item =
        size ? imf_reader_add_metadata(r, IMF_META_COMMENT, IMF_STRIP_OTHER, v.data, size) : NULL;
    if (item)
        item->derived = true;
    free(v.data);
}

/* Items of the directory at `at`, of which some are there already where it is the second. */
static void add_items(struct imf_reader *r, struct imf_tiff_input *in, uint64_t at) {
    struct imf_tiff_directory d;
    imf_tiff_load(&d, in, at, &r->metadata.out_of_memory);
    add_item(r, IMF_META_XMP, IMF_STRIP_XMP, value_of(r, in, &d, IMF_TIFF_XMP));
    add_item(r, IMF_META_ICC, IMF_STRIP_ICC, value_of(r, in, &d, IMF_TIFF_ICC));
    if (!imf_metadata_find(&r->metadata, IMF_META_IRB))
        add_irb(r, in, &d);
    if (!imf_metadata_find(&r->metadata, IMF_META_COMMENT))
        add_comment(r, value_of(r, in, &d, IMF_TIFF_DESCRIPTION));
    imf_tiff_unload(&d);
}

static bool has(struct value v, const char *text) {
    return v.data && memmem(v.data, v.size, text, strlen(text));
}

/* Programs of laboratories (ImageJ, tifffile, OME's) describe all pictures of a file in the first one's
 * text, which stays true where all are pages that are read. */
static bool describes_others(struct imf_reader *r, struct imf_tiff_input *in, uint64_t first,
                             uint64_t at) {
    struct imf_tiff_directory d;
    imf_tiff_load(&d, in, at, &r->metadata.out_of_memory);
    struct value v = value_of(r, in, &d, IMF_TIFF_DESCRIPTION);
    bool alone = !d.next && at == first;
    bool others = !(r->limits.pages == IMF_PAGES_ALL && r->pages > 1) &&
                  ((has(v, "\nimages=") && !has(v, "\nimages=1\n")) ||
                   (!alone && (has(v, "<OME") || has(v, "\"shape\": ["))));
    free(v.data);
    imf_tiff_unload(&d);
    return others;
}

void imf_tiff_read_metadata(struct imf_reader *r, struct imf_tiff_input *in, uint64_t first,
                            uint64_t at) {
    imf_tiff_enter(r, in, first, at);
    if (describes_others(r, in, first, at) ||
        (at != first && describes_others(r, in, first, first)))
        in->untrue = IMF_TIFF_DESCRIPTION;
    add_tags(r, in, first, at, IMF_TIFF_EXIF);
    add_tags(r, in, first, at, IMF_TIFF_PRIVATE);
    add_items(r, in, at);
    if (at != first)
        add_items(r, in, first);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void add_density(struct imf_writer *w, struct imf_tiff_directory *d,
                        struct imf_tiff_output *out) {
    struct imf_density density = imf_writer_density(w);
    if (density.unit == IMF_DENSITY_METRE)
        density = imf_density_convert(density, IMF_DENSITY_INCH);
    if (density.unit == IMF_DENSITY_NONE || !density.x || !density.y ||
        imf_tiff_entry(d, IMF_TIFF_X_RESOLUTION))
        return;
    uint64_t unit = density.unit == IMF_DENSITY_INCH ? 2 : density.unit == IMF_DENSITY_CM ? 3 : 1;
    imf_tiff_add(d, out, IMF_TIFF_X_RESOLUTION, IMF_TIFF_RATIONAL, 2, (uint64_t[]){density.x, 1});
    imf_tiff_add(d, out, IMF_TIFF_Y_RESOLUTION, IMF_TIFF_RATIONAL, 2, (uint64_t[]){density.y, 1});
    imf_tiff_add(d, out, IMF_TIFF_UNIT, IMF_TIFF_SHORT, 1, &unit);
}

static void put_tags(struct imf_writer *w, const struct imf_meta_item *item, enum imf_tiff_set set,
                     struct imf_tiff_directory *d, struct imf_tiff_output *out) {
    struct imf_tiff_input in = {.bytes = {.data = imf_writer_data(w, item), .size = item->size}};
    uint64_t first = in.bytes.data ? imf_tiff_header(&in) : 0;
    if (first)
        imf_tiff_copy(d, out, &in, first, set);
    else if (in.bytes.data)
        imf_writer_lose(w, item, NULL, 0, "damaged");
}

/* libtiff knows IPTC's record as numbers of four bytes only, but where a TIFF had it as bytes it stays
 * as long as it was; and alone where it was alone. */
static void put_irb(struct imf_writer *w, struct imf_tiff_directory *d, struct imf_tiff_output *out,
                    const struct imf_meta_item *item) {
    size_t size = 0;
    const unsigned char *iptc = imf_irb_iptc(item->data, item->size, &size);
    unsigned type = item->iptc_type;
    bool bytes = type == IMF_TIFF_BYTE || type == IMF_TIFF_UNDEFINED;
    const unsigned char *data = type && iptc ? NULL : imf_writer_data(w, item);
    if (data)
        imf_tiff_add_bytes(d, out, IMF_TIFF_IRB, IMF_TIFF_BYTE, data, item->size);
    if (iptc)
        imf_tiff_add_bytes(d, out, IMF_TIFF_IPTC, bytes ? (enum imf_tiff_type)type : IMF_TIFF_LONG,
                           iptc, size);
}

static const struct imf_meta_item *wanted(const struct imf_writer *w, enum imf_meta_kind kind) {
    const struct imf_meta_item *item = imf_metadata_find(w->metadata, kind);
    return item && imf_writer_wants(w, item) ? item : NULL;
}

void imf_tiff_add_metadata(struct imf_writer *w, struct imf_tiff_directory *d,
                           struct imf_tiff_output *out) {
    const struct imf_meta_item *exif = wanted(w, IMF_META_EXIF), *xmp = wanted(w, IMF_META_XMP),
                               *icc = imf_writer_icc(w), *irb = wanted(w, IMF_META_IRB),
                               *comment = wanted(w, IMF_META_COMMENT),
                               *tags = wanted(w, IMF_META_TIFF_TAGS);
    size_t size;
    if (exif) {
        put_tags(w, exif, IMF_TIFF_EXIF, d, out);
        put_tags(w, exif, IMF_TIFF_PRIVATE, d, out);
    }
    if (tags)
        put_tags(w, tags, IMF_TIFF_PRIVATE, d, out);
    add_density(w, d, out);
    const unsigned char *packet = xmp ? imf_writer_xmp(w, xmp, &size) : NULL;
    if (packet)
        imf_tiff_add_bytes(d, out, IMF_TIFF_XMP, IMF_TIFF_BYTE, packet, size);
    if (icc)
        imf_tiff_add_bytes(d, out, IMF_TIFF_ICC, IMF_TIFF_UNDEFINED, icc->data, icc->size);
    if (irb)
        put_irb(w, d, out, irb);
    if (comment && imf_tiff_entry(d, IMF_TIFF_DESCRIPTION)) {
        imf_writer_lose(w, comment, NULL, 0, "EXIF has another description");
    } else if (comment) { /* text ends with a NUL */
        char *text = calloc(comment->size + 1, 1);
        w->out_of_memory |= !text;
        if (text) {
            memcpy(text, comment->data, comment->size);
            imf_tiff_add_bytes(d, out, IMF_TIFF_DESCRIPTION, IMF_TIFF_ASCII, text,
                               strlen(text) + 1);
        }
        free(text);
    }
    w->out_of_memory |= out->out_of_memory;
}
