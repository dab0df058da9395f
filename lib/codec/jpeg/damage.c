/*
 * damage.c - what libjpeg's warnings mean for the pixels
 *
 * libjpeg continues after damage: it warns and guesses what is missing. Its warnings are how damage is
 * found. A file that ends early is not damaged by that alone: the entropy decoder warns with
 * JWRN_HIT_MARKER when bits for a block are missing, which does not happen where only the end marker
 * is.
 */
#include "codec/jpeg/state.h"

#include <string.h>

enum verdict {
    HARMLESS, /* no pixel is wrong: a warning */
    ENDED,    /* the file ended; the pixels may be complete */
    DAMAGE    /* pixels from here on are guessed */
};

static const struct {
    int code;
    enum verdict verdict;
} verdicts[] = {
    {JWRN_ADOBE_XFORM, HARMLESS},       /* the number of components decides about colours */
    {JWRN_BOGUS_PROGRESSION, HARMLESS}, /* scans in an odd order are decoded correctly */
    {JWRN_EXTRANEOUS_DATA, HARMLESS},   /* padding; see is_padding() */
    {JWRN_JFIF_MAJOR, HARMLESS},        /* a version that does not affect decoding */
    {JWRN_NOT_SEQUENTIAL, HARMLESS},    /* cameras write 0 for numbers that have no meaning there */
    {JWRN_JPEG_EOF, ENDED},             /* ours, from the end of the stream */
};

/*
 * Bytes that belong to no marker: between the header's segments they are no pixels. After those a
 * decoder that lost synchronisation did not use them, unless they are zeros before the end marker.
 * Zeros without that marker are the part of a file that was never written.
 */
static bool is_padding(const struct imf_jpeg *j) {
    const int *discarded_and_marker = j->errors.msg_parm.i;
    if (j->in_header)
        return true;
    return discarded_and_marker[1] == JPEG_EOI && !j->truncated &&
           imf_jpeg_zeros_before(j, j->source.next_input_byte) >= (uint64_t)discarded_and_marker[0];
}

static enum verdict judge(const struct imf_jpeg *j, int code) {
    /* The arithmetic decoder reads zeros where data end, without a warning; encoders omit zeros at the
     * end. */
    const struct jpeg_decompress_struct *c = &j->c;
    if (code == JWRN_JPEG_EOF && c->arith_code && !j->in_header &&
        c->input_iMCU_row + 1 < c->total_iMCU_rows)
        return DAMAGE;
    if (code == JWRN_EXTRANEOUS_DATA && !is_padding(j))
        return DAMAGE;
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++)
        if (verdicts[i].code == code)
            return verdicts[i].verdict;
    return DAMAGE; /* missing bits or restart markers, wrong codes, what a later libjpeg warns of */
}

void imf_jpeg_describe(struct imf_jpeg *j) {
    static const char prefix[] = "Corrupt JPEG data: ";
    char text[JMSG_LENGTH_MAX];
    j->errors.format_message((j_common_ptr)&j->c, text);
    const char *tail = strncmp(text, prefix, sizeof prefix - 1) ? text : text + sizeof prefix - 1;
    if (j->truncated)
        strcpy(j->what, "truncated");
    else
        snprintf(j->what, sizeof j->what, "damaged (%s)", tail);
}

enum imf_status imf_jpeg_damaged(const struct imf_jpeg *j, struct imf_error *err) {
    const struct imf_reader *r = j->reader;
    bool all_rows = j->intact >= r->info.height;
    const char *instead = !r->limits.lenient || !r->recoverable ? ""
                          : all_rows && j->buffered             ? ": detail is missing"
                                                                : ": what is missing is guessed";
    char where[48] = "";
    if (r->source.error)
        return imf_fail_io(err, r->source.error);
    if (j->buffered)
        snprintf(where, sizeof where, " in scan %d", j->damaged_scan);
    else if (!all_rows)
        snprintf(where, sizeof where, " after row %d of %d", j->intact, r->info.height);
    return imf_fail(err, IMF_ERR_DAMAGED, "%s%s%s", j->what, where, instead);
}

static bool all_seen(const struct imf_jpeg *j) {
    for (int i = 0; i < j->c.num_components; i++)
        if (!(j->seen >> i & 1))
            return false;
    return true;
}

/* Chroma is interpolated between two rows of its blocks, so that a row's last lines need the next row. */
static bool needs_next_row(const struct jpeg_decompress_struct *c) {
    for (int i = 0; i < c->num_components; i++)
        if (c->comp_info[i].v_samp_factor * 2 == c->max_v_samp_factor)
            return c->do_fancy_upsampling;
    return false;
}

/* Rows that the current damage leaves intact. In a buffered image they are those above it if this was
 * the last component's first scan, all of them (with less detail) if it was a later scan, none if
 * components are missing. */
static int rows_above(const struct imf_jpeg *j) {
    const struct jpeg_decompress_struct *c = &j->c;
    if (j->in_header)
        return 0;
    if (j->buffered && !all_seen(j))
        return 0;
    if (j->buffered && (c->Ss > 0 || c->Ah > 0))
        return (int)c->image_height;
    uint64_t rows = (uint64_t)c->input_iMCU_row * (unsigned)c->max_v_samp_factor * DCTSIZE;
    if (rows >= c->image_height)
        return (int)c->image_height;
    return rows > 0 && needs_next_row(c) ? (int)rows - 1 : (int)rows;
}

void imf_jpeg_on_message(j_common_ptr common, int level) {
    struct imf_jpeg *j = common->client_data;
    char text[JMSG_LENGTH_MAX];
    if (level >= 0)
        return;
    if (j->errors.msg_code == JWRN_JPEG_EOF)
        j->truncated = true;
    switch (judge(j, j->errors.msg_code)) {
    case HARMLESS:
        j->errors.format_message(common, text);
        imf_reader_warn(j->reader, "%s", text);
        return;
    case ENDED:
        return;
    case DAMAGE:
        if (j->damaged)
            return;
        j->damaged = true;
        imf_jpeg_describe(j);
        j->damaged_scan = j->c.input_scan_number;
        j->intact = rows_above(j);
        /* A file that ends within its first rows has nothing to show. */
        j->reader->recoverable =
            !j->truncated || j->c.input_scan_number > 1 || j->c.input_iMCU_row > 0;
    }
}

bool imf_jpeg_is_complete(const struct imf_jpeg *j) {
    const struct jpeg_decompress_struct *c = &j->c;
    bool complete = all_seen(j);
    for (int i = 0; complete && c->coef_bits && i < c->num_components; i++)
        for (int k = 0; k < DCTSIZE2; k++)
            complete = complete && c->coef_bits[i][k] == 0;
    return complete;
}

void imf_jpeg_check_complete(struct imf_jpeg *j) {
    const struct jpeg_decompress_struct *c = &j->c;
    if (!j->truncated || j->damaged || imf_jpeg_is_complete(j))
        return;
    j->damaged = j->reader->recoverable = true;
    strcpy(j->what, "truncated");
    j->damaged_scan = c->input_scan_number;
    j->intact = all_seen(j) ? (int)c->image_height : 0;
}
