/* test_codec_meta.c - what images carry beside their pixels: kept, converted, stripped */
#include "codec_util.h"

#include <zlib.h>

#define EXIF_BIG                                                                                   \
    "MM\0*\0\0\0\x08\0\x02\x01\x0f\0\x02\0\0\0\x02"                                                \
    "A\0\0\0\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
#define XMP "<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"

static const unsigned char exif_big[] = EXIF_BIG;

/* A profile as far as anyone here looks: the signature of its colour space. */
static void make_icc(unsigned char *icc, size_t size, const char *space) {
    for (size_t i = 0; i < size; i++)
        icc[i] = (unsigned char)random_byte();
    memcpy(icc + 16, space, 4);
}

static bool holds(const struct imf_metadata *m, enum imf_meta_kind kind, const void *data,
                  size_t size) {
    const struct imf_meta_item *item = imf_metadata_find(m, kind);
    return item && item->size == size && memcmp(item->data, data, size) == 0;
}

static bool has_chunk(const struct imf_metadata *m, const char *name, const char *begin) {
    uint32_t tag = (uint32_t)name[0] << 24 | (uint32_t)name[1] << 16 | (uint32_t)name[2] << 8 |
                   (uint32_t)name[3];
    for (const struct imf_meta_item *i = m->first; i; i = i->next)
        if (i->kind == IMF_META_PNG_CHUNK && i->tag == tag && i->size >= strlen(begin) &&
            memcmp(i->data, begin, strlen(begin)) == 0)
            return true;
    return false;
}

static int count(const struct imf_metadata *m) {
    int n = 0;
    for (const struct imf_meta_item *i = m->first; i; i = i->next)
        n++;
    return n;
}

/* Write the image of `from` again, with its metadata, and read that. */
static struct decoded again(const struct decoded *from, enum imf_format format,
                            struct imf_encode options) {
    struct imf_info info = from->info;
    struct imf_error err = {0};
    info.format = format;
    struct bytes file =
        encode(&info, from->pixels, &options, imf_reader_metadata(from->reader), &err);
    CHECK(file.size > 0, "%s", err.text);
    struct decoded d = decode(file.data, file.size, NULL);
    CHECK(d.status == IMF_OK, "%s", d.err.text);
    free(file.data);
    return d;
}

static const struct imf_encode keep = {0};

/* Everything common to PNG and JPEG, from JPEG over PNG to JPEG. */
static void test_across(void) {
    enum { ICC_SIZE = 150000 };
    unsigned char *icc = malloc(ICC_SIZE);
    make_icc(icc, ICC_SIZE, "RGB ");
    struct imf_info i = shape(16, 16, IMF_COLOR_RGB, false, 8, IMF_FORMAT_JPEG);
    unsigned char *pixels = smooth_pixels(&i);
    static const char iptc[] = "Photoshop 3.0\0 8BIM",
                      more[] = "http://ns.adobe.com/xmp/extension/\0 and so on";
    const struct marker markers[] = {
        {JPEG_APP0 + 1, "Exif\0\0" EXIF_BIG, 6 + sizeof exif_big},
        {JPEG_APP0 + 1, "http://ns.adobe.com/xap/1.0/\0" XMP, 29 + strlen(XMP)},
        {JPEG_APP0 + 1, more, sizeof more},
        {JPEG_APP0 + 13, iptc, sizeof iptc},
        {JPEG_COM, "caf\xc3\xa9", 5},
    };
    struct jpeg_options options = {
        .markers = markers, .marker_count = 5, .icc = icc, .icc_size = ICC_SIZE};
    struct bytes file = plain_jpeg(&i, pixels, &options);
    struct decoded source = decode(file.data, file.size, NULL);
    struct decoded png = again(&source, IMF_FORMAT_PNG, keep);
    struct decoded jpeg = again(&png, IMF_FORMAT_JPEG, keep);
    struct decoded direct = again(&source, IMF_FORMAT_JPEG, keep);
    const struct decoded *all[] = {&source, &png, &jpeg, &direct};
    for (int k = 0; k < 4; k++) {
        const struct imf_metadata *m = imf_reader_metadata(all[k]->reader);
        CHECK(holds(m, IMF_META_EXIF, exif_big, sizeof exif_big), "%d: EXIF", k);
        CHECK(holds(m, IMF_META_XMP, XMP, strlen(XMP)), "%d: XMP", k);
        CHECK(holds(m, IMF_META_ICC, icc, ICC_SIZE), "%d: ICC", k);
        CHECK(holds(m, IMF_META_COMMENT, "caf\xc3\xa9", 5), "%d: comment", k);
        CHECK(imf_metadata_orientation(m) == 6, "%d: orientation", k);
        CHECK((imf_metadata_find(m, IMF_META_XMP_EXTENSION) != NULL) == (k == 0 || k == 3),
              "%d: segments of JPEG only", k);
    }
    CHECK(count(imf_reader_metadata(direct.reader)) == 6, "six items");
    done(&jpeg);
    done(&direct);

    struct decoded upright =
        again(&source, IMF_FORMAT_PNG, (struct imf_encode){.orient = IMF_ORIENT_APPLY});
    CHECK(imf_metadata_orientation(imf_reader_metadata(upright.reader)) == 1, "upright");
    done(&upright);

    static const struct {
        unsigned strip;
        enum imf_meta_kind kind;
    } strips[] = {{IMF_STRIP_EXIF, IMF_META_EXIF},
                  {IMF_STRIP_XMP, IMF_META_XMP},
                  {IMF_STRIP_ICC, IMF_META_ICC}};
    for (int format = IMF_FORMAT_PNG; format <= IMF_FORMAT_JPEG; format++) {
        for (int k = 0; k < 3; k++) {
            struct decoded d = again(&source, (enum imf_format)format,
                                     (struct imf_encode){.strip = strips[k].strip});
            const struct imf_metadata *m = imf_reader_metadata(d.reader);
            for (int other = 0; other < 3; other++)
                CHECK((imf_metadata_find(m, strips[other].kind) == NULL) == (other == k),
                      "strip %d: %d", k, other);
            done(&d);
        }
        struct decoded d =
            again(&source, (enum imf_format)format, (struct imf_encode){.strip = IMF_STRIP_ALL});
        CHECK(count(imf_reader_metadata(d.reader)) == 0, "strip all");
        done(&d);
    }

    /* An RGB profile says nothing about gray pixels. */
    struct imf_info gray = shape(16, 16, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_PNG);
    struct bytes out = encode(&gray, pixels, NULL, imf_reader_metadata(source.reader), NULL);
    struct decoded d = decode(out.data, out.size, NULL);
    CHECK(!imf_metadata_find(imf_reader_metadata(d.reader), IMF_META_ICC), "RGB profile on gray");
    CHECK(imf_metadata_find(imf_reader_metadata(d.reader), IMF_META_EXIF), "EXIF on gray");
    done(&d);
    free(out.data);
    done(&png);
    done(&source);
    free(file.data);
    free(pixels);
    free(icc);
}

/* PNG's own chunks, text behind the pixels among them. */
static void test_png_chunks(void) {
    unsigned char pixels[16] = {0};
    FILE *f = tmpfile();
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_text text[3] = {{.compression = PNG_TEXT_COMPRESSION_NONE,
                         .key = (char[]){"Comment"},
                         .text = (char[]){"caf\xe9"}},
                        {.compression = PNG_TEXT_COMPRESSION_zTXt,
                         .key = (char[]){"Author"},
                         .text = (char[]){"someone"}},
                        {.compression = PNG_ITXT_COMPRESSION_zTXt,
                         .key = (char[]){"XML:com.adobe.xmp"},
                         .text = (char[]){XMP}}};
    png_init_io(png, f);
    png_set_IHDR(png, info, 4, 4, 8, PNG_COLOR_TYPE_GRAY, 0, 0, 0);
    png_set_gAMA_fixed(png, info, 45455);
    png_set_pHYs(png, info, 11811, 5906, PNG_RESOLUTION_METER);
    png_set_text(png, info, text, 2);
    png_write_info(png, info);
    for (int y = 0; y < 4; y++)
        png_write_row(png, pixels + 4 * y);
    png_set_text(png, info, text + 2, 1);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    struct bytes file = slurp(f);
    fclose(f);

    struct decoded source = decode(file.data, file.size, NULL);
    struct decoded copy = again(&source, IMF_FORMAT_PNG, keep);
    const struct imf_metadata *m = imf_reader_metadata(copy.reader);
    CHECK(has_chunk(m, "gAMA", "") && has_chunk(m, "tEXt", "Comment") &&
              has_chunk(m, "zTXt", "Author"),
          "chunks");
    CHECK(count(m) == count(imf_reader_metadata(source.reader)), "%d items", count(m));
    CHECK(holds(m, IMF_META_XMP, XMP, strlen(XMP)), "XMP, deflated and late");
    CHECK(m->density.unit == IMF_DENSITY_METRE && m->density.x == 11811 && m->density.y == 5906,
          "density");
    struct decoded jpeg = again(&source, IMF_FORMAT_JPEG, keep);
    m = imf_reader_metadata(jpeg.reader);
    CHECK(holds(m, IMF_META_COMMENT, "caf\xc3\xa9", 5), "Latin-1 comment");
    CHECK(m->density.unit == IMF_DENSITY_INCH && m->density.x == 300 && m->density.y == 150,
          "density %u", m->density.x);
    struct decoded back = again(&jpeg, IMF_FORMAT_PNG, keep);
    m = imf_reader_metadata(back.reader);
    CHECK(m->density.unit == IMF_DENSITY_METRE && m->density.x == 11811, "density back");
    done(&back);
    done(&jpeg);
    done(&copy);
    done(&source);
    free(file.data);
}

/* A profile that inflates to more than 16 MiB is left out, and is not called damaged. */
static void test_large_icc(void) {
    static const size_t sizes[] = {16 << 20, (16 << 20) + 1};
    for (int k = 0; k < 2; k++) {
        unsigned char pixel = 0, *profile = calloc(1, sizes[k]), *chunk = malloc(1 << 20);
        uLongf size = (1 << 20) - 5;
        memcpy(profile + 16, "GRAY", 4);
        memcpy(chunk, "icc\0", 5);
        CHECK(compress(chunk + 5, &size, profile, sizes[k]) == Z_OK, "deflated");
        FILE *f = tmpfile();
        png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
        png_infop info = png_create_info_struct(png);
        png_init_io(png, f);
        png_set_IHDR(png, info, 1, 1, 8, PNG_COLOR_TYPE_GRAY, 0, 0, 0);
        png_write_info(png, info);
        png_write_chunk(png, (png_const_bytep) "iCCP", chunk, size + 5);
        png_write_row(png, &pixel);
        png_write_end(png, NULL);
        png_destroy_write_struct(&png, &info);
        rewind(f);
        struct decoded d = decode_stream(f, NULL);
        CHECK(d.status == IMF_OK, "%s", d.err.text);
        CHECK(loses(&d, "too large") == (k > 0), "%zu bytes", sizes[k]);
        CHECK(holds(imf_reader_metadata(d.reader), IMF_META_ICC, profile, sizes[k]) == (k == 0),
              "%zu bytes", sizes[k]);
        done(&d);
        free(chunk);
        free(profile);
    }
}

/* "Keep" writes the source's tables and sampling; what is asked for overrides either. */
static void test_jpeg_keep(void) {
    static const int sampling[][2] = {{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}};
    struct imf_info i = shape(40, 24, IMF_COLOR_RGB, false, 8, IMF_FORMAT_JPEG);
    unsigned char *pixels = smooth_pixels(&i);
    for (int k = 0; k < 5; k++) {
        struct jpeg_options options = {.quality = 37, .h = sampling[k][0], .v = sampling[k][1]};
        struct bytes file = plain_jpeg(&i, pixels, &options);
        struct decoded source = decode(file.data, file.size, NULL);
        struct decoded copy = again(&source, IMF_FORMAT_JPEG, keep);
        struct decoded finer = again(&source, IMF_FORMAT_JPEG, (struct imf_encode){.quality = 80});
        struct decoded fuller =
            again(&source, IMF_FORMAT_JPEG, (struct imf_encode){.subsampling = 422});
        const struct imf_jpeg_source *a = &imf_reader_metadata(source.reader)->jpeg,
                                     *b = &imf_reader_metadata(copy.reader)->jpeg,
                                     *q = &imf_reader_metadata(finer.reader)->jpeg,
                                     *s = &imf_reader_metadata(fuller.reader)->jpeg;
        CHECK(a->components == 3 && b->components == 3, "components");
        CHECK(memcmp(a->quant, b->quant, sizeof a->quant) == 0, "tables");
        CHECK(memcmp(a->h, b->h, sizeof a->h) == 0 && memcmp(a->v, b->v, sizeof a->v) == 0,
              "sampling %dx%d", b->h[0], b->v[0]);
        CHECK(q->quant[0][0] < a->quant[0][0] && q->h[0] == a->h[0], "quality 80");
        CHECK(s->quant[0][5] == a->quant[0][5] && s->h[0] == 2 && s->v[0] == 1, "422");
        done(&fuller);
        done(&finer);
        done(&copy);
        done(&source);
        free(file.data);
    }
    free(pixels);
}

/* Steps over 255, which baseline JPEG has no room for, are neither cut nor replaced. */
static void test_wide_tables(void) {
    struct imf_info i = shape(24, 24, IMF_COLOR_RGB, false, 8, IMF_FORMAT_JPEG);
    unsigned char *pixels = smooth_pixels(&i);
    struct bytes file =
        plain_jpeg(&i, pixels, &(struct jpeg_options){.quality = 1, .wide_tables = true});
    struct decoded source = decode(file.data, file.size, NULL);
    struct decoded copy = again(&source, IMF_FORMAT_JPEG, keep);
    const struct imf_jpeg_source *a = &imf_reader_metadata(source.reader)->jpeg,
                                 *b = &imf_reader_metadata(copy.reader)->jpeg;
    CHECK(a->quant[0][63] > 255 && a->quant[1][63] > 255, "a table of %d", a->quant[0][63]);
    CHECK(memcmp(a->quant, b->quant, sizeof a->quant) == 0, "%d became %d", a->quant[0][63],
          b->quant[0][63]);
    done(&copy);
    done(&source);
    free(file.data);
    free(pixels);
}

/* What holds the whole image's coefficients counts against the limit, at two bytes each. */
static void test_encoder_memory(void) {
    static const struct {
        bool progressive, optimize;
        uint64_t max_memory;
        bool fits;
    } cases[] = {{false, false, 1, true},
                 {false, true, 24 * 40 * 2 * 3 - 1, false},
                 {false, true, 24 * 40 * 2 * 3, true},
                 {true, false, 24 * 40 * 2 * 3 - 1, false},
                 {true, false, 0, true}};
    struct imf_info i = shape(40, 24, IMF_COLOR_RGB, false, 8, IMF_FORMAT_JPEG);
    unsigned char *pixels = smooth_pixels(&i);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct bytes file =
            plain_jpeg(&i, pixels, &(struct jpeg_options){.progressive = cases[k].progressive});
        struct decoded source = decode(file.data, file.size, NULL);
        struct imf_encode options = {
            .subsampling = 444, .optimize = cases[k].optimize, .max_memory = cases[k].max_memory};
        struct imf_error err = {0};
        struct bytes out = encode(&i, pixels, &options, imf_reader_metadata(source.reader), &err);
        CHECK((out.size > 0) == cases[k].fits, "memory, case %zu: %s", k, err.text);
        CHECK(cases[k].fits || (err.status == IMF_ERR_LIMIT && strstr(err.text, "--max-memory")),
              "memory, case %zu: %s", k, err.text);
        free(out.data);
        done(&source);
        free(file.data);
    }
    free(pixels);
}

/* Inks are inverted, with and without Adobe's marker, and come back through a file of ours. */
static void test_cmyk(void) {
    static const struct jpeg_options kinds[] = {{.quality = 100, .space = JCS_CMYK},
                                                {.quality = 100, .space = JCS_YCCK},
                                                {.space = JCS_CMYK, .no_adobe = true}};
    struct imf_info i = shape(24, 24, IMF_COLOR_CMYK, false, 8, IMF_FORMAT_JPEG);
    unsigned char *pixels = smooth_pixels(&i);
    for (int k = 0; k < 3; k++) {
        struct bytes file = plain_jpeg(&i, pixels, &kinds[k]);
        struct decoded d = decode(file.data, file.size, NULL);
        struct decoded copy = again(&d, IMF_FORMAT_JPEG, keep);
        CHECK(d.info.color == IMF_COLOR_CMYK && d.info.channels == 4, "CMYK");
        int worst = 0;
        for (size_t p = 0; p < image_bytes(&i); p++) {
            int first = abs(d.pixels[p] - (255 - pixels[p]));
            int second = abs(copy.pixels[p] - (255 - pixels[p]));
            worst = first > worst ? first : worst;
            worst = second > worst ? second : worst;
        }
        CHECK(worst < 16, "kind %d: off by %d", k, worst);
        done(&copy);
        done(&d);
        free(file.data);
    }
    free(pixels);
}

static void test_orientation(void) {
    static const struct {
        const char *exif;
        size_t size;
        int orientation;
    } cases[] = {
        {EXIF_BIG, sizeof exif_big, 6},
        {"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0", 22, 8},
        {"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x09\0\0\0", 22, 1},       /* value 9 */
        {"II*\0\x08\0\0\0\x01\0\x12\x01\x04\0\x01\0\0\0\x08\0\0\0", 22, 1},       /* a LONG */
        {"II*\0\xff\xff\xff\xff\x01\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0", 22, 1}, /* far away */
        {"II*\0\0\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0", 22, 1}, /* in the header */
        {"IM*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0", 22, 1},
        {"II*\0\x08\0\0\0\xff\xff", 10, 1},
        {"", 0, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (size_t cut = 0; cut <= cases[k].size; cut++) {
            struct imf_metadata m = {0};
            imf_metadata_add(&m, IMF_META_EXIF, IMF_STRIP_EXIF, cases[k].exif, cut);
            int orientation = imf_metadata_orientation(&m);
            CHECK(orientation == (cut == cases[k].size ? cases[k].orientation : 1) ||
                      (orientation == cases[k].orientation && cut + 12 > cases[k].size),
                  "case %zu cut to %zu: %d", k, cut, orientation);
            imf_metadata_clear(&m);
        }
    CHECK(imf_metadata_orientation(NULL) == 1, "no metadata");
}

int main(void) {
    test_across();
    test_png_chunks();
    test_large_icc();
    test_jpeg_keep();
    test_wide_tables();
    test_encoder_memory();
    test_cmyk();
    test_orientation();
    return check_done("test_codec_meta");
}
