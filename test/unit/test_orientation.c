/* test_orientation.c - writers that turn pixels upright, and EXIF and XMP put right for them */
#include "codec_util.h"

#include "base/image/orientation.h"
#include "codec/codec.h"
#include "codec/metadata/items.h"
#include "codec/metadata/xmp.h"

/* Where EXIF says that a stored row and column are seen: the visual side of row 0, of column 0. */
static const char *const sides[] = {
    "",         "top left",  "top right",    "bottom right", "bottom left",
    "left top", "right top", "right bottom", "left bottom"};

/* Place along an axis of `size`, counted from the named side. */
static int from_side(const char *side, int size, int index) {
    return strstr("top left", side) ? index : size - 1 - index;
}

static void upright_place(int orientation, const struct imf_info *i, int row, int column, int *x,
                          int *y) {
    char first[8], second[8];
    sscanf(sides[orientation], "%7s %7s", first, second);
    bool row_is_y = strcmp(first, "top") == 0 || strcmp(first, "bottom") == 0;
    *(row_is_y ? y : x) = from_side(first, i->height, row);
    *(row_is_y ? x : y) = from_side(second, i->width, column);
}

static unsigned char *expected(const struct imf_info *i, const unsigned char *pixels, int width) {
    size_t size = (size_t)i->channels * (size_t)i->depth / 8;
    unsigned char *out = malloc(image_bytes(i));
    for (int row = 0; row < i->height; row++)
        for (int column = 0; column < i->width; column++) {
            int x = 0, y = 0;
            upright_place(i->orientation, i, row, column, &x, &y);
            memcpy(out + ((size_t)y * (size_t)width + (size_t)x) * size,
                   pixels + ((size_t)row * (size_t)i->width + (size_t)column) * size, size);
        }
    return out;
}

static void write_in_pieces(FILE *f, const struct imf_info *i, const unsigned char *pixels,
                            int rows, const struct imf_metadata *metadata) {
    struct imf_writer *w;
    struct imf_error err = {0};
    CHECK(imf_writer_open(&w, f, i, NULL, metadata, &err) == IMF_OK, "%s", err.text);
    for (int y = 0; y < i->height; y += rows) {
        int n = i->height - y < rows ? i->height - y : rows;
        CHECK(imf_writer_rows(w, pixels + (size_t)y * row_bytes(i), row_bytes(i), n, &err) ==
                  IMF_OK,
              "%s", err.text);
    }
    CHECK(imf_writer_finish(w, &err) == IMF_OK, "%s", err.text);
    imf_writer_close(&w);
}

/* All at once and by pieces, more rows than a band, every pixel size. */
static void test_pixels(void) {
    static const int sizes[][2] = {{1, 1}, {5, 3}, {7, 150}, {150, 7}};
    for (int orientation = 1; orientation <= 8; orientation++)
        for (int k = 0; k < 4; k++)
            for (int kind = 0; kind < 8; kind++) {
                struct imf_info i =
                    shape(sizes[k][0], sizes[k][1], kind & 1 ? IMF_COLOR_RGB : IMF_COLOR_GRAY,
                          kind & 2, kind & 4 ? 16 : 8, IMF_FORMAT_PNM);
                i.orientation = orientation;
                unsigned char *pixels = random_pixels(&i);
                int width = orientation > 4 ? i.height : i.width;
                unsigned char *want = expected(&i, pixels, width);
                for (int rows = 1; rows <= i.height; rows += rows + i.height / 2) {
                    FILE *f = tmpfile();
                    write_in_pieces(f, &i, pixels, rows, NULL);
                    rewind(f);
                    struct decoded d = decode_stream(f, NULL);
                    CHECK(d.status == IMF_OK && d.info.width == width &&
                              memcmp(d.pixels, want, image_bytes(&i)) == 0,
                          "orientation %d, %dx%d, kind %d, %d rows at once: %s", orientation,
                          i.width, i.height, kind, rows, d.err.text);
                    done(&d);
                }
                free(want);
                free(pixels);
            }
}

#define ENTRY(tag, value) tag "\0\x03\0\0\0\x01\0" value "\0\0"
/* Orientation 6 and a pointer to the second of two directories, then a thumbnail's. */
#define EXIF                                                                                       \
    "MM\0*\0\0\0\x08\0\x02" ENTRY("\x01\x12", "\x06") "\x87\x69\0\x04\0\0\0\x01\0\0\0\x26"       \
    "\0\0\0\x44\0\x02" ENTRY("\xa0\x02", "\x28") ENTRY("\xa0\x03", "\x1e") "\0\0\0\0"

static void test_exif(void) {
    static const unsigned char exif[] = EXIF;
    struct imf_metadata m = {0};
    const struct imf_meta_item *item =
        imf_metadata_add(&m, IMF_META_EXIF, IMF_STRIP_EXIF, exif, sizeof exif - 1);
    CHECK(imf_metadata_orientation(&m) == 6, "%d", imf_metadata_orientation(&m));
    unsigned char *turned = imf_exif_edit(item, true, true, false);
    CHECK(turned[19] == 1, "orientation %d", turned[19]);
    CHECK(memcmp(turned + 34, "\0\0\0\0", 4) == 0, "a thumbnail is left");
    CHECK(turned[49] == 0x1e && turned[61] == 0x28, "%d x %d", turned[49], turned[61]);
    free(turned);
    imf_metadata_clear(&m);
    for (size_t cut = 0; cut < sizeof exif; cut++) { /* what a sanitizer would find */
        item = imf_metadata_add(&m, IMF_META_EXIF, IMF_STRIP_EXIF, exif, cut);
        turned = imf_exif_edit(item, true, true, true);
        CHECK(memcmp(turned, exif, cut < 19 ? cut : 19) == 0, "cut to %zu", cut);
        free(turned);
        imf_metadata_clear(&m);
    }
}

static void test_xmp(void) {
    static const char *const texts[][2] = {
        {"<a tiff:Orientation=\"6\"/>", "<a tiff:Orientation=\"1\"/>"},
        {"<a tiff:Orientation = '3'/>", "<a tiff:Orientation = '1'/>"},
        {"<tiff:Orientation>8</tiff:Orientation>", "<tiff:Orientation>1</tiff:Orientation>"},
        {"tiff:Orientation=\"65\"", "tiff:Orientation=\"65\""},
        {"tiff:Orientation", "tiff:Orientation"},
        {"tiff:Orientation=", "tiff:Orientation="},
        {"", ""},
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        struct imf_metadata m = {0};
        unsigned char *turned = imf_xmp_upright(
            imf_metadata_add(&m, IMF_META_XMP, IMF_STRIP_XMP, texts[k][0], strlen(texts[k][0])));
        CHECK(memcmp(turned, texts[k][1], strlen(texts[k][1])) == 0, "%s", (char *)turned);
        free(turned);
        imf_metadata_clear(&m);
    }
}

/* A tag that contradicts the rows that are given is put right, and one that cannot say it is not
 * relied on. */
static void test_shape(void) {
    static const unsigned char exif[] = EXIF;
    struct imf_metadata m = {0};
    imf_metadata_add(&m, IMF_META_EXIF, IMF_STRIP_EXIF, exif, sizeof exif - 1);
    static const struct {
        int orientation;
        enum imf_format format;
        struct imf_encode encode;
        int width, says;
    } cases[] = {
        {0, IMF_FORMAT_PNG, {0}, 40, 6},
        {6, IMF_FORMAT_JPEG, {0}, 40, 6},
        {1, IMF_FORMAT_PNG, {0}, 40, 1},
        {8, IMF_FORMAT_PNG, {0}, 30, 1},
        {0, IMF_FORMAT_PNM, {0}, 30, 1},
        {6, IMF_FORMAT_PNG, {.orient = IMF_ORIENT_APPLY}, 30, 1},
        {6, IMF_FORMAT_PNG, {.strip = IMF_STRIP_EXIF}, 30, 1},
        {6, IMF_FORMAT_PNG, {.strip = IMF_STRIP_XMP}, 40, 6},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct imf_info i = shape(40, 30, IMF_COLOR_GRAY, false, 8, cases[k].format);
        i.orientation = cases[k].orientation;
        struct imf_info out = imf_writer_shape(&i, &cases[k].encode, &m);
        CHECK(out.width == cases[k].width && out.orientation == cases[k].says, "case %zu: %d, %d",
              k, out.width, out.orientation);
        unsigned char *pixels = random_pixels(&i);
        struct bytes file = encode(&i, pixels, &cases[k].encode, &m, NULL);
        struct decoded d = decode(file.data, file.size, NULL);
        CHECK(d.info.width == out.width && d.info.orientation == out.orientation,
              "case %zu: the file says %d", k, d.info.orientation);
        done(&d);
        free(file.data);
        free(pixels);
    }
    imf_metadata_clear(&m);
}

/* A JPEG's own numbers: where columns become rows, sampling factors and the tables' axes do. */
static void test_jpeg_source(void) {
    for (int orientation = 1; orientation <= 8; orientation++) {
        struct imf_metadata m = {0};
        struct imf_jpeg_source *s = &m.jpeg;
        *s = (struct imf_jpeg_source){.h = {4, 1, 2}, .v = {2, 1, 1}};
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 64; k++)
                s->quant[i][k] = (uint16_t)(100 * i + k);
        struct imf_info info = shape(40, 30, IMF_COLOR_RGB, false, 8, IMF_FORMAT_JPEG);
        info.orientation = orientation;
        const struct imf_encode apply = {.orient = IMF_ORIENT_APPLY};
        struct imf_writer *w = NULL;
        FILE *f = tmpfile();
        if (!f || imf_writer_open(&w, f, &info, &apply, &m, NULL))
            abort();
        const bool swap = orientation > 4;
        const struct imf_jpeg_source *got = &w->jpeg;
        CHECK(swap ? got->h[0] == 2 && got->v[0] == 4 && got->h[2] == 1 && got->v[2] == 2
                   : got->h[0] == 4 && got->v[0] == 2 && got->h[2] == 2 && got->v[2] == 1,
              "sampling, orientation %d", orientation);
        for (int i = 0; i < 4; i++)
            for (int row = 0; row < 8; row++)
                for (int column = 0; column < 8; column++)
                    CHECK(got->quant[i][8 * row + column] ==
                              100 * i + (swap ? 8 * column + row : 8 * row + column),
                          "table %d at %d %d, orientation %d", i, row, column, orientation);
        imf_writer_close(&w);
        fclose(f);
    }
}

int main(void) {
    test_pixels();
    test_jpeg_source();
    test_exif();
    test_xmp();
    test_shape();
    return check_done("test_orientation");
}
