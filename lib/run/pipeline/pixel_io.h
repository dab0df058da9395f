/* pixel_io.h - where a run's pixels come from and go to: files or memory */
#ifndef IMF_RUN_PIPELINE_PIXEL_IO_H
#define IMF_RUN_PIPELINE_PIXEL_IO_H

#include "run/executor/exec.h"

/* Borrowed: a reader, or else src; a writer, dst, or neither. */
struct imf_pixel_io {
    struct imf_reader *reader;
    struct imf_writer *writer;
    const char *src;
    char *dst;
    size_t src_stride, dst_stride; /* bytes */
    size_t src_row, dst_row;       /* bytes of a row's pixels */
};

/* Read the image's next rows into `rows`. */
enum imf_status imf_pixel_io_read(const struct imf_pixel_io *io, const struct imf_rows *rows,
                                  struct imf_error *err);
/* Write the result's next rows. The last ones, which may be none, finish the writer. */
enum imf_status imf_pixel_io_write(const struct imf_pixel_io *io, const struct imf_rows *rows,
                                   bool last, struct imf_error *err);

#endif
