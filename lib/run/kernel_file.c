/*
 * kernel_file.c - kernels in pictures
 *
 * A picture's samples are the coefficients, as integers: a PNG of 8 bits has 0..255, a bitmap 0 and
 * 1, a PGM of maxval 100 has 0..100; or as they are in a PFM or a TIFF of floats or signed integers.
 * Curves and profiles do not count. Its middle pixel is the origin.
 */
#include "run/kernel_file.h"
#include "base/arguments.h"

#include "base/image/info.h"
#include "base/image/orientation.h"
#include "base/sized.h"
#include "codec/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum imf_status create(struct imf_kernel **out, int width, int height,
                              struct imf_error *err) {
    if (width % 2 == 0 || height % 2 == 0)
        return imf_fail(err, IMF_ERR_FORMAT,
                        "is %dx%d, and both must be odd, as the origin is the middle pixel (crop "
                        "it, or add a row or column of black)",
                        width, height);
    return imf_kernel_create(out, width, height, err);
}

/* ---- pictures ------------------------------------------------------------------------------- */

static enum imf_status fail_color(struct imf_error *err) {
    return imf_fail(err, IMF_ERR_FORMAT,
                    "is in colour, and coefficients are gray (imfilter -f gray makes it so)");
}

/* The sample of a pixel; false where its channels differ. Palettes and programs that know RGB alone
 * store gray like that. */
static bool gray_sample(double *out, const unsigned char *row, const struct imf_info *info, int x) {
    enum imf_sample type = imf_info_sample(info);
    ptrdiff_t at = (ptrdiff_t)x * info->channels;
    bool gray = true;
    *out = imf_sample_get(row, type, at);
    for (int c = 1; c < info->channels; c++)
        gray = gray && imf_sample_get(row, type, at + c) == *out;
    return gray;
}

/* Coefficients of the picture as it stands upright. */
static enum imf_status take_samples(struct imf_kernel *k, const unsigned char *pixels,
                                    size_t stride, const struct imf_reader *reader,
                                    struct imf_error *err) {
    const struct imf_info *info = imf_reader_info(reader);
    struct imf_orientation turn = imf_orientation_of(info->orientation);
    bool integers = info->depth <= 16; /* which rows have scaled to their depth */
    double scale = integers ? imf_reader_maxval(reader) / imf_info_full(info) : 1;
    double *tap = k->taps;
    for (int i = 0; i < k->height; i++)
        for (int j = 0; j < k->width; j++, tap++) {
            int x = j, y = i;
            imf_pixel_to_stored(turn, k->width, k->height, &x, &y);
            if (!gray_sample(tap, pixels + (size_t)y * stride, info, x))
                return fail_color(err);
            *tap = integers ? rint(*tap * scale) : *tap;
            if (!(fabs(*tap) <= IMF_TAP_LARGEST))
                return imf_fail(err, IMF_ERR_FORMAT,
                                "the sample in row %d, column %d is not a number up to 1e30", i + 1,
                                j + 1);
        }
    return IMF_OK;
}

static enum imf_status read_pixels(struct imf_kernel **out, struct imf_reader *reader,
                                   const struct imf_limits *limits, uint64_t held,
                                   struct imf_error *err) {
    const struct imf_info *info = imf_reader_info(reader);
    bool lies = imf_orientation_of(info->orientation).swap;
    if (info->color == IMF_COLOR_CMYK)
        return fail_color(err);
    if (info->alpha)
        return imf_fail(err, IMF_ERR_FORMAT,
                        "has an alpha channel, which coefficients have not (convert FILE -alpha "
                        "off GRAY.png removes it)");
    uint64_t pixel = (uint64_t)(info->channels * (info->depth / 8)) + sizeof(double);
    uint64_t all = (uint64_t)info->width * (uint64_t)info->height * pixel;
    enum imf_status status = imf_memory_fits(
        limits->max_memory, held + imf_reader_held(reader) + all, "this kernel", err);
    if (status != IMF_OK)
        return status;
    status = create(out, lies ? info->height : info->width, lies ? info->width : info->height, err);
    if (status != IMF_OK)
        return status;
    /* Of at most 4095 rows and columns. */
    size_t stride = (size_t)(info->width * info->channels * (info->depth / 8));
    size_t bytes = stride * (size_t)info->height;
    unsigned char *pixels = malloc(bytes);
    if (!pixels)
        return imf_fail_memory(err, bytes);
    status = imf_reader_rows(reader, pixels, stride, info->height, err);
    if (status == IMF_OK)
        status = take_samples(*out, pixels, stride, reader, err);
    free(pixels);
    return status;
}

static enum imf_status read_picture(struct imf_kernel **out, char note[IMF_NOTE], const void *bytes,
                                    size_t size, const struct imf_limits *limits, uint64_t held,
                                    struct imf_error *err) {
    FILE *stream = fmemopen((void *)bytes, size, "rb");
    if (!stream)
        return imf_fail_memory(err, size);
    struct imf_reader *reader;
    enum imf_status status = imf_reader_open(&reader, stream, limits, err);
    if (status == IMF_OK)
        status = read_pixels(out, reader, limits, held, err);
    if (status == IMF_OK && imf_reader_warning(reader))
        snprintf(note, IMF_NOTE, "%s", imf_reader_warning(reader));
    imf_reader_close(&reader);
    fclose(stream);
    return status;
}

/* ---- files ---------------------------------------------------------------------------------- */

enum imf_status imf_kernel_file_read(struct imf_kernel **out, char note[IMF_NOTE],
                                     const void *bytes, size_t size,
                                     const struct imf_limits *limits, uint64_t held,
                                     struct imf_error *err) {
    enum imf_status status;
    char titles[IMF_FORMATS_TEXT];
    *out = NULL;
    if (imf_codec_recognise(bytes, size)) {
        status = read_picture(out, note, bytes, size, limits, held + size, err);
    } else if (size > 0 && memchr(bytes, '\0', size)) {
        imf_codec_titles(titles);
        return imf_fail(err, IMF_ERR_FORMAT, "is neither text nor %s", titles);
    } else {
        return IMF_OK;
    }
    if (status == IMF_OK)
        (*out)->picture = true;
    if (status == IMF_OK && !imf_kernel_nonzero(*out))
        status = imf_fail(err, IMF_ERR_FORMAT,
                          "is black all over: a kernel needs a sample that is not 0");
    if (status != IMF_OK)
        imf_kernel_free(out);
    return status;
}

enum imf_status imf_filter_parse_limited(struct imf_filter **out, const char *const *specs,
                                         size_t count, const struct imf_limits *limits,
                                         struct imf_error *err) {
    const struct imf_limits usual = {.max_pixels = IMF_DEFAULT_MAX_PIXELS,
                                     .max_scans = IMF_DEFAULT_MAX_SCANS};
    struct imf_limits all;
    imf_sized_read(&all, sizeof all, limits ? limits : &usual);
    const struct imf_kernel_files files = {imf_kernel_file_read, &all, 0};
    *out = NULL;
    enum imf_status status = imf_check_limits(&all, err);
    return status ? status : imf_filter_parse_with(out, specs, count, &files, err);
}

enum imf_status imf_filter_parse(struct imf_filter **out, const char *const *specs, size_t count,
                                 struct imf_error *err) {
    return imf_filter_parse_limited(out, specs, count, NULL, err);
}
