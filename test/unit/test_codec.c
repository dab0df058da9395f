/* test_codec.c - pixels through every format, damaged files, and limits */
#include "codec/table.h"
#include "codec_util.h"

#include <unistd.h>

static int largest_difference(const unsigned char *a, const unsigned char *b, size_t n) {
    int worst = 0;
    for (size_t i = 0; i < n; i++)
        worst = abs(a[i] - b[i]) > worst ? abs(a[i] - b[i]) : worst;
    return worst;
}

/* Of gray from the colours that it was repeated to; alpha follows both. */
static int gray_difference(const unsigned char *rgb, const unsigned char *gray,
                           const struct imf_info *i) {
    int worst = 0, n = i->channels;
    for (int k = 0; k < i->width * i->height; k++)
        for (int c = 0; c < n + 2; c++) {
            int d = abs(rgb[k * (n + 2) + c] - gray[k * n + (c < 3 ? 0 : 1)]);
            worst = d > worst ? d : worst;
        }
    return worst;
}

/* What a format says that it takes; the rest it must refuse with IMF_ERR_FORMAT. */
static bool should_fit(const struct imf_info *i) {
    return imf_codec_fits(imf_codec_of(i->format), i, NULL) == IMF_OK;
}

static void round_trip(const struct imf_info *i) {
    struct imf_error err = {0};
    bool webp = i->format == imf_format_from_name("webp"), avif = i->format == IMF_FORMAT_AVIF,
         lossy = webp || i->format == IMF_FORMAT_JPEG;
    unsigned char *pixels = lossy ? smooth_pixels(i) : random_pixels(i);
    struct imf_encode options = {.quality = avif ? 100 : 95, .subsampling = 444};
    for (size_t k = 0; avif && i->depth == 16 && k < image_bytes(i); k += 2) /* of 12 bits */
        memcpy(pixels + k, &(uint16_t){(uint16_t)((pixels[k] * 16 * 65535 + 2047) / 4095)}, 2);
    struct bytes file = encode(i, pixels, &options, NULL, &err);
    const char *name = imf_format_name(i->format);
    if (!should_fit(i)) {
        CHECK(file.size == 0 && err.status == IMF_ERR_FORMAT && strstr(err.text, "choose"),
              "%s: %s", name, err.text);
    } else {
        struct decoded d = decode(file.data, file.size, NULL);
        CHECK(d.status == IMF_OK, "%s %dx%d: %s%s", name, i->width, i->height, err.text,
              d.err.text);
        bool repeated = webp && i->color == IMF_COLOR_GRAY; /* it holds colours only */
        struct imf_info want = shape(i->width, i->height, repeated ? IMF_COLOR_RGB : i->color,
                                     i->alpha, i->depth, i->format);
        CHECK(same_shape(&d.info, &want), "%s %dx%d: %d channels, %d bits", name, d.info.width,
              d.info.height, d.info.channels, d.info.depth);
        int worst = 255;
        if (d.pixels && repeated)
            worst = gray_difference(d.pixels, pixels, i);
        else if (d.pixels)
            worst = largest_difference(d.pixels, pixels, image_bytes(i));
        CHECK(worst <= (webp    ? 40
                        : lossy ? 12
                        : avif  ? i->depth > 8 /* libavif scales them in floats */
                                : 0),
              "%s %dx%d, %d channels, %d bits: off by %d", name, i->width, i->height, i->channels,
              i->depth, worst);
        CHECK(d.reader && !imf_reader_warning(d.reader), "a warning about a good file");
        done(&d);
    }
    free(file.data);
    free(pixels);
}

static void test_round_trips(void) {
    static const int sizes[][2] = {{1, 1}, {17, 13}, {1, 9}, {9, 1}, {64, 40}, {250, 7}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int format = 1; format <= IMF_FORMAT_LAST; format++)
            for (int color = IMF_COLOR_GRAY;
                 imf_format_is_written((enum imf_format)format) && color <= IMF_COLOR_CMYK; color++)
                for (int alpha = 0; alpha <= (color != IMF_COLOR_CMYK); alpha++)
                    for (int depth = 8; depth <= 16; depth += 8) {
                        struct imf_info i = shape(sizes[s][0], sizes[s][1], (enum imf_color)color,
                                                  alpha, depth, (enum imf_format)format);
                        round_trip(&i);
                    }
}

#define TEXT(literal) literal, sizeof(literal) - 1
#define PAM_GRAY                                                                                   \
    "P7\nWIDTH 1\n# c\nHEIGHT 2\nDEPTH 2\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE_ALPHA\nENDHDR\n"
#define PAM_CMYK "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\n"
#define PAM_BARE "P7\nHEIGHT 1\nWIDTH 1\nDEPTH 3\nMAXVAL 15\nENDHDR\n"

static void test_pnm_forms(void) {
    static const struct {
        const char *text;
        size_t size;
        int width, height, channels, depth;
        unsigned values[8];
    } good[] = {
        {TEXT("P1\n# c\n3 2\n101\n0 1 0"), 3, 2, 1, 8, {0, 255, 0, 255, 0, 255}},
        {TEXT("P2 2 2 100 # c\n0 50 1 100\n"), 2, 2, 1, 8, {0, 128, 3, 255}},
        {TEXT("P2\n2 1\n1000\n0 1000"), 2, 1, 1, 16, {0, 65535}},
        {TEXT("P3 1 2 255 1 2 3 4 5 6"), 1, 2, 3, 8, {1, 2, 3, 4, 5, 6}},
        {TEXT("P4\n9 1\n\x80\x80"), 9, 1, 1, 8, {0, 255, 255, 255, 255, 255, 255, 255}},
        {TEXT("P5#x\n2#y\n1 3\n\x00\x03"), 2, 1, 1, 8, {0, 255}},
        {TEXT("P5 2 1 256\n\x00\x80\x01\x00"), 2, 1, 1, 16, {32768, 65535}},
        {TEXT("P6\n1 1\n65535\n\x01\x02\x03\x04\xff\xff"), 1, 1, 3, 16, {258, 772, 65535}},
        {TEXT(PAM_GRAY "\x01\x00\x00\x01"), 1, 2, 2, 8, {255, 0, 0, 255}},
        {TEXT(PAM_CMYK "\x01\x02\x03\x04"), 1, 1, 4, 8, {1, 2, 3, 4}},
        {TEXT(PAM_BARE "\x01\x02\x0f"), 1, 1, 3, 8, {17, 34, 255}},
    };
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
        struct decoded d = decode(good[k].text, good[k].size, NULL);
        CHECK(d.status == IMF_OK, "form %zu: %s", k, d.err.text);
        CHECK(d.info.width == good[k].width && d.info.height == good[k].height &&
                  d.info.channels == good[k].channels && d.info.depth == good[k].depth,
              "form %zu: %dx%d, %d channels, %d bits", k, d.info.width, d.info.height,
              d.info.channels, d.info.depth);
        int samples = d.info.width * d.info.height * d.info.channels;
        for (int i = 0; d.status == IMF_OK && i < samples && i < 8; i++) {
            uint16_t value = d.pixels[i];
            if (d.info.depth == 16)
                memcpy(&value, d.pixels + 2 * i, 2);
            CHECK(value == good[k].values[i], "form %zu, sample %d: %u", k, i, value);
        }
        done(&d);
    }
}

static void test_bad_files(void) {
    static const struct {
        const char *text;
        enum imf_status status;
        const char *says;
    } bad[] = {
        {"", IMF_ERR_FORMAT, "empty file"},
        {"GIF89a", IMF_ERR_FORMAT, "not a PNG, JPEG"},
        {"P", IMF_ERR_FORMAT, "not a PNG"},
        {"P8\n1 1\n", IMF_ERR_FORMAT, "not a PNG"},
        {"P5\n", IMF_ERR_DAMAGED, "width is cut off"},
        {"P5 0 1 255\n", IMF_ERR_DAMAGED, "0 x 1"},
        {"P5 1 1 0\n", IMF_ERR_DAMAGED, "maxval 0"},
        {"P5 1 1 65536\n", IMF_ERR_DAMAGED, "maxval 65536"},
        {"P5 99999999999999999999 1 255\n", IMF_ERR_DAMAGED, "too large"},
        {"P5 -1 1 255\n", IMF_ERR_DAMAGED, "not a number"},
        {"P2 2 1 10 5 11", IMF_ERR_DAMAGED, "over the maxval of 10) after row 0 of 1"},
        {"P2 2 1 10 5 x", IMF_ERR_DAMAGED, "not a number"},
        {"P5 2 1 10\n\x05\x0b", IMF_ERR_DAMAGED, "over the maxval"},
        {"P6 1 3 255\nabcde", IMF_ERR_DAMAGED,
         "truncated after row 1 of 3 (accept the readable part with --lenient)"},
        {"P1 2 1 12", IMF_ERR_DAMAGED, "not a number"},
        {"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 7\nMAXVAL 9\nENDHDR\nabcdefg", IMF_ERR_FORMAT, "depth 7"},
        {"P7\nWIDTH 1\nFOO 1\nENDHDR\n", IMF_ERR_DAMAGED, "keyword"},
        {"P7\nWIDTH 1\n", IMF_ERR_DAMAGED, "cut off"},
        {"P7\nENDHDR\n", IMF_ERR_FORMAT, "depth 0"},
        {"\x89PNG\r\n\x1a\n", IMF_ERR_DAMAGED, "truncated in the header"},
        {"\x89PNG\n\x1a\n        ", IMF_ERR_DAMAGED, "ASCII"},
        {"\xff\xd8", IMF_ERR_DAMAGED, "truncated in the header"},
        {"\xff\xd8\xff\xd9", IMF_ERR_DAMAGED, "header"},
        {"P4 30000 30000\n", IMF_ERR_LIMIT,
         "900 Mpixel is over the limit of 268 Mpixel (raise it with --max-pixels)"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        struct decoded d = decode(bad[k].text, strlen(bad[k].text), NULL);
        CHECK(d.status == bad[k].status && strstr(d.err.text, bad[k].says), "%zu: %d %s", k,
              d.status, d.err.text);
        done(&d);
    }
    struct decoded d = decode_stream(fopen("/", "rb"), NULL);
    CHECK(d.status == IMF_ERR_IO && strstr(d.err.text, "irectory"), "%s", d.err.text);
    done(&d);
}

/*
 * Every proper prefix of a file must fail when strict. When lenient it reads (once one row does)
 * with a warning, and each row is as it was or, from some row on, zero. `shape_only`: lossy
 * or interlaced, where what remains is not comparable.
 */
static void cut_everywhere(const char *name, struct bytes file, const unsigned char *pixels,
                           bool shape_only) {
    struct imf_limits lenient = {.lenient = true};
    bool readable = false;
    for (size_t n = 0; n < file.size; n++) {
        struct decoded d = decode(file.data, n, NULL);
        CHECK(d.status != IMF_OK, "%s: %zu of %zu bytes pass", name, n, file.size);
        bool opened = d.opened, damaged = d.status == IMF_ERR_DAMAGED;
        bool advised = strstr(d.err.text, "--lenient");
        done(&d);
        d = decode(file.data, n, &lenient);
        readable = readable || d.status == IMF_OK;
        CHECK(opened == d.opened, "%s: %zu bytes: %s", name, n, d.err.text);
        CHECK(!opened || (damaged && advised == (d.status == IMF_OK)),
              "%s: %zu bytes: --lenient advised: %d, lenient: %s", name, n, advised, d.err.text);
        if (readable)
            CHECK(d.status == IMF_OK && imf_reader_warning(d.reader), "%s: %zu bytes: %s", name, n,
                  d.err.text);
        else
            CHECK(!opened || (d.status == IMF_ERR_DAMAGED && strstr(d.err.text, "no row of it")),
                  "%s: %zu bytes: %s", name, n, d.err.text);
        CHECK(!readable || shape_only || memcmp(d.pixels, pixels, row_bytes(&d.info)) == 0,
              "%s: %zu bytes: no row, and ok", name, n);
        bool zero = false, fine = true;
        for (int y = 0; readable && !shape_only && y < d.info.height; y++) {
            size_t bytes = row_bytes(&d.info), at = (size_t)y * bytes;
            zero = zero || memcmp(d.pixels + at, pixels + at, bytes) != 0;
            for (size_t i = 0; zero && i < bytes; i++)
                fine = fine && d.pixels[at + i] == 0;
        }
        CHECK(fine, "%s: %zu bytes: rows that are neither right nor zero", name, n);
        done(&d);
    }
    struct decoded d = decode(file.data, file.size, NULL);
    CHECK(d.status == IMF_OK && readable, "%s: whole: %s", name, d.err.text);
    done(&d);
}

static void test_truncation(void) {
    static const struct {
        const char *name;
        enum imf_format format;
        enum imf_color color;
        int depth;
    } cases[] = {{"PNG", IMF_FORMAT_PNG, IMF_COLOR_RGB, 8},
                 {"PNG 16", IMF_FORMAT_PNG, IMF_COLOR_GRAY, 16},
                 {"PPM", IMF_FORMAT_PNM, IMF_COLOR_RGB, 8},
                 {"PAM", IMF_FORMAT_PNM, IMF_COLOR_CMYK, 16},
                 {"JPEG", IMF_FORMAT_JPEG, IMF_COLOR_RGB, 8}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct imf_info i = shape(11, 40, cases[k].color, false, cases[k].depth, cases[k].format);
        unsigned char *pixels = random_pixels(&i);
        struct bytes file = encode(&i, pixels, NULL, NULL, NULL);
        cut_everywhere(cases[k].name, file, pixels, i.format == IMF_FORMAT_JPEG);
        free(file.data);
        free(pixels);
    }
    struct imf_info i = shape(11, 40, IMF_COLOR_RGB, false, 8, IMF_FORMAT_PNG);
    unsigned char *pixels = random_pixels(&i);
    struct bytes file = interlaced_png(&i, pixels);
    cut_everywhere("interlaced PNG", file, pixels, true);
    struct decoded d = decode(file.data, file.size, NULL);
    CHECK(d.status == IMF_OK && memcmp(d.pixels, pixels, image_bytes(&i)) == 0, "interlaced");
    CHECK(!imf_reader_in_order(d.reader) && imf_reader_held(d.reader) >= image_bytes(&i), "whole");
    done(&d);
    free(file.data);
    file = plain_jpeg(&i, pixels, &(struct jpeg_options){.progressive = true});
    cut_everywhere("progressive JPEG", file, pixels, true);
    d = decode(file.data, file.size, NULL);
    CHECK(!imf_reader_in_order(d.reader) && imf_reader_held(d.reader) > image_bytes(&i), "whole");
    done(&d);
    free(file.data);
    free(pixels);
}

/* In a lenient JPEG what was decoded before the
 * damage is kept, in reduced detail if progressive. */
static void test_lenient_jpeg(void) {
    struct imf_info i = shape(64, 128, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_JPEG);
    struct imf_limits lenient = {.lenient = true};
    unsigned char *pixels = smooth_pixels(&i);
    for (int progressive = 0; progressive < 2; progressive++) {
        struct bytes file =
            plain_jpeg(&i, pixels, &(struct jpeg_options){.progressive = progressive});
        struct decoded d = decode(file.data, file.size * 7 / 8, &lenient);
        const char *warning = d.reader ? imf_reader_warning(d.reader) : "";
        CHECK(d.status == IMF_OK && warning &&
                  strstr(warning, progressive ? "detail is missing" : "is guessed"),
              "%s %s", d.err.text, warning ? warning : "no warning");
        int rows = progressive ? 128 : 64;
        int worst = largest_difference(d.pixels, pixels, (size_t)rows * 64);
        CHECK(worst < 40, "progressive %d: off by %d", progressive, worst);
        done(&d);
        free(file.data);
    }
    free(pixels);
}

/* A changed byte in a PNG's pixels is found by a checksum, anywhere. */
static void test_corruption(void) {
    struct imf_info i = shape(30, 30, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_PNG);
    unsigned char *pixels = random_pixels(&i);
    struct bytes file = encode(&i, pixels, NULL, NULL, NULL);
    for (size_t n = 8; n < file.size; n++) {
        file.data[n] ^= 0x10;
        struct decoded d = decode(file.data, file.size, NULL);
        CHECK(d.status != IMF_OK, "byte %zu of %zu changed, and read", n, file.size);
        done(&d);
        file.data[n] ^= 0x10;
    }
    free(file.data);
    free(pixels);
}

static void test_limits(void) {
    struct imf_info i = shape(40, 40, IMF_COLOR_RGB, false, 8, IMF_FORMAT_PNG);
    unsigned char *pixels = random_pixels(&i);
    struct bytes png = interlaced_png(&i, pixels);
    struct bytes jpeg = plain_jpeg(&i, pixels, &(struct jpeg_options){.progressive = true});
    const struct {
        struct bytes file;
        struct imf_limits limits;
        const char *says; /* NULL: passes */
    } cases[] = {
        {png,
         {.max_pixels = 1599},
         "1600 pixels is over the limit of 1599 pixels (raise it with "
         "--max-pixels)"},
        {png, {.max_pixels = 1600}, NULL},
        {png, {.max_memory = 4799}, "--max-memory"},
        {png, {.max_memory = 4800}, NULL},
        {jpeg, {.max_memory = 5000}, "--max-memory"},
        {jpeg, {.max_scans = 3}, "more than 3 progressive scans (raise it with --max-scans)"},
        {jpeg, {.max_scans = 3, .lenient = true}, "--max-scans"},
        {jpeg, {.max_scans = 10}, NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct decoded d = decode(cases[k].file.data, cases[k].file.size, &cases[k].limits);
        CHECK(cases[k].says ? d.status == IMF_ERR_LIMIT && strstr(d.err.text, cases[k].says)
                            : d.status == IMF_OK,
              "limit %zu: %s", k, d.err.text);
        done(&d);
    }
    free(png.data);
    free(jpeg.data);
    free(pixels);
}

static void test_streams(void) {
    struct imf_info i = shape(50, 20, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_PNG);
    unsigned char *pixels = random_pixels(&i);
    for (int format = 1; format <= IMF_FORMAT_LAST; format++) {
        if (!imf_format_doc((enum imf_format)format))
            continue;
        i.format = (enum imf_format)format;
        if (!should_fit(&i))
            continue;
        struct bytes file = encode(&i, pixels, NULL, NULL, NULL);
        int ends[2];
        CHECK(pipe(ends) == 0 && write(ends[1], file.data, file.size) == (ssize_t)file.size,
              "pipe");
        close(ends[1]);
        struct decoded d = decode_stream(fdopen(ends[0], "rb"), NULL);
        CHECK(d.status == IMF_OK, "pipe: %s", d.err.text);
        done(&d);
        free(file.data);

        FILE *full = fopen("/dev/full", "wb");
        struct imf_writer *w = NULL;
        struct imf_error err = {0};
        if (full && imf_writer_open(&w, full, &i, NULL, NULL, &err) == IMF_OK &&
            imf_writer_rows(w, pixels, row_bytes(&i), i.height, &err) == IMF_OK)
            imf_writer_finish(w, &err);
        CHECK(!full || (err.status == IMF_ERR_IO && strstr(err.text, "No space left")), "%s: %s",
              imf_format_name(i.format), err.text);
        imf_writer_close(&w);
        if (full)
            fclose(full);
    }
    free(pixels);
}

static void test_misuse(void) {
    struct imf_info i = shape(4, 4, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_PNG);
    struct imf_error err;
    unsigned char pixels[64] = {0};
    struct imf_writer *w;
    FILE *f = tmpfile();
    CHECK(imf_writer_open(&w, f, &i, NULL, NULL, &err) == IMF_OK, "%s", err.text);
    CHECK(imf_writer_rows(w, pixels, 4, 5, &err) == IMF_ERR_ARGUMENT, "5 of 4 rows");
    CHECK(imf_writer_rows(w, pixels, 3, 1, &err) == IMF_ERR_ARGUMENT, "stride 3");
    CHECK(imf_writer_finish(w, &err) == IMF_ERR_ARGUMENT, "no rows");
    imf_writer_close(&w);
    CHECK(w == NULL, "close sets NULL");
    imf_writer_close(&w);
    i.channels = 2;
    CHECK(imf_writer_open(&w, f, &i, NULL, NULL, &err) == IMF_ERR_ARGUMENT && !w, "channels");
    fclose(f);
    struct decoded d = decode("P5 1 1 255\nx", 12, NULL);
    CHECK(imf_reader_rows(d.reader, pixels, 1, 1, &d.err) == IMF_ERR_ARGUMENT, "past the end");
    done(&d);
    CHECK(imf_format_from_name("xcf") == IMF_FORMAT_NONE &&
              imf_format_from_name("pngx") == IMF_FORMAT_NONE,
          "names");
}

int main(void) {
    test_round_trips();
    test_pnm_forms();
    test_bad_files();
    test_truncation();
    test_lenient_jpeg();
    test_corruption();
    test_limits();
    test_streams();
    test_misuse();
    return check_done("test_codec");
}
