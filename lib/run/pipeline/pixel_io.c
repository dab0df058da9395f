/* pixel_io.c - where a run's pixels come from and go to: files or memory */
#include "run/pipeline/pixel_io.h"

#include "base/image/info.h"
#include "codec/codec.h"
#include "run/pipeline/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOME 64 /* rows that go from one to the other at once */

static void copy(char *to, size_t to_stride, const char *from, size_t from_stride, size_t bytes,
                 int rows) {
    for (int y = 0; y < rows; y++)
        memcpy(to + (size_t)y * to_stride, from + (size_t)y * from_stride, bytes);
}

static size_t sample_bytes(const struct imf_info *info) {
    return (size_t)info->depth / 8;
}

enum imf_status imf_pixel_io_open(struct imf_pixel_io *io, int rows, struct imf_error *err) {
    size_t kept, some;
    io->in = imf_info_row_bytes(io->input);
    io->out = imf_info_row_bytes(io->output);
    io->apart =
        io->chain->part.width != io->input->width || io->chain->part.height != io->input->height;
    io->kept_rows = imf_max(rows, SOME);
    if (io->chain->missing) {
        enum imf_status st = imf_missing_open(&io->missing, io->chain, rows, err);
        io->line = malloc(io->in);
        io->made = malloc(io->out);
        return st || (io->line && io->made) ? st : imf_fail_memory(err, io->in);
    }
    if (!io->apart)
        return IMF_OK;
    if (!imf_size_mul(io->in, (size_t)io->kept_rows, &kept) ||
        !imf_size_mul(io->out, 2 * SOME, &some) || !(io->kept = malloc(kept)) ||
        !(io->some = malloc(some)))
        return imf_fail_memory(err, io->in * SOME);
    return IMF_OK;
}

void imf_pixel_io_close(struct imf_pixel_io *io) {
    free(io->kept);
    free(io->some);
    free(io->line);
    free(io->made);
    io->kept = io->some = io->line = io->made = NULL;
    imf_missing_close(&io->missing);
    imf_reader_close(&io->again);
}

/* ---- rows of the whole image ----------------------------------------------------------------- */

static char *kept_row(const struct imf_pixel_io *io, int y) {
    return io->kept + (size_t)(y % io->kept_rows) * io->in;
}

/* Rows of the image from row y on: infinity is no sample, nor NaN unless samples may be missing. */
static enum imf_status check_samples(const struct imf_pixel_io *io, const char *at, size_t stride,
                                     int y, int rows, struct imf_error *err) {
    enum imf_sample sample = imf_info_sample(io->input);
    int samples = io->input->width * io->input->channels;
    if (sample == IMF_U8 || sample == IMF_U16)
        return IMF_OK;
    for (int k = 0; k < rows; k++) {
        const char *row = at + (size_t)k * stride;
        int i = imf_samples_finite(row, sample, samples);
        while (io->chain->missing && i < samples && !isinf(imf_sample_get(row, sample, i)))
            i++;
        if (i < samples)
            return imf_fail(
                err, IMF_ERR_FORMAT, "column %d of row %d has %s", i / io->input->channels, y + k,
                isnan(imf_sample_get(row, sample, i))
                    ? "NaN, which is left out of a file alone, gray or RGB without alpha"
                    : "an infinity, which is no sample (--nan takes it for a missing one)");
    }
    return IMF_OK;
}

/* Read the image's next `count` rows into those that are kept. */
static enum imf_status keep_rows(struct imf_pixel_io *io, int count, struct imf_error *err) {
    for (int done = 0; done < count;) {
        int some = imf_min(count - done, io->kept_rows - io->next % io->kept_rows);
        enum imf_status st = IMF_OK;
        if (io->reader)
            st = imf_reader_rows(io->reader, kept_row(io, io->next), io->in, some, err);
        else
            copy(kept_row(io, io->next), io->in, io->src + (size_t)io->next * io->src_stride,
                 io->src_stride, io->in, some);
        if (!st)
            st = check_samples(io, kept_row(io, io->next), io->in, io->next, some, err);
        if (st)
            return st;
        io->next += some;
        done += some;
    }
    return IMF_OK;
}

/* Samples first..end - 1 of a row of the image, as the result has them. */
static void convert(const struct imf_pixel_io *io, char *to, const char *from, int first, int end) {
    enum { VALUES = 256 };
    enum imf_sample in = imf_info_sample(io->input), out = imf_info_sample(io->output);
    size_t size = imf_sample_size(out);
    double v[VALUES];
    if (io->chain->rescale == 1 && in == out) {
        memcpy(to + (size_t)first * size, from + (size_t)first * size,
               (size_t)(end - first) * size);
        return;
    }
    for (int i = first, n; i < end; i += n) {
        n = imf_min(end - i, VALUES);
        imf_samples_widen(v, from, in, i, (size_t)n);
        for (int k = 0; k < n; k++)
            v[k] *= io->chain->rescale;
        imf_samples_narrow(to + (size_t)i * size, out, v, (size_t)n);
    }
}

/* Write rows of the result, from row y of it on. */
static enum imf_status put_rows(const struct imf_pixel_io *io, int y, const char *at, size_t stride,
                                int count, struct imf_error *err) {
    if (io->dst)
        copy(io->dst + (size_t)y * io->dst_stride, io->dst_stride, at, stride, io->out, count);
    return io->writer && count ? imf_writer_rows(io->writer, at, stride, count, err) : IMF_OK;
}

/* Rows that go on as they are, from row `first` to `end`; an item is SOME of them. */
struct passing {
    const struct imf_pixel_io *io;
    int first, end;
};

static char *passed(const struct imf_pixel_io *io, int item) {
    return io->some + (size_t)(item % 2) * SOME * io->out;
}

static enum imf_status put_item(void *data, int item, struct imf_error *err) {
    const struct passing *p = data;
    int y = p->first + item * SOME;
    return put_rows(p->io, y, passed(p->io, item), p->io->out, imf_min(p->end - y, SOME), err);
}

static enum imf_status read_items(struct imf_pixel_io *io, int end, struct imf_worker *worker,
                                  struct imf_error *err) {
    int samples = io->input->width * io->input->channels, item = 0;
    double waited = 0;
    enum imf_status st = IMF_OK;
    for (; io->next < end && !st; item++) {
        int y = io->next, some = imf_min(end - y, SOME);
        st = keep_rows(io, some, err);
        if (!st)
            st = imf_worker_wait(worker, item - 1, &waited, err);
        for (int k = 0; k < some && !st; k++)
            convert(io, passed(io, item) + (size_t)k * io->out, kept_row(io, y + k), 0, samples);
        if (!st)
            imf_worker_submit(worker);
    }
    return st ? st : imf_worker_wait(worker, item, &waited, err);
}

/* Pass rows on up to row `end`: one thread reads, the other writes. */
static enum imf_status pass_rows(struct imf_pixel_io *io, int end, struct imf_error *err) {
    struct passing passing = {io, io->next, end};
    struct imf_worker worker;
    if (io->next >= end)
        return IMF_OK;
    enum imf_status st = imf_worker_open(&worker, io->threads, put_item, &passing, err);
    st = st ? st : read_items(io, end, &worker, err);
    imf_worker_close(&worker);
    return st;
}

/* ---- rows of the part ------------------------------------------------------------------------ */

/* The reader, or another one that begins again, for rows from this one on. */
static enum imf_status reader_for(struct imf_pixel_io *io, int first, struct imf_reader **reader,
                                  struct imf_error *err) {
    enum imf_status st = first < io->next ? imf_reader_again(&io->again, io->reader, err) : IMF_OK;
    *reader = io->again ? io->again : io->reader;
    return st;
}

static enum imf_status read_missing(struct imf_pixel_io *io, const struct imf_rows *rows,
                                    struct imf_error *err) {
    struct imf_reader *reader = NULL;
    enum imf_status st = io->reader ? reader_for(io, rows->first, &reader, err) : IMF_OK;
    io->next = rows->first + rows->count;
    for (int k = 0; k < rows->count && !st; k++) {
        int y = rows->first + k;
        if (reader)
            st = imf_reader_rows(reader, io->line, io->in, 1, err);
        else
            memcpy(io->line, io->src + (size_t)y * io->src_stride, io->in);
        if (!st)
            st = check_samples(io, io->line, io->in, y, 1, err);
        if (!st)
            imf_missing_spread(&io->missing, rows->at + (size_t)k * rows->stride, io->line, y);
    }
    return st;
}

enum imf_status imf_pixel_io_read(struct imf_pixel_io *io, const struct imf_rows *rows,
                                  struct imf_error *err) {
    if (io->apart) {
        size_t pixel = (size_t)io->input->channels * sample_bytes(io->input);
        enum imf_status st = pass_rows(io, io->chain->part.y, err);
        st = st ? st : keep_rows(io, rows->count, err);
        for (int k = 0; k < rows->count && !st; k++)
            memcpy(rows->at + (size_t)k * rows->stride,
                   kept_row(io, io->chain->part.y + rows->first + k) +
                       (size_t)io->chain->part.x * pixel,
                   (size_t)io->chain->part.width * pixel);
        return st;
    }
    if (io->chain->missing)
        return read_missing(io, rows, err);
    if (io->reader) {
        struct imf_reader *reader;
        enum imf_status st = reader_for(io, rows->first, &reader, err);
        io->next = rows->first + rows->count;
        if (!st)
            st = imf_reader_rows(reader, rows->at, rows->stride, rows->count, err);
        if (st)
            return st;
    } else {
        copy(rows->at, rows->stride, io->src + (size_t)rows->first * io->src_stride, io->src_stride,
             io->in, rows->count);
    }
    return check_samples(io, rows->at, rows->stride, rows->first, rows->count, err);
}

static enum imf_status write_missing(struct imf_pixel_io *io, const struct imf_rows *rows,
                                     struct imf_error *err) {
    enum imf_status st = IMF_OK;
    for (int k = 0; k < rows->count && !st; k++) {
        imf_missing_gather(&io->missing, io->made, imf_info_sample(io->output),
                           io->output->channels, rows->at + (size_t)k * rows->stride,
                           rows->first + k);
        st = put_rows(io, rows->first + k, io->made, io->out, 1, err);
    }
    return st;
}

/* Write rows of the part between its sides. */
static enum imf_status paste_rows(struct imf_pixel_io *io, const struct imf_rows *rows,
                                  struct imf_error *err) {
    int channels = io->input->channels, left = io->chain->part.x * channels;
    int right = left + io->chain->part.width * channels, samples = io->input->width * channels;
    size_t size = sample_bytes(io->output);
    enum imf_status st = IMF_OK;
    for (int done = 0, some; done < rows->count && !st; done += some) {
        int y = io->chain->part.y + rows->first + done;
        some = imf_min(rows->count - done, SOME);
        for (int k = 0; k < some; k++) {
            char *to = io->some + (size_t)k * io->out;
            convert(io, to, kept_row(io, y + k), 0, left);
            memcpy(to + (size_t)left * size, rows->at + (size_t)(done + k) * rows->stride,
                   (size_t)(right - left) * size);
            convert(io, to, kept_row(io, y + k), right, samples);
        }
        st = put_rows(io, y, io->some, io->out, some, err);
    }
    return st;
}

enum imf_status imf_pixel_io_write(struct imf_pixel_io *io, const struct imf_rows *rows, bool last,
                                   struct imf_error *err) {
    enum imf_status st = !rows->count         ? IMF_OK
                         : io->chain->missing ? write_missing(io, rows, err)
                         : io->apart
                             ? paste_rows(io, rows, err)
                             : put_rows(io, rows->first, rows->at, rows->stride, rows->count, err);
    if (io->apart && last && !st)
        st = pass_rows(io, io->input->height, err);
    if (io->writer && last && !st)
        st = imf_writer_finish(io->writer, err);
    return st;
}
