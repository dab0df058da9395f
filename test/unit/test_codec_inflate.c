/*
 * test_codec_inflate.c - PNG inflated by ISA-L and by zlib: the same rows, warnings and errors
 *
 * A file is inflated by ISA-L, where it is built in, and a stream in memory, which cannot be read a second
 * time, by zlib.
 */
#include "codec_util.h"

#include <zlib.h>

static void put32(unsigned char *to, size_t value) {
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> (24 - 8 * i));
}

static size_t put_chunk(unsigned char *to, const char *type, const unsigned char *data,
                        size_t size) {
    put32(to, size);
    memcpy(to + 4, type, 4);
    if (size)
        memcpy(to + 8, data, size);
    put32(to + 8 + size, crc32(0, to + 4, (uInt)size + 4));
    return size + 12;
}

struct form {
    int bits, type, interlace;
    size_t chunk;  /* bytes of an IDAT */
    size_t beyond; /* bytes after the last row, before they are deflated; and then */
    size_t behind; /* after the stream */
    bool empty;    /* an empty IDAT after each */
    int window;    /* bits of it */
    int strategy, level;
    const char *name;
};

enum { WIDTH = 61, HEIGHT = 83, ROOM = 1 << 17 };

/* What rows inflate to: filters in turn, and samples with some noise. */
static size_t filtered_rows(const struct form *f, unsigned char *to) {
    static const int channels[] = {1, 0, 3, 1, 2, 0, 4};
    size_t n = 0;
    for (int pass = 0; pass < (f->interlace ? 7 : 1); pass++) {
        int columns = f->interlace ? PNG_PASS_COLS(WIDTH, pass) : WIDTH;
        int rows = f->interlace ? PNG_PASS_ROWS(HEIGHT, pass) : HEIGHT;
        int bytes = (columns * channels[f->type] * f->bits + 7) / 8;
        for (int y = 0; y < rows && columns; y++) {
            to[n++] = (unsigned char)(random_byte() % 5);
            for (int x = 0; x < bytes; x++)
                to[n++] = (unsigned char)(random_byte() % 8 ? x / 5 : (int)random_byte());
        }
    }
    return n;
}

static struct bytes make_png(const struct form *f) {
    unsigned char *rows = calloc(2, ROOM), *deflated = calloc(2, ROOM), palette[768];
    struct bytes out = {malloc(1 << 20), 8};
    z_stream z = {.next_in = rows, .next_out = deflated, .avail_out = 2 * ROOM};
    z.avail_in = (uInt)(filtered_rows(f, rows) + f->beyond);
    deflateInit2(&z, f->level, Z_DEFLATED, f->window, 8, f->strategy);
    CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END, "%s: room", f->name);
    size_t size = z.total_out + f->behind;
    deflateEnd(&z);
    unsigned char header[13] = {0};
    put32(header, WIDTH);
    put32(header + 4, HEIGHT);
    header[8] = (unsigned char)f->bits;
    header[9] = (unsigned char)f->type;
    header[12] = (unsigned char)f->interlace;
    memcpy(out.data, "\x89PNG\r\n\x1a\n", 8);
    out.size += put_chunk(out.data + out.size, "IHDR", header, sizeof header);
    for (size_t i = 0; i < sizeof palette; i++)
        palette[i] = (unsigned char)random_byte();
    if (f->type == PNG_COLOR_TYPE_PALETTE)
        out.size += put_chunk(out.data + out.size, "PLTE", palette, (size_t)3 << f->bits);
    for (size_t at = 0; at < size; at += f->chunk) {
        size_t n = size - at < f->chunk ? size - at : f->chunk;
        out.size += put_chunk(out.data + out.size, "IDAT", deflated + at, n);
        out.size += f->empty ? put_chunk(out.data + out.size, "IDAT", NULL, 0) : 0;
    }
    out.size += put_chunk(out.data + out.size, "tEXt", (const unsigned char *)"Title\0late", 10);
    out.size += put_chunk(out.data + out.size, "IEND", NULL, 0);
    free(rows);
    free(deflated);
    return out;
}

/* Chunks that may be damaged get a CRC that fits them. */
static void mend(unsigned char *data, size_t size) {
    for (size_t at = 8; at + 12 <= size;) {
        size_t n = (size_t)data[at] << 24 | (size_t)data[at + 1] << 16 | (size_t)data[at + 2] << 8 |
                   data[at + 3];
        if (n > size - at - 12)
            return;
        put32(data + at + 8 + n, crc32(0, data + at + 4, (uInt)n + 4));
        at += n + 12;
    }
}

struct outcome {
    enum imf_status status;
    int rows;
    size_t size; /* of a row */
    unsigned char *pixels;
    char text[600]; /* error and warning */
};

static struct outcome read_rows(FILE *f) {
    struct imf_reader *r;
    struct imf_error err = {.text = ""};
    struct outcome out = {.status = imf_reader_open(&r, f, NULL, &err)};
    const char *warning = NULL;
    if (!out.status) {
        const struct imf_info *info = imf_reader_info(r);
        out.size = row_bytes(info);
        out.pixels = malloc(out.size * (size_t)info->height);
        while (out.rows < info->height && !out.status) {
            int n = info->height - out.rows < 5 ? info->height - out.rows : 5;
            out.status =
                imf_reader_rows(r, out.pixels + out.size * (size_t)out.rows, out.size, n, &err);
            out.rows += out.status ? 0 : n;
        }
        warning = imf_reader_warning(r);
        snprintf(out.text, sizeof out.text, "%s; %s", err.text, warning ? warning : "");
        imf_reader_close(&r);
    } else {
        snprintf(out.text, sizeof out.text, "%s", err.text);
    }
    fclose(f);
    return out;
}

/* In a damaged file ISA-L may read further, as zlib gets the file in larger pieces. */
static void compare(const unsigned char *data, size_t size, const char *name, const char *what,
                    size_t which) {
    struct outcome file = read_rows(stream_of(data, size)),
                   memory = read_rows(fmemopen((void *)(uintptr_t)data, size, "rb"));
    size_t rows = (size_t)(file.rows < memory.rows ? file.rows : memory.rows);
    CHECK(file.status == memory.status && strcmp(file.text, memory.text) == 0 &&
              (file.status || file.rows == memory.rows) && file.rows >= memory.rows &&
              (!rows || memcmp(file.pixels, memory.pixels, rows * file.size) == 0),
          "%s, %s %zu: %d rows, %d '%s', not %d, %d '%s'", name, what, which, file.rows,
          (int)file.status, file.text, memory.rows, (int)memory.status, memory.text);
    free(file.pixels);
    free(memory.pixels);
}

static void check_form(const struct form *f, size_t cuts, int damages) {
    struct bytes good = make_png(f);
    unsigned char *bad = malloc(good.size);
    compare(good.data, good.size, f->name, "whole", 0);
    for (size_t n = 1; n < good.size; n += good.size / cuts + 1)
        compare(good.data, n, f->name, "cut at", n);
    for (int k = 0; k < damages; k++) {
        memcpy(bad, good.data, good.size);
        for (int i = k % 3; i >= 0; i--)
            bad[(random_byte() << 16 | random_byte() << 8 | random_byte()) % good.size] ^=
                (unsigned char)(1 << random_byte() % 8);
        compare(bad, good.size, f->name, "damaged", (size_t)k);
        mend(bad, good.size);
        compare(bad, good.size, f->name, "damaged, with CRCs", (size_t)k);
    }
    free(bad);
    free(good.data);
}

static void test_forms(void) {
    static const struct {
        int type, bits;
    } kinds[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 1},
                 {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int interlace = 0; interlace < 2; interlace++) {
            char name[60];
            snprintf(name, sizeof name, "type %d, %d bits, interlace %d", kinds[k].type,
                     kinds[k].bits, interlace);
            struct form f = {
                kinds[k].bits, kinds[k].type, interlace, 50 + 1000 * k, 0, 0, k % 2 == 0, 15, 0, 6,
                name};
            check_form(&f, 12, 12);
        }
}

static void test_streams(void) {
    static const struct form forms[] = {
        {8, 2, 0, 1, 0, 0, false, 15, 0, 9, "IDAT of a byte"},
        {8, 2, 0, 2, 0, 0, true, 15, 0, 6, "IDAT of two bytes"},
        {8, 2, 0, 70000, 1, 0, false, 15, 0, 6, "one byte more"},
        {8, 2, 0, 300, 184, 0, false, 15, 0, 6, "one row more"},
        {8, 2, 0, 70000, 70000, 0, false, 15, 0, 6, "much more"},
        {8, 2, 0, 70000, 0, 1, false, 15, 0, 6, "a byte behind"},
        {8, 2, 0, 50, 0, 500, false, 15, 0, 6, "bytes behind"},
        {8, 2, 1, 50, 9, 5, true, 15, 0, 6, "interlaced, more and behind"},
        {8, 2, 0, 70000, 0, 0, false, 9, 0, 6, "a small window"},
        {8, 6, 0, 8192, 0, 0, false, 15, Z_HUFFMAN_ONLY, 6, "no matches"},
        {8, 6, 0, 8192, 0, 0, false, 15, Z_FIXED, 6, "fixed codes"},
        {8, 6, 0, 8192, 0, 0, false, 15, Z_DEFAULT_STRATEGY, 0, "stored"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        check_form(&forms[i], 25, 25);
}

/* The two bytes that say how a stream is made, in all ways. */
static void test_heads(void) {
    struct form f = {8, 2, 0, 70000, 0, 0, false, 15, 0, 6, "heads"};
    struct bytes png = make_png(&f);
    for (size_t head = 0; head < 1 << 16; head += 31) {
        put32(png.data + 41,
              (head + (head % 5 == 0)) << 16 | (size_t)png.data[43] << 8 | png.data[44]);
        mend(png.data, png.size);
        compare(png.data, png.size, f.name, "head", head);
    }
    free(png.data);
}

int main(void) {
    test_forms();
    test_streams();
    test_heads();
    return check_done("test_codec_inflate");
}
