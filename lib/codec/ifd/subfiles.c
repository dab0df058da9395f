/*
 * subfiles.c - pictures that belong to a page of a TIFF: overviews and transparency masks
 *
 * A mask is copied strip by strip, or tile by tile, as it was compressed: its samples have a byte at most, which no
 * order of bytes changes.
 */
#include "codec/ifd/subfiles.h"

#include "codec/encoder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define PIECE 65536
enum { REDUCED = 1, MASK = 4 };
enum { WIDTH = 256, HEIGHT, BITS, COMPRESSION, SAMPLES = 277, OLD_JPEG = 6 };
enum { STRIPS = 273, STRIP_SIZES = 279, TILES = 324, TILE_SIZES };

static uint64_t number(struct imf_tiff_input *in, const struct imf_tiff_directory *d, unsigned tag,
                       uint64_t otherwise) {
    return imf_tiff_entry(d, tag) ? imf_tiff_number_of(in, d, tag) : otherwise;
}

/* ---- which ----------------------------------------------------------------------------------- */

/* Is width x height the owner's size by one factor, each rounded up or down? */
static bool has_shape(const struct imf_tiff_owner *o, uint64_t width, uint64_t height) {
    return (width - 1) * o->height < (height + 1) * o->width &&
           (height - 1) * o->width < (width + 1) * o->height;
}

/* Entries of where strips or tiles are, and of their sizes; NULL: they are not in the file, or are more than it has
 * bytes. */
static const struct imf_tiff_entry *find_cells(struct imf_tiff_input *in,
                                               const struct imf_tiff_directory *d,
                                               const struct imf_tiff_entry **sizes) {
    bool tiled = imf_tiff_entry(d, TILES);
    const struct imf_tiff_entry *offsets = imf_tiff_entry(d, tiled ? TILES : STRIPS);
    uint64_t at, bytes, all = 0;
    *sizes = imf_tiff_entry(d, tiled ? TILE_SIZES : STRIP_SIZES);
    if (!offsets || !*sizes || offsets->count != (*sizes)->count || !offsets->count)
        return NULL;
    for (uint64_t i = 0; i < offsets->count; i++, all += bytes)
        if (!imf_tiff_number(in, offsets, i, &at) || !imf_tiff_number(in, *sizes, i, &bytes) ||
            at > in->bytes.size || bytes > in->bytes.size - at || all > in->bytes.size)
            return NULL;
    return offsets;
}

/* Does the tag say where the samples are? */
static bool is_rebuilt(unsigned tag) {
    return tag == STRIPS || tag == STRIP_SIZES || tag == TILES || tag == TILE_SIZES;
}

/* Is it a number that is no offset, or a text? */
static bool is_fixed(const struct imf_tiff_entry *e) {
    bool known = imf_tiff_is_storage(e->tag) && e->tag != IMF_TIFF_SUB_IFD;
    bool large = e->type == IMF_TIFF_LONG || e->type > IMF_TIFF_UNDEFINED;
    return e->type <= IMF_TIFF_LAST && (known || !large) && !imf_tiff_is_pointer(e->tag);
}

static bool may_copy(struct imf_tiff_input *in, const struct imf_tiff_directory *d) {
    const struct imf_tiff_entry *sizes;
    uint64_t bits = number(in, d, BITS, 1), at, bytes;
    bool good = number(in, d, SAMPLES, 1) == 1 && bits >= 1 && bits <= 8 &&
                number(in, d, COMPRESSION, 1) != OLD_JPEG && find_cells(in, d, &sizes);
    for (size_t i = 0; i < d->count && good; i++) {
        const struct imf_tiff_entry *e = &d->entries[i];
        good = is_rebuilt(e->tag) ||
               (is_fixed(e) && imf_tiff_extent(in, e, &at, &bytes) && bytes <= IMF_METADATA_MAX);
    }
    return good;
}

enum imf_meta_kind imf_tiff_subfile_kind(struct imf_tiff_input *in,
                                         const struct imf_tiff_directory *d,
                                         struct imf_tiff_owner *o) {
    uint64_t type = imf_tiff_number_of(in, d, IMF_TIFF_SUBFILE);
    uint64_t width = imf_tiff_number_of(in, d, WIDTH), height = imf_tiff_number_of(in, d, HEIGHT);
    bool same = width == o->width && height == o->height;
    bool mask = type & MASK, reduced = type & REDUCED;
    if (o->count >= IMF_TIFF_SUBFILES_MAX || width < 1 || height < 1 || width > o->width ||
        height > o->height || o->width > INT_MAX || o->height > INT_MAX)
        return IMF_META_KINDS;
    if (reduced == same || (!mask && !reduced) || !has_shape(o, width, height))
        return IMF_META_KINDS;
    if (mask ? !may_copy(in, d) : width * height > o->pixels)
        return IMF_META_KINDS;
    o->pixels -= mask ? 0 : width * height;
    o->count++;
    return mask ? IMF_META_TIFF_MASK : IMF_META_TIFF_OVERVIEW;
}

/* ---- copying --------------------------------------------------------------------------------- */

static enum imf_status copy_bytes(struct imf_writer *w, struct imf_bytes *from, uint64_t at,
                                  uint64_t bytes, struct imf_error *err) {
    unsigned char piece[PIECE];
    while (bytes > 0 && !w->error) {
        size_t n = bytes < sizeof piece ? (size_t)bytes : sizeof piece;
        if (!imf_bytes_get(from, at, piece, n))
            return imf_fail(err, IMF_ERR_IO, "cannot read its transparency mask again");
        imf_writer_put(w, piece, n);
        at += n;
        bytes -= n;
    }
    return w->file ? imf_memory_fits(w->encode.max_memory, w->written, "a TIFF to a pipe", err)
                   : IMF_OK;
}

enum imf_status imf_tiff_mask_copy(struct imf_tiff_mask *out, struct imf_writer *w,
                                   const struct imf_tiff_subfile *c, struct imf_error *err) {
    struct imf_tiff_input in = c->in;
    struct imf_tiff_directory d;
    const struct imf_tiff_entry *sizes, *offsets = NULL;
    enum imf_status status = IMF_OK;
    if (imf_tiff_load(&d, &in, c->at, &w->out_of_memory))
        offsets = find_cells(&in, &d, &sizes);
    if (offsets) {
        out->count = (size_t)offsets->count;
        out->offsets = calloc(out->count, sizeof *out->offsets);
        out->sizes = calloc(out->count, sizeof *out->sizes);
    }
    if (offsets && (!out->offsets || !out->sizes))
        status = imf_fail_memory(err, out->count);
    for (size_t i = 0; i < out->count && !status; i++) {
        uint64_t at = 0;
        imf_tiff_number(&in, offsets, i, &at);
        imf_tiff_number(&in, sizes, i, &out->sizes[i]);
        out->offsets[i] = out->sizes[i] ? w->written : 0; /* GDAL writes none of zeros */
        status = copy_bytes(w, &in.bytes, at, out->sizes[i], err);
    }
    imf_tiff_unload(&d);
    return status || offsets ? status
                             : imf_fail(err, IMF_ERR_IO, "cannot read its transparency mask again");
}

void imf_tiff_mask_add(const struct imf_tiff_mask *mask, const struct imf_tiff_subfile *c,
                       struct imf_tiff_directory *d, struct imf_tiff_output *out) {
    struct imf_tiff_input in = c->in;
    struct imf_tiff_directory from;
    enum imf_tiff_type wide = out->wide ? IMF_TIFF_LONG8 : IMF_TIFF_LONG;
    imf_tiff_load(&from, &in, c->at, &out->out_of_memory);
    bool tiled = imf_tiff_entry(&from, TILES);
    imf_tiff_add(d, out, tiled ? TILES : STRIPS, wide, mask->count, mask->offsets);
    imf_tiff_add(d, out, tiled ? TILE_SIZES : STRIP_SIZES, wide, mask->count, mask->sizes);
    for (size_t i = 0; i < from.count; i++)
        if (!is_rebuilt(from.entries[i].tag))
            imf_tiff_copy_value(d, out, &in, &from.entries[i]);
    imf_tiff_unload(&from);
}
