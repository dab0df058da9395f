/* writer.c - images written through the encoder of their format */
#include "base/arguments.h"
#include "base/image/surface.h"
#include "base/sized.h"
#include "codec/account.h"
#include "codec/table.h"
#include "imfilter_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *imf_writer_warning(const struct imf_writer *writer) {
    return writer->warning[0] ? writer->warning : NULL;
}

void imf_writer_keep_no_pictures(struct imf_writer *w) {
    if (!w->no_trailer)
        w->no_trailer = "it shows the picture as it was";
}

static bool consistent(const struct imf_info *info) {
    static const int channels[] = {[IMF_COLOR_GRAY] = 1, [IMF_COLOR_RGB] = 3, [IMF_COLOR_CMYK] = 4};
    return info->channels == channels[info->color] + info->alpha;
}

/* Will the file have the EXIF orientation, if pixels keep their order? */
static bool keeps_orientation(const struct imf_codec *codec, unsigned strip,
                              const struct imf_metadata *metadata) {
    const struct imf_meta_item *exif = imf_metadata_find(metadata, IMF_META_EXIF);
    bool big;
    return exif && !(strip & exif->strip) && codec &&
           exif->size <= codec->metadata_max[IMF_META_EXIF] &&
           imf_exif_orientation_at(exif->data, exif->size, &big);
}

/* Of the caller's rows. */
static int input_orientation(const struct imf_info *info, const struct imf_metadata *metadata) {
    return info->orientation ? info->orientation : imf_metadata_orientation(metadata);
}

struct imf_info imf_writer_shape(const struct imf_info *info, const struct imf_encode *encode,
                                 const struct imf_metadata *metadata) {
    struct imf_info out = *info;
    struct imf_encode e;
    imf_sized_read(&e, sizeof e, encode);
    out.orientation = input_orientation(info, metadata);
    const struct imf_codec *codec = imf_codec_of(info->format);
    if (!codec || !(codec->few_bits & 1u << out.bits) || info->channels != 1)
        out.bits = 0;
    if (codec && codec->adapt)
        codec->adapt(&out, &e);
    struct imf_orientation orientation = imf_orientation_of(out.orientation);
    if (e.orient == IMF_ORIENT_KEEP && out.orientation == imf_metadata_orientation(metadata) &&
        keeps_orientation(codec, e.strip, metadata))
        return out;
    if (orientation.swap) {
        out.width = info->height;
        out.height = info->width;
    }
    out.orientation = 1;
    return out;
}

static bool set_row_bytes(const struct imf_info *info, size_t *bytes) {
    return imf_size_mul((size_t)info->width, (size_t)(info->channels * info->depth / 8), bytes);
}

/* A status, unless that is IMF_OK and the stream has failed. */
static enum imf_status written(const struct imf_writer *w, enum imf_status status,
                               struct imf_error *err) {
    return status || !w->error  ? status
           : w->error == ENOMEM ? imf_fail(err, IMF_ERR_MEMORY, "out of memory")
                                : imf_fail_io(err, w->error);
}

static enum imf_status open_checked(struct imf_writer *w, struct imf_error *err) {
    const struct imf_info *info = &w->info;
    w->codec = imf_codec_of(info->format);
    if (!w->codec)
        return imf_fail(err, IMF_ERR_FORMAT, "no output format (choose one with --format)");
    if (!consistent(info) || !set_row_bytes(info, &w->row_bytes) ||
        !set_row_bytes(&w->input, &w->input_bytes))
        return imf_fail(err, IMF_ERR_ARGUMENT, "no image has %dx%d pixels of %d channels, %d bits",
                        info->width, info->height, info->channels, info->depth);
    enum imf_status status = imf_codec_fits(w->codec, info, err);
    if (!status)
        status = imf_writer_make_icc(w, err);
    if (!status && !w->state && !(w->state = calloc(1, w->codec->encoder->state)))
        status = imf_fail_memory(err, w->codec->encoder->state);
    if (!status)
        status = w->codec->encoder->open(w, err);
    return written(w, status, err);
}

/* ---- what becomes of what the metadata were read from -------------------------------------------- */

static enum imf_becomes lost(struct imf_part *part, const char *why, bool allowed) {
    part->why = why;
    part->allowed = allowed;
    return IMF_LOST;
}

/* What lists pictures that follow the first goes with them. */
static enum imf_becomes fate_of_reference(const struct imf_writer *w, struct imf_part *part) {
    const struct imf_meta_item *trailer = imf_metadata_find(w->metadata, IMF_META_JPEG_TRAILER);
    if (trailer && imf_writer_fate(w, trailer, part) == IMF_LOST)
        return lost(part, part->why, true); /* the pictures are told of */
    return trailer ? IMF_REBUILT : lost(part, "what it lists is not there", false);
}

enum imf_becomes imf_writer_fate(const void *data, const struct imf_meta_item *item,
                                 struct imf_part *part) {
    const struct imf_writer *w = data;
    if (!w)
        return IMF_KEPT;
    if (!item)
        return w->encode.strip & IMF_STRIP_OTHER ? lost(part, IMF_STRIPPED, true)
               : w->codec->resolution            ? IMF_REBUILT
                                                 : lost(part, "the format has none", true);
    bool consent;
    const char *why = imf_writer_refuses(w, item, &consent);
    if (consent)
        return lost(part, why, true);
    /* Other formats have an extension of the XMP in its packet. */
    const struct imf_meta_item *xmp = imf_metadata_find(w->metadata, IMF_META_XMP);
    if (item->kind == IMF_META_XMP_EXTENSION && xmp && !w->codec->metadata_max[item->kind])
        why = imf_writer_refuses(w, item = xmp, &consent);
    if (item->needs_trailer && item->kind != IMF_META_XMP)
        return fate_of_reference(w, part);
    if (imf_writer_rebuilds(w, item))
        return IMF_REBUILT;
    if (why)
        return lost(part, why, false);
    bool trailer = item->kind == IMF_META_JPEG_TRAILER || item->kind == IMF_META_TRAILER;
    if (item->number >= w->known && !w->codec->late && !trailer)
        return lost(part, "it stands behind the pixels", false);
    for (size_t i = 0; i < w->loss_count; i++)
        if (w->losses[i].item == item)
            return lost(part, w->losses[i].why, false);
    if (trailer && w->no_trailer)
        return lost(part, w->no_trailer, strcmp(w->no_trailer, IMF_STRIPPED) == 0);
    bool turned = w->reoriented && (item->kind == IMF_META_EXIF || item->kind == IMF_META_XMP);
    bool anew = item->needs_trailer || item->kind == IMF_META_TIFF_OVERVIEW;
    return turned || anew ? IMF_REBUILT : IMF_KEPT;
}

/* Items that were read from no file, and what writers lost of others. */
static bool add_others(struct imf_parts *out, const struct imf_metadata *m,
                       const struct imf_writer *w) {
    static const char *const name[IMF_META_KINDS] = {[IMF_META_EXIF] = "EXIF",
                                                     [IMF_META_XMP] = "XMP",
                                                     [IMF_META_ICC] = "ICC profile",
                                                     [IMF_META_JPEG_TRAILER] = "further pictures"};
    bool good = true;
    for (const struct imf_meta_item *i = m ? m->first : NULL; i && w; i = i->next) {
        struct imf_part as = {.why = NULL};
        if (!i->entered && name[i->kind] && imf_writer_fate(w, i, &as) == IMF_LOST && !as.allowed)
            good = good && imf_parts_add_lost(out, name[i->kind], i->size, as.why);
    }
    for (size_t i = 0; w && i < w->loss_count; i++)
        if (!w->losses[i].item)
            good = good &&
                   imf_parts_add_lost(out, w->losses[i].name, w->losses[i].bytes, w->losses[i].why);
    return good;
}

static bool parts_of(struct imf_parts *out, const struct imf_metadata *m,
                     const struct imf_writer *w) {
    static const struct imf_account none = {.entries = NULL};
    bool good = imf_account_parts(out, m && m->account ? m->account : &none, imf_writer_fate, w) &&
                add_others(out, m, w);
    unsigned strip = w ? w->encode.strip : 0;
    for (size_t i = 0; good && i < out->count; i++) {
        struct imf_part *part = &out->list[i];
        if (part->becomes == IMF_LOST && (m->account->entries[i].strip & strip) && !part->allowed)
            lost(part, IMF_STRIPPED, true);
    }
    if (!good)
        imf_parts_free(out);
    return good;
}

bool imf_parts_of(struct imf_parts *out, const struct imf_reader *reader,
                  const struct imf_writer *writer) {
    return parts_of(out, imf_reader_metadata(reader), writer);
}

static void warn_of_lost(struct imf_writer *w) {
    struct imf_parts parts;
    char text[sizeof w->warning - 16];
    bool good = parts_of(&parts, w->metadata, w);
    w->out_of_memory |= !good;
    for (size_t i = 0; good && i < parts.count; i++) /* it may be lost, but not in silence */
        if (parts.list[i].why && strcmp(parts.list[i].why, IMF_HIDDEN) == 0)
            parts.list[i].allowed = false;
    if (good && imf_parts_lost(&parts, text, sizeof text))
        imf_writer_warn(w, "left out: %s", text);
    if (good)
        imf_parts_free(&parts);
}

static void free_page(struct imf_writer *w) {
    free(w->rows);
    free(w->data);
    free(w->xmp);
    free(w->losses);
    free(w->made_icc);
}

/* The first page, or the next one. */
static enum imf_status open_page(struct imf_writer *w, const struct imf_info *info,
                                 const struct imf_metadata *metadata, struct imf_error *err) {
    w->input = *info;
    w->info = imf_writer_shape(info, &w->encode, metadata);
    w->metadata = metadata;
    w->known = metadata ? metadata->count : 0;
    if (w->info.orientation == 1)
        w->orientation = imf_orientation_of(input_orientation(info, metadata));
    w->reoriented = imf_metadata_orientation(metadata) != w->info.orientation;
    if (metadata)
        w->jpeg = metadata->jpeg;
    if (w->orientation.swap)
        imf_jpeg_source_transpose(&w->jpeg);
    enum imf_status status = open_checked(w, err);
    return status ? status : imf_metadata_complete(w->out_of_memory, err);
}

enum imf_status imf_writer_open(struct imf_writer **out, FILE *stream, const struct imf_info *info,
                                const struct imf_encode *encode,
                                const struct imf_metadata *metadata, struct imf_error *err) {
    struct imf_encode checked;
    *out = NULL;
    imf_sized_read(&checked, sizeof checked, encode);
    enum imf_status status = imf_check_info(info, err);
    if (!status)
        status = imf_check_encode(&checked, err);
    if (status)
        return status;
    struct imf_writer *w = calloc(1, sizeof *w);
    if (!w)
        return imf_fail_memory(err, sizeof *w);
    w->stream = stream;
    w->encode = checked;
    status = open_page(w, info, metadata, err);
    if (status)
        imf_writer_close(&w);
    *out = w;
    return status;
}

bool imf_format_holds_pages(enum imf_format format) {
    const struct imf_codec *codec = imf_codec_of(format);
    return codec && codec->encoder && codec->encoder->turn;
}

void imf_writer_page(struct imf_writer *w, int page, int pages, uint64_t bytes) {
    if (!w->codec->encoder->turn || pages < 2)
        return;
    w->page = page;
    w->pages = pages;
    w->later = page < pages ? bytes : 0;
}

void imf_writer_page_of(struct imf_writer *w, int page, const struct imf_reader *reader) {
    if (!w->codec->encoder->turn)
        return;
    w->page = w->pages = page;
    w->source = reader;
}

/* Of the page that is to be finished. */
static void ask_source(struct imf_writer *w) {
    if (!w->source)
        return;
    bool more = imf_reader_pages_open(w->source) || imf_reader_pages(w->source) > w->page;
    w->pages = w->page + more;
    if (w->pages == 1) /* it is the only one */
        w->page = w->pages = 0;
}

enum imf_status imf_writer_turn(struct imf_writer *w, const struct imf_info *info,
                                const struct imf_metadata *metadata, struct imf_error *err) {
    enum imf_status status = imf_check_info(info, err);
    if (status || w->failed)
        return status ? status : imf_fail(err, w->failed, "an earlier write failed");
    if (w->page >= w->pages || info->format != w->info.format)
        return imf_fail(err, IMF_ERR_ARGUMENT, "no page was to follow");
    w->codec->encoder->turn(w);
    free_page(w);
    struct imf_writer next = {.codec = w->codec,
                              .stream = w->stream,
                              .file = w->file,
                              .held = w->held,
                              .held_size = w->held_size,
                              .encode = w->encode,
                              .written = w->written,
                              .state = w->state};
    *w = next;
    return w->failed = open_page(w, info, metadata, err);
}

bool imf_writer_takes_indices(const struct imf_writer *w) {
    return w->codec->encoder->palette && w->row == 0;
}

enum imf_status imf_writer_palette(struct imf_writer *w, const struct imf_palette *palette,
                                   struct imf_error *err) {
    w->row_bytes = (size_t)w->info.width;
    w->input_bytes = (size_t)w->input.width;
    return w->failed = w->codec->encoder->palette(w, palette, err);
}

enum imf_status imf_writer_rows(struct imf_writer *w, const void *src, size_t stride, int rows,
                                struct imf_error *err) {
    if (rows < 0 || rows > w->input.height - w->row || stride < w->input_bytes)
        return imf_fail(err, IMF_ERR_ARGUMENT, "row %d of %d, %d rows: no such rows, or stride",
                        w->row, w->input.height, rows);
    if (w->failed)
        return imf_fail(err, w->failed, "an earlier write failed");
    w->failed = written(w, imf_writer_orient(w, src, stride, rows, err), err);
    if (w->failed == IMF_OK)
        w->row += rows;
    return w->failed;
}

enum imf_status imf_writer_finish(struct imf_writer *w, struct imf_error *err) {
    if (w->row != w->input.height)
        return imf_fail(err, IMF_ERR_ARGUMENT, "only %d of %d rows were written", w->row,
                        w->input.height);
    if (w->failed)
        return imf_fail(err, w->failed, "an earlier write failed");
    if (w->channel + 1 < w->info.spectral) { /* another channel follows */
        w->channel++;
        w->row = 0;
        return IMF_OK;
    }
    ask_source(w);
    if (w->codec->encoder->finish)
        w->failed = w->codec->encoder->finish(w, err);
    const struct imf_meta_item *behind = imf_metadata_find(w->metadata, IMF_META_TRAILER);
    if (!w->failed && behind && !w->no_trailer && imf_writer_wants(w, behind))
        imf_writer_put(w, behind->data, behind->size);
    w->failed = written(w, w->failed, err);
    if (w->failed == IMF_OK)
        warn_of_lost(w);
    if (w->failed == IMF_OK)
        w->failed = imf_metadata_complete(w->out_of_memory, err);
    if (w->failed || w->file)
        return w->failed;
    errno = 0;
    if (fflush(w->stream) != 0 || ferror(w->stream))
        w->failed = imf_fail_io(err, errno);
    return w->failed;
}

void imf_writer_close(struct imf_writer **writer) {
    if (!*writer)
        return;
    if ((*writer)->state)
        (*writer)->codec->encoder->close(*writer);
    free((*writer)->state);
    imf_writer_release(*writer);
    free((*writer)->held);
    free_page(*writer);
    free(*writer);
    *writer = NULL;
}
