/* pfm.c - the raster of a PFM */
#include "codec/pnm/pfm.h"

#include "base/image/surface.h"
#include "codec/metadata/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BIG_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define SAMPLE 4                /* bytes */
#define BLOCK ((size_t)1 << 18) /* bytes that are written at once, */
#define SHARE 16                /* at most 1/SHARE of the limit on memory */

static void swap_samples(unsigned char *row, size_t bytes) {
    for (size_t i = 0; i < bytes; i += SAMPLE)
        imf_put(row + i, SAMPLE, imf_get(row + i, SAMPLE, true), false);
}

/* ---- reading --------------------------------------------------------------------------------- */

enum imf_status imf_pfm_source_open(struct imf_reader *r, struct imf_pfm_source *s,
                                    struct imf_error *err) {
    struct imf_bytes file = imf_source_bytes(&r->source);
    size_t bytes;
    s->at = imf_source_position(&r->source);
    if (!imf_size_mul(r->row_bytes, (size_t)r->info.height, &bytes))
        return imf_fail(err, IMF_ERR_LIMIT, "a PFM of this size is too large");
    if (file.data) {
        enum imf_status status = imf_reader_buffer(r, bytes, "a PFM from a pipe", err);
        return status || (s->held = malloc(bytes)) ? status : imf_fail_memory(err, bytes);
    }
    uint64_t there = file.size > s->at ? (file.size - s->at) / r->row_bytes : 0;
    s->missing = there < (uint64_t)r->info.height ? r->info.height - (int)there : 0;
    return IMF_OK;
}

/* Read all rows of a stream that is no file. */
static void hold(struct imf_reader *r, struct imf_pfm_source *s) {
    size_t bytes = r->row_bytes * (size_t)r->info.height;
    size_t there = imf_source_read(&r->source, s->held, bytes) / r->row_bytes;
    s->missing = r->info.height - (int)there;
}

static bool read_row(struct imf_reader *r, const struct imf_pfm_source *s, unsigned char *dst,
                     int row) {
    uint64_t at = (uint64_t)(r->info.height - 1 - row) * r->row_bytes;
    struct imf_bytes file = imf_source_bytes(&r->source);
    if (s->held)
        memcpy(dst, s->held + at, r->row_bytes);
    else if (!imf_bytes_get(&file, s->at + at, dst, r->row_bytes)) {
        r->source.error = file.error;
        return false;
    }
    if (s->big_endian != BIG_ENDIAN_HOST)
        swap_samples(dst, r->row_bytes);
    return true;
}

enum imf_status imf_pfm_source_rows(struct imf_reader *r, struct imf_pfm_source *s,
                                    unsigned char *dst, size_t stride, int rows, int *done,
                                    struct imf_error *err) {
    if (s->held && r->row == 0)
        hold(r, s);
    /* Of a file that is cut off the first rows are missing, not the last. */
    r->recoverable = s->missing < r->info.height;
    if (s->missing && !r->source.error && r->limits.lenient && r->recoverable)
        imf_reader_warn(r, "truncated: the first %d row%s missing", s->missing,
                        s->missing > 1 ? "s are" : " is");
    else if (s->missing)
        return imf_reader_damaged(r, *done, "truncated", err);
    for (; *done < rows; ++*done, dst += stride) {
        int row = r->row + *done;
        if (row < s->missing)
            memset(dst, 0, r->row_bytes);
        else if (!read_row(r, s, dst, row))
            return imf_reader_damaged(r, *done, "truncated", err);
    }
    uint64_t end = s->at + (uint64_t)r->row_bytes * (unsigned)r->info.height;
    if (!s->held && r->row + rows == r->info.height && !imf_source_seek(&r->source, end))
        return imf_fail_io(err, errno);
    return IMF_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

enum imf_status imf_pfm_target_open(struct imf_writer *w, struct imf_pfm_target *t,
                                    struct imf_error *err) {
    size_t bytes;
    if (!imf_size_mul(w->row_bytes, (size_t)w->info.height, &bytes) || bytes > INT64_MAX)
        return imf_fail(err, IMF_ERR_LIMIT, "a PFM of this size is too large");
    t->at = imf_writer_position(w);
    uint64_t most = w->encode.max_memory / SHARE;
    size_t block = most && most < BLOCK ? (size_t)most : BLOCK;
    t->room = t->at < 0 ? w->info.height
                        : imf_min(w->info.height, imf_max(1, (int)(block / w->row_bytes)));
    bytes = w->row_bytes * (size_t)t->room;
    enum imf_status status =
        imf_writer_memory(w, bytes, t->at < 0 ? "a PFM to a pipe" : "a row of this image", err);
    return status || (t->rows = malloc(bytes)) ? status : imf_fail_memory(err, bytes);
}

static void seek_to(struct imf_writer *w, const struct imf_pfm_target *t, int rows) {
    errno = 0;
    if (!w->error && fseeko(w->stream, t->at + (off_t)((uint64_t)rows * w->row_bytes), SEEK_SET))
        w->error = errno;
}

/* Rows stand at the end of the memory, the last one first. */
static void put_rows(struct imf_writer *w, struct imf_pfm_target *t) {
    size_t bytes = (size_t)t->count * w->row_bytes;
    if (t->at >= 0)
        seek_to(w, t, w->info.height - t->row);
    imf_writer_put(w, t->rows + (size_t)t->room * w->row_bytes - bytes, bytes);
    t->count = 0;
}

void imf_pfm_target_rows(struct imf_writer *w, struct imf_pfm_target *t, const unsigned char *src,
                         size_t stride, int rows) {
    for (int y = 0; y < rows && !w->error; y++, src += stride) {
        unsigned char *to = t->rows + (size_t)(t->room - ++t->count) * w->row_bytes;
        memcpy(to, src, w->row_bytes);
        if (BIG_ENDIAN_HOST)
            swap_samples(to, w->row_bytes);
        bool last = ++t->row == w->info.height;
        if (t->count == t->room || last)
            put_rows(w, t);
        if (last && t->at >= 0)
            seek_to(w, t, w->info.height);
    }
}
