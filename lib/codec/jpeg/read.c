/*
 * read.c - JPEG decoder (libjpeg-turbo)
 *
 * Whether colours are YCbCr, RGB, CMYK or YCCK is libjpeg's decision, as in all programs that use it:
 *
 *   components  JFIF's marker, Adobe's and its transform, identifiers       colours
 *   3           JFIF                                                        YCbCr
 *   3           no JFIF, Adobe 0                                            RGB
 *   3           no JFIF, Adobe with another transform                       YCbCr
 *   3           neither, identifiers "RGB"                                  RGB
 *   3           neither, others                                             YCbCr
 *   4           Adobe 0, or no Adobe                                        CMYK
 *   4           Adobe with another transform                                YCCK
 *
 * CMYK is inverted, as other readers take it, with Adobe's marker and without.
 *
 * libjpeg reports an error by longjmp: each call into it is a step that guarded() runs. libjpeg decodes
 * all of a progressive image, or of one with a scan for each component, before its first row; the
 * memory for that is checked first. damage.c says what libjpeg's warnings mean.
 */
#include "codec/table.h"

#include "codec/jpeg/state.h"
#include "imfilter_program.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void on_error(j_common_ptr common) {
    struct imf_jpeg *j = common->client_data;
    if (!j->damaged)
        imf_jpeg_describe(j);
    longjmp(j->jump, 1);
}

static bool guarded(struct imf_jpeg *j, void (*step)(struct imf_jpeg *)) {
    if (setjmp(j->jump))
        return false;
    step(j);
    return true;
}

/* ---- limits ------------------------------------------------------------------------------- */

/*
 * A scan takes a pass over the coefficients of its components. --max-scans limits their number, and a
 * multiple of --max-pixels the samples of all: the usual ten scans of a progressive image are as many
 * passes over one to three components, 14 samples a pixel at most.
 */
#define SAMPLES_PER_PIXEL 16

static uint64_t samples_max(const struct imf_jpeg *j) {
    uint64_t pixels = j->reader->limits.max_pixels, samples;
    return pixels && !__builtin_mul_overflow(pixels, SAMPLES_PER_PIXEL, &samples) ? samples
                                                                                  : UINT64_MAX;
}

static enum imf_status check_scans(const struct imf_jpeg *j, struct imf_error *err) {
    int scans_max = j->reader->limits.max_scans;
    if (scans_max > 0 && j->scan > scans_max)
        return imf_fail(err, IMF_ERR_LIMIT,
                        "more than %d progressive scans (raise it with --max-scans)", scans_max);
    if (j->samples > samples_max(j))
        return imf_fail(err, IMF_ERR_LIMIT,
                        "its scans hold more than %" PRIu64
                        " samples, %d times the limit of "
                        "pixels (raise it with --max-pixels)",
                        samples_max(j), SAMPLES_PER_PIXEL);
    return IMF_OK;
}

/* libjpeg's progress monitor. */
static void on_progress(j_common_ptr common) {
    struct imf_jpeg *j = common->client_data;
    const struct jpeg_decompress_struct *c = &j->c;
    if (c->input_scan_number == j->scan)
        return;
    j->scan = c->input_scan_number;
    for (int i = 0; i < c->comps_in_scan; i++) {
        const jpeg_component_info *component = c->cur_comp_info[i];
        j->seen |= 1 << component->component_index;
        j->samples += (uint64_t)component->width_in_blocks * component->height_in_blocks * DCTSIZE2;
    }
    if (check_scans(j, &j->limit_error) != IMF_OK)
        longjmp(j->jump, 1);
}

/* ---- steps -------------------------------------------------------------------------------- */

static void header_step(struct imf_jpeg *j) {
    struct jpeg_decompress_struct *c = &j->c;
    jpeg_create_decompress(c); /* clears all of c but err and client_data */
    imf_jpeg_open_source(j);
    imf_jpeg_handle_markers(j);
    j->progress.progress_monitor = on_progress;
    c->progress = &j->progress;
    j->in_header = true;
    jpeg_read_header(c, TRUE);
    j->in_header = false;
    j->buffered = jpeg_has_multiple_scans(c);
}

/* Where blocks may be kept, all coefficients are: libjpeg's mode for output while a file comes in. */
static void start_step(struct imf_jpeg *j) {
    struct jpeg_decompress_struct *c = &j->c;
    c->buffered_image = j->reader->blocks > 0;
    if (!jpeg_start_decompress(c)) {
        c->unread_marker = JPEG_EOI; /* instead of the segment in which the file ends */
        jpeg_start_decompress(c);
    }
    if (!c->buffered_image)
        return;
    while (j->buffered && !jpeg_input_complete(c)) {
        if (jpeg_consume_input(c) == JPEG_SUSPENDED)
            c->unread_marker = JPEG_EOI;
        on_progress((j_common_ptr)c);
    }
    jpeg_start_output(c, c->input_scan_number);
}

static bool at_damage(const struct imf_jpeg *j) {
    return j->reader->row + j->done >= j->intact && !j->reader->limits.lenient;
}

static void rows_step(struct imf_jpeg *j) {
    bool inverted = j->reader->info.color == IMF_COLOR_CMYK;
    for (; j->done < j->rows && !at_damage(j); j->done++) {
        JSAMPROW row = j->dst + (size_t)j->done * j->stride;
        jpeg_read_scanlines(&j->c, &row, 1);
        if (at_damage(j))
            return; /* it was found while this row was decoded */
        for (size_t i = 0; inverted && i < j->reader->row_bytes; i++)
            row[i] = (JSAMPLE)(255 - row[i]);
        if (j->reader->blocks && !j->damaged && !j->truncated)
            imf_jpeg_blocks_take(&j->original->blocks, row);
    }
}

static void end_step(struct imf_jpeg *j) {
    struct jpeg_decompress_struct *c = &j->c;
    if (!c->buffered_image) {
        jpeg_finish_decompress(c);
        return;
    }
    if (!jpeg_finish_output(c))
        c->unread_marker = JPEG_EOI;
    while (!jpeg_input_complete(c))
        if (jpeg_consume_input(c) == JPEG_SUSPENDED)
            c->unread_marker = JPEG_EOI;
}

/* ---- decoder ------------------------------------------------------------------------------ */

/* A step failed: tell what libjpeg does not support from what is damaged. */
static enum imf_status failure(struct imf_jpeg *j, struct imf_error *err, int done) {
    static const int unsupported[] = {
#if JPEG_LIB_VERSION < 70 /* later interfaces always have it */
        JERR_ARITH_NOTIMPL,
#endif
        JERR_BAD_PRECISION,
        JERR_SOF_UNSUPPORTED,
        JERR_FRACT_SAMPLE_NOTIMPL,
        JERR_CCIR601_NOTIMPL,
        JERR_CONVERSION_NOTIMPL,
        JERR_NOT_COMPILED,
        JERR_IMAGE_TOO_BIG,
        JERR_COMPONENT_COUNT,
        JERR_NOTIMPL,
        JERR_EMPTY_IMAGE,
        JERR_MISMATCHED_QUANT_TABLE
    };
    int code = j->errors.msg_code;
    j->reader->recoverable = false;
    if (j->reader->source.error)
        return imf_fail_io(err, j->reader->source.error);
    if (j->limit_error.status)
        return imf_fail(err, j->limit_error.status, "%s", j->limit_error.text);
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

static void drop_original(struct imf_jpeg *j) {
    if (j->original)
        imf_jpeg_blocks_close(&j->original->blocks);
    free(j->original);
    j->original = NULL;
    j->reader->metadata.jpeg.original = NULL;
    j->reader->blocks = 0;
}

/* Decode all of a buffered image. */
static enum imf_status decode(struct imf_jpeg *j, struct imf_error *err) {
    struct imf_reader *r = j->reader;
    if (!r->blocks)
        drop_original(j);
    if (!guarded(j, start_step))
        return failure(j, err, 0);
    if (!j->buffered)
        return IMF_OK;
    imf_jpeg_check_complete(j);
    if (r->source.error)
        return imf_fail_io(err, r->source.error);
    return j->damaged && !r->limits.lenient ? imf_jpeg_damaged(j, err) : IMF_OK;
}

static enum imf_status start(struct imf_jpeg *j, struct imf_error *err) {
    if (!j->started) {
        j->started = true;
        decode(j, &j->start_error);
    }
    enum imf_status status = j->start_error.status;
    return status ? imf_fail(err, status, "%s", j->start_error.text) : IMF_OK;
}

/* Read how the image was encoded; false where a table follows the header, before its component's
 * first scan. */
static bool read_tables(struct imf_jpeg_source *to, const struct jpeg_decompress_struct *c) {
    to->color_space = (int)c->jpeg_color_space;
    to->progressive = c->progressive_mode;
    for (int i = 0; i < c->num_components; i++) {
        const jpeg_component_info *component = &c->comp_info[i];
        int t = component->quant_tbl_no;
        if (t < 0 || t >= NUM_QUANT_TBLS || (!component->quant_table && !c->quant_tbl_ptrs[t]))
            return false;
        const JQUANT_TBL *table =
            component->quant_table ? component->quant_table : c->quant_tbl_ptrs[t];
        to->h[i] = component->h_samp_factor;
        to->v[i] = component->v_samp_factor;
        to->table[i] = t;
        to->has_table[t] = true;
        memcpy(to->quant[t], table->quantval, sizeof to->quant[t]);
    }
    to->components = c->num_components;
    return true;
}

/* A file of several scans may have another quantisation table before each of them, of which a component
 * keeps that of its first: are they those that were read? And where scans are missing, decoders smooth what there
 * is, which they would not do any more. */
static bool scans_allow(struct imf_jpeg *j) {
    const struct imf_jpeg_source *s = &j->reader->metadata.jpeg;
    bool allow = start(j, NULL) == IMF_OK && imf_jpeg_is_complete(j);
    for (int i = 0; i < s->components && allow; i++) {
        const JQUANT_TBL *table = j->c.comp_info[i].quant_table;
        allow =
            table && memcmp(table->quantval, s->quant[s->table[i]], sizeof table->quantval) == 0;
    }
    return allow;
}

/* Hash the blocks of rows, and let writers have the coefficients; they take those of blocks that changed, too. */
static enum imf_status keep_original(struct imf_jpeg *j, struct imf_error *err) {
    struct imf_reader *r = j->reader;
    struct imf_jpeg_source *source = &r->metadata.jpeg;
    /* Of what is damaged libjpeg may not give coefficients where it gives rows. */
    if (!r->limits.keep_blocks || r->limits.lenient || !source->components)
        return IMF_OK;
    if (!(j->original = calloc(1, sizeof *j->original)))
        return imf_fail_memory(err, sizeof *j->original);
    enum imf_status status =
        imf_jpeg_blocks_open(&j->original->blocks, source, r->info.width, r->info.height, true);
    if (status == IMF_ERR_MEMORY)
        return imf_fail(err, status, "out of memory");
    j->original->d = &j->c;
    source->original = j->original;
    r->blocks = (j->buffered ? 1 : 2) * coefficient_bytes(&j->c) +
                imf_jpeg_blocks_count(&j->original->blocks) * sizeof(uint64_t);
    if (imf_memory_fits(r->limits.max_memory, r->memory + r->blocks, "it", NULL))
        imf_reader_drop_blocks(r);
    else if (status || (j->buffered && !scans_allow(j)))
        drop_original(j);
    return IMF_OK;
}

static void read_metadata(struct imf_jpeg *j) {
    static const enum imf_density_unit unit[] = {IMF_DENSITY_ASPECT, IMF_DENSITY_INCH,
                                                 IMF_DENSITY_CM};
    struct imf_metadata *m = &j->reader->metadata;
    imf_jpeg_finish_markers(j);
    if (!read_tables(&m->jpeg, &j->c) && j->buffered && start(j, NULL) == IMF_OK)
        read_tables(&m->jpeg, &j->c);
    if (j->c.saw_JFIF_marker && j->c.density_unit <= 2)
        m->density = (struct imf_density){unit[j->c.density_unit], j->c.X_density, j->c.Y_density};
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
    struct imf_jpeg *j = r->state;
    struct jpeg_decompress_struct *c = &j->c;
    j->reader = r;
    j->intact = INT_MAX;
    c->err = jpeg_std_error(&j->errors);
    c->client_data = j;
    j->errors.error_exit = on_error;
    j->errors.emit_message = imf_jpeg_on_message;
    if (!guarded(j, header_step) || j->damaged)
        return failure(j, err, -1);
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (c->jpeg_color_space != spaces[i].in)
            continue;
        c->out_color_space = spaces[i].out;
        c->dct_method = JDCT_ISLOW;
        enum imf_status status =
            imf_reader_shape(r, c->image_width, c->image_height, spaces[i].color, false, 8, err);
        if (status == IMF_OK && j->buffered)
            status =
                imf_reader_buffer(r, coefficient_bytes(c), "a progressive JPEG of this size", err);
        if (status == IMF_OK) {
            read_metadata(j);
            status = keep_original(j, err);
        }
        return status;
    }
    return imf_fail(err, IMF_ERR_FORMAT, "a JPEG of %d components cannot be read (1, 3 or 4 can)",
                    c->num_components);
}

static enum imf_status jpeg_rows(struct imf_reader *r, unsigned char *dst, size_t stride, int rows,
                                 int *done, struct imf_error *err) {
    struct imf_jpeg *j = r->state;
    enum imf_status status = start(j, err);
    if (status)
        return status;
    j->dst = dst;
    j->stride = stride;
    j->rows = rows;
    j->done = 0;
    bool returned = guarded(j, rows_step), nothing = j->damaged && r->row == 0 && !r->recoverable;
    *done = nothing ? 0 : j->done;
    if (!returned)
        return failure(j, err, *done);
    return *done < rows ? imf_jpeg_damaged(j, err) : IMF_OK;
}

static enum imf_status jpeg_end(struct imf_reader *r, struct imf_error *err) {
    struct imf_jpeg *j = r->state;
    if (!guarded(j, end_step))
        return failure(j, err, 0);
    if (r->source.error)
        return imf_fail_io(err, r->source.error);
    if (!j->truncated) {
        r->source.at = r->source.end - j->source.bytes_in_buffer;
        imf_reader_add_trailer(r);
    }
    if (j->damaged)
        return imf_jpeg_damaged(j, err);
    return j->truncated ? imf_fail(err, IMF_ERR_DAMAGED,
                                   "truncated: no pixel is missing, but the end marker is")
                        : IMF_OK;
}

static void jpeg_close(struct imf_reader *r) {
    struct imf_jpeg *j = r->state;
    jpeg_destroy_decompress(&j->c);
    drop_original(j);
    free(j->profile);
}

/* ---- format ------------------------------------------------------------------------------- */

static bool recognise(const unsigned char *head, size_t size) {
    return size >= 2 && head[0] == 0xff && head[1] == 0xd8;
}

/* The next byte begins a marker. */
static bool plausible(const unsigned char *head, size_t size) {
    return size >= 3 && head[2] == 0xff;
}

static const struct imf_decoder decoder = {
    sizeof(struct imf_jpeg), jpeg_open, jpeg_rows, jpeg_end, jpeg_close, imf_jpeg_part, NULL};

const struct imf_codec imf_jpeg_codec = {
    .doc = {"jpeg", "JPEG", {"jpg", "jpeg", "jpe", "jfif"}, {"quality", "subsampling", "optimize"}},
    .recognise = recognise,
    .plausible = plausible,
    .colors = 1 << IMF_COLOR_GRAY | 1 << IMF_COLOR_RGB | 1 << IMF_COLOR_CMYK,
    .depths = 8,
    .resolution = true,
    .late = true,
    .side_max = JPEG_MAX_DIMENSION,
    .metadata_max = {[IMF_META_EXIF] = IMF_SEGMENT_MAX - sizeof IMF_EXIF_PREFIX,
                     [IMF_META_XMP] = UINT32_MAX,
                     [IMF_META_ICC] = IMF_ICC_MAX,
                     [IMF_META_COMMENT] = SIZE_MAX,
                     [IMF_META_IRB] = SIZE_MAX,
                     [IMF_META_JPEG_MPF] = IMF_SEGMENT_MAX - sizeof IMF_MPF_PREFIX,
                     [IMF_META_JPEG_TRAILER] = SIZE_MAX,
                     [IMF_META_TRAILER] = SIZE_MAX,
                     [IMF_META_JPEG_SEGMENT] = IMF_SEGMENT_MAX,
                     [IMF_META_XMP_EXTENSION] = IMF_SEGMENT_MAX},
    .decoder = &decoder,
    .encoder = &imf_jpeg_encoder,
};
