/* test_formats.c - what the table of formats says of each is true: names, first bytes, metadata */
#include "codec/table.h"
#include "codec_util.h"

/* The smallest image that a format holds. */
static struct imf_info smallest(const struct imf_codec *codec, enum imf_format format) {
    int color = IMF_COLOR_GRAY;
    while (!(codec->colors & 1u << color))
        color++;
    return shape(16, 16, (enum imf_color)color, false, codec->depths & 8 ? 8 : 16, format);
}

/* It is told by its own first bytes, and no other format claims them. */
static void check_recognised(enum imf_format format, const struct bytes *file) {
    CHECK(imf_codec_recognise(file->data, file->size) == format, "%s", imf_format_name(format));
    for (int other = 1; other <= IMF_FORMAT_LAST; other++)
        CHECK(!imf_codec_of((enum imf_format)other) ||
                  (other == (int)format) ==
                      imf_codec_of((enum imf_format)other)->recognise(file->data, file->size),
              "%s is taken for %s", imf_format_name(format),
              imf_format_name((enum imf_format)other));
}

/* So it is in a file that nobody calls an image, but not what only begins like it. */
static void check_plausible(enum imf_format format, const struct bytes *file) {
    size_t size = file->size < 512 ? file->size : 512;
    const char *name = imf_format_name(format);
    CHECK(imf_format_from_head(file->data, size) == format, "%s", name);
    unsigned char *text = memset(malloc(size), 'x', size);
    CHECK(imf_format_from_head(text, size) == IMF_FORMAT_NONE, "%s: text", name);
    memcpy(text, file->data, 3);
    CHECK(imf_format_from_head(text, size) == IMF_FORMAT_NONE || format != IMF_FORMAT_PNM,
          "%s: text that begins like it", name);
    for (size_t k = 0; k <= size; k++) { /* no byte behind the end is read */
        unsigned char *cut = memcpy(malloc(k + !k), file->data, k);
        enum imf_format told = imf_format_from_head(cut, k);
        CHECK(told == format || told == IMF_FORMAT_NONE, "%s, %zu bytes", name, k);
        free(cut);
    }
    free(text);
}

/* What the table says of metadata holds: it comes back, or is not there. */
static void check_carried(const struct imf_codec *codec, enum imf_format format) {
    static const char exif[] = "II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\1\0\0\0\0\0\0",
                      xmp[] = "<x:xmpmeta xmlns:x='adobe:ns:meta/'/>", text[] = "said";
    static const struct {
        enum imf_meta_kind kind;
        const void *data;
        size_t size;
    } items[] = {{IMF_META_EXIF, exif, sizeof exif},
                 {IMF_META_XMP, xmp, sizeof xmp - 1},
                 {IMF_META_COMMENT, text, 4}};
    struct imf_info i = smallest(codec, format);
    unsigned char *pixels = random_pixels(&i);
    for (size_t k = 0; k < sizeof items / sizeof items[0]; k++) {
        struct imf_error err = {0};
        struct imf_metadata m = {0};
        imf_metadata_add(&m, items[k].kind, IMF_STRIP_OTHER, items[k].data, items[k].size);
        struct bytes file = encode(&i, pixels, NULL, &m, &err);
        struct decoded d = decode(file.data, file.size, NULL);
        CHECK(d.status == IMF_OK, "%s: %s%s", codec->doc.name, err.text, d.err.text);
        check_recognised(format, &file);
        check_plausible(format, &file);
        const struct imf_meta_item *item =
            d.reader ? imf_metadata_find(imf_reader_metadata(d.reader), items[k].kind) : NULL;
        bool same = item && item->size == items[k].size &&
                    memcmp(item->data, items[k].data, item->size) == 0;
        CHECK(codec->metadata_max[items[k].kind] ? same : !item, "%s, metadata of kind %d",
              codec->doc.name, items[k].kind);
        CHECK(d.reader && imf_reader_in_order(d.reader), "%s: rows come in order", codec->doc.name);
        done(&d);
        free(file.data);
        imf_metadata_clear(&m);
    }
    free(pixels);
}

/* Metadata that are one byte too large for the format are left out, and said to be. */
static void check_most(const struct imf_codec *codec, enum imf_format format) {
    struct imf_info i = smallest(codec, format);
    for (int kind = IMF_META_EXIF; kind <= IMF_META_ICC; kind++) {
        size_t most = codec->metadata_max[kind];
        if (most == 0 || most > IMF_METADATA_MAX / 2)
            continue;
        unsigned char *data = calloc(1, most + 1), *pixels = random_pixels(&i);
        memcpy(data + 16, "GRAY", 4);
        for (size_t size = most; size <= most + 1; size++) {
            struct imf_metadata m = {0};
            struct imf_writer *w;
            FILE *f = tmpfile();
            imf_metadata_add(&m, (enum imf_meta_kind)kind, IMF_STRIP_OTHER, data, size);
            CHECK(imf_writer_open(&w, f, &i, NULL, &m, NULL) == IMF_OK &&
                      imf_writer_rows(w, pixels, row_bytes(&i), i.height, NULL) == IMF_OK &&
                      imf_writer_finish(w, NULL) == IMF_OK,
                  "write");
            const char *warning = imf_writer_warning(w);
            CHECK(size == most ? !warning : warning && strstr(warning, "too large for the format"),
                  "%s, %zu bytes: %s", codec->doc.name, size, warning ? warning : "no warning");
            imf_writer_close(&w);
            fclose(f);
            imf_metadata_clear(&m);
        }
        free(data);
        free(pixels);
    }
}

static void test_table(void) {
    /* By number, in every build. */
    static const char *const names[] = {"none", "png",  "jpeg", "pnm",
                                        "tiff", "webp", "heif", "avif"};
    for (int format = 1; format <= IMF_FORMAT_LAST; format++) {
        const struct imf_format_doc *doc = imf_format_doc((enum imf_format)format);
        if (!doc)
            continue;
        const struct imf_codec *codec = imf_codec_of((enum imf_format)format);
        bool named = false;
        CHECK(doc->name && *doc->name && doc->title && *doc->title, "format %d", format);
        CHECK(strcmp(imf_format_name((enum imf_format)format), doc->name) == 0, "%s", doc->name);
        CHECK(format < (int)(sizeof names / sizeof *names) && !strcmp(doc->name, names[format]),
              "%s has number %d", doc->name, format);
        CHECK(doc->extensions[0], "%s has an extension", doc->name);
        for (const char *const *e = doc->extensions; *e; e++) {
            char upper[16] = "";
            for (size_t k = 0; (*e)[k] && k + 1 < sizeof upper; k++)
                upper[k] = (char)((*e)[k] >= 'a' && (*e)[k] <= 'z' ? (*e)[k] - 32 : (*e)[k]);
            CHECK(imf_format_from_name(*e) == (enum imf_format)format &&
                      imf_format_from_name(upper) == (enum imf_format)format,
                  "%s is %s alone", *e, doc->name);
            named = named || strcmp(*e, doc->name) == 0;
        }
        CHECK(named, "%s is an extension", doc->name);
        CHECK(imf_format_is_written((enum imf_format)format) == (codec->encoder != NULL), "%s",
              doc->name);
        if (!codec->encoder)
            continue;
        CHECK(codec->colors && (codec->depths & (8 | 16)) && codec->side_max > 0, "%s holds images",
              doc->name);
        check_carried(codec, (enum imf_format)format);
        check_most(codec, (enum imf_format)format);
    }
    for (int format = IMF_FORMAT_PNG; format <= IMF_FORMAT_PNM; format++)
        CHECK(imf_format_doc((enum imf_format)format), "format %d is in every build", format);
    CHECK(!imf_format_doc(IMF_FORMAT_NONE) && !imf_format_doc(IMF_FORMAT_LAST), "no such format");
}

int main(void) {
    test_table();
    return check_done("test_formats");
}
