/* test_codec_types.c - TIFF of floats and of integers that are not unsigned of 8 and 16 bits, as libtiff writes it */
#ifdef IMF_WITH_TIFF
#include "type_util.h"

/* The sample that the reader should give. */
static double expected(const struct form *f, const struct picture *p, size_t pixel, int channel,
                       int channels) {
    const uint64_t *n = p->numbers + pixel * (size_t)p->samples;
    double v = value_of(f->kind, n[channel]);
    bool real = f->kind.format == SAMPLEFORMAT_IEEEFP;
    if (f->photometric == PHOTOMETRIC_MINISWHITE && channel == 0)
        v = (real ? 1 : least_of(f->kind) + most_of(f->kind)) - v;
    if (f->extra == EXTRASAMPLE_ASSOCALPHA && channel < channels - 1) {
        double alpha = value_of(f->kind, n[channels - 1]);
        v = !(alpha > 0) ? 0 : real ? v / alpha : nearest(f->kind, v * most_of(f->kind) / alpha);
    }
    return depth_of(f->kind) == 32 ? (double)(float)v : v;
}

static void check_form(const struct form *f, int width, int height) {
    struct picture p = draw(f, width, height);
    struct decoded d = decode_stream(write_form(f, &p), NULL);
    bool real = f->kind.format == SAMPLEFORMAT_IEEEFP;
    int type = real && f->kind.bits >= 32           ? IMF_TYPE_ROWS
               : real                               ? IMF_TYPE_FLOAT
               : f->kind.format == SAMPLEFORMAT_INT ? IMF_TYPE_SIGNED
                                                    : IMF_TYPE_UNSIGNED;
    int channels = f->extra == EXTRASAMPLE_UNSPECIFIED ? p.samples - 1 : p.samples, wrong = 0;
    bool shaped = d.status == IMF_OK && d.info.channels == channels && d.info.width == width &&
                  d.info.height == height && d.info.depth == depth_of(f->kind) &&
                  d.info.bits == 0 && d.info.type == type &&
                  d.info.type_bits == (type ? f->kind.bits : 0);
    size_t count = (size_t)(width * height * channels);
    for (size_t i = 0; shaped && i < count; i++)
        wrong += !same(sample_at(&d, i), expected(f, &p, i / (size_t)channels,
                                                  (int)(i % (size_t)channels), channels));
    CHECK(
        shaped && wrong == 0 && imf_reader_in_order(d.reader),
        "%dx%d, format %d, %d bits, photometric %d, extra %d, planar %d, compression %d, predictor "
        "%d, tile %d, rows %d, %s, order %d: %d channels, %d samples wrong, %s",
        width, height, f->kind.format, f->kind.bits, f->photometric, f->extra, f->planar,
        f->compression, f->predictor, f->tile, f->rows, f->mode, f->order, d.info.channels, wrong,
        d.err.text);
    done(&d);
    free(p.numbers);
}

static bool has_predictor(struct kind k, int predictor) {
    bool bytes = k.bits == 8 || k.bits == 16 || k.bits == 32 || k.bits == 64;
    return predictor == PREDICTOR_FLOATINGPOINT ? k.format == SAMPLEFORMAT_IEEEFP
                                                : !predictor || bytes;
}

static void test_forms(void) {
    static const int colors[][2] = {{PHOTOMETRIC_MINISBLACK, -1},
                                    {PHOTOMETRIC_MINISWHITE, -1},
                                    {PHOTOMETRIC_RGB, -1},
                                    {PHOTOMETRIC_RGB, EXTRASAMPLE_UNASSALPHA},
                                    {PHOTOMETRIC_RGB, EXTRASAMPLE_ASSOCALPHA},
                                    {PHOTOMETRIC_MINISBLACK, EXTRASAMPLE_UNSPECIFIED}};
    static const int codes[][2] = {{COMPRESSION_NONE, 0},
                                   {COMPRESSION_LZW, 0},
                                   {COMPRESSION_ADOBE_DEFLATE, PREDICTOR_HORIZONTAL},
                                   {COMPRESSION_ADOBE_DEFLATE, PREDICTOR_FLOATINGPOINT}};
    static const char *const modes[] = {"wl", "wb", "w8l", "w8b"};
    static const int cells[][2] = {{0, 5}, {0, 100}, {16, 0}, {32, 0}}; /* tile, rows of a strip */
    int turn = 0;
    for (size_t k = 0; k < KINDS; k++)
        for (size_t c = 0; c < sizeof colors / sizeof *colors; c++)
            for (size_t s = 0; s < sizeof cells / sizeof *cells; s++)
                for (int code = 0; code < 8; code++) {
                    const int *how = codes[code / 2];
                    if (!has_predictor(kinds[k], how[1]))
                        continue;
                    turn++;
                    struct form f = {
                        .kind = kinds[k],
                        .photometric = colors[c][0],
                        .extra = colors[c][1],
                        .planar = code % 2 ? PLANARCONFIG_CONTIG : PLANARCONFIG_SEPARATE,
                        .compression = how[0],
                        .predictor = how[1],
                        .tile = cells[s][0],
                        .rows = cells[s][1],
                        .mode = modes[turn % 4],
                        .order = turn % 3 || how[1] == PREDICTOR_FLOATINGPOINT ? FILLORDER_MSB2LSB
                                                                               : FILLORDER_LSB2MSB};
                    check_form(&f, 21, 19);
                    if (turn % 5 == 0)
                        check_form(&f, turn % 2 ? 1 : 9, turn % 2 ? 40 : 1);
                }
}

/* ---- pages, refusals, damage ----------------------------------------------------------------- */

static void test_pages(void) {
    FILE *file = tmpfile();
    TIFF *tif = TIFFFdOpen(dup(fileno(file)), "test", "w");
    struct picture drawn[KINDS];
    for (size_t k = 0; k < KINDS; k++) {
        struct form f = {.kind = kinds[k],
                         .photometric = PHOTOMETRIC_MINISBLACK,
                         .extra = -1,
                         .planar = PLANARCONFIG_CONTIG,
                         .compression = k % 2 ? COMPRESSION_LZW : COMPRESSION_NONE,
                         .rows = 3,
                         .order = FILLORDER_MSB2LSB};
        drawn[k] = draw(&f, 5, 4);
        write_page(tif, &f, &drawn[k]);
        TIFFWriteDirectory(tif);
    }
    TIFFClose(tif);
    rewind(file);
    const struct imf_limits all = {.pages = IMF_PAGES_ALL};
    struct imf_reader *r;
    struct imf_error err = {0};
    CHECK(!imf_reader_open(&r, file, &all, &err) && imf_reader_pages(r) == (int)KINDS, "%s",
          err.text);
    for (size_t k = 0; k < KINDS; k++) {
        unsigned char pixels[20 * 8];
        struct decoded d = {.pixels = pixels};
        CHECK(!imf_reader_turn(r, (int)k + 1, &err), "page %zu: %s", k + 1, err.text);
        d.info = *imf_reader_info(r);
        CHECK(d.info.depth == depth_of(kinds[k]) &&
                  !imf_reader_rows(r, pixels, row_bytes(&d.info), 4, &err),
              "page %zu: %s", k + 1, err.text);
        for (size_t i = 0; i < 20; i++)
            CHECK(same(sample_at(&d, i), value_of(kinds[k], drawn[k].numbers[i])), "page %zu",
                  k + 1);
        free(drawn[k].numbers);
    }
    imf_reader_close(&r);
    fclose(file);
}

static void test_refused(void) {
    static const struct {
        int format, bits, photometric, samples, compression;
        const char *says;
    } cases[] = {
        {SAMPLEFORMAT_COMPLEXIEEEFP, 64, 1, 1, COMPRESSION_NONE, "complex samples"},
        {SAMPLEFORMAT_COMPLEXINT, 32, 1, 1, COMPRESSION_NONE, "complex samples"},
        {SAMPLEFORMAT_VOID, 32, 1, 1, COMPRESSION_NONE, "untyped samples of 32 bits"},
        {SAMPLEFORMAT_UINT, 64, 1, 1, COMPRESSION_NONE, "unsigned samples of 64 bits"},
        {SAMPLEFORMAT_INT, 33, 1, 1, COMPRESSION_NONE, "signed samples of 33 bits"},
        {SAMPLEFORMAT_IEEEFP, 12, 1, 1, COMPRESSION_NONE, "floating-point samples of 12 bits"},
        {SAMPLEFORMAT_IEEEFP, 32, 5, 4, COMPRESSION_NONE, "CMYK but for"},
        {SAMPLEFORMAT_INT, 8, 3, 1, COMPRESSION_NONE, "a palette and such samples"},
        {SAMPLEFORMAT_INT, 8, 8, 3, COMPRESSION_NONE, "photometric interpretation 8"},
        {SAMPLEFORMAT_UINT, 12, 1, 1, COMPRESSION_PIXARLOG,
         "unsigned samples of 12 bits by PixarLog"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FILE *file = tmpfile();
        TIFF *tif = TIFFFdOpen(dup(fileno(file)), "test", "w");
        uint16_t map[256] = {0};
        unsigned char row[256] = {0};
        TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, 4);
        TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 1);
        TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, cases[k].bits);
        TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, cases[k].samples);
        TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, cases[k].format);
        TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, cases[k].photometric);
        TIFFSetField(tif, TIFFTAG_COMPRESSION, cases[k].compression);
        TIFFSetField(tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        if (cases[k].photometric == PHOTOMETRIC_PALETTE)
            TIFFSetField(tif, TIFFTAG_COLORMAP, map, map, map);
        TIFFWriteRawStrip(tif, 0, row, TIFFScanlineSize(tif));
        TIFFClose(tif);
        rewind(file);
        struct decoded d = decode_stream(file, NULL);
        CHECK(d.status == IMF_ERR_FORMAT && strstr(d.err.text, cases[k].says), "case %zu: %s", k,
              d.err.text);
        done(&d);
    }
    struct imf_info i = shape(2, 2, IMF_COLOR_CMYK, false, 32, imf_format_from_name("tiff"));
    struct imf_error err = {0};
    float zeros[32] = {0};
    struct bytes none = encode(&i, zeros, NULL, NULL, &err);
    CHECK(!none.size && strstr(err.text, "TIFF cannot hold CMYK of floats (use --depth=16)"), "%s",
          err.text);
    i = shape(2, 2, IMF_COLOR_GRAY, false, 32, IMF_FORMAT_PNG);
    none = encode(&i, zeros, NULL, NULL, &err);
    CHECK(strstr(err.text, "PNG cannot hold floats (use --depth=16, or choose --format="), "%s",
          err.text);
    i.format = IMF_FORMAT_JPEG;
    i.type = IMF_TYPE_SIGNED;
    i.type_bits = 16;
    none = encode(&i, zeros, NULL, NULL, &err);
    CHECK(
        strstr(err.text, "JPEG cannot hold signed integers of 16 bits (use --depth=8, or choose "),
        "%s", err.text);
}

/* Cut short, and with bytes that are changed: read or refused, within the limits. */
static void test_damage(void) {
    for (size_t k = 0; k < KINDS; k += 2) {
        struct form f = {.kind = kinds[k],
                         .photometric = PHOTOMETRIC_RGB,
                         .extra = k % 4 ? EXTRASAMPLE_ASSOCALPHA : -1,
                         .planar = k % 8 < 4 ? PLANARCONFIG_CONTIG : PLANARCONFIG_SEPARATE,
                         .compression = k % 6 ? COMPRESSION_LZW : COMPRESSION_NONE,
                         .tile = k % 10 == 2 ? 16 : 0,
                         .rows = 7,
                         .mode = k % 3 ? "w" : "wb",
                         .order = FILLORDER_MSB2LSB};
        struct picture p = draw(&f, 20, 20);
        FILE *file = write_form(&f, &p);
        struct bytes all = slurp(file);
        const struct imf_limits limits = {.max_pixels = 100000, .max_memory = 4 << 20},
                                lenient = {
                                    .max_pixels = 100000, .max_memory = 4 << 20, .lenient = true};
        for (size_t n = 8; n < all.size; n += 97) {
            struct decoded d = decode(all.data, n, &limits);
            CHECK(d.status, "%d bits: %zu of %zu bytes pass", f.kind.bits, n, all.size);
            done(&d);
        }
        for (int turn = 0; turn < 400; turn++) {
            size_t at = (random_number(20) * all.size >> 20), from = all.size - 300;
            at = turn % 2 ? at : from + at % 300; /* the directory is last */
            unsigned char was = all.data[at];
            all.data[at] = (unsigned char)random_byte();
            struct decoded d = decode(all.data, all.size, turn % 3 ? &limits : &lenient);
            CHECK(!d.opened || image_bytes(&d.info) <= 100000 * 4 * 8, "a limit");
            d.status = d.status ? d.status : IMF_ERR_DAMAGED; /* its account may have holes */
            done(&d);
            all.data[at] = was;
        }
        free(all.data);
        free(p.numbers);
        fclose(file);
    }
}

int main(void) {
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    test_forms();
    test_pages();
    test_refused();
    test_damage();
    return check_done("test_codec_types");
}
#else
#include "codec_util.h"
int main(void) {
    CHECK(imf_format_from_name("tiff") == IMF_FORMAT_NONE, "a format without its library");
    return check_done("test_codec_types");
}
#endif
