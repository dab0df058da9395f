/* test_codec_pnm_pages.c - PNM that follow each other, as pages of a file and of a stream */
#include "codec_util.h"

static const char raw[] = "P5 2 1 255\nabP6 1 2 255\nabcdefP4 9 1\nab",
                  plain[] = "P2 2 1 9 1 2\nP5 1 1 255\nz";
enum { RAW = 3, PLAIN = 2 };

/* Read the page that is open. */
static void check(struct imf_reader *r, int width, int height, int first, const char *what) {
    const struct imf_info *info = imf_reader_info(r);
    unsigned char pixels[64];
    struct imf_error err;
    CHECK(info->width == width && info->height == height, "%s: %dx%d", what, info->width,
          info->height);
    CHECK(!imf_reader_rows(r, pixels, row_bytes(info), info->height, &err), "%s: %s", what,
          err.text);
    CHECK(pixels[0] == first, "%s: another page's pixels (%d)", what, pixels[0]);
}

static void check_raw(struct imf_reader *r, int page) {
    static const int first[] = {'a', 'a', 255}, width[] = {2, 1, 9}, height[] = {1, 2, 1};
    check(r, width[page - 1], height[page - 1], first[page - 1], "raw");
}

static void test_file(void) {
    static const int order[] = {3, 1, 1, 2, 3, 2};
    struct imf_reader *r;
    struct imf_error err;
    for (int kind = IMF_PAGES_FIRST; kind <= IMF_PAGES_SOME; kind++) {
        const struct imf_limits limits = {.pages = (unsigned char)kind};
        FILE *f = stream_of((const unsigned char *)raw, sizeof raw - 1);
        CHECK(!imf_reader_open(&r, f, &limits, &err), "%s", err.text);
        CHECK(imf_reader_pages(r) == (kind == IMF_PAGES_FIRST ? 1 : RAW) &&
                  !imf_reader_pages_open(r),
              "%d pages", imf_reader_pages(r));
        for (size_t i = 0; kind && i < sizeof order / sizeof *order; i++) {
            CHECK(!imf_reader_turn(r, order[i], &err), "%s", err.text);
            check_raw(r, order[i]);
        }
        CHECK(imf_reader_turn(r, RAW + 1, &err) == IMF_ERR_ARGUMENT, "a page behind the last");
        imf_reader_close(&r);
        fclose(f);
    }
    /* Plain ones are counted only where some are taken. */
    for (int kind = IMF_PAGES_ALL; kind <= IMF_PAGES_SOME; kind++) {
        const struct imf_limits limits = {.pages = (unsigned char)kind};
        FILE *f = stream_of((const unsigned char *)plain, sizeof plain - 1);
        CHECK(!imf_reader_open(&r, f, &limits, &err), "%s", err.text);
        CHECK(imf_reader_pages(r) == kind && imf_reader_pages_open(r) == (kind == IMF_PAGES_ALL),
              "%d plain pages", imf_reader_pages(r));
        check(r, 2, 1, 28, "plain");
        CHECK(imf_reader_pages(r) == PLAIN, "%d plain pages", imf_reader_pages(r));
        CHECK(!imf_reader_turn(r, 2, &err), "%s", err.text);
        check(r, 1, 1, 'z', "raw behind plain");
        CHECK(!imf_reader_pages_open(r), "a page behind the last");
        CHECK(!imf_reader_turn(r, 1, &err), "%s", err.text);
        check(r, 2, 1, 28, "plain again");
        imf_reader_close(&r);
        fclose(f);
    }
}

static void test_stream(void) {
    const struct imf_limits all = {.pages = IMF_PAGES_ALL};
    struct imf_reader *r;
    struct imf_error err;
    for (int skipped = 0; skipped < 3; skipped++) {
        FILE *f = fmemopen((void *)(size_t)raw, sizeof raw - 1, "rb"); /* no file */
        CHECK(!imf_reader_open(&r, f, &all, &err), "%s", err.text);
        CHECK(imf_reader_pages(r) == 1 && imf_reader_pages_open(r), "%d pages",
              imf_reader_pages(r));
        if (skipped < 2)
            check_raw(r, 1);
        for (int page = 2 + (skipped > 0); page <= RAW; page++) {
            CHECK(!imf_reader_turn(r, page, &err), "%s", err.text);
            check_raw(r, page);
        }
        CHECK(imf_reader_pages(r) == RAW && !imf_reader_pages_open(r), "%d pages",
              imf_reader_pages(r));
        CHECK(imf_reader_turn(r, 1, &err) == IMF_ERR_FORMAT && strstr(err.text, "this one is past"),
              "back: %s", err.text);
        imf_reader_close(&r);
        fclose(f);
    }
    FILE *f = fmemopen((void *)(size_t)raw, sizeof raw - 1, "rb");
    CHECK(!imf_reader_open(&r, f, &all, &err), "%s", err.text);
    CHECK(imf_reader_turn(r, 5, &err) == IMF_ERR_FORMAT && strstr(err.text, "(it has 3)"), "%s",
          err.text);
    imf_reader_close(&r);
    fclose(f);
}

int main(void) {
    test_file();
    test_stream();
    return check_done("test_codec_pnm_pages");
}
