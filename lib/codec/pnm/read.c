/*
 * read.c - PNM decoder: PBM, PGM and PPM, plain and raw, PAM and PFM; several of them in a stream are its pages
 *
 * Samples are brought to the full range of 8 bits (maxval up to 255) or 16 bits (above), exactly
 * rounded: v * full / maxval. A bitmap's 1 is black and becomes 0. See pbm(5) ... pam(5) of Netpbm.
 */
#include "codec/pnm/pages.h"
#include "codec/pnm/recognise.h"
#include "codec/table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows --------------------------------------------------------------------------------- */

/* Samples as the file has them, but a raw bitmap's: of 16 bits the upper byte first. */
static enum imf_pnm_token plain_row(struct imf_reader *r, unsigned char *dst, size_t samples) {
    struct imf_pnm_reader *p = r->state;
    for (size_t i = 0; i < samples; i++) {
        unsigned value;
        enum imf_pnm_token token = p->bits ? imf_pnm_digit(r, &value) : imf_pnm_number(r, &value);
        if (token)
            return token;
        if (value > p->maxval)
            return IMF_PNM_HUGE;
        if (p->full > 255)
            *dst++ = (unsigned char)(value >> 8);
        *dst++ = (unsigned char)value;
    }
    return IMF_PNM_OK;
}

static enum imf_pnm_token raw_row(struct imf_reader *r, unsigned char *dst, size_t samples) {
    struct imf_pnm_reader *p = r->state;
    if (imf_source_read(&r->source, p->line ? p->line : dst, p->packed) < p->packed)
        return IMF_PNM_END;
    for (size_t i = 0; p->line && i < samples; i++)
        dst[i] = p->scaled[p->line[i / 8] >> (7 - i % 8) & 1];
    return IMF_PNM_OK;
}

/* Scale in place; false where a sample is over the maxval. */
static bool scale_narrow(const struct imf_pnm_reader *p, unsigned char *row, size_t samples) {
    unsigned over = 0;
    if (p->maxval == 255)
        return true;
    for (size_t i = 0; i < samples; i++) {
        over |= row[i] > p->maxval;
        row[i] = p->scaled[row[i]];
    }
    return !over;
}

static bool scale_wide(const struct imf_pnm_reader *p, unsigned char *row, size_t samples) {
    unsigned over = 0;
    for (size_t i = 0; i < samples; i++, row += 2) {
        unsigned value = (unsigned)row[0] << 8 | row[1];
        over |= value > p->maxval;
        if (p->maxval != 65535)
            value = (unsigned)(((uint64_t)value * 65535 + p->maxval / 2) / p->maxval);
        uint16_t native = (uint16_t)value;
        memcpy(row, &native, sizeof native);
    }
    return !over;
}

static enum imf_status read_row(struct imf_reader *r, unsigned char *dst, int row,
                                struct imf_error *err) {
    const struct imf_pnm_reader *p = r->state;
    size_t samples = (size_t)r->info.width * (size_t)r->info.channels;
    char text[80] = "truncated";
    enum imf_pnm_token token = (p->plain ? plain_row : raw_row)(r, dst, samples);
    if (!token && !p->line && !(p->full > 255 ? scale_wide : scale_narrow)(p, dst, samples))
        token = IMF_PNM_HUGE;
    if (!token)
        return IMF_OK;
    if (token == IMF_PNM_HUGE)
        snprintf(text, sizeof text, "damaged (a sample is over the maxval of %u)", p->maxval);
    return imf_reader_damaged(r, row, token == IMF_PNM_BAD ? "damaged (not a number)" : text, err);
}

/* ---- decoder ------------------------------------------------------------------------------ */

/* How few bits hold the samples: imf_info.bits. */
static int used_bits(const struct imf_reader *r, unsigned maxval) {
    if (r->info.channels > 1)
        return 0;
    return maxval == 1 ? 1 : maxval == 3 ? 2 : maxval == 15 ? 4 : 0;
}

/* Read the header of reader->page. */
static enum imf_status read_header(struct imf_reader *r, struct imf_pnm_shape *shape,
                                   struct imf_error *err) {
    struct imf_pnm_reader *p = r->state;
    bool first = p->at == 0, seeks = imf_reader_seeks(r);
    enum imf_status status = IMF_OK;
    if (first) {
        imf_source_getc(&r->source); /* 'P', and the digit: both were recognised */
        p->type = (char)imf_source_getc(&r->source);
        p->at = 1;
        p->begun = true;
    }
    if (first && r->limits.pages && seeks && !r->page_at) {
        status = imf_pnm_list_pages(r, r->limits.pages == IMF_PAGES_SOME, err);
    } else if (first && r->limits.pages) {
        imf_pnm_add_page(r, 0);
        r->pages_open = true;
    }
    if (!status && (r->page > 1 || !first))
        status = imf_pnm_go_to_page(r, err);
    p->begun = false;
    return status ? status : imf_pnm_header(r, shape, err);
}

static enum imf_status pnm_open(struct imf_reader *r, struct imf_error *err) {
    struct imf_pnm_reader *p = r->state;
    struct imf_pnm_shape s;
    enum imf_status status = read_header(r, &s, err);
    int depth = p->floats ? 32 : p->full > 255 ? 16 : 8;
    if (!status)
        status = imf_reader_shape(r, s.width, s.height, s.color, s.alpha, depth, err);
    if (status || p->floats)
        return status ? status : imf_pfm_source_open(r, &p->pfm, err);
    r->info.bits = used_bits(r, p->maxval);
    if (!p->bits && p->maxval != p->full)
        r->info.maxval = (int)p->maxval;
    p->packed = r->row_bytes;
    if (p->bits && !p->plain) {
        p->packed = ((size_t)r->info.width + 7) / 8;
        if (!(p->line = malloc(p->packed)))
            return imf_fail_memory(err, p->packed);
    }
    return IMF_OK;
}

static enum imf_status pnm_rows(struct imf_reader *r, unsigned char *dst, size_t stride, int rows,
                                int *done, struct imf_error *err) {
    struct imf_pnm_reader *p = r->state;
    enum imf_status status = IMF_OK;
    if (p->floats)
        return imf_pfm_source_rows(r, &p->pfm, dst, stride, rows, done, err);
    while (*done < rows && !(status = read_row(r, dst + (size_t)*done * stride, *done, err)))
        ++*done;
    return status;
}

/* Does another picture follow? */
static enum imf_status pnm_end(struct imf_reader *r, struct imf_error *err) {
    struct imf_pnm_reader *p = r->state;
    uint64_t at;
    (void)err;
    imf_pnm_enter_read(r, imf_source_position(&r->source));
    if (!imf_pnm_next(r, &at)) {
        r->pages_open = false;
        return IMF_OK;
    }
    imf_account_add(&r->account, at, UINT64_MAX, r->limits.pages ? IMF_PIXELS : IMF_LOST, 0,
                    "further pictures");
    if (r->limits.pages && p->at == p->count)
        imf_pnm_add_page(r, at);
    p->begun = true;
    p->at++;
    return IMF_OK;
}

static void pnm_close(struct imf_reader *r) {
    struct imf_pnm_reader *p = r->state;
    free(p->line);
    free(p->pfm.held);
    free(p->starts);
}

/* ---- format ------------------------------------------------------------------------------- */

static bool pnm_part(size_t i, struct imf_part_kind *kind) {
    snprintf(kind->name, sizeof kind->name, "%s", i == 0 ? "comment" : "further pictures");
    kind->page = i == 1;
    kind->items = i == 0 ? 1 << IMF_META_PNM_COMMENT | 1 << IMF_META_COMMENT : 0;
    return i < 2;
}

static const struct imf_decoder decoder = {sizeof(struct imf_pnm_reader),
                                           pnm_open,
                                           pnm_rows,
                                           pnm_end,
                                           pnm_close,
                                           pnm_part,
                                           imf_pnm_leave_page};

const struct imf_codec imf_pnm_codec = {
    .doc = {"pnm", "PNM", {"pnm", "pbm", "pgm", "ppm", "pam", "pfm"}, {NULL}},
    .recognise = imf_pnm_recognise,
    .plausible = imf_pnm_plausible,
    .colors = 1 << IMF_COLOR_GRAY | 1 << IMF_COLOR_RGB | 1 << IMF_COLOR_CMYK,
    .alpha = 8 | 16,
    .depths = 8 | 16 | 32,
    .few_bits = 1 << 1,
    .side_max = INT_MAX,
    .metadata_max = {[IMF_META_PNM_COMMENT] = IMF_PNM_COMMENT_MAX},
    .adapt = imf_pnm_adapt,
    .decoder = &decoder,
    .encoder = &imf_pnm_encoder,
};
