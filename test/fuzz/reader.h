/*
 * reader.h - any bytes as an image file: an image or an error, within the limits
 *
 * A target defines FIRST_BYTES, of which one begins each file of its format, and includes this.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "imfilter_program.h"

#define PAGES 8    /* that are read, at most */
#define CHANNELS 8 /* of a page, one by one */

/* The parts of a file that was read to its end cover it. */
static void check_cover(const struct imf_reader *reader, size_t size) {
    struct imf_parts parts;
    uint64_t end = 0;
    if (!imf_parts_of(&parts, reader, NULL))
        return;
    for (size_t i = 0; i < parts.count; i++) {
        FUZZ_ASSERT(parts.list[i].offset == end);
        end += parts.list[i].bytes;
    }
    /* What is no file is accounted for as far as it was read. */
    FUZZ_ASSERT(end == parts.size && end <= size);
    imf_parts_free(&parts);
}

static const struct imf_limits limits = {
    .max_pixels = 1 << 20, .max_memory = 64 << 20, .max_scans = 20};

static enum imf_status read_page(struct imf_reader *reader) {
    struct imf_error err;
    const struct imf_info *info = imf_reader_info(reader);
    FUZZ_ASSERT(info->width > 0 && info->height > 0);
    FUZZ_ASSERT((uint64_t)info->width * (uint64_t)info->height <= limits.max_pixels);
    FUZZ_ASSERT(info->channels >= 1 && info->channels <= 4);
    FUZZ_ASSERT(info->depth == 8 || info->depth == 16 || info->depth == 32 || info->depth == 64);
    FUZZ_ASSERT(info->type == IMF_TYPE_ROWS || (info->depth > 16 && info->type_bits));
    size_t stride = (size_t)info->width * (size_t)info->channels * (size_t)info->depth / 8;
    struct imf_curve *curve = NULL;
    enum imf_status status = IMF_OK;
    enum imf_status told = imf_curve_read(&curve, imf_reader_metadata(reader), info, &err);
    FUZZ_ASSERT(told == IMF_OK || (!curve && err.text[0] != '\0'));
    imf_curve_free(&curve);
    /* One row's storage of exactly its size, so that a sanitizer sees a byte too many. */
    uint8_t *row = malloc(stride);
    for (int c = 0; row && status == IMF_OK && c < CHANNELS && (c == 0 || c < info->spectral);
         c++) {
        if (c > 0)
            status = imf_reader_channel(reader, c, &err);
        for (int y = 0; status == IMF_OK && y < info->height; y++)
            status = imf_reader_rows(reader, row, stride, 1, &err);
    }
    free(row);
    return status;
}

/* Some formats read a file otherwise than what comes from memory, and PNG inflates it otherwise. */
static FILE *file_of(const uint8_t *data, size_t size) {
    int fd = memfd_create("fuzz", 0);
    FILE *f = fd >= 0 ? fdopen(fd, "w+b") : NULL;
    if (!f || fwrite(data, 1, size, f) < size)
        abort();
    rewind(f);
    return f;
}

static void read_all(const uint8_t *data, size_t size, bool lenient, enum imf_pages pages) {
    struct imf_limits these = limits;
    these.lenient = lenient;
    these.pages = (unsigned char)pages;
    these.spectral = pages == IMF_PAGES_ALL;
    struct imf_error err;
    struct imf_reader *reader = NULL;
    FILE *f = lenient ? fmemopen((void *)data, size, "rb") : file_of(data, size);
    if (!f)
        return;
    enum imf_status status = imf_reader_open(&reader, f, &these, &err);
    FUZZ_ASSERT((status == IMF_OK) == (reader != NULL));
    FUZZ_ASSERT(status == IMF_OK || err.text[0] != '\0');
    if (reader) {
        if (read_page(reader) == IMF_OK)
            check_cover(reader, size);
        for (int i = 2; i <= imf_reader_pages(reader) && i <= PAGES; i++) {
            status = imf_reader_turn(reader, i, &err);
            FUZZ_ASSERT(status == IMF_OK || err.text[0] != '\0');
            if (status == IMF_OK)
                read_page(reader);
        }
    }
    imf_reader_close(&reader);
    FUZZ_ASSERT(reader == NULL);
    fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || !memchr(FIRST_BYTES, data[0], sizeof FIRST_BYTES - 1))
        return -1; /* another format's: not to be kept */
    read_all(data, size, false, IMF_PAGES_ALL);
    read_all(data, size, true, IMF_PAGES_FIRST);
    return 0;
}
