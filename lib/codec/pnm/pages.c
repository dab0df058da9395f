/*
 * pages.c - PNM that follow each other in a stream: its pages
 *
 * A file's pages are found by their headers: of raw ones the rasters' sizes say where the next begins. From a pipe, and behind
 * plain pictures, a page is known once all of the one before it was read.
 */
#include "codec/pnm/pages.h"

#include <limits.h>
#include <stdlib.h>

#define PIECE 4096

bool imf_pnm_next(struct imf_reader *r, uint64_t *at) {
    struct imf_pnm_reader *p = r->state;
    struct imf_source *s = &r->source;
    int c = imf_source_getc(s);
    while (imf_pnm_is_space(c))
        c = imf_source_getc(s);
    *at = imf_source_position(s) - (c != EOF);
    imf_pnm_enter(r, *at, IMF_STRUCTURE, "space");
    if (c != 'P')
        return false;
    c = imf_source_getc(s);
    if ((c < '1' || c > '7') && c != 'f' && c != 'F')
        return false;
    p->type = (char)c;
    c = imf_source_getc(s);
    if (c != EOF)
        s->at--;
    return c == '#' || imf_pnm_is_space(c);
}

void imf_pnm_add_page(struct imf_reader *r, uint64_t at) {
    struct imf_pnm_reader *p = r->state;
    if (p->count == p->capacity) {
        int capacity = p->capacity ? 2 * p->capacity : 16;
        uint64_t *starts = p->capacity > INT_MAX / 4
                               ? NULL
                               : realloc(p->starts, (size_t)capacity * sizeof *starts);
        r->metadata.out_of_memory |= !starts;
        if (!starts)
            return;
        p->starts = starts;
        p->capacity = capacity;
    }
    p->starts[p->count++] = at;
    r->pages = p->count;
}

/* Bytes of a raw raster, samples of a plain one; false: too large. */
static bool raster_size(const struct imf_pnm_reader *p, const struct imf_pnm_shape *shape,
                        uint64_t rows, uint64_t *size) {
    uint64_t samples = (uint64_t)shape->width * shape->channels;
    uint64_t row = p->plain        ? samples
                   : p->bits       ? (samples + 7) / 8
                   : p->floats     ? 4 * samples
                   : p->full > 255 ? 2 * samples
                                   : samples;
    return !__builtin_mul_overflow(row, rows, size) && *size < (uint64_t)1 << 48;
}

/* Skip so many rows; false: they are not there. */
static bool skip_rows(struct imf_reader *r, const struct imf_pnm_shape *shape, uint64_t rows) {
    const struct imf_pnm_reader *p = r->state;
    unsigned char piece[PIECE];
    uint64_t size;
    unsigned value;
    if (!raster_size(p, shape, rows, &size))
        return false;
    if (!p->plain && imf_reader_seeks(r))
        return imf_source_seek(&r->source, imf_source_position(&r->source) + size);
    for (; p->plain && size > 0; size--)
        if ((p->bits ? imf_pnm_digit : imf_pnm_number)(r, &value))
            return false;
    while (size > 0) {
        size_t n = size < PIECE ? (size_t)size : PIECE;
        if (imf_source_read(&r->source, piece, n) < n)
            return false;
        size -= n;
    }
    return true;
}

static void forget(struct imf_reader *r) {
    imf_account_free(&r->account);
    imf_metadata_clear(&r->metadata);
    r->metadata.account = &r->account;
}

static void add_size(struct imf_pages_size *size, const struct imf_pnm_reader *p,
                     const struct imf_pnm_shape *shape) {
    uint64_t pixels = (uint64_t)shape->width * shape->height, most = (uint64_t)1 << 48;
    uint64_t samples = pixels < most / 4 ? pixels * shape->channels : most;
    size->samples += samples;
    size->bytes += p->floats ? 4 * samples : p->full > 255 ? 2 * samples : samples;
}

/* The headers are read by another reader of the stream. */
static void walk(struct imf_reader *r, struct imf_reader *scan, bool plain) {
    struct imf_pnm_reader *p = r->state, *at = scan->state;
    struct imf_pnm_shape shape;
    uint64_t start;
    p->count = 0;
    r->pages_open = false;
    r->pages_size = (struct imf_pages_size){0};
    while (imf_pnm_next(scan, &start) && !r->metadata.out_of_memory) {
        imf_pnm_add_page(r, start);
        if (imf_pnm_header(scan, &shape, NULL))
            break;
        add_size(&r->pages_size, at, &shape);
        r->pages_open = at->plain && !plain;
        if (r->pages_open || !skip_rows(scan, &shape, shape.height))
            break;
        forget(scan);
    }
    forget(scan);
}

enum imf_status imf_pnm_list_pages(struct imf_reader *r, bool plain, struct imf_error *err) {
    struct imf_reader *scan = calloc(1, sizeof *scan);
    struct imf_pnm_reader state = {.type = 0};
    uint64_t here = r->source.received;
    if (!scan)
        return imf_fail_memory(err, sizeof *scan);
    scan->state = &state;
    scan->source = (struct imf_source){.stream = r->source.stream, .start = r->source.start};
    if (imf_source_seek(&scan->source, 0))
        walk(r, scan, plain);
    bool back = fseeko(r->source.stream, r->source.start + (off_t)here, SEEK_SET) == 0;
    free(scan);
    return back ? IMF_OK : imf_fail(err, IMF_ERR_IO, "the stream cannot be seeked");
}

/* ---- going to a page ------------------------------------------------------------------------- */

static enum imf_status no_page(const struct imf_reader *r, struct imf_error *err) {
    const struct imf_pnm_reader *p = r->state;
    return imf_fail(err, IMF_ERR_FORMAT, "there is none (it has %d)", p->at);
}

static enum imf_status seek_page(struct imf_reader *r, struct imf_error *err) {
    struct imf_pnm_reader *p = r->state;
    uint64_t at = r->page_at;
    enum imf_status status = IMF_OK;
    if (!at && p->count < r->page)
        status = imf_pnm_list_pages(r, true, err);
    p->at = p->count;
    if (!status && !at && p->count < r->page)
        return no_page(r, err);
    if (!status && !at)
        at = p->starts[r->page - 1];
    if (!status && (!imf_source_seek(&r->source, at) || !imf_pnm_next(r, &at)))
        status = imf_fail(err, IMF_ERR_DAMAGED, "damaged PNM header (no type)");
    return status;
}

/* Read pages up to this one. */
static enum imf_status read_on(struct imf_reader *r, struct imf_error *err) {
    struct imf_pnm_reader *p = r->state;
    struct imf_pnm_shape shape;
    uint64_t at;
    if (r->page < p->at || (r->page == p->at && !p->begun))
        return imf_fail(
            err, IMF_ERR_FORMAT,
            "from a pipe pages come in their order, and this one is past (give the file "
            "by its name)");
    for (; p->at < r->page; p->at++) {
        enum imf_status status = p->begun ? imf_pnm_header(r, &shape, err) : no_page(r, err);
        if (status)
            return status;
        p->begun = skip_rows(r, &shape, shape.height) && imf_pnm_next(r, &at);
        if (!p->begun)
            return no_page(r, err);
        imf_pnm_add_page(r, at);
        p->in_raster = false;
        forget(r);
    }
    return IMF_OK;
}

enum imf_status imf_pnm_go_to_page(struct imf_reader *r, struct imf_error *err) {
    struct imf_pnm_reader *p = r->state;
    enum imf_status status = imf_reader_seeks(r) ? seek_page(r, err) : read_on(r, err);
    if (status)
        return status;
    forget(r);
    p->entered = 0;
    p->at = r->page;
    r->page_at = imf_source_position(&r->source) - 2;
    imf_pnm_enter(r, r->page_at, IMF_PIXELS, "pictures before");
    return IMF_OK;
}

void imf_pnm_leave_page(struct imf_reader *r) {
    struct imf_pnm_reader *p = r->state;
    const struct imf_pnm_shape shape = {(unsigned)r->info.width, (unsigned)r->info.height,
                                        (unsigned)r->info.channels, r->info.color, r->info.alpha};
    uint64_t at, rows = (uint64_t)(r->info.height - r->row);
    if (p->floats && r->row > 0) /* all of it was read */
        rows = 0;
    bool rest = !p->begun && r->pages && !imf_reader_seeks(r) && r->info.height > 0 &&
                r->row < r->info.height;
    if (rest && skip_rows(r, &shape, rows) && imf_pnm_next(r, &at)) {
        imf_pnm_add_page(r, at);
        p->begun = true;
        p->at++;
    }
    free(p->line);
    free(p->pfm.held);
    *p = (struct imf_pnm_reader){.type = p->type,
                                 .begun = p->begun,
                                 .at = p->at,
                                 .starts = p->starts,
                                 .count = p->count,
                                 .capacity = p->capacity};
}
