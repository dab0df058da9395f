/* test_tiff_damage.c - TIFFs put together by hand: directories that lie, files that end early, and
 * EXIF in directories of either width and order */
#include "codec/ifd/directory.h"
#include "codec_util.h"

/* ---- EXIF ------------------------------------------------------------------------------------ */

/* A stream of EXIF copied from another. */
static struct bytes copy_exif(struct imf_tiff_input *in, uint64_t at, bool big_endian, bool wide) {
    unsigned char header[16];
    struct imf_tiff_directory d = {.entries = NULL};
    size_t size = imf_tiff_make_header(header, big_endian, wide, 0);
    struct imf_tiff_output out = {.big_endian = big_endian, .wide = wide, .base = size};
    imf_tiff_copy(&d, &out, in, at, IMF_TIFF_EXIF);
    uint64_t first = imf_tiff_store(&d, &out);
    struct bytes stream = {malloc(size + out.size), size + out.size};
    imf_tiff_make_header(stream.data, big_endian, wide, first);
    memcpy(stream.data + size, out.data, out.size);
    imf_tiff_unload(&d);
    free(out.data);
    return stream;
}

static struct bytes copy_stream(struct bytes from, bool big_endian, bool wide) {
    struct imf_tiff_input in = {.bytes = {.data = from.data, .size = from.size}};
    uint64_t first = imf_tiff_header(&in);
    CHECK(first > 0, "a header");
    return copy_exif(&in, first, big_endian, wide);
}

/* Through BigTIFF and the other byte order and back nothing is lost but what is no EXIF. */
static void test_exif(void) {
    enum { ARTIST = 315, MAKE = 271, EXIF = 34665, EXPOSURE = 33434, NOTE = 37500 };
    struct imf_tiff_directory d = {.entries = NULL}, camera = {.entries = NULL};
    struct imf_tiff_output out = {.base = 8};
    imf_tiff_add(&camera, &out, EXPOSURE, IMF_TIFF_RATIONAL, 2, (uint64_t[]){1, 200});
    imf_tiff_add_bytes(&camera, &out, NOTE, IMF_TIFF_UNDEFINED, "a note of bytes", 15);
    imf_tiff_add(&d, &out, EXIF, IMF_TIFF_LONG, 1, (uint64_t[]){imf_tiff_store(&camera, &out)});
    imf_tiff_add_bytes(&d, &out, ARTIST, IMF_TIFF_ASCII, "Someone", 8); /* in a BigTIFF's entry */
    imf_tiff_add_bytes(&d, &out, MAKE, IMF_TIFF_ASCII, "Me", 3);
    imf_tiff_add(&d, &out, 256, IMF_TIFF_LONG, 1, (uint64_t[]){640}); /* of pixels */
    imf_tiff_add(&d, &out, 274, IMF_TIFF_SHORT, 1, (uint64_t[]){6});
    uint64_t first = imf_tiff_store(&d, &out);
    struct bytes whole = {malloc(8 + out.size), 8 + out.size};
    imf_tiff_make_header(whole.data, false, false, first);
    memcpy(whole.data + 8, out.data, out.size);

    struct bytes plain = copy_stream(whole, false, false), wide = copy_stream(plain, true, true);
    struct bytes back = copy_stream(wide, false, false);
    CHECK(plain.size == back.size && memcmp(plain.data, back.data, back.size) == 0,
          "%zu, %zu bytes", plain.size, back.size);
    CHECK(memcmp(wide.data, "MM\0+\0\x08\0\0", 8) == 0 && wide.size > plain.size, "%zu bytes",
          wide.size);
    CHECK(memmem(plain.data, plain.size, "a note of bytes", 15), "the camera's");
    CHECK(memmem(plain.data, plain.size, "\x12\1\3\0\1\0\0\0\6\0\0\0", 12), "orientation");
    CHECK(!memmem(plain.data, plain.size, "\0\1\4\0\1\0\0\0\x80\2", 10), "a width");
    imf_tiff_unload(&d);
    imf_tiff_unload(&camera);
    free(out.data);
    free(whole.data);
    free(plain.data);
    free(wide.data);
    free(back.data);
}

#ifdef IMF_WITH_TIFF
#include <tiffio.h>

/* ---- by hand --------------------------------------------------------------------------------- */

/* A little-endian file in the making: header, entries of one directory, data. */
struct file {
    unsigned char data[4096];
    size_t size, count;
};

static void put(struct file *f, size_t at, int bytes, uint64_t value) {
    for (int i = 0; i < bytes; i++)
        f->data[at + (size_t)i] = (unsigned char)(value >> 8 * i);
}

enum { DATA = 400 }; /* where pixels begin; the directory has room before them */

static void entry(struct file *f, unsigned tag, unsigned type, uint32_t count, uint32_t value) {
    size_t at = 10 + 12 * f->count++;
    put(f, 8, 2, f->count);
    put(f, at, 2, tag);
    put(f, at + 2, 2, type);
    put(f, at + 4, 4, count);
    put(f, at + 8, 4, value);
}

/* Gray of 8 bits in strips of `rows` rows, stored. */
static void start(struct file *f, uint32_t width, uint32_t height, uint32_t rows) {
    *f = (struct file){.data = "II*\0\x08", .size = DATA};
    entry(f, TIFFTAG_IMAGEWIDTH, TIFF_LONG, 1, width);
    entry(f, TIFFTAG_IMAGELENGTH, TIFF_LONG, 1, height);
    entry(f, TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, 1, 8);
    entry(f, TIFFTAG_COMPRESSION, TIFF_SHORT, 1, COMPRESSION_NONE);
    entry(f, TIFFTAG_PHOTOMETRIC, TIFF_SHORT, 1, PHOTOMETRIC_MINISBLACK);
    entry(f, TIFFTAG_STRIPOFFSETS, TIFF_LONG, 1, DATA);
    entry(f, TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1, 1);
    entry(f, TIFFTAG_ROWSPERSTRIP, TIFF_LONG, 1, rows);
    entry(f, TIFFTAG_STRIPBYTECOUNTS, TIFF_LONG, 1, width * height);
}

/* Change the value of an entry, or its count. */
static void change(struct file *f, unsigned tag, uint32_t count, uint32_t value) {
    for (size_t at = 10; at < 10 + 12 * f->count; at += 12)
        if (f->data[at] + 256u * f->data[at + 1] == tag) {
            put(f, at + 4, 4, count);
            put(f, at + 8, 4, value);
        }
}

static void check(const char *name, const struct file *f, enum imf_status status,
                  const char *says) {
    const struct imf_limits limits = {.max_pixels = 1 << 20, .max_memory = 32 << 20};
    struct decoded d = decode(f->data, f->size, &limits);
    CHECK(d.status == status && (status  ? strstr(d.err.text, says) != NULL
                                 : *says ? loses(&d, says)
                                         : !imf_reader_warning(d.reader)),
          "%s: %d, %s", name, d.status, d.err.text);
    done(&d);
}

static void test_lies(void) {
    static const struct {
        const char *name;
        unsigned tag;
        uint32_t count, value;
        enum imf_status status;
        const char *says;
    } cases[] = {
        {"good", TIFFTAG_COMPRESSION, 1, COMPRESSION_NONE, IMF_OK, ""},
        {"no width", TIFFTAG_IMAGEWIDTH, 1, 0, IMF_ERR_DAMAGED, "damaged"},
        {"wide", TIFFTAG_IMAGEWIDTH, 1, 1 << 30, IMF_ERR_LIMIT, "--max-pixels"},
        {"all", TIFFTAG_IMAGELENGTH, 1, UINT32_MAX, IMF_ERR_DAMAGED, "damaged"},
        {"more rows than there are", TIFFTAG_IMAGELENGTH, 1, 60000, IMF_ERR_DAMAGED, "damaged"},
        {"no rows in a strip", TIFFTAG_ROWSPERSTRIP, 1, 0, IMF_ERR_DAMAGED, "damaged"},
        {"strips behind the end", TIFFTAG_STRIPOFFSETS, 1, 4000, IMF_ERR_DAMAGED, "truncated"},
        {"offsets behind the end", TIFFTAG_STRIPOFFSETS, 9, 1 << 30, IMF_ERR_DAMAGED, ""},
        {"2^30 offsets", TIFFTAG_STRIPOFFSETS, 1 << 30, 8, IMF_ERR_DAMAGED, ""},
        {"a short strip", TIFFTAG_STRIPBYTECOUNTS, 1, 7, IMF_OK, ""}, /* libtiff knows better */
        {"deflate that is none", TIFFTAG_COMPRESSION, 1, COMPRESSION_ADOBE_DEFLATE, IMF_ERR_DAMAGED,
         "damaged ("},
        {"LZW that is none", TIFFTAG_COMPRESSION, 1, COMPRESSION_LZW, IMF_ERR_DAMAGED,
         "after row 0"},
        {"JPEG that is none", TIFFTAG_COMPRESSION, 1, COMPRESSION_JPEG, IMF_ERR_DAMAGED, "JPEG"},
        {"Canon's", TIFFTAG_COMPRESSION, 1, COMPRESSION_OJPEG, IMF_ERR_FORMAT, "old-style JPEG"},
        {"JBIG", TIFFTAG_COMPRESSION, 1, COMPRESSION_JBIG, IMF_ERR_FORMAT, "JBIG compression"},
        {"LERC", TIFFTAG_COMPRESSION, 1, COMPRESSION_LERC, IMF_ERR_FORMAT, "LERC compression"},
        {"unknown code", TIFFTAG_COMPRESSION, 1, 777, IMF_ERR_FORMAT, "compression 777"},
        {"12 bits", TIFFTAG_BITSPERSAMPLE, 1, 12, IMF_ERR_DAMAGED, "truncated"},
        {"64 bits", TIFFTAG_BITSPERSAMPLE, 1, 64, IMF_ERR_FORMAT, "samples of 64 bits"},
        {"no bits", TIFFTAG_BITSPERSAMPLE, 1, 0, IMF_ERR_DAMAGED, "damaged"},
        {"raw", TIFFTAG_PHOTOMETRIC, 1, 32803, IMF_ERR_FORMAT,
         "is camera raw, which imfilter does not read"},
        {"Lab", TIFFTAG_PHOTOMETRIC, 1, PHOTOMETRIC_CIELAB, IMF_ERR_FORMAT, "interpretation 8"},
        {"YCbCr of one", TIFFTAG_PHOTOMETRIC, 1, PHOTOMETRIC_YCBCR, IMF_ERR_DAMAGED, "damaged"},
        {"RGB of one sample", TIFFTAG_PHOTOMETRIC, 1, PHOTOMETRIC_RGB, IMF_ERR_FORMAT, "1 samples"},
        {"samples", TIFFTAG_SAMPLESPERPIXEL, 1, 60000, IMF_ERR_FORMAT, "60000 samples"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct file f;
        start(&f, 16, 16, 16);
        f.size += 256;
        change(&f, cases[k].tag, cases[k].count, cases[k].value);
        check(cases[k].name, &f, cases[k].status, cases[k].says);
    }
}

/* Decoders of libtiff and of libraries behind it that hold more than the rows asked for count it. */
static void test_held(void) {
    enum { SIDE = 8192, MIB = 1 << 20 };
    static const struct {
        uint16_t compression;
        int least, most; /* MiB that suffice for a strip of 64 MiB, and that do not */
    } cases[] = {
        {COMPRESSION_LZW, 20, 0},      {COMPRESSION_ADOBE_DEFLATE, 20, 0},
        {COMPRESSION_PACKBITS, 20, 0}, {COMPRESSION_LZMA, 80, 64},
        {COMPRESSION_ZSTD, 80, 64},    {COMPRESSION_PIXARLOG, 144, 128},
        {COMPRESSION_WEBP, 336, 256},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct file f;
        if (!TIFFIsCODECConfigured(cases[k].compression))
            continue;
        start(&f, SIDE, SIDE, SIDE);
        f.size = DATA + 256;
        change(&f, TIFFTAG_COMPRESSION, 1, cases[k].compression);
        for (int wide = 0; wide < 2; wide++) {
            const struct imf_limits limits = {
                .max_pixels = SIDE * SIDE,
                .max_memory = (uint64_t)(wide ? cases[k].least : cases[k].most) * MIB};
            if (!limits.max_memory)
                continue;
            struct decoded d = decode(f.data, f.size, &limits);
            CHECK(wide ? d.status != IMF_ERR_LIMIT : d.status == IMF_ERR_LIMIT,
                  "compression %u in %llu bytes: %d, %s", cases[k].compression,
                  (unsigned long long)limits.max_memory, d.status, d.err.text);
            done(&d);
        }
    }
}

/* Entries besides those of the pixels. */
static void test_directories(void) {
    static const struct {
        const char *name;
        unsigned tag, type;
        uint32_t count, value, next; /* next: offset of another directory */
        enum imf_status status;
        const char *says;
    } cases[] = {
        {"next itself", TIFFTAG_ORIENTATION, TIFF_SHORT, 1, 1, 8, IMF_OK, ""},
        {"next behind the end", TIFFTAG_ORIENTATION, TIFF_SHORT, 1, 1, 1 << 30, IMF_OK, ""},
        {"another page", TIFFTAG_ORIENTATION, TIFF_SHORT, 1, 1, 3000, IMF_OK, "picture 2 of 2"},
        {"a page that is a loop", TIFFTAG_ORIENTATION, TIFF_SHORT, 1, 1, 3100, IMF_OK,
         "picture 2 of 2"},
        {"layers", 37724, TIFF_UNDEFINED, 1, 0, 0, IMF_OK, "layers (Photoshop)"},
        {"copies", TIFFTAG_SUBIFD, TIFF_LONG, 1, 3000, 0, IMF_OK, "picture below the first"},
        {"EXIF in itself", TIFFTAG_EXIFIFD, TIFF_LONG, 1, 8, 0, IMF_OK, ""},
        {"EXIF behind the end", TIFFTAG_EXIFIFD, TIFF_LONG, 1, 1 << 30, 0, IMF_OK, "EXIF"},
        {"a profile behind the end", TIFFTAG_ICCPROFILE, TIFF_UNDEFINED, 1 << 20, 8, 0, IMF_OK,
         "ICC profile"},
        {"XMP of 4 GB", TIFFTAG_XMLPACKET, TIFF_LONG, 1 << 30, 8, 0, IMF_OK, "XMP"},
        {"a small copy", TIFFTAG_SUBFILETYPE, TIFF_LONG, 1, FILETYPE_REDUCEDIMAGE, 0,
         IMF_ERR_FORMAT, "marked as a smaller copy"},
        {"tiles of no size", TIFFTAG_TILEWIDTH, TIFF_LONG, 1, 0, 0, IMF_ERR_DAMAGED, ""},
        {"large tiles", TIFFTAG_TILEWIDTH, TIFF_LONG, 1, 1 << 20, 0, IMF_ERR_LIMIT, "--max-pixels"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct file f;
        start(&f, 16, 16, 16);
        f.size = 3500;
        if (cases[k].tag == TIFFTAG_TILEWIDTH)
            entry(&f, TIFFTAG_TILELENGTH, TIFF_LONG, 1, 16);
        entry(&f, cases[k].tag, cases[k].type, cases[k].count, cases[k].value);
        put(&f, 10 + 12 * f.count, 4, cases[k].next);
        put(&f, 3000, 2, 1); /* a page: one entry, no next */
        put(&f, 3002, 2, TIFFTAG_IMAGEWIDTH);
        put(&f, 3100, 2, 1); /* a copy, and itself again */
        put(&f, 3102, 2, TIFFTAG_SUBFILETYPE);
        put(&f, 3104, 2, TIFF_LONG);
        put(&f, 3106, 4, 1);
        put(&f, 3110, 4, FILETYPE_REDUCEDIMAGE);
        put(&f, 3114, 4, 3100);
        check(cases[k].name, &f, cases[k].status, cases[k].says);
    }
}

/* A file that ends within its pixels: the rows before are there. */
static void test_cut(void) {
    const struct imf_limits lenient = {.lenient = true};
    struct file f;
    start(&f, 8, 30, 10);
    change(&f, TIFFTAG_STRIPOFFSETS, 3, 300);
    change(&f, TIFFTAG_STRIPBYTECOUNTS, 3, 320);
    for (size_t i = 0; i < 3; i++) {
        put(&f, 300 + 4 * i, 4, DATA + 80 * i);
        put(&f, 320 + 4 * i, 4, 80);
    }
    for (size_t i = 0; i < 240; i++)
        f.data[DATA + i] = (unsigned char)(i + 1);
    for (size_t size = 0; size < DATA + 240; size++) {
        struct decoded d = decode(f.data, size, NULL);
        CHECK(d.status &&
                  (!d.opened || strstr(d.err.text, size < DATA + 80 ? "no row" : "--lenient")),
              "%zu bytes: %s", size, d.err.text);
        bool opened = d.opened;
        done(&d);
        d = decode(f.data, size, &lenient);
        CHECK(d.opened == opened && d.status == (size < DATA + 80 ? d.status : IMF_OK), "%zu: %s",
              size, d.err.text);
        bool good = true;
        for (size_t i = 0; i < 240 && !d.status; i++)
            good = good && d.pixels[i] == (i < (size - DATA) / 80 * 80 ? i + 1 : 0);
        CHECK(good, "%zu bytes: rows that are neither right nor zero", size);
        done(&d);
    }
    struct decoded d = decode(f.data, DATA + 240, NULL);
    CHECK(!d.status && d.pixels[239] == 240, "%s", d.err.text);
    done(&d);
}

int main(void) {
    test_exif();
    test_lies();
    test_held();
    test_directories();
    test_cut();
    return check_done("test_tiff_damage");
}
#else
int main(void) {
    test_exif();
    CHECK(imf_format_from_name("tiff") == IMF_FORMAT_NONE, "a format without its library");
    return check_done("test_tiff_damage");
}
#endif
