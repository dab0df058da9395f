/*
 * write.c - TIFF encoder
 *
 * The directory follows the picture's strips, and the header, which is written last, refers to it; a file of more
 * than 4 GB is a BigTIFF. Of several pages each has its directory behind its strips, and the first one's decides. A
 * stream that cannot be written to twice, as a pipe, gets the whole file in the end.
 */
#include "codec/table.h"

#include "base/image/surface.h"
#include "codec/ifd/metadata.h"
#include "codec/ifd/subfiles.h"
#include "codec/metadata/tiff.h"
#include "codec/tiff/overviews.h"

#include <errno.h>
#include <stdlib.h>

#define HEADER 16 /* a BigTIFF's; TIFF's is shorter */

struct tiff {
    struct imf_writer *writer;
    off_t start;
    uint64_t next; /* where the next page's directory is to be named; 0: in the header */
    bool big_endian, wide;
    struct imf_tiff_strips strips; /* of the page */
    struct imf_tiff_overviews *overviews;
};

static enum imf_status open_stream(struct tiff *t, struct imf_error *err) {
    static const unsigned char header[HEADER] = {0};
    struct imf_writer *w = t->writer;
    if (t->next)
        return IMF_OK;
    off_t start = imf_writer_position(w);
    enum imf_status status = start >= 0 ? IMF_OK : imf_writer_hold(w, err);
    t->start = start >= 0 ? start : 0;
    if (status)
        return status;
    imf_writer_put(w, header, sizeof header);
    return IMF_OK;
}

/* Camera makers' own tags are in EXIF's order, and cannot be changed. A file has one order; of floats it is little-endian
 * unless such a tag is there, which more programs read. */
static void choose_order(struct tiff *t) {
    const struct imf_writer *w = t->writer;
    const struct imf_meta_item *exif = imf_metadata_find(w->metadata, IMF_META_EXIF),
                               *tags = imf_metadata_find(w->metadata, IMF_META_TIFF_TAGS);
    if (tags && imf_writer_wants(w, tags))
        imf_tiff_first(tags->data, tags->size, &t->big_endian);
    if (exif && imf_writer_wants(w, exif) &&
        (imf_info_integer(&w->info) || imf_tiff_has_note(exif->data, exif->size)))
        imf_tiff_first(exif->data, exif->size, &t->big_endian);
}

static enum imf_status tiff_open(struct imf_writer *w, struct imf_error *err) {
    struct tiff *t = w->state;
    t->writer = w;
    if (!t->next)
        choose_order(t);
    enum imf_status status =
        imf_tiff_strips_open(&t->strips, w, &w->info, t->big_endian, NULL, err);
    if (!status)
        status = imf_tiff_overviews_open(&t->overviews, w, &t->strips, err);
    w->memory = t->strips.memory + imf_tiff_overviews_memory(t->overviews);
    return status ? status : open_stream(t, err);
}

static enum imf_status tiff_rows(struct imf_writer *w, const unsigned char *src, size_t stride,
                                 int rows, struct imf_error *err) {
    struct tiff *t = w->state;
    enum imf_status status = imf_tiff_strips_rows(&t->strips, src, stride, rows, err);
    return status ? status : imf_tiff_overviews_rows(t->overviews, src, stride, rows, err);
}

/* Name the directory in the header, or behind the page's before it. */
static void link_directory(const struct tiff *t, uint64_t directory) {
    struct imf_writer *w = t->writer;
    unsigned char bytes[HEADER];
    uint64_t written = w->written;
    size_t size = t->wide ? 8 : 4;
    imf_put(bytes, (int)size, directory, t->big_endian);
    if (!t->next)
        size = imf_tiff_make_header(bytes, t->big_endian, t->wide, directory);
    errno = 0;
    if (!w->error && fseeko(w->stream, t->start + (off_t)t->next, SEEK_SET) != 0)
        w->error = errno;
    imf_writer_put(w, bytes, size);
    if (!w->error && fseeko(w->stream, t->start + (off_t)written, SEEK_SET) != 0)
        w->error = errno;
    w->written = written;
}

/* Begin a directory behind what is written. */
static struct imf_tiff_output begin(const struct tiff *t) {
    uint64_t written = t->writer->written;
    return (struct imf_tiff_output){
        .big_endian = t->big_endian, .wide = t->wide, .base = written + written % 2};
}

/* Write it, and free both. at: NULL: it is one of the chain; or returns where it is. */
static enum imf_status put_directory(struct tiff *t, struct imf_tiff_directory *d,
                                     struct imf_tiff_output *out, uint64_t *at,
                                     struct imf_error *err) {
    struct imf_writer *w = t->writer;
    d->at = imf_tiff_store(d, out);
    bool fits = t->wide || out->base + out->size <= UINT32_MAX, good = !out->out_of_memory;
    if (good && fits) {
        imf_writer_put(w, "", w->written % 2);
        imf_writer_put(w, out->data, out->size);
    }
    if (at)
        *at = d->at;
    if (good && fits && !at) {
        link_directory(t, d->at);
        t->next = imf_tiff_key(&(struct imf_tiff_input){.wide = t->wide}, d, d->count);
    }
    imf_tiff_unload(d);
    free(out->data);
    return !good  ? imf_fail(err, IMF_ERR_MEMORY, "out of memory")
           : fits ? IMF_OK
                  : imf_fail(err, IMF_ERR_LIMIT,
                             "a TIFF of more than 4 GB, though its pages were to take less");
}

static enum imf_status put_overview(struct tiff *t, int i, uint64_t *at, struct imf_error *err) {
    struct imf_tiff_directory d = {.entries = NULL};
    struct imf_tiff_output out = begin(t);
    imf_tiff_overviews_add(t->overviews, i, &d, &out);
    return put_directory(t, &d, &out, at, err);
}

static enum imf_status put_page(struct tiff *t, int below, const uint64_t *offsets,
                                struct imf_error *err) {
    struct imf_writer *w = t->writer;
    struct imf_tiff_directory d = {.entries = NULL};
    struct imf_tiff_output out = begin(t);
    imf_tiff_strips_add(&t->strips, &d, &out);
    if (below > 0)
        imf_tiff_add(&d, &out, IMF_TIFF_SUB_IFD, t->wide ? IMF_TIFF_LONG8 : IMF_TIFF_LONG,
                     (size_t)below, offsets);
    if (w->pages > 0)
        imf_tiff_add(&d, &out, 297, IMF_TIFF_SHORT, 2,
                     (uint64_t[]){(uint64_t)w->page - 1, w->source ? 0 : (uint64_t)w->pages});
    imf_tiff_add_metadata(w, &d, &out);
    return put_directory(t, &d, &out, NULL, err);
}

static enum imf_status tiff_finish(struct imf_writer *w, struct imf_error *err) {
    struct tiff *t = w->state;
    uint64_t offsets[IMF_TIFF_SUBFILES_MAX];
    int below, count = imf_tiff_overviews_count(t->overviews, &below), i = 0;
    enum imf_status status = imf_tiff_overviews_finish(t->overviews, err);
    if (!t->next)
        t->wide = w->written + 16 * t->strips.strips * (unsigned)(1 + count) +
                      3 * IMF_METADATA_MAX + w->later >
                  UINT32_MAX;
    for (; i < below && !status; i++)
        status = put_overview(t, i, &offsets[i], err);
    if (!status)
        status = put_page(t, below, offsets, err);
    for (; i < count && !status; i++)
        status = put_overview(t, i, NULL, err);
    if (!status && w->file && w->page == w->pages) {
        imf_writer_release(w);
        imf_writer_put(w, w->held, w->held_size);
    }
    return status;
}

static void tiff_turn(struct imf_writer *w) {
    struct tiff *t = w->state;
    imf_tiff_overviews_close(&t->overviews);
    imf_tiff_strips_close(&t->strips);
    *t = (struct tiff){
        .start = t->start, .next = t->next, .big_endian = t->big_endian, .wide = t->wide};
}

const struct imf_encoder imf_tiff_encoder = {
    .state = sizeof(struct tiff),
    .open = tiff_open,
    .rows = tiff_rows,
    .finish = tiff_finish,
    .close = tiff_turn,
    .turn = tiff_turn,
};
