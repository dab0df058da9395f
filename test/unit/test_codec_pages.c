/* test_codec_pages.c - files of several pages: written, read in any order, from files and pipes */
#include "codec_util.h"

#include <fcntl.h>
#include <unistd.h>

#ifdef IMF_WITH_TIFF
#include <tiffio.h>

enum { PAGES = 4 };

static struct imf_info page_shape(int page) {
    const struct imf_info shapes[PAGES] = {
        shape(40, 30, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_TIFF),
        shape(7, 50, IMF_COLOR_RGB, true, 16, IMF_FORMAT_TIFF),
        shape(1, 1, IMF_COLOR_CMYK, false, 8, IMF_FORMAT_TIFF),
        shape(300, 900, IMF_COLOR_RGB, false, 8, IMF_FORMAT_TIFF)};
    return shapes[page];
}

/* What page i carries. */
static struct imf_metadata page_metadata(int page) {
    char text[] = "page 0";
    struct imf_metadata m = {.first = NULL};
    text[5] = (char)('0' + page);
    imf_metadata_add(&m, IMF_META_COMMENT, IMF_STRIP_OTHER, text, strlen(text));
    return m;
}

/* Write all pages; `bytes`: what the writer is told of those that follow. */
static struct bytes write_pages(unsigned char *const pixels[PAGES], const struct imf_encode *encode,
                                uint64_t bytes, bool pipes) {
    struct imf_error err;
    struct imf_writer *w = NULL;
    int ends[2];
    FILE *f = tmpfile();
    if (pipes && !pipe(ends)) {
        fclose(f);
        CHECK(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) >= 1 << 20, "a pipe that holds a file");
        f = fdopen(ends[1], "wb");
    }
    for (int i = 0; i < PAGES; i++) {
        struct imf_info info = page_shape(i);
        struct imf_metadata m = page_metadata(i);
        enum imf_status status = i ? imf_writer_turn(w, &info, &m, &err)
                                   : imf_writer_open(&w, f, &info, encode, &m, &err);
        if (!status)
            imf_writer_page(w, i + 1, PAGES, bytes);
        status =
            status ? status : imf_writer_rows(w, pixels[i], row_bytes(&info), info.height, &err);
        status = status ? status : imf_writer_finish(w, &err);
        CHECK(status == IMF_OK, "page %d: %s", i, err.text);
        CHECK(!imf_writer_warning(w), "page %d: %s", i, imf_writer_warning(w));
        imf_metadata_clear(&m);
        if (status)
            break;
    }
    imf_writer_close(&w);
    struct bytes out = {malloc(1 << 22), 0};
    if (pipes) {
        fclose(f);
        f = fdopen(ends[0], "rb");
    } else {
        rewind(f);
    }
    out.size = fread(out.data, 1, 1 << 22, f);
    fclose(f);
    return out;
}

static void check_page(struct imf_reader *r, int page, const unsigned char *pixels) {
    struct imf_info want = page_shape(page);
    struct imf_error err;
    char text[] = "page 0";
    text[5] = (char)('0' + page);
    CHECK(same_shape(imf_reader_info(r), &want), "page %d: another shape", page);
    const struct imf_meta_item *item = imf_metadata_find(imf_reader_metadata(r), IMF_META_COMMENT);
    CHECK(item && item->size == strlen(text) && memcmp(item->data, text, item->size) == 0,
          "page %d: another description", page);
    unsigned char *got = malloc(image_bytes(&want));
    CHECK(!imf_reader_rows(r, got, row_bytes(&want), want.height, &err), "page %d: %s", page,
          err.text);
    CHECK(memcmp(got, pixels, image_bytes(&want)) == 0, "page %d: other pixels", page);
    free(got);
    struct imf_parts parts;
    CHECK(imf_parts_of(&parts, r, NULL), "no memory");
    for (size_t i = 0; i < parts.count; i++)
        CHECK(parts.list[i].becomes != IMF_LOST, "page %d: %s is lost", page, parts.list[i].name);
    CHECK(page > 0 || parts.size > 0, "of the first page the account is the file's");
    imf_parts_free(&parts);
}

/* By libtiff: how many, and of what width. */
static void check_directories(struct bytes file, bool big) {
    char name[] = "/tmp/imfilter-pages-XXXXXX";
    int fd = mkstemp(name);
    CHECK(fd >= 0 && write(fd, file.data, file.size) == (ssize_t)file.size, "cannot write %s",
          name);
    close(fd);
    TIFF *tif = TIFFOpen(name, "r");
    CHECK(tif && TIFFNumberOfDirectories(tif) == PAGES, "libtiff sees another number of pages");
    CHECK(tif && TIFFIsBigTIFF(tif) == big, "BigTIFF: not %d", big);
    for (int i = 0; tif && i < PAGES; i++) {
        uint32_t width = 0;
        uint16_t page = 99, pages = 99;
        TIFFSetDirectory(tif, (tdir_t)i);
        TIFFGetField(tif, TIFFTAG_IMAGEWIDTH, &width);
        TIFFGetField(tif, TIFFTAG_PAGENUMBER, &page, &pages);
        CHECK((int)width == page_shape(i).width && page == i && pages == PAGES,
              "page %d: width %u, number %u of %u", i, (unsigned)width, page, pages);
    }
    if (tif)
        TIFFClose(tif);
    unlink(name);
}

static void check_reading(FILE *f, unsigned char *const pixels[PAGES]) {
    static const int order[] = {1, 4, 2, 2, 3, 1, 4};
    const struct imf_limits all = {.pages = IMF_PAGES_ALL};
    struct imf_reader *r;
    struct imf_error err;
    CHECK(!imf_reader_open(&r, f, &all, &err), "%s", err.text);
    CHECK(imf_reader_pages(r) == PAGES, "%d pages", imf_reader_pages(r));
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        CHECK(!imf_reader_turn(r, order[i], &err), "%s", err.text);
        check_page(r, order[i] - 1, pixels[order[i] - 1]);
    }
    CHECK(imf_reader_turn(r, 0, &err) == IMF_ERR_ARGUMENT, "page 0");
    CHECK(imf_reader_turn(r, PAGES + 1, &err) == IMF_ERR_ARGUMENT, "a page behind the last");
    imf_reader_close(&r);
}

static void test_files(void) {
    unsigned char *pixels[PAGES];
    for (int i = 0; i < PAGES; i++) {
        struct imf_info info = page_shape(i);
        pixels[i] = random_pixels(&info);
    }
    for (int k = 0; k < 6; k++) {
        const struct imf_encode encode = {.compression = k % 2 ? IMF_COMPRESSION_NONE : 1};
        bool big = k >= 4, pipes = k / 2 == 1;
        struct bytes file = write_pages(pixels, &encode, big ? (uint64_t)5 << 30 : 1 << 20, pipes);
        check_directories(file, big);
        FILE *f = stream_of(file.data, file.size);
        check_reading(f, pixels);
        fclose(f);
        f = fmemopen(file.data, file.size, "rb"); /* no file: it is read into memory */
        check_reading(f, pixels);
        fclose(f);
        free(file.data);
    }
    for (int i = 0; i < PAGES; i++)
        free(pixels[i]);
}

/* A page that cannot be read does not keep the others from it. */
static void test_damage(void) {
    unsigned char *pixels[PAGES];
    for (int i = 0; i < PAGES; i++) {
        struct imf_info info = page_shape(i);
        pixels[i] = random_pixels(&info);
    }
    const struct imf_encode encode = {.compression = IMF_COMPRESSION_NONE};
    const struct imf_limits some = {.pages = IMF_PAGES_SOME};
    struct bytes file = write_pages(pixels, &encode, 0, false);
    /* The second directory's first entry is its width. */
    uint32_t at, none = 0;
    uint16_t count;
    memcpy(&at, file.data + 4, 4);
    memcpy(&count, file.data + at, 2);
    memcpy(&at, file.data + at + 2 + 12 * count, 4);
    memcpy(file.data + at + 2 + 8, &none, 4);
    FILE *f = stream_of(file.data, file.size);
    struct imf_reader *r;
    struct imf_error err;
    CHECK(!imf_reader_open(&r, f, &some, &err), "%s", err.text);
    for (int turns = 0; turns < 2; turns++) {
        CHECK(imf_reader_turn(r, 2, &err) && strncmp(err.text, "page 2: ", 8) == 0, "%s", err.text);
        CHECK(!imf_reader_turn(r, 3, &err), "%s", err.text);
        check_page(r, 2, pixels[2]);
    }
    imf_reader_close(&r);
    fclose(f);
    free(file.data);
    for (int i = 0; i < PAGES; i++)
        free(pixels[i]);
}

/* Calls in an order that they do not have. */
static void test_misuse(void) {
    struct imf_info tiff = page_shape(0), png = tiff;
    unsigned char *pixels = random_pixels(&tiff);
    struct imf_writer *w;
    struct imf_error err;
    png.format = IMF_FORMAT_PNG;
    CHECK(imf_format_holds_pages(IMF_FORMAT_TIFF) && !imf_format_holds_pages(IMF_FORMAT_PNG) &&
              !imf_format_holds_pages(IMF_FORMAT_NONE),
          "formats of pages");
    for (int k = 0; k < 3; k++) {
        FILE *f = tmpfile();
        CHECK(!imf_writer_open(&w, f, k == 1 ? &png : &tiff, NULL, NULL, &err), "%s", err.text);
        if (k > 0)
            imf_writer_page(w, 1, 2, 0);
        imf_writer_rows(w, pixels, row_bytes(&tiff), tiff.height, &err);
        CHECK(!imf_writer_finish(w, &err), "%s", err.text);
        CHECK(imf_writer_turn(w,
                              k == 2   ? &png
                              : k == 1 ? &png
                                       : &tiff,
                              NULL, &err) == IMF_ERR_ARGUMENT,
              "%d: a page that was not to follow", k);
        imf_writer_close(&w);
        fclose(f);
    }
    struct bytes file = encode(&png, pixels, NULL, NULL, &err);
    const struct imf_limits all = {.pages = IMF_PAGES_ALL};
    struct decoded d = decode_stream(stream_of(file.data, file.size), &all);
    CHECK(imf_reader_pages(d.reader) == 1, "a PNG of pages");
    CHECK(imf_reader_turn(d.reader, 1, &d.err) == IMF_ERR_ARGUMENT, "it was read");
    done(&d);
    free(file.data);
    free(pixels);
}

int main(void) {
    test_files();
    test_damage();
    test_misuse();
    return check_done("test_codec_pages");
}
#else
int main(void) {
    CHECK(!imf_format_holds_pages(IMF_FORMAT_TIFF), "a format without its library");
    return check_done("test_codec_pages");
}
#endif
