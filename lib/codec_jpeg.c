/*
 * codec_jpeg.c - JPEG decoder (libjpeg-turbo)
 *
 * libjpeg survives damage: it warns, invents what is missing and carries on. Here its warnings are
 * the way damage is found, so each is sorted: harmless (told to the user) or damage from the row
 * at hand on. libjpeg leaves an error by longjmp: each call into it is a step that guarded() runs.
 *
 * A progressive image, or one with a scan for each component, is decoded whole by libjpeg before
 * its first row; its memory is checked first and its scans are counted while they are read.
 */
#include "codec_jpeg.h"

#include <jerror.h>
#include <jpeglib.h>
#include <limits.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define MARKER_LENGTH_MAX 0xffff

struct jpeg {
    struct jpeg_decompress_struct c;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    struct imf_reader *reader;
    uint64_t header_bytes; /* read before the header was complete */
    bool in_header, started, inverted;
    bool too_many_scans, too_much_metadata;
    bool damaged;
    char what[JMSG_LENGTH_MAX + 40]; /* the damage in words */
    int seen;                        /* set of components whose scan has begun */
    int scan, intact;                /* where damage was met in a buffered image; rows above it */
    unsigned char *dst;
    size_t stride;
    int rows, done;
};

/* ---- libjpeg's callbacks ------------------------------------------------------------------ */

static void describe(struct jpeg *j, int code) {
    static const char prefix[] = "Corrupt JPEG data: ";
    char text[JMSG_LENGTH_MAX];
    j->errors.format_message((j_common_ptr)&j->c, text);
    const char *tail = strncmp(text, prefix, sizeof prefix - 1) ? text : text + sizeof prefix - 1;
    if (code == JWRN_JPEG_EOF)
        strcpy(j->what, "truncated");
    else
        snprintf(j->what, sizeof j->what, "damaged (%s)", tail);
}

static void on_error(j_common_ptr common) {
    struct jpeg *j = common->client_data;
    if (!j->damaged)
        describe(j, j->errors.msg_code);
    longjmp(j->jump, 1);
}

/* In a buffered image the rows above the damage are intact if this was the last component's first
 * scan, all of them (with less detail) if it was a later scan, none if components are missing. */
static void locate(struct jpeg *j) {
    const struct jpeg_decompress_struct *c = &j->c;
    j->scan = c->input_scan_number;
    j->intact = 0;
    if (j->seen != (1 << c->num_components) - 1)
        return;
    bool first_scan = c->Ss == 0 && c->Ah == 0;
    uint64_t rows = (uint64_t)c->input_iMCU_row * (unsigned)c->max_v_samp_factor * DCTSIZE;
    j->intact = first_scan && rows < c->image_height ? (int)rows : (int)c->image_height;
}

static void on_message(j_common_ptr common, int level) {
    static const int harmless[] = {JWRN_EXTRANEOUS_DATA, JWRN_ADOBE_XFORM, JWRN_JFIF_MAJOR,
                                   JWRN_BOGUS_PROGRESSION, JWRN_BOGUS_ICC};
    struct jpeg *j = common->client_data;
    if (level >= 0)
        return;
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        if (j->errors.msg_code == harmless[i]) {
            char text[JMSG_LENGTH_MAX];
            j->errors.format_message(common, text);
            imf_reader_warn(j->reader, "%s", text);
            return;
        }
    if (j->damaged)
        return;
    j->damaged = true;
    describe(j, j->errors.msg_code);
    locate(j);
}

static void on_progress(j_common_ptr common) {
    struct jpeg *j = common->client_data;
    const struct jpeg_decompress_struct *c = &j->c;
    for (int i = 0; i < c->comps_in_scan; i++)
        j->seen |= 1 << c->cur_comp_info[i]->component_index;
    int limit = j->reader->limits.max_scans;
    if (limit > 0 && c->input_scan_number > limit) {
        j->too_many_scans = true;
        longjmp(j->jump, 1);
    }
}

static void init_source(j_decompress_ptr c) {
    (void)c;
}

static boolean fill_source(j_decompress_ptr c) {
    static const JOCTET end_of_image[] = {0xff, JPEG_EOI};
    struct jpeg *j = c->client_data;
    struct imf_source *s = &j->reader->source;
    if (j->in_header && j->header_bytes > IMF_METADATA_MAX) {
        j->too_much_metadata = true;
        longjmp(j->jump, 1);
    }
    if (imf_source_fill(s)) {
        j->source.next_input_byte = s->buffer;
        j->source.bytes_in_buffer = s->end;
        j->header_bytes += s->end;
        s->at = s->end;
        return TRUE;
    }
    WARNMS(c, JWRN_JPEG_EOF);
    j->source.next_input_byte = end_of_image;
    j->source.bytes_in_buffer = sizeof end_of_image;
    return TRUE;
}

static void skip_source(j_decompress_ptr c, long count) {
    struct jpeg *j = c->client_data;
    while (count > (long)j->source.bytes_in_buffer) {
        count -= (long)j->source.bytes_in_buffer;
        fill_source(c);
        if (j->reader->source.end == 0)
            return;
    }
    if (count > 0) {
        j->source.next_input_byte += count;
        j->source.bytes_in_buffer -= (size_t)count;
    }
}

static bool guarded(struct jpeg *j, void (*step)(struct jpeg *)) {
    if (setjmp(j->jump))
        return false;
    step(j);
    return true;
}

/* ---- steps -------------------------------------------------------------------------------- */

static void header_step(struct jpeg *j) {
    struct jpeg_decompress_struct *c = &j->c;
    struct imf_source *s = &j->reader->source;
    jpeg_create_decompress(c); /* clears all of c but err and client_data */
    j->source = (struct jpeg_source_mgr){.next_input_byte = s->buffer + s->at,
                                         .bytes_in_buffer = s->end - s->at,
                                         .init_source = init_source,
                                         .fill_input_buffer = fill_source,
                                         .skip_input_data = skip_source,
                                         .resync_to_restart = jpeg_resync_to_restart,
                                         .term_source = init_source};
    s->at = s->end;
    c->src = &j->source;
    j->progress.progress_monitor = on_progress;
    c->progress = &j->progress;
    static const int kept[] = {JPEG_COM, JPEG_APP0 + 1, JPEG_APP0 + 2, JPEG_APP0 + 13};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        jpeg_save_markers(c, kept[i], MARKER_LENGTH_MAX);
    j->in_header = true;
    jpeg_read_header(c, TRUE);
    j->in_header = false;
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        jpeg_save_markers(c, kept[i], 0);
}

static void start_step(struct jpeg *j) {
    jpeg_start_decompress(&j->c);
}

static void rows_step(struct jpeg *j) {
    for (; j->done < j->rows; j->done++) {
        JSAMPROW row = j->dst + (size_t)j->done * j->stride;
        jpeg_read_scanlines(&j->c, &row, 1);
        if (j->damaged)
            return;
        for (size_t i = 0; j->inverted && i < j->reader->row_bytes; i++)
            row[i] = (JSAMPLE)(255 - row[i]);
    }
}

static void end_step(struct jpeg *j) {
    jpeg_finish_decompress(&j->c);
}

static void icc_step(struct jpeg *j) {
    JOCTET *profile = NULL;
    unsigned size = 0;
    if (jpeg_read_icc_profile(&j->c, &profile, &size))
        imf_metadata_add(&j->reader->metadata, IMF_META_ICC, IMF_STRIP_ICC, profile, size);
    free(profile);
}

/* ---- metadata ----------------------------------------------------------------------------- */

static void take_segment(struct imf_metadata *m, const struct jpeg_marker_struct *marker) {
    static const struct {
        int marker;
        const char *prefix;
        size_t skip; /* bytes of the prefix, NULs included */
        enum imf_meta_kind kind;
        unsigned strip;
    } known[] = {
        {JPEG_COM, "", 0, IMF_META_COMMENT, IMF_STRIP_OTHER},
        {JPEG_APP0 + 1, IMF_EXIF_PREFIX, sizeof IMF_EXIF_PREFIX, IMF_META_EXIF, IMF_STRIP_EXIF},
        {JPEG_APP0 + 1, IMF_XMP_PREFIX, sizeof IMF_XMP_PREFIX, IMF_META_XMP, IMF_STRIP_XMP},
        {JPEG_APP0 + 1, IMF_XMP_MORE_PREFIX, 0, IMF_META_JPEG_SEGMENT, IMF_STRIP_XMP},
        {JPEG_APP0 + 13, "", 0, IMF_META_JPEG_SEGMENT, IMF_STRIP_OTHER},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t length = known[i].skip ? known[i].skip : strlen(known[i].prefix);
        if (marker->marker != known[i].marker || marker->data_length < length ||
            memcmp(marker->data, known[i].prefix, length) != 0)
            continue;
        struct imf_meta_item *item =
            imf_metadata_add(m, known[i].kind, known[i].strip, marker->data + known[i].skip,
                             marker->data_length - known[i].skip);
        if (item)
            item->tag = marker->marker;
        return;
    }
}

static void take_tables(struct imf_jpeg_source *to, const struct jpeg_decompress_struct *c) {
    to->color_space = (int)c->jpeg_color_space;
    to->progressive = c->progressive_mode;
    for (int i = 0; i < c->num_components; i++) {
        const jpeg_component_info *component = &c->comp_info[i];
        int t = component->quant_tbl_no;
        if (t < 0 || t >= NUM_QUANT_TBLS || !c->quant_tbl_ptrs[t])
            return;
        to->h[i] = component->h_samp_factor;
        to->v[i] = component->v_samp_factor;
        to->table[i] = t;
        to->has_table[t] = true;
        memcpy(to->quant[t], c->quant_tbl_ptrs[t]->quantval, sizeof to->quant[t]);
    }
    to->components = c->num_components;
}

static void take_metadata(struct jpeg *j) {
    static const enum imf_density_unit unit[] = {IMF_DENSITY_ASPECT, IMF_DENSITY_INCH,
                                                 IMF_DENSITY_CM};
    struct imf_metadata *m = &j->reader->metadata;
    for (const struct jpeg_marker_struct *s = j->c.marker_list; s; s = s->next)
        take_segment(m, s);
    guarded(j, icc_step); /* no profile is no failure */
    take_tables(&m->jpeg, &j->c);
    if (j->c.saw_JFIF_marker && j->c.density_unit <= 2)
        m->density = (struct imf_density){unit[j->c.density_unit], j->c.X_density, j->c.Y_density};
}

/* ---- decoder ------------------------------------------------------------------------------ */

/* A step did not return: what libjpeg does not do is told from what is damaged. */
static enum imf_status failure(const struct jpeg *j, struct imf_error *err, int done) {
    static const int unsupported[] = {JERR_ARITH_NOTIMPL,   JERR_BAD_PRECISION,
                                      JERR_SOF_UNSUPPORTED, JERR_FRACT_SAMPLE_NOTIMPL,
                                      JERR_CCIR601_NOTIMPL, JERR_CONVERSION_NOTIMPL,
                                      JERR_NOT_COMPILED,    JERR_IMAGE_TOO_BIG,
                                      JERR_COMPONENT_COUNT, JERR_NOTIMPL,
                                      JERR_EMPTY_IMAGE,     JERR_MISMATCHED_QUANT_TABLE};
    int code = j->errors.msg_code;
    if (j->reader->source.error)
        return imf_fail_io(err, j->reader->source.error);
    if (j->too_many_scans)
        return imf_fail(err, IMF_ERR_LIMIT,
                        "more than %d progressive scans (raise it with --max-scans)",
                        j->reader->limits.max_scans);
    if (j->too_much_metadata)
        return imf_fail(err, IMF_ERR_LIMIT, "more than %zu MiB of metadata",
                        IMF_METADATA_MAX >> 20);
    if (code == JERR_OUT_OF_MEMORY)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    char text[JMSG_LENGTH_MAX];
    j->errors.format_message((j_common_ptr)&j->c, text);
    for (size_t i = 0; i < sizeof unsupported / sizeof unsupported[0]; i++)
        if (code == unsupported[i])
            return imf_fail(err, IMF_ERR_FORMAT, "a kind of JPEG that cannot be read (%s)", text);
    if (done < 0)
        return imf_fail(err, IMF_ERR_DAMAGED, "%s in the header", j->what);
    return imf_reader_damaged(j->reader, done, j->what, err);
}

/* libjpeg keeps every coefficient of a buffered image, two bytes each. */
static uint64_t coefficient_bytes(const struct jpeg_decompress_struct *c) {
    uint64_t bytes = 0;
    for (int i = 0; i < c->num_components; i++)
        bytes += (uint64_t)c->comp_info[i].width_in_blocks * c->comp_info[i].height_in_blocks *
                 sizeof(JBLOCK);
    return bytes;
}

static enum imf_status jpeg_open(struct imf_reader *r, struct imf_error *err) {
    static const struct {
        J_COLOR_SPACE in, out;
        enum imf_color color;
    } spaces[] = {
        {JCS_GRAYSCALE, JCS_GRAYSCALE, IMF_COLOR_GRAY},
        {JCS_YCbCr, JCS_RGB, IMF_COLOR_RGB},
        {JCS_RGB, JCS_RGB, IMF_COLOR_RGB},
        {JCS_CMYK, JCS_CMYK, IMF_COLOR_CMYK},
        {JCS_YCCK, JCS_CMYK, IMF_COLOR_CMYK},
    };
    struct jpeg *j = r->state = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    struct jpeg_decompress_struct *c = &j->c;
    j->reader = r;
    c->err = jpeg_std_error(&j->errors);
    c->client_data = j;
    j->errors.error_exit = on_error;
    j->errors.emit_message = on_message;
    if (!guarded(j, header_step) || j->damaged)
        return failure(j, err, -1);
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (c->jpeg_color_space != spaces[i].in)
            continue;
        c->out_color_space = spaces[i].out;
        c->dct_method = JDCT_ISLOW;
        j->inverted = spaces[i].out == JCS_CMYK && c->saw_Adobe_marker;
        enum imf_status status =
            imf_reader_shape(r, c->image_width, c->image_height, spaces[i].color, false, 8, err);
        if (status == IMF_OK && jpeg_has_multiple_scans(c))
            status =
                imf_reader_memory(r, coefficient_bytes(c), "a progressive JPEG of this size", err);
        if (status == IMF_OK)
            take_metadata(j);
        return status;
    }
    return imf_fail(err, IMF_ERR_FORMAT, "a JPEG of %d components cannot be read (1, 3 or 4 can)",
                    c->num_components);
}

/* Reads all of a buffered image. */
static enum imf_status start(struct jpeg *j, struct imf_error *err) {
    struct imf_reader *r = j->reader;
    j->started = true;
    j->intact = INT_MAX;
    if (!guarded(j, start_step))
        return failure(j, err, 0);
    if (!j->damaged || j->c.output_scanline > 0 || !jpeg_has_multiple_scans(&j->c))
        return IMF_OK;
    if (r->source.error)
        return imf_fail_io(err, r->source.error);
    if (!r->limits.lenient)
        return imf_fail(err, IMF_ERR_DAMAGED, "%s in scan %d", j->what, j->scan);
    j->damaged = false;
    if (j->intact >= r->info.height)
        snprintf(r->warning, sizeof r->warning, "%s in scan %d: detail is missing", j->what,
                 j->scan);
    return IMF_OK;
}

static enum imf_status jpeg_rows(struct imf_reader *r, unsigned char *dst, size_t stride, int rows,
                                 int *done, struct imf_error *err) {
    struct jpeg *j = r->state;
    enum imf_status status = j->started ? IMF_OK : start(j, err);
    if (status)
        return status;
    bool short_of = rows > j->intact - r->row;
    j->dst = dst;
    j->stride = stride;
    j->rows = short_of ? j->intact - r->row : rows;
    j->done = 0;
    bool returned = guarded(j, rows_step);
    *done = j->done;
    if (!returned)
        return failure(j, err, j->done);
    return j->damaged || short_of ? imf_reader_damaged(r, j->done, j->what, err) : IMF_OK;
}

static enum imf_status jpeg_end(struct imf_reader *r, struct imf_error *err) {
    struct jpeg *j = r->state;
    if (!guarded(j, end_step))
        return failure(j, err, 0);
    return j->damaged ? imf_reader_damaged(r, 0, j->what, err) : IMF_OK;
}

static void jpeg_close(struct imf_reader *r) {
    struct jpeg *j = r->state;
    if (!j)
        return;
    jpeg_destroy_decompress(&j->c);
    free(j);
}

const struct imf_decoder imf_jpeg_decoder = {jpeg_open, jpeg_rows, jpeg_end, jpeg_close};
