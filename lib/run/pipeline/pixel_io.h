/*
 * pixel_io.h - where a run's pixels come from and go to: files or memory
 *
 * Where only a part of the image is filtered, the rest of it goes from one to the other here: rows
 * above the part before its first row, rows below it after its last, and the sides of its own rows
 * around their result. These rows are kept from when they are read until they are written.
 */
#ifndef IMF_RUN_PIPELINE_PIXEL_IO_H
#define IMF_RUN_PIPELINE_PIXEL_IO_H

#include "run/executor/exec.h"
#include "run/pipeline/missing.h"

struct imf_pixel_io {
    /* Borrowed: a reader, or else src; a writer, dst, or neither. */
    struct imf_reader *reader;
    struct imf_writer *writer;
    const char *src;
    char *dst;
    size_t src_stride, dst_stride;         /* bytes */
    const struct imf_info *input, *output; /* the image's shape, and its result's */
    const struct imf_chain *chain;         /* borrowed: rows here are those of its part */
    bool threads;                          /* may be started */
    /* Set by imf_pixel_io_open(). */
    bool apart;               /* the part is not the whole image */
    int next;                 /* row of the image to be read next */
    struct imf_reader *again; /* owned, or NULL: its rows are read for the second time */
    int kept_rows;            /* of the image: row y at y % kept_rows */
    char *kept;               /* owned */
    char *some;               /* owned: rows of the result */
    char *line,
        *made; /* owned: a row of the image, and of the result, without the channel of what is
                                   missing; one thread has either */
    struct imf_missing missing; /* where samples may be; then there is no part */
    size_t in, out;             /* bytes of a row's pixels */
};

/* `rows`: of the part, the most that are read and not yet written. Close is due whatever this
 * returns. */
enum imf_status imf_pixel_io_open(struct imf_pixel_io *io, int rows, struct imf_error *err);
void imf_pixel_io_close(struct imf_pixel_io *io);
/* Read the part's next rows into `rows`; those of the whole image, once they are all read, again. */
enum imf_status imf_pixel_io_read(struct imf_pixel_io *io, const struct imf_rows *rows,
                                  struct imf_error *err);
/* Write the part's next rows of the result. The last ones, which may be none, finish the writer. May
 * be called by another thread, while that reads. */
enum imf_status imf_pixel_io_write(struct imf_pixel_io *io, const struct imf_rows *rows, bool last,
                                   struct imf_error *err);

#endif
