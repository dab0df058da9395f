/* test_codec_webp.c - WebP: without loss where the source was, damaged files, chunks that lie */
#include "codec_util.h"

#ifdef IMF_WITH_WEBP

static struct imf_info webp_shape(int width, int height, enum imf_color color, bool alpha) {
    return shape(width, height, color, alpha, 8, imf_format_from_name("webp"));
}

static struct bytes encode_lossless(const struct imf_info *i, const void *pixels, bool exif) {
    struct imf_metadata m = {.lossless = true};
    struct imf_error err = {0};
    if (exif)
        imf_metadata_add(&m, IMF_META_EXIF, IMF_STRIP_EXIF, "II*\0\x08\0\0\0\0\0\0\0\0", 14);
    struct bytes file = encode(i, pixels, NULL, &m, &err);
    CHECK(file.size > 0, "%s", err.text);
    imf_metadata_clear(&m);
    return file;
}

/* Exact, colours of transparent pixels included; what is read says that it is so. */
static void test_lossless(void) {
    for (int alpha = 0; alpha <= 1; alpha++) {
        struct imf_info i = webp_shape(53, 31, IMF_COLOR_RGB, alpha);
        unsigned char *pixels = random_pixels(&i);
        for (int k = 0; alpha && k < 500; k++)
            pixels[4 * k + 3] = 0;
        struct bytes file = encode_lossless(&i, pixels, false);
        struct decoded d = decode(file.data, file.size, NULL);
        CHECK(d.status == IMF_OK && same_shape(&d.info, &i) &&
                  memcmp(d.pixels, pixels, image_bytes(&i)) == 0,
              "alpha %d: %s", alpha, d.err.text);
        CHECK(d.reader && imf_reader_metadata(d.reader)->lossless, "it is lossless");
        done(&d);
        free(file.data);

        struct imf_metadata m = {.lossless = true};
        const struct imf_encode options = {.quality = 60};
        file = encode(&i, pixels, &options, &m, NULL); /* a quality asks for loss */
        d = decode(file.data, file.size, NULL);
        CHECK(d.status == IMF_OK && !imf_reader_metadata(d.reader)->lossless, "it is lossy");
        done(&d);
        free(file.data);
        free(pixels);
    }
}

/* Every proper prefix fails; what --lenient gives begins with what is right. */
static void test_cut(void) {
    const struct imf_limits lenient = {.lenient = true};
    for (int exif = 0; exif <= 1; exif++) {
        struct imf_info i = webp_shape(40, 60, IMF_COLOR_RGB, false);
        unsigned char *pixels = random_pixels(&i);
        struct bytes file = encode_lossless(&i, pixels, exif);
        int passed = 0;
        for (size_t size = 0; size < file.size; size++) {
            struct decoded d = decode(file.data, size, NULL);
            CHECK(d.status != IMF_OK, "%zu of %zu bytes pass", size, file.size);
            bool advised = d.opened && strstr(d.err.text, "--lenient");
            done(&d);
            d = decode(file.data, size, &lenient);
            CHECK(!d.opened || (d.status == IMF_OK) == advised, "%zu bytes: %s", size, d.err.text);
            bool good = true, zero = false;
            for (int y = 0; d.status == IMF_OK && y < i.height; y++) {
                const unsigned char *row = d.pixels + (size_t)y * row_bytes(&i);
                zero = zero || memcmp(row, pixels + (size_t)y * row_bytes(&i), row_bytes(&i)) != 0;
                for (size_t x = 0; zero && x < row_bytes(&i); x++)
                    good = good && row[x] == 0;
            }
            passed += d.status == IMF_OK;
            CHECK(good && (d.status || imf_reader_warning(d.reader)),
                  "%zu bytes: rows that are "
                  "neither right nor zero, or no warning",
                  size);
            done(&d);
        }
        CHECK(passed > 0, "--lenient never reads");
        free(file.data);
        free(pixels);
    }
}

static void test_limits(void) {
    struct imf_info i = webp_shape(100, 90, IMF_COLOR_RGB, false);
    unsigned char *pixels = random_pixels(&i);
    struct bytes file = encode_lossless(&i, pixels, false);
    const struct {
        struct imf_limits limits;
        const char *says;
    } cases[] = {{{.max_pixels = 8999}, "--max-pixels"},
                 {{.max_memory = 20000}, "a WebP needs"},
                 {{.max_memory = 60000}, "a WebP of this size needs"},
                 {{.max_pixels = 9000, .max_memory = 110000}, NULL}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct decoded d = decode(file.data, file.size, &cases[k].limits);
        CHECK(cases[k].says ? d.status == IMF_ERR_LIMIT && strstr(d.err.text, cases[k].says)
                            : d.status == IMF_OK,
              "limit %zu: %s", k, d.err.text);
        done(&d);
    }
    struct imf_error err = {0};
    const struct imf_encode options = {.max_memory = 70000};
    encode(&i, pixels, &options, NULL, &err);
    CHECK(err.status == IMF_ERR_LIMIT && strstr(err.text, "--max-memory"), "%s", err.text);
    free(file.data);
    i = webp_shape(16384, 1, IMF_COLOR_RGB, false);
    encode(&i, pixels, NULL, NULL, &err);
    CHECK(err.status == IMF_ERR_FORMAT && strstr(err.text, "more than 16383"), "%s", err.text);
    free(pixels);
}

/* EXIF behind JPEG's identifier is EXIF; a changed size or name is damage, or another file. */
static void test_chunks(void) {
    static const char exif[] = "Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0";
    struct imf_info i = webp_shape(9, 7, IMF_COLOR_RGB, false);
    unsigned char *pixels = random_pixels(&i);
    struct imf_metadata m = {.lossless = true};
    imf_metadata_add(&m, IMF_META_EXIF, IMF_STRIP_EXIF, exif, 20);
    struct bytes file = encode(&i, pixels, NULL, &m, NULL);
    imf_metadata_clear(&m);
    struct decoded d = decode(file.data, file.size, NULL);
    const struct imf_meta_item *item =
        d.reader ? imf_metadata_find(imf_reader_metadata(d.reader), IMF_META_EXIF) : NULL;
    CHECK(item && item->size == 14 && memcmp(item->data, "II*", 4) == 0, "%zu bytes",
          item ? item->size : 0);
    done(&d);
    for (size_t k = 0; k < file.size; k++) { /* no change crashes; pixels or an error come of it */
        file.data[k] ^= 0x55;
        d = decode(file.data, file.size, NULL);
        CHECK(d.status == IMF_OK || d.err.text[0], "byte %zu", k);
        done(&d);
        file.data[k] ^= 0x55;
    }
    file.data = realloc(file.data, file.size + 4);
    memcpy(file.data + file.size, "more", 4);
    d = decode(file.data, file.size + 4, NULL);
    CHECK(d.status == IMF_OK && loses(&d, "bytes behind the end"), "%s", d.err.text);
    done(&d);
    free(file.data);
    free(pixels);
}

int main(void) {
    test_lossless();
    test_cut();
    test_limits();
    test_chunks();
    return check_done("test_codec_webp");
}
#else
int main(void) {
    CHECK(imf_format_from_name("webp") == IMF_FORMAT_NONE, "a format without its library");
    return check_done("test_codec_webp");
}
#endif
