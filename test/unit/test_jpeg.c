/*
 * test_jpeg.c - JPEG that is odd, cut off or hostile: what is damage, what is lost, what is refused
 */
#include "codec/jpeg/markers.h"
#include "codec/source.h"
#include "codec_util.h"

#include <jpeglib.h>

#include <setjmp.h>

enum { SIZE = 64 };

static const struct imf_limits lenient = {.lenient = true};

static struct imf_info rgb(void) {
    return shape(SIZE, SIZE, IMF_COLOR_RGB, false, 8, IMF_FORMAT_JPEG);
}

/* A file of libjpeg's own writer. */
static struct bytes picture(const struct jpeg_options *options) {
    struct imf_info i = rgb();
    unsigned char *pixels = smooth_pixels(&i);
    for (size_t k = 0; k < image_bytes(&i); k++)
        pixels[k] = (unsigned char)(pixels[k] + random_byte() % 32);
    struct bytes file = plain_jpeg(&i, pixels, options);
    free(pixels);
    return file;
}

/* The place of the n-th such marker, from 0 on. */
static size_t marker_at(struct bytes file, int code, int n) {
    for (size_t i = 0; i + 1 < file.size; i++)
        if (file.data[i] == 0xff && file.data[i + 1] == code && n-- == 0)
            return i;
    CHECK(false, "no marker %x", (unsigned)code);
    return 0;
}

static bool same_pixels(const struct decoded *a, const struct decoded *b) {
    return a->pixels && b->pixels && memcmp(a->pixels, b->pixels, image_bytes(&a->info)) == 0;
}

/* ---- libjpeg ------------------------------------------------------------------------------ */

static void leave(j_common_ptr c) {
    longjmp(*(jmp_buf *)c->client_data, 1);
}

static void count(j_common_ptr c, int level) {
    c->err->num_warnings += level < 0;
}

/* What libjpeg makes of a file, damaged or not, as djpeg has it; its warnings. NULL: an error. */
static unsigned char *by_libjpeg(const unsigned char *data, size_t size, int *warnings) {
    struct imf_info i = rgb();
    unsigned char *volatile pixels = malloc(image_bytes(&i));
    struct jpeg_decompress_struct c = {0};
    struct jpeg_error_mgr errors;
    jmp_buf jump;
    c.err = jpeg_std_error(&errors);
    errors.error_exit = leave;
    errors.emit_message = count;
    c.client_data = &jump;
    if (setjmp(jump)) {
        free(pixels);
        pixels = NULL;
    } else {
        jpeg_create_decompress(&c);
        jpeg_mem_src(&c, data, size);
        jpeg_read_header(&c, TRUE);
        jpeg_start_decompress(&c);
        while (c.output_scanline < c.output_height) {
            JSAMPROW row = pixels + c.output_scanline * row_bytes(&i);
            jpeg_read_scanlines(&c, &row, 1);
        }
        jpeg_finish_decompress(&c);
    }
    *warnings = (int)errors.num_warnings;
    jpeg_destroy_decompress(&c);
    return pixels;
}

/* ---- damage ------------------------------------------------------------------------------- */

static const struct jpeg_options kinds[] = {{.h = 2, .v = 2}, {.h = 1, .v = 1},
                                            {.h = 1, .v = 2}, {.progressive = true},
                                            {.apart = true},  {.h = 2, .v = 2, .restart = 3}};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* Cameras write numbers into a sequential image's scan header that mean nothing there. */
static void test_odd_scan_header(void) {
    struct bytes file = picture(&kinds[0]);
    struct decoded good = decode(file.data, file.size, NULL);
    size_t tail = marker_at(file, 0xda, 0) + 5 + 2 * 3;
    CHECK(file.data[tail] == 0 && file.data[tail + 1] == 63, "not a scan header's end");
    file.data[tail + 1] = 0;
    struct decoded odd = decode(file.data, file.size, NULL);
    const char *warning = odd.reader ? imf_reader_warning(odd.reader) : NULL;
    CHECK(odd.status == IMF_OK && warning && strstr(warning, "SOS"), "%s", odd.err.text);
    CHECK(same_pixels(&good, &odd), "pixels differ");
    done(&odd);
    done(&good);
    free(file.data);
}

/* What lacks its last two bytes alone lacks no pixel. */
static void test_no_end_marker(void) {
    for (size_t k = 0; k < KINDS; k++) {
        struct bytes file = picture(&kinds[k]);
        for (size_t cut = 1; cut <= 2; cut++) {
            struct decoded whole = decode(file.data, file.size, NULL);
            struct decoded strict = decode(file.data, file.size - cut, NULL);
            struct decoded part = decode(file.data, file.size - cut, &lenient);
            CHECK(strict.status == IMF_ERR_DAMAGED && strstr(strict.err.text, "--lenient"),
                  "kind %zu: %s", k, strict.err.text);
            CHECK(part.status == IMF_OK && imf_reader_warning(part.reader), "kind %zu: %s", k,
                  part.err.text);
            CHECK(same_pixels(&whole, &part), "kind %zu: pixels differ", k);
            done(&part);
            done(&strict);
            done(&whole);
        }
        free(file.data);
    }
}

/* Rows above the end are right to the last; those below are libjpeg's. */
static void test_cut_rows(void) {
    for (size_t k = 0; k < 3; k++) {
        struct bytes file = picture(&kinds[k]);
        struct decoded whole = decode(file.data, file.size, NULL);
        int before = 0, warnings;
        for (size_t n = marker_at(file, 0xda, 0) + 14; n < file.size; n += 7) {
            struct decoded part = decode(file.data, n, &lenient);
            unsigned char *want = by_libjpeg(file.data, n, &warnings);
            size_t stride = row_bytes(&whole.info);
            int right = 0;
            while (right < SIZE && part.status == IMF_OK &&
                   memcmp(part.pixels + (size_t)right * stride,
                          whole.pixels + (size_t)right * stride, stride) == 0)
                right++;
            CHECK(part.status != IMF_OK || memcmp(part.pixels, want, SIZE * stride) == 0,
                  "kind %zu, %zu bytes: row %d", k, n, right);
            CHECK(right >= before, "kind %zu, %zu bytes: %d rows, %d before", k, n, right, before);
            CHECK(right > 0 || part.status == IMF_ERR_DAMAGED,
                  "kind %zu, %zu bytes: no row, and ok", k, n);
            CHECK(part.status == IMF_OK || (right == 0 && strstr(part.err.text, "no row of it")),
                  "%s", part.err.text);
            before = right;
            free(want);
            done(&part);
        }
        CHECK(before >= SIZE - 17, "kind %zu: %d rows at last", k, before);
        done(&whole);
        free(file.data);
    }
}

/* Some bytes of the scans overwritten, zeroed or missing, or a restart marker that is another's or
 * missing; no marker is made. */
static void damage(struct bytes *file, int kind) {
    size_t first = marker_at(*file, 0xda, 0) + 14, at, count = 24;
    do {
        size_t drawn = (size_t)random_byte() << 8 | random_byte();
        at = first + drawn % (file->size - 64 - first);
    } while (file->data[at - 1] == 0xff);
    for (size_t i = at; kind >= 3 && i + 8 < file->size; i++)
        if (file->data[i] == 0xff && file->data[i + 1] >= 0xd0 && file->data[i + 1] < 0xd8) {
            at = i;
            break;
        }
    unsigned char *p = file->data + at;
    if (kind == 3) {
        p[1] = (unsigned char)(0xd0 + (p[1] + 1 + random_byte() % 7) % 8);
    } else if (kind == 2 || kind == 4) {
        count = kind == 2 ? count : 2;
        memmove(p, p + count, file->size - at - count);
        file->size -= count;
    } else {
        for (size_t i = 0; i < count; i++)
            p[i] = (unsigned char)(kind == 0 ? random_byte() % 255 : 0);
    }
}

/* Damage that libjpeg warns of is refused; lenient reading gives what libjpeg does, to the last row. */
static void test_damage(void) {
    int refused = 0, drawn = 0;
    for (size_t k = 0; k < KINDS; k++)
        for (int n = 0; n < 100; n++) {
            int kind = n % (kinds[k].restart ? 5 : 3), warnings;
            struct bytes file = picture(&kinds[k]);
            damage(&file, kind);
            unsigned char *want = by_libjpeg(file.data, file.size, &warnings);
            struct decoded strict = decode(file.data, file.size, NULL);
            struct decoded part = decode(file.data, file.size, &lenient);
            CHECK(!want || (part.status == IMF_OK &&
                            memcmp(part.pixels, want, image_bytes(&part.info)) == 0),
                  "kind %zu, damage %d: not libjpeg's pixels: %s", k, kind, part.err.text);
            CHECK(warnings == 0 ||
                      (strict.status == IMF_ERR_DAMAGED &&
                       (strstr(strict.err.text, "--lenient") != NULL) == (part.status == IMF_OK)),
                  "kind %zu, damage %d: strict: %s; lenient: %s", k, kind, strict.err.text,
                  part.err.text);
            CHECK(warnings == 0 || part.status != IMF_OK || imf_reader_warning(part.reader),
                  "kind %zu, damage %d: no warning", k, kind);
            refused += strict.status == IMF_ERR_DAMAGED;
            drawn++;
            done(&part);
            done(&strict);
            free(want);
            free(file.data);
        }
    CHECK(refused > drawn / 2, "%d of %d refused", refused, drawn);
}

/* Zeros behind the last scan are padding, and so is anything between the header's segments. */
static void test_padding(void) {
    static const struct {
        const char *bytes;
        int marker;
        bool damage;
    } cases[] = {{"\0\0\0\0\0\0\0\0", 0xd9, false},
                 {"\0\0\0\0\0\0\0\1", 0xd9, true},
                 {"\1\2\3\4\5\6\7\10", 0xda, false},
                 {"\0\0\0\0\0\0\0\0", 0xd0, true}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct bytes file = picture(&kinds[5]);
        struct decoded whole = decode(file.data, file.size, NULL);
        size_t at = marker_at(file, cases[k].marker, 0), more = 32;
        unsigned char *padded = malloc(file.size + more);
        memcpy(padded, file.data, at);
        for (size_t i = 0; i < more; i++)
            padded[at + i] = (unsigned char)cases[k].bytes[i % 8];
        memcpy(padded + at + more, file.data + at, file.size - at);
        struct decoded d = decode(padded, file.size + more, NULL);
        CHECK(d.status == (cases[k].damage ? IMF_ERR_DAMAGED : IMF_OK), "case %zu: %s", k,
              d.err.text);
        CHECK(cases[k].damage || same_pixels(&whole, &d), "case %zu: pixels differ", k);
        CHECK(cases[k].damage || imf_reader_warning(d.reader), "case %zu: no warning", k);
        done(&d);
        done(&whole);
        free(padded);
        free(file.data);
    }
}

/* With `count` bytes inserted at `at`, and a comment before them so that they end at `end`. */
static struct bytes with_bytes(struct bytes file, size_t at, const unsigned char *bytes,
                               size_t count, size_t end) {
    size_t comment = end - at - count;
    struct bytes out = {calloc(1, file.size + count + comment), file.size + count + comment};
    memcpy(out.data, file.data, 2);
    memcpy(out.data + 2,
           (unsigned char[]){0xff, 0xfe, (unsigned char)((comment - 2) >> 8),
                             (unsigned char)(comment - 2)},
           4);
    memcpy(out.data + 2 + comment, file.data + 2, at - 2);
    memcpy(out.data + comment + at, bytes, count);
    memcpy(out.data + end, file.data + at, file.size - at);
    return out;
}

/* Padding is told from damage wherever the bytes that were read at once end. */
static void test_padding_across_reads(void) {
    enum { COUNT = 32 };
    struct bytes file = picture(&kinds[0]);
    size_t at = marker_at(file, 0xd9, 0);
    for (size_t end = IMF_SOURCE_SIZE - 4; end <= IMF_SOURCE_SIZE + COUNT + 4; end++)
        for (int k = 0; k < 3; k++) { /* all zeros; one in the middle, the last is not */
            unsigned char bytes[COUNT] = {0};
            bytes[k == 1 ? COUNT / 2 : COUNT - 1] = k > 0;
            struct bytes padded = with_bytes(file, at, bytes, COUNT, end);
            struct decoded d = decode(padded.data, padded.size, NULL);
            CHECK(d.status == (k > 0 ? IMF_ERR_DAMAGED : IMF_OK), "case %d, end %zu: %s", k, end,
                  d.err.text);
            done(&d);
            free(padded.data);
        }
    free(file.data);
}

/* What a decoder did not use of a file that lacks its end marker: pixels are wrong. */
static void test_unused_at_end(void) {
    for (size_t k = 0; k < KINDS; k++)
        for (int garbage = 0; garbage <= 1; garbage++) {
            struct bytes file = picture(&kinds[k]);
            size_t end = file.size - 2;
            file.data = realloc(file.data, end + 32);
            memset(file.data + end, garbage * 0x55, 32);
            struct decoded strict = decode(file.data, end + 32, NULL);
            struct decoded part = decode(file.data, end + 32, &lenient);
            const char *warning = part.status ? NULL : imf_reader_warning(part.reader);
            CHECK(strict.status == IMF_ERR_DAMAGED && !strstr(strict.err.text, "no pixel"),
                  "kind %zu: %s", k, strict.err.text);
            CHECK(warning && strstr(warning, "truncated") && !strstr(warning, "no pixel"),
                  "kind %zu: %s", k, warning ? warning : part.err.text);
            done(&part);
            done(&strict);
            free(file.data);
        }
}

/* Between two scans, within their tables: what the scans before gave is there. */
static void test_cut_between_scans(void) {
    struct bytes file = picture(&kinds[3]);
    size_t second = marker_at(file, 0xc4, 4);
    for (size_t n = second; n < second + 12; n++) {
        struct decoded part = decode(file.data, n, &lenient);
        const char *warning = part.reader ? imf_reader_warning(part.reader) : NULL;
        CHECK(part.status == IMF_OK && warning && strstr(warning, "detail is missing"), "%s",
              part.err.text);
        done(&part);
    }
    free(file.data);
}

/* A header that promises 254 components and ends there. */
static void test_many_components(void) {
    unsigned char file[29] = "\xff\xd8\xff\xc0\x03\x02\x08\0\x10\0\x10\xfe";
    struct decoded d = decode(file, sizeof file, &lenient);
    CHECK(d.status == IMF_ERR_DAMAGED && strstr(d.err.text, "in the header"), "%s", d.err.text);
    done(&d);
}

/* ---- limits ------------------------------------------------------------------------------- */

/* A gray progressive image whose scans behind the first are empty: a run of no coefficients. */
static struct bytes scans(int count) {
    static const unsigned char head[] =
        "\xff\xd8\xff\xc2\0\x0b\x08\0\x40\0\x40\1\1\x11\0"       /* SOF2: 64x64, one component */
        "\xff\xc4\0\x14\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"     /* DHT, DC: 0 bits */
        "\xff\xc4\0\x14\x10\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x60" /* DHT, AC: a run of 64 and more */
        "\xff\xda\0\x08\1\1\0\0\0\0\0\0\0\0\0\0\0\0";            /* SOS, DC of 64 blocks */
    static const unsigned char scan[] = "\xff\xda\0\x08\1\1\0\1\x3f\0\1"; /* one run of 64 blocks */
    struct bytes file = {malloc(1 << 20), 0};
    memcpy(file.data, "\xff\xd8\xff\xdb\0\x43\0", 7);
    memset(file.data + 7, 16, 64);
    memcpy(file.data + 71, head + 2, sizeof head - 3);
    file.size = 71 + sizeof head - 3;
    for (int i = 1; i < count; i++, file.size += sizeof scan - 1)
        memcpy(file.data + file.size, scan, sizeof scan - 1);
    memcpy(file.data + file.size, "\xff\xd9", 2);
    file.size += 2;
    return file;
}

static void test_scans(void) {
    enum { PIXELS = SIZE * SIZE };
    static const struct {
        int scans;
        struct imf_limits limits;
        const char *says; /* NULL: it is read */
    } cases[] = {
        {100, {.max_scans = 100}, NULL},
        {101, {.max_scans = 100}, "--max-scans"},
        {101, {.max_scans = 0}, NULL},
        {1000, {.max_scans = 100, .lenient = true}, "--max-scans"},
        {16, {.max_scans = 100, .max_pixels = PIXELS}, NULL},
        {17, {.max_scans = 100, .max_pixels = PIXELS}, "--max-pixels"},
        {20000, {.max_scans = 15000, .max_memory = 2 * PIXELS}, "--max-scans"},
        {20000, {.max_pixels = 16 * PIXELS * 70, .max_memory = 2 * PIXELS}, "--max-pixels"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct bytes file = scans(cases[k].scans);
        struct decoded d = decode(file.data, file.size, &cases[k].limits);
        CHECK(cases[k].says ? d.status == IMF_ERR_LIMIT && strstr(d.err.text, cases[k].says)
                            : d.status == IMF_OK,
              "scans, case %zu: %s", k, d.err.text);
        done(&d);
        free(file.data);
    }
}

/* Hundreds of thousands of segments, each in constant
 * time: in libjpeg's list this takes minutes. */
static void test_many_segments(void) {
    enum { COUNT = 300000 };
    static const unsigned char kinds_of[][10] = {
        {0xff, 0xfe, 0, 2}, {0xff, 0xed, 0, 2}, {0xff, 0xe1, 0, 8, 'E', 'x', 'i', 'f'}};
    struct bytes file = picture(&kinds[0]);
    for (int k = 0; k < 3; k++) {
        size_t each = kinds_of[k][3] + 2u, size = file.size + COUNT * each;
        unsigned char *data = malloc(size), *to = data + 2;
        memcpy(data, file.data, 2);
        for (int i = 0; i < COUNT; i++, to += each)
            memcpy(to, kinds_of[k], each);
        memcpy(to, file.data + 2, file.size - 2);
        struct decoded d = decode(data, size, NULL);
        int items = 0;
        for (const struct imf_meta_item *m = d.opened ? imf_reader_metadata(d.reader)->first : NULL;
             m; m = m->next)
            items++;
        CHECK(d.status == IMF_OK && items == (k < 2 ? COUNT : 1), "%d items: %s", items,
              d.err.text);
        done(&d);
        free(data);
    }
    free(file.data);
}

/* ---- keep --------------------------------------------------------------------------------- */

/* A component's table may stand between the scans, before its first. */
static void test_late_table(void) {
    struct bytes file = picture(&kinds[4]);
    struct decoded before = decode(file.data, file.size, NULL);
    size_t table = marker_at(file, 0xdb, 1), scan = marker_at(file, 0xda, 1), size = 2 + 67;
    unsigned char kept[2 + 67];
    memcpy(kept, file.data + table, size);
    memmove(file.data + table, file.data + table + size, scan - table - size);
    memcpy(file.data + scan - size, kept, size);
    struct decoded after = decode(file.data, file.size, NULL);
    CHECK(after.status == IMF_OK && same_pixels(&before, &after), "%s", after.err.text);
    const struct imf_jpeg_source *a = &imf_reader_metadata(before.reader)->jpeg,
                                 *b = &imf_reader_metadata(after.reader)->jpeg;
    CHECK(b->components == 3 && b->has_table[1], "%d components", b->components);
    CHECK(memcmp(a->quant, b->quant, sizeof a->quant) == 0, "tables");
    done(&after);
    done(&before);
    free(file.data);
}

int main(void) {
    test_odd_scan_header();
    test_no_end_marker();
    test_cut_rows();
    test_damage();
    test_padding();
    test_padding_across_reads();
    test_unused_at_end();
    test_cut_between_scans();
    test_many_components();
    test_scans();
    test_many_segments();
    test_late_table();
    return check_done("test_jpeg");
}
