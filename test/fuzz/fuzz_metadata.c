/*
 * fuzz_metadata.c - what a file carries goes into a file of any format, which can be read again
 *
 * The first byte of the input chooses the format that is written, the rest is the file that is read.
 */
#include "fuzz.h"

#include <stdlib.h>

#include "imfilter.h"

static const struct imf_limits limits = {
    .max_pixels = 1 << 16, .max_memory = 64 << 20, .max_scans = 20, .lenient = true};

/* All rows of an image, which the caller frees; NULL: damaged, or no memory. */
static uint8_t *rows_of(struct imf_reader *reader, size_t stride) {
    int height = imf_reader_info(reader)->height;
    uint8_t *rows = malloc(stride * (size_t)height);
    if (rows && imf_reader_rows(reader, rows, stride, height, NULL) != IMF_OK) {
        free(rows);
        return NULL;
    }
    return rows;
}

static void read_again(FILE *file, const struct imf_info *written) {
    struct imf_error err = {0};
    struct imf_reader *reader = NULL;
    rewind(file);
    enum imf_status status = imf_reader_open(&reader, file, &limits, &err);
    if (status != IMF_OK)
        fprintf(stderr, "%s\n", err.text);
    FUZZ_ASSERT(status == IMF_OK);
    const struct imf_info *info = imf_reader_info(reader);
    /* An orientation that the reader obeys exchanges the sides. */
    FUZZ_ASSERT(info->width * info->height == written->width * written->height);
    imf_reader_close(&reader);
}

static void carry(struct imf_reader *reader, unsigned choice) {
    struct imf_info info = *imf_reader_info(reader);
    struct imf_error err = {0};
    struct imf_encode encode = {.size = sizeof encode, .compression = 1, .threads = 1};
    struct imf_writer *writer = NULL;
    size_t stride = (size_t)info.width * (size_t)info.channels * (size_t)info.depth / 8;
    uint8_t *rows = rows_of(reader, stride);
    FILE *file = rows ? tmpfile() : NULL;
    const struct imf_format_doc *doc;
    info.format = (enum imf_format)(1 + choice % IMF_FORMAT_LAST);
    doc = imf_format_doc(info.format);
    if (file && doc &&
        imf_writer_open(&writer, file, &info, &encode, imf_reader_metadata(reader), &err) ==
            IMF_OK) {
        FUZZ_ASSERT(imf_writer_rows(writer, rows, stride, info.height, &err) == IMF_OK);
        FUZZ_ASSERT(imf_writer_finish(writer, &err) == IMF_OK);
        read_again(file, &info);
    }
    imf_writer_close(&writer);
    if (file)
        fclose(file);
    free(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct imf_reader *reader = NULL;
    FILE *f = size > 1 ? fmemopen((void *)(data + 1), size - 1, "rb") : NULL;
    if (!f)
        return -1;
    if (imf_reader_open(&reader, f, &limits, NULL) == IMF_OK)
        carry(reader, data[0]);
    imf_reader_close(&reader);
    fclose(f);
    return 0;
}
