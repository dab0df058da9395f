/* test_codec_types_out.c - TIFF of floats and other integers that we write, as libtiff and we read it */
#ifdef IMF_WITH_TIFF
#include "type_util.h"

static double random_value(struct kind k) {
    static const double odd[] = {0,         -0.0,        0.5,     1.5,      2.5,
                                 -0.5,      -1.5,        1e30,    -1e30,    65504,
                                 65519.9,   65520,       0x1p-14, 0x1p-24,  0x1p-25,
                                 0x1.8p-24, 0x1.ffep-15, NAN,     INFINITY, -INFINITY};
    unsigned way = random_byte() % 4;
    double fraction = (double)random_number(53) * 0x1p-53;
    if (way == 0)
        return odd[random_byte() % (sizeof odd / sizeof *odd)];
    if (k.format == SAMPLEFORMAT_IEEEFP)
        return way == 1 ? value_of(k, random_number(k.bits))
                        : ldexp(fraction - 0.5, (int)(random_byte() % 60) - 40);
    double v = least_of(k) + fraction * (most_of(k) - least_of(k)) * 1.1;
    return way == 1 ? nearbyint(v) : way == 2 ? nearbyint(v) + 0.5 : v;
}

static void check_written(struct kind k, enum imf_color color, bool alpha, int compression,
                          const struct imf_metadata *metadata, int predictor) {
    struct imf_info i = shape(33, 300, color, alpha, depth_of(k), imf_format_from_name("tiff"));
    bool real = k.format == SAMPLEFORMAT_IEEEFP;
    i.type = real && k.bits >= 32            ? IMF_TYPE_ROWS
             : real                          ? IMF_TYPE_FLOAT
             : k.format == SAMPLEFORMAT_UINT ? IMF_TYPE_UNSIGNED
                                             : IMF_TYPE_SIGNED;
    i.type_bits = i.type ? (unsigned char)k.bits : 0;
    size_t count = (size_t)(i.width * i.height * i.channels);
    unsigned char *pixels = malloc(count * 8);
    double *values = malloc(count * sizeof *values);
    for (size_t n = 0; n < count; n++) {
        values[n] = random_value(k);
        float narrow = (float)values[n];
        if (i.depth == 32)
            values[n] = (double)narrow;
        memcpy(pixels + n * (size_t)i.depth / 8,
               i.depth == 32 ? (const void *)&narrow : (const void *)&values[n],
               (size_t)i.depth / 8);
        values[n] = nearest(k, values[n]);
    }
    struct imf_error err = {0};
    const struct imf_encode options = {.compression = compression};
    struct bytes file = encode(&i, pixels, &options, metadata, &err);
    FILE *stream = stream_of(file.data, file.size);
    TIFF *tif = TIFFFdOpen(dup(fileno(stream)), "test", "r");
    uint16_t bits = 0, format = 0, code = 0, got = 1, samples = 0;
    size_t wrong = 0;
    if (tif) {
        TIFFGetField(tif, TIFFTAG_BITSPERSAMPLE, &bits);
        TIFFGetField(tif, TIFFTAG_SAMPLEFORMAT, &format);
        TIFFGetField(tif, TIFFTAG_COMPRESSION, &code);
        TIFFGetField(tif, TIFFTAG_PREDICTOR, &got);
        TIFFGetField(tif, TIFFTAG_SAMPLESPERPIXEL, &samples);
    }
    bool described =
        bits == k.bits && format == k.format && samples == i.channels && got == predictor &&
        (code == COMPRESSION_NONE) ==
            (compression == IMF_COMPRESSION_NONE || (!compression && real && !metadata));
    size_t across = count / (size_t)i.height;
    unsigned char *row = tif && described ? malloc((size_t)TIFFScanlineSize(tif)) : NULL;
    for (int y = 0; row && y < i.height; y++) {
        wrong += TIFFReadScanline(tif, row, (uint32_t)y, 0) != 1;
        for (size_t x = 0; x < across; x++)
            wrong +=
                !same(value_of(k, get(row, x, k.bits)) + 0.0, values[(size_t)y * across + x] + 0.0);
    }
    CHECK(row && wrong == 0,
          "format %d, %d bits, %d channels, compression %d: %u, %u, predictor %u, %zu wrong, %s",
          k.format, k.bits, i.channels, compression, format, bits, got, wrong, err.text);
    struct decoded d = decode(file.data, file.size, NULL);
    bool shaped = !d.status && same_shape(&d.info, &i) && d.info.type == i.type &&
                  d.info.type_bits == i.type_bits;
    wrong = 0;
    for (size_t n = 0; shaped && n < count; n++)
        wrong += !same(sample_at(&d, n) + 0.0, values[n] + 0.0);
    CHECK(shaped && !wrong, "format %d, %d bits: %zu wrong, %s", k.format, k.bits, wrong,
          d.err.text);
    done(&d);
    free(row);
    if (tif)
        TIFFClose(tif);
    fclose(stream);
    free(file.data);
    free(values);
    free(pixels);
}

static void test_written(void) {
    const struct imf_metadata deflated = {.compressed = true},
                              split = {.compressed = true, .splits_floats = true};
    for (size_t k = 0; k < KINDS; k++) {
        bool real = kinds[k].format == SAMPLEFORMAT_IEEEFP;
        int bits = kinds[k].bits;
        int usual = !real && (bits == 8 || bits == 16 || bits == 32) ? 2 : 1;
        check_written(kinds[k], IMF_COLOR_GRAY, false, 0, NULL, real ? 1 : usual);
        check_written(kinds[k], IMF_COLOR_RGB, false, IMF_COMPRESSION_NONE, NULL, 1);
        check_written(kinds[k], IMF_COLOR_RGB, true, 0, &deflated, usual);
        check_written(kinds[k], IMF_COLOR_GRAY, true, 9, NULL, usual);
        check_written(kinds[k], IMF_COLOR_RGB, false, 0, &split, real ? 3 : usual);
    }
}

/* What the source says of its own form reaches the writer. */
static void test_source(void) {
    static const int codes[][2] = {{COMPRESSION_NONE, 0},
                                   {COMPRESSION_PACKBITS, 0},
                                   {COMPRESSION_LZW, PREDICTOR_HORIZONTAL},
                                   {COMPRESSION_ADOBE_DEFLATE, PREDICTOR_FLOATINGPOINT}};
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
        struct form f = {.kind = {SAMPLEFORMAT_IEEEFP, 32},
                         .photometric = PHOTOMETRIC_MINISBLACK,
                         .extra = -1,
                         .planar = PLANARCONFIG_CONTIG,
                         .compression = codes[k][0],
                         .predictor = codes[k][1],
                         .rows = 8,
                         .mode = "wb",
                         .order = FILLORDER_MSB2LSB};
        struct picture p = draw(&f, 20, 20);
        struct decoded d = decode_stream(write_form(&f, &p), NULL);
        struct bytes file = encode(&d.info, d.pixels, NULL, imf_reader_metadata(d.reader), &d.err);
        struct decoded again = decode(file.data, file.size, NULL);
        const struct imf_metadata *m = imf_reader_metadata(again.reader);
        CHECK(!again.status && m->compressed == (k > 0) && m->splits_floats == (k == 3) &&
                  file.data[0] == 'I',
              "case %zu: %s", k, d.err.text);
        CHECK(!memcmp(again.pixels, d.pixels, image_bytes(&d.info)), "case %zu: pixels", k);
        done(&again);
        done(&d);
        free(file.data);
        free(p.numbers);
    }
}

int main(void) {
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    test_written();
    test_source();
    return check_done("test_codec_types_out");
}
#else
#include "codec_util.h"
int main(void) {
    CHECK(imf_format_from_name("tiff") == IMF_FORMAT_NONE, "a format without its library");
    return check_done("test_codec_types_out");
}
#endif
