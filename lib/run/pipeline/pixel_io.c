/* pixel_io.c - where a run's pixels come from and go to: files or memory */
#include "run/pipeline/pixel_io.h"

#include <string.h>

static void copy(char *to, size_t to_stride, const char *from, size_t from_stride, size_t bytes,
                 int rows) {
    for (int y = 0; y < rows; y++)
        memcpy(to + (size_t)y * to_stride, from + (size_t)y * from_stride, bytes);
}

enum imf_status imf_ends_read(void *data, const struct imf_rows *rows, struct imf_error *err) {
    const struct imf_ends *e = data;
    if (e->reader)
        return imf_reader_rows(e->reader, rows->at, rows->stride, rows->count, err);
    copy(rows->at, rows->stride, e->src + (size_t)rows->first * e->src_stride, e->src_stride,
         e->src_row, rows->count);
    return IMF_OK;
}

enum imf_status imf_ends_write(void *data, const struct imf_rows *rows, bool last,
                               struct imf_error *err) {
    const struct imf_ends *e = data;
    enum imf_status st = IMF_OK;
    if (e->writer && rows->count)
        st = imf_writer_rows(e->writer, rows->at, rows->stride, rows->count, err);
    if (e->writer && last && !st)
        st = imf_writer_finish(e->writer, err);
    if (e->dst)
        copy(e->dst + (size_t)rows->first * e->dst_stride, e->dst_stride, rows->at, rows->stride,
             e->dst_row, rows->count);
    return st;
}
