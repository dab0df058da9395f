/* test_codec_png.c - PNG files put together by hand: chunks that lie about themselves, and ends */
#include "codec_util.h"

#include <sys/resource.h>
#include <zlib.h>

/* A file of 1x1 gray in the making. */
struct file {
    unsigned char data[4096];
    size_t size;
};

static void put32(struct file *f, uint32_t v) {
    for (int shift = 24; shift >= 0; shift -= 8)
        f->data[f->size++] = (unsigned char)(v >> shift);
}

static void put(struct file *f, const void *data, size_t size) {
    memcpy(f->data + f->size, data, size);
    f->size += size;
}

static void chunk(struct file *f, const char *name, const void *data, size_t size) {
    put32(f, (uint32_t)size);
    size_t begin = f->size;
    put(f, name, 4);
    put(f, data, size);
    put32(f, (uint32_t)crc32(0, f->data + begin, (uInt)(f->size - begin)));
}

static void start(struct file *f) {
    f->size = 0;
    put(f, "\x89PNG\r\n\x1a\n", 8);
    chunk(f, "IHDR", "\0\0\0\1\0\0\0\1\x08\0\0\0\0", 13);
}

static void finish(struct file *f) {
    unsigned char deflated[32];
    uLongf size = sizeof deflated;
    compress(deflated, &size, (const unsigned char *)"\0\x80", 2);
    chunk(f, "IDAT", deflated, size);
    chunk(f, "IEND", "", 0);
}

static long peak_kilobytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* A header of a chunk that is not there costs no memory. */
static void test_oversized(void) {
    static const char *const names[] = {"pCAL", "sCAL", "sPLT", "hIST", "tIME", "bKGD", "sBIT",
                                        "tEXt", "eXIf", "iCCP", "gAMA", "oFFs", "abCd", "tRNS"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        struct file f;
        start(&f);
        put32(&f, 0x7ffffff0);
        put(&f, names[k], 4);
        long before = peak_kilobytes();
        struct decoded d = decode(f.data, f.size, NULL);
        CHECK(d.status == IMF_ERR_DAMAGED && strstr(d.err.text, "truncated"), "%s: %s", names[k],
              d.err.text);
        long grown = peak_kilobytes() - before;
        CHECK(grown < 65536, "%s: %ld KB for 41 bytes", names[k], grown);
        done(&d);
    }
}

static bool contains(const struct bytes *file, const char *name) {
    return memmem(file->data, file->size, name, 4) != NULL;
}

#define TEXT(literal) literal, sizeof(literal) - 1

/* What other readers refuse is dropped, with a warning; what is well formed is kept. */
static void test_malformed(void) {
    static const struct {
        const char *name, *data;
        size_t size;
        bool good;
    } cases[] = {
        {"gAMA", TEXT("\0\0\xb1\x8f"), true},
        {"gAMA", TEXT("\0\0\xb1"), false},
        {"gAMA", TEXT("\0\0\xb1\x8f\0"), false},
        {"gAMA", TEXT("\0\0\0\0"), false},
        {"gAMA", TEXT("\x80\0\0\0"), false},
        {"sRGB", TEXT("\0"), true},
        {"sRGB", TEXT("\3"), true},
        {"sRGB", TEXT("\4"), false},
        {"sRGB", TEXT(""), false},
        {"sRGB", TEXT("\0\0"), false},
        {"cHRM",
         TEXT("\0\0\x7a\x26\0\0\x80\x84\0\0\xfa\0\0\0\x80\xe8"
              "\0\0\x75\x30\0\0\xea\x60\0\0\x3a\x98\0\0\x17\x70"),
         true},
        {"cHRM",
         TEXT("\0\0\x7a\x26\0\0\x80\x84\0\0\xfa\0\0\0\x80\xe8"
              "\0\0\x75\x30\0\0\xea\x60\0\0\x3a\x98\0\0\x17"),
         false},
        {"cHRM",
         TEXT("\0\0\x7a\x26\0\0\0\0\0\0\xfa\0\0\0\x80\xe8"
              "\0\0\x75\x30\0\0\xea\x60\0\0\x3a\x98\0\0\x17\x70"),
         false}, /* white without luminance */
        {"cHRM",
         TEXT("\0\0\x7a\x26\0\0\x80\x84\0\1\xfa\0\0\0\x80\xe8"
              "\0\0\x75\x30\0\0\xea\x60\0\0\x3a\x98\0\0\x17\x70"),
         false}, /* red: x + y over 1 */
        {"cHRM",
         TEXT("\0\0\x7a\x26\0\0\x80\x84\0\0\x75\x30\0\0\xea\x60"
              "\0\0\x75\x30\0\0\xea\x60\0\0\x3a\x98\0\0\x17\x70"),
         false}, /* red is green */
        {"cICP", TEXT("\x09\x10\0\1"), true},
        {"cICP", TEXT("\x09\x10\1\1"), false},
        {"cICP", TEXT("\x09\x10\0"), false},
        {"mDCV", TEXT("123456789012345678901234"), true},
        {"mDCV", TEXT("12345678901234567890123"), false},
        {"cLLI", TEXT("12345678"), true},
        {"cLLI", TEXT("1234567"), false},
        {"pHYs", TEXT("\0\0\x0b\x13\0\0\x0b\x13\1"), true},
        {"pHYs", TEXT("\0\0\x0b\x13\0\0\x0b\x13"), false},
        {"pHYs", TEXT("\0\0\x0b\x13\0\0\x0b\x13\2"), false},
        {"pHYs", TEXT("\x80\0\x0b\x13\0\0\x0b\x13\1"), false},
        {"tEXt", TEXT("Author\0someone"), true},
        {"tEXt", TEXT("Author"), false},
        {"tEXt",
         TEXT("A keyword of as many letters as one may have, which are, as PNG says, 79 in all"
              "\0someone"),
         true},
        {"tEXt",
         TEXT("A keyword of as many letters as none may have, which are, as PNG says, 80 in all"
              "\0someone"),
         false},
        {"tEXt", TEXT("\0someone"), false},
        {"zTXt", TEXT("Author\0\1x"), false},
        {"iTXt", TEXT("Author\0\0\0\0\0someone"), true},
        {"iTXt", TEXT("Author\0\0\0\0someone"), false},
        {"iTXt", TEXT("Author\0\2\0\0\0someone"), false},
        {"eXIf", TEXT("II*\0\x08\0\0\0\0\0"), true},
        {"eXIf", TEXT("XX*\0\x08\0\0\0\0\0"), false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct file f;
        start(&f);
        chunk(&f, cases[k].name, cases[k].data, cases[k].size);
        finish(&f);
        struct decoded d = decode(f.data, f.size, NULL);
        CHECK(d.status == IMF_OK, "%zu, %s: %s", k, cases[k].name, d.err.text);
        FILE *out = tmpfile();
        struct imf_writer *w;
        CHECK(imf_writer_open(&w, out, &d.info, NULL, imf_reader_metadata(d.reader), NULL) ==
                      IMF_OK &&
                  imf_writer_rows(w, d.pixels, 1, 1, NULL) == IMF_OK &&
                  imf_writer_finish(w, NULL) == IMF_OK,
              "%zu: not written", k);
        bool warned = imf_reader_warning(d.reader) || imf_writer_warning(w);
        struct bytes file = slurp(out);
        CHECK(contains(&file, cases[k].name) == cases[k].good && warned != cases[k].good,
              "%zu, %s: %s, %s", k, cases[k].name,
              contains(&file, cases[k].name) ? "written" : "dropped", warned ? "warned" : "silent");
        imf_writer_close(&w);
        fclose(out);
        free(file.data);
        done(&d);
    }
}

/* One or the other says what the colours mean. */
static void test_intent_beside_profile(void) {
    unsigned char profile[128] = {0}, data[256] = "p\0";
    uLongf size = sizeof data - 3;
    memcpy(profile + 16, "GRAY", 4);
    compress(data + 3, &size, profile, sizeof profile);
    for (int first = 0; first < 2; first++)
        for (int strip = 0; strip < 2; strip++) {
            struct file f;
            start(&f);
            if (first)
                chunk(&f, "sRGB", "\0", 1);
            chunk(&f, "iCCP", data, 3 + size);
            if (!first)
                chunk(&f, "sRGB", "\0", 1);
            finish(&f);
            struct decoded d = decode(f.data, f.size, NULL);
            struct imf_encode options = {.strip = strip ? IMF_STRIP_ICC : 0};
            struct bytes file =
                encode(&d.info, d.pixels, &options, imf_reader_metadata(d.reader), NULL);
            CHECK(contains(&file, "sRGB") == strip && contains(&file, "iCCP") != strip,
                  "sRGB first %d, strip %d", first, strip);
            free(file.data);
            done(&d);
        }
}

/* IEND is checked whatever libpng thinks of it, and what follows it is not dropped in silence. */
static void test_end(void) {
    struct file f;
    start(&f);
    finish(&f);
    for (size_t n = 1; n <= 12; n++) {
        f.data[f.size - n] ^= 0x10;
        struct decoded d = decode(f.data, f.size, NULL);
        CHECK(d.status == IMF_ERR_DAMAGED, "byte %zu from the end: %d", n, d.status);
        done(&d);
        f.data[f.size - n] ^= 0x10;
    }
    for (int more = 0; more < 2; more++) {
        put(&f, "more", (size_t)more);
        struct decoded d = decode(f.data, f.size, NULL);
        const char *warning = d.reader ? imf_reader_warning(d.reader) : NULL;
        CHECK(d.status == IMF_OK && !warning, "%s", d.err.text);
        CHECK(loses(&d, "bytes behind the end") == more, "%d bytes behind the end", more);
        done(&d);
    }
}

/* EXIF as text, cut anywhere: what can be read of it is EXIF, and other text is kept as it came. */
static void test_profile_text(void) {
    static const char chunk[] =
        "Raw profile type exif\0\nexif\n      32\n457869660000"
        "49492a0008000000\n01001201030001000000060000000000\n";
    const size_t digits = sizeof "Raw profile type exif\0\nexif\n      32\n" - 1;
    struct imf_info i = shape(2, 3, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_PNG);
    unsigned char *pixels = random_pixels(&i);
    for (size_t size = sizeof "Raw profile type exif"; size < sizeof chunk; size++) {
        struct imf_metadata m = {0};
        imf_metadata_add(&m, IMF_META_PNG_CHUNK, IMF_STRIP_EXIF, chunk, size)->tag = 0x74455874;
        struct bytes file = encode(&i, pixels, NULL, &m, NULL);
        struct decoded d = decode(file.data, file.size, NULL);
        bool exif = size >= digits + 2 * 10; /* the prefix, and what begins a TIFF stream */
        CHECK(d.status == IMF_OK, "%zu bytes: %s", size, d.err.text);
        const struct imf_metadata *got = imf_reader_metadata(d.reader);
        CHECK(!imf_metadata_find(got, IMF_META_EXIF) != exif, "%zu bytes: EXIF", size);
        CHECK(!imf_metadata_find(got, IMF_META_PNG_CHUNK) == exif, "%zu bytes: text", size);
        CHECK(d.info.orientation == 1 || size > sizeof chunk - 12, "%zu bytes: turned", size);
        CHECK(d.info.orientation == 6 || size < sizeof chunk - 2, "%zu bytes: not turned", size);
        done(&d);
        free(file.data);
        imf_metadata_clear(&m);
    }
    free(pixels);
}

int main(void) {
    test_oversized();
    test_malformed();
    test_intent_beside_profile();
    test_end();
    test_profile_text();
    return check_done("test_codec_png");
}
