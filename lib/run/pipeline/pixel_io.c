/* pixel_io.c - where a run's pixels come from and go to: files or memory */
#include "run/pipeline/pixel_io.h"

#include <string.h>

static void copy(char *to, size_t to_stride, const char *from, size_t from_stride, size_t bytes,
                 int rows) {
    for (int y = 0; y < rows; y++)
        memcpy(to + (size_t)y * to_stride, from + (size_t)y * from_stride, bytes);
}

enum imf_status imf_pixel_io_read(const struct imf_pixel_io *io, const struct imf_rows *rows,
                                  struct imf_error *err) {
    if (io->reader)
        return imf_reader_rows(io->reader, rows->at, rows->stride, rows->count, err);
    copy(rows->at, rows->stride, io->src + (size_t)rows->first * io->src_stride, io->src_stride,
         io->src_row, rows->count);
    return IMF_OK;
}

enum imf_status imf_pixel_io_write(const struct imf_pixel_io *io, const struct imf_rows *rows,
                                   bool last, struct imf_error *err) {
    enum imf_status st = IMF_OK;
    if (io->writer && rows->count)
        st = imf_writer_rows(io->writer, rows->at, rows->stride, rows->count, err);
    if (io->writer && last && !st)
        st = imf_writer_finish(io->writer, err);
    if (io->dst)
        copy(io->dst + (size_t)rows->first * io->dst_stride, io->dst_stride, rows->at, rows->stride,
             io->dst_row, rows->count);
    return st;
}
