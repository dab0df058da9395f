/*
 * orient.c - reorder a writer's pixels by their EXIF orientation
 *
 * Pixels are gathered for a band of output rows at a time, so that columns of the input that become
 * rows are read together with their neighbours, which share cache lines.
 */
#include "base/image/surface.h"
#include "codec/codec.h"

#include <stdlib.h>
#include <string.h>

#define BAND 64 /* rows */

/* Copy pixels of `size` bytes, a constant in every use, that lie `from_step` bytes apart. */
static inline void copy_pixels(unsigned char *to, ptrdiff_t to_step, const unsigned char *from,
                               ptrdiff_t from_step, int count, size_t size) {
    for (; count > 0; count--, to += to_step, from += from_step)
        memcpy(to, from, size);
}

static void copy_line(unsigned char *to, ptrdiff_t to_step, const unsigned char *from,
                      ptrdiff_t from_step, int count, size_t size) {
    switch (size) {
    case 1:
        copy_pixels(to, to_step, from, from_step, count, 1);
        break;
    case 3:
        copy_pixels(to, to_step, from, from_step, count, 3);
        break;
    case 4:
        copy_pixels(to, to_step, from, from_step, count, 4);
        break;
    default:
        copy_pixels(to, to_step, from, from_step, count, size);
    }
}

/* Gather rows of the upright image, from `top` on, in band. */
static void gather(const struct imf_writer *w, unsigned char *band, int top, int rows,
                   const unsigned char *src, size_t stride) {
    size_t pixel = w->row_bytes / (size_t)w->info.width;
    ptrdiff_t step = (ptrdiff_t)pixel;
    for (int i = 0; !w->orientation.swap && i < rows; i++) {
        int x = 0, y = top + i;
        imf_pixel_to_stored(w->orientation, w->info.width, w->info.height, &x, &y);
        copy_line(band + (size_t)i * w->row_bytes, step,
                  src + (size_t)y * stride + (size_t)x * pixel,
                  w->orientation.flip_x ? -step : step, w->info.width, pixel);
    }
    for (int i = 0; w->orientation.swap && i < w->info.width;
         i++) { /* an input row, an output column */
        int x = i, y = top;
        imf_pixel_to_stored(w->orientation, w->info.width, w->info.height, &x, &y);
        copy_line(band + (size_t)i * pixel, (ptrdiff_t)w->row_bytes,
                  src + (size_t)y * stride + (size_t)x * pixel,
                  w->orientation.flip_y ? -step : step, rows, pixel);
    }
}

static enum imf_status write_upright(struct imf_writer *w, const unsigned char *src, size_t stride,
                                     struct imf_error *err) {
    size_t bytes;
    unsigned char *band = imf_size_mul(w->row_bytes, BAND, &bytes) ? malloc(bytes) : NULL;
    if (!band)
        return imf_fail_memory(err, bytes);
    enum imf_status status = IMF_OK;
    for (int top = 0; top < w->info.height && !status && !w->error; top += BAND) {
        int rows = imf_min(BAND, w->info.height - top);
        gather(w, band, top, rows, src, stride);
        status = w->codec->encoder->rows(w, band, w->row_bytes, rows, err);
    }
    free(band);
    return status;
}

/* The first rows of the upright image may need the last ones of the input: all are buffered. */
static enum imf_status buffer_rows(struct imf_writer *w, const unsigned char *src, size_t stride,
                                   int rows, struct imf_error *err) {
    size_t bytes;
    if (!imf_size_mul(w->input_bytes, (size_t)w->input.height, &bytes))
        return imf_fail(err, IMF_ERR_LIMIT,
                        "an image of this size is too large to be turned upright");
    enum imf_status status =
        imf_memory_fits(w->encode.max_memory, bytes, "turning this image upright", err);
    if (status)
        return status;
    if (!w->rows && !(w->rows = malloc(bytes)))
        return imf_fail_memory(err, bytes);
    for (int y = 0; y < rows; y++)
        memcpy(w->rows + (size_t)(w->row + y) * w->input_bytes, src + (size_t)y * stride,
               w->input_bytes);
    return IMF_OK;
}

enum imf_status imf_writer_orient(struct imf_writer *w, const unsigned char *src, size_t stride,
                                  int rows, struct imf_error *err) {
    if (imf_orientation_is_upright(w->orientation))
        return w->codec->encoder->rows(w, src, stride, rows, err);
    if (rows == w->input.height)
        return write_upright(w, src, stride, err);
    enum imf_status status = buffer_rows(w, src, stride, rows, err);
    if (!status && w->row + rows == w->input.height)
        status = write_upright(w, w->rows, w->input_bytes, err);
    return status;
}
