/*
 * write.c - JPEG encoder (libjpeg-turbo)
 *
 * CMYK is written as Photoshop writes it: inverted, with an Adobe marker. libjpeg reports an error by
 * longjmp: each call into it is a step that guarded() runs.
 *
 * Where more images follow the first one in a file, the list of them stands in the first one's
 * header and says how long that is, and whether they are there is known only when the source was
 * read to its end. Of a PNG, EXIF may stand there, too. So the first image is held in memory until it
 * is complete.
 */
#include "codec/table.h"

#include "codec/jpeg/markers.h"
#include "codec/jpeg/mpf.h"
#include "codec/jpeg/transcode.h"
#include "codec/metadata/bytes.h"
#include "codec/metadata/xmp.h"
#include "imfilter_program.h"

#include <jerror.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER 16384

struct jpeg {
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr destination;
    JOCTET buffer[BUFFER]; /* of it */
    jpeg_scan_info script[IMF_JPEG_SCANS];
    jmp_buf jump;
    struct imf_writer *writer;
    struct imf_jpeg_transcode *transcode; /* NULL: all blocks are encoded */
    JSAMPLE *inverted;                    /* CMYK: a row */
    bool keeps_trailer;                   /* images are to follow this one */
    size_t refs_at, refs_end;             /* segments that refer to the trailer, behind EXIF */
    size_t mpf_at, mpf_size;              /* of the list's stream in them; 0: none */
    const unsigned char *src;
    size_t stride;
    int rows;
};

static void on_error(j_common_ptr common) {
    struct jpeg *j = common->client_data;
    longjmp(j->jump, 1);
}

static void on_message(j_common_ptr common, int level) {
    (void)common, (void)level;
}

static bool guarded(struct jpeg *j, void (*step)(struct jpeg *)) {
    if (setjmp(j->jump))
        return false;
    step(j);
    return true;
}

static enum imf_status check_held(const struct imf_writer *w, struct imf_error *err) {
    return imf_memory_fits(w->file ? w->encode.max_memory : 0, w->written,
                           "a JPEG that is held until the end of its input", err);
}

static enum imf_status failure(struct jpeg *j, struct imf_error *err) {
    enum imf_status status = check_held(j->writer, err);
    if (status || j->writer->error)
        return status;
    if (j->errors.msg_code == JERR_OUT_OF_MEMORY)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    char text[JMSG_LENGTH_MAX];
    j->errors.format_message((j_common_ptr)&j->c, text);
    return imf_fail(err, IMF_ERR_FORMAT, "JPEG cannot be written (%s)", text);
}

/* ---- libjpeg's destination ---------------------------------------------------------------- */

static void clear_buffer(j_compress_ptr c) {
    struct jpeg *j = c->client_data;
    j->destination.next_output_byte = j->buffer;
    j->destination.free_in_buffer = BUFFER;
}

static void flush(j_compress_ptr c) {
    struct jpeg *j = c->client_data;
    imf_writer_put(j->writer, j->buffer, BUFFER - j->destination.free_in_buffer);
    clear_buffer(c);
}

/* libjpeg counts none of it as used. */
static boolean empty_buffer(j_compress_ptr c) {
    struct jpeg *j = c->client_data;
    j->destination.free_in_buffer = 0;
    flush(c);
    if (j->writer->error || check_held(j->writer, NULL))
        ERREXIT(c, JERR_FILE_WRITE);
    return TRUE;
}

/* ---- metadata ----------------------------------------------------------------------------- */

static void put_segment(struct jpeg *j, int marker, const char *prefix, size_t prefix_size,
                        const unsigned char *data, size_t size) {
    size_t length = 2 + prefix_size + size;
    const unsigned char head[] = {0xff, (unsigned char)marker, (unsigned char)(length >> 8),
                                  (unsigned char)length};
    flush(&j->c);
    imf_writer_put(j->writer, head, sizeof head);
    imf_writer_put(j->writer, prefix, prefix_size);
    imf_writer_put(j->writer, data, size);
}

static void put_long_xmp(struct jpeg *j, const unsigned char *data, size_t size) {
    enum { HEAD = sizeof IMF_XMP_EXTENSION_PREFIX + 32 + 8, PIECE = IMF_SEGMENT_MAX - HEAD };
    struct imf_xmp_split split;
    imf_xmp_split(&split, data, size);
    put_segment(j, JPEG_APP0 + 1, IMF_XMP_PREFIX, sizeof IMF_XMP_PREFIX,
                (const unsigned char *)split.packet, strlen(split.packet));
    for (size_t at = 0; at < split.size; at += PIECE) {
        char head[HEAD] = IMF_XMP_EXTENSION_PREFIX;
        char *to = head + sizeof IMF_XMP_EXTENSION_PREFIX;
        memcpy(to, split.guid, 32);
        imf_put32(to + 32, (uint32_t)split.size);
        imf_put32(to + 36, (uint32_t)at);
        put_segment(j, JPEG_APP0 + 1, head, HEAD, split.extension + at,
                    split.size - at < PIECE ? split.size - at : PIECE);
    }
}

static void put_xmp(struct jpeg *j, const struct imf_meta_item *item) {
    size_t size;
    const unsigned char *data = imf_writer_xmp(j->writer, item, &size);
    if (data && size > IMF_SEGMENT_MAX - sizeof IMF_XMP_PREFIX)
        put_long_xmp(j, data, size);
    else if (data)
        put_segment(j, JPEG_APP0 + 1, IMF_XMP_PREFIX, sizeof IMF_XMP_PREFIX, data, size);
}

/* Of other kinds: their segments, which readers join where there are several. Marker 0: the item's. */
static const struct form {
    int marker;
    const char *prefix;
    size_t size;
} forms[IMF_META_KINDS] = {
    [IMF_META_EXIF] = {JPEG_APP0 + 1, IMF_EXIF_PREFIX, sizeof IMF_EXIF_PREFIX},
    [IMF_META_COMMENT] = {JPEG_COM, "", 0},
    [IMF_META_IRB] = {JPEG_APP0 + 13, IMF_IRB_PREFIX, sizeof IMF_IRB_PREFIX},
    [IMF_META_JPEG_MPF] = {JPEG_APP0 + 2, IMF_MPF_PREFIX, sizeof IMF_MPF_PREFIX},
    [IMF_META_JPEG_SEGMENT] = {0, "", 0},
    [IMF_META_XMP_EXTENSION] = {0, "", 0},
};

static void put_pieces(struct jpeg *j, const struct imf_meta_item *item) {
    const struct form *f = &forms[item->kind];
    const unsigned char *data = imf_writer_data(j->writer, item);
    size_t at = 0, most = IMF_SEGMENT_MAX - f->size;
    do {
        size_t n = item->size - at < most ? item->size - at : most;
        if (data)
            put_segment(j, f->marker ? f->marker : (int)item->tag, f->prefix, f->size, data + at,
                        n);
        at += n;
    } while (at < item->size);
}

static void put(struct jpeg *j, const struct imf_meta_item *item) {
    if (item->kind == IMF_META_ICC)
        jpeg_write_icc_profile(&j->c, item->data, (unsigned)item->size);
    else if (item->kind == IMF_META_XMP)
        put_xmp(j, item);
    else if (forms[item->kind].prefix)
        put_pieces(j, item);
    if (item->kind == IMF_META_JPEG_MPF) {
        j->mpf_size = item->size;
        j->mpf_at = (size_t)j->writer->written - item->size;
    }
}

/* EXIF stands first, as its standard demands: it is not preceded by JFIF where the source has none. */
static void set_density(struct jpeg *j, bool exif) {
    struct jpeg_compress_struct *c = &j->c;
    struct imf_density d = imf_writer_density(j->writer);
    if (d.unit == IMF_DENSITY_NONE) {
        if (exif && c->jpeg_color_space == JCS_YCbCr)
            c->write_JFIF_header = FALSE;
        return;
    }
    if (d.unit == IMF_DENSITY_METRE)
        d = imf_density_convert(d, IMF_DENSITY_INCH);
    if (d.x < 1 || d.y < 1 || d.x > UINT16_MAX || d.y > UINT16_MAX)
        return;
    c->density_unit = d.unit == IMF_DENSITY_INCH ? 1 : d.unit == IMF_DENSITY_CM ? 2 : 0;
    if (c->num_components == 4)
        c->write_JFIF_header = TRUE; /* by custom: JFIF itself knows gray and YCbCr only */
    c->X_density = (UINT16)d.x;
    c->Y_density = (UINT16)d.y;
}

/* ---- steps -------------------------------------------------------------------------------- */

static void setup_step(struct jpeg *j) {
    struct jpeg_compress_struct *c = &j->c;
    jpeg_create_compress(c);
    j->destination.init_destination = clear_buffer;
    j->destination.empty_output_buffer = empty_buffer;
    j->destination.term_destination = flush;
    c->dest = &j->destination;
    imf_jpeg_configure(c, j->writer, j->script);
}

static void start_step(struct jpeg *j) {
    const struct imf_writer *w = j->writer;
    const struct imf_meta_item *first = w->metadata ? w->metadata->first : NULL;
    const struct imf_meta_item *exif = imf_metadata_find(w->metadata, IMF_META_EXIF);
    bool with_exif = exif && imf_writer_wants(w, exif);
    set_density(j, with_exif);
    if (j->transcode)
        imf_jpeg_transcode_start(j->transcode, &j->c);
    else
        jpeg_start_compress(&j->c, TRUE);
    if (with_exif)
        put(j, exif);
    flush(&j->c);
    j->refs_at = (size_t)w->written;
    for (const struct imf_meta_item *i = first; j->keeps_trailer && i; i = i->next)
        if (i->needs_trailer && imf_writer_wants(w, i))
            put(j, i);
    j->refs_end = (size_t)w->written;
    if (w->made_icc)
        put(j, w->made_icc);
    for (const struct imf_meta_item *i = first; i; i = i->next)
        if (i != exif && imf_writer_wants(w, i) &&
            (!i->needs_trailer || (i->kind == IMF_META_XMP && !j->keeps_trailer)))
            put(j, i);
}

static void rows_step(struct jpeg *j) {
    size_t bytes = j->writer->row_bytes;
    for (int y = 0; y < j->rows; y++) {
        const unsigned char *src = j->src + (size_t)y * j->stride;
        if (j->transcode) {
            imf_jpeg_transcode_row(j->transcode, src);
            continue;
        }
        JSAMPROW row = (JSAMPROW)(uintptr_t)src; /* libjpeg lacks const; it only reads */
        for (size_t i = 0; j->inverted && i < bytes; i++)
            j->inverted[i] = (JSAMPLE)(255 - src[i]);
        if (j->inverted)
            row = j->inverted;
        jpeg_write_scanlines(&j->c, &row, 1);
    }
}

static void finish_step(struct jpeg *j) {
    if (j->transcode) {
        if (!imf_jpeg_transcode_configure(j->transcode, &j->c, j->script))
            imf_writer_warn(j->writer, "coefficients that exceed those of a picture were limited");
        start_step(j);
    }
    jpeg_finish_compress(&j->c);
}

/* ---- encoder ------------------------------------------------------------------------------ */

/* Does the header list pictures that lie as the first one does, of its pixels or for them? */
static bool lists_pictures(const struct imf_metadata *m, const struct imf_meta_item *xmp) {
    static const char gain_map[] = "hdr-gain-map", apple[] = "HDRGainMap";
    for (const struct imf_meta_item *i = m->first; i; i = i->next)
        if (i->needs_trailer && i != xmp)
            return true;
    return memmem(xmp->data, xmp->size, gain_map, sizeof gain_map - 1) ||
           memmem(xmp->data, xmp->size, apple, sizeof apple - 1);
}

/* Can the trailer be kept, if the header refers to one? */
static bool keeps_trailer(struct imf_writer *w) {
    const struct imf_metadata *m = w->metadata;
    if (!m || !m->needs_trailer)
        return false;
    const struct imf_meta_item *xmp = imf_metadata_find(m, IMF_META_XMP);
    bool hides = w->encode.strip & IMF_STRIP_PICTURES;
    bool exif = (w->encode.strip & IMF_STRIP_EXIF) && !(w->encode.strip & IMF_STRIP_OTHER);
    bool stripped = (w->encode.strip & (IMF_STRIP_OTHER | IMF_STRIP_EXIF)) ||
                    (xmp && xmp->needs_trailer && (w->encode.strip & IMF_STRIP_XMP));
    bool turned = !imf_orientation_is_upright(w->orientation) && lists_pictures(m, xmp);
    w->no_trailer = stripped ? IMF_STRIPPED
                    : turned ? "the image is turned"
                    : hides  ? IMF_HIDDEN
                             : NULL;
    if (exif && !hides)
        imf_writer_warn(w,
                        "further pictures were left out: they repeat the EXIF that "
                        "--strip=exif drops");
    return !w->no_trailer;
}

static enum imf_status jpeg_open(struct imf_writer *w, struct imf_error *err) {
    struct jpeg *j = w->state;
    j->writer = w;
    j->c.err = jpeg_std_error(&j->errors);
    j->c.client_data = j;
    j->errors.error_exit = on_error;
    j->errors.emit_message = on_message;
    if (w->info.color == IMF_COLOR_CMYK && !(j->inverted = malloc(w->row_bytes)))
        return imf_fail_memory(err, w->row_bytes);
    j->keeps_trailer = keeps_trailer(w);
    bool held = j->keeps_trailer || (w->metadata && w->metadata->late);
    enum imf_status status = held ? imf_writer_hold(w, err) : IMF_OK;
    if (status)
        return status;
    if (!guarded(j, setup_step))
        return failure(j, err);
    if (imf_jpeg_transcodes(w)) {
        j->transcode = imf_jpeg_transcode_make(w, &j->c);
        return j->transcode ? IMF_OK : imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    }
    status = imf_writer_memory(w, imf_jpeg_coefficient_bytes(&j->c),
                               "a progressive or optimized JPEG of this size", err);
    if (status)
        return status;
    return guarded(j, start_step) ? IMF_OK : failure(j, err);
}

static enum imf_status jpeg_rows(struct imf_writer *w, const unsigned char *src, size_t stride,
                                 int rows, struct imf_error *err) {
    struct jpeg *j = w->state;
    j->src = src;
    j->stride = stride;
    j->rows = rows;
    return guarded(j, rows_step) ? IMF_OK : failure(j, err);
}

/* Put the list right for the image, which is complete; false: the trailer is not kept. */
static bool move_list(struct jpeg *j, const struct imf_meta_item *trailer) {
    struct imf_writer *w = j->writer;
    const struct imf_metadata *m = w->metadata;
    const struct imf_mpf_position from = {m->mpf_at, m->trailer_at}, to = {j->mpf_at, w->held_size};
    bool kept = trailer && !w->no_trailer &&
                (j->mpf_size == 0 || imf_mpf_move((unsigned char *)w->held + j->mpf_at, j->mpf_size,
                                                  &from, &to, trailer->size));
    if (!kept && !w->no_trailer)
        w->no_trailer = "they are not where the file says";
    return kept;
}

/* Write the image, and among its segments what was not known when they were made. */
static void put_held(struct jpeg *j) {
    struct imf_writer *w = j->writer;
    const struct imf_meta_item *trailer = imf_metadata_find(w->metadata, IMF_META_JPEG_TRAILER);
    bool listed = j->keeps_trailer, lists = listed && move_list(j, trailer);
    size_t rest = lists ? j->refs_at : j->refs_end;
    j->keeps_trailer = lists;
    imf_writer_put(w, w->held, j->refs_at);
    for (const struct imf_meta_item *i = w->metadata->first; i; i = i->next)
        if ((i->number >= w->known ||
             (listed && !lists && i->needs_trailer && i->kind == IMF_META_XMP)) &&
            imf_writer_wants(w, i))
            put(j, i);
    imf_writer_put(w, w->held + rest, w->held_size - rest);
    if (lists)
        imf_writer_put(w, trailer->data, trailer->size);
}

static enum imf_status jpeg_finish(struct imf_writer *w, struct imf_error *err) {
    struct jpeg *j = w->state;
    if (!guarded(j, finish_step))
        return failure(j, err);
    bool held = w->file;
    imf_writer_release(w);
    if (held && !w->error)
        put_held(j);
    return IMF_OK;
}

static void jpeg_close(struct imf_writer *w) {
    struct jpeg *j = w->state;
    jpeg_destroy_compress(&j->c);
    imf_jpeg_transcode_free(&j->transcode);
    free(j->inverted);
}

const struct imf_encoder imf_jpeg_encoder = {
    .state = sizeof(struct jpeg),
    .open = jpeg_open,
    .rows = jpeg_rows,
    .finish = jpeg_finish,
    .close = jpeg_close,
};
