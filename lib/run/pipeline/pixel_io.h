/* pixel_io.h - where a run's pixels come from and go to: files or memory */
#ifndef IMF_RUN_PIPELINE_PIXEL_IO_H
#define IMF_RUN_PIPELINE_PIXEL_IO_H

#include "run/executor/bands.h"

struct imf_ends {
    struct imf_reader *reader;
    struct imf_writer *writer;
    const char *src;
    char *dst;
    size_t src_stride, dst_stride;
    size_t src_row, dst_row; /* bytes */
};

/* The next rows of the image into `rows`, and of the result from there; the last of these, which
 * may be none, finish a writer. `ends` is a struct imf_ends. */
enum imf_status imf_ends_read(void *ends, const struct imf_rows *rows, struct imf_error *err);
enum imf_status imf_ends_write(void *ends, const struct imf_rows *rows, bool last,
                               struct imf_error *err);

#endif
