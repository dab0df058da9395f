/*
 * test_codec_idat.c - PNG pixels deflated in blocks: one zlib stream, the same whatever the cores
 *
 * Chunks are taken apart here and inflated by zlib, which checks the Adler-32; pixels are read back
 * by the library's own reader, which is libpng's.
 */
#include "codec_util.h"

#include "codec/png/filter.h"

#include <sched.h>
#include <zlib.h>

static uint32_t get32(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The chunks of a file are whole, and IDAT hold one stream of `expected` bytes, which `plain` has room
 * for, and for one more. Returns the number of IDAT or 0. */
static int inflate_chunks(const struct bytes *file, size_t expected, unsigned char *plain) {
    z_stream z = {0};
    int count = 0, status = Z_OK;
    bool good = inflateInit(&z) == Z_OK, ended = false, between = false;
    z.next_out = plain;
    z.avail_out = (uInt)expected + 1;
    for (size_t at = 8; good && at < file->size;) {
        const unsigned char *p = file->data + at;
        size_t size = get32(p);
        good = at + 12 + size <= file->size && !ended &&
               get32(p + 8 + size) == crc32(crc32(0, NULL, 0), p + 4, (uInt)size + 4);
        if (good && memcmp(p + 4, "IDAT", 4) == 0) {
            good = !between && size > 0;
            z.next_in = (Bytef *)(uintptr_t)(p + 8);
            z.avail_in = (uInt)size;
            status = inflate(&z, Z_NO_FLUSH);
            good = good && (status == Z_OK || status == Z_STREAM_END) && !z.avail_in;
            count++;
        } else {
            between = count > 0;
        }
        ended = memcmp(p + 4, "IEND", 4) == 0;
        at += 12 + size;
    }
    good = good && ended && status == Z_STREAM_END && z.total_out == expected;
    inflateEnd(&z);
    return good ? count : 0;
}

static int check_chunks(const struct bytes *file, size_t expected) {
    unsigned char *plain = malloc(expected + 1);
    int count = inflate_chunks(file, expected, plain);
    free(plain);
    return count;
}

enum content { FLAT, SMOOTH, NOISE, DRAWN, CONTENTS };

static unsigned char *make_pixels(const struct imf_info *i, enum content content) {
    unsigned char *p = content == SMOOTH ? smooth_pixels(i) : random_pixels(i);
    if (content == FLAT)
        memset(p, 77, image_bytes(i));
    else if (content == DRAWN)
        for (size_t k = 0; k < image_bytes(i); k++)
            p[k] = (unsigned char)(k / 40 % 7 * 30 + k / 5000 % 3);
    return p;
}

/* Rows a few at a time, in steps that change. */
static struct bytes encode_steps(const struct imf_info *info, const unsigned char *pixels,
                                 const struct imf_encode *options, int step) {
    struct imf_writer *w;
    FILE *f = tmpfile();
    enum imf_status status = imf_writer_open(&w, f, info, options, NULL, NULL);
    for (int y = 0, rows; y < info->height && !status; y += rows) {
        rows = info->height - y < step ? info->height - y : step;
        status =
            imf_writer_rows(w, pixels + (size_t)y * row_bytes(info), row_bytes(info), rows, NULL);
        step = step % 50 + 1;
    }
    if (!status)
        status = imf_writer_finish(w, NULL);
    CHECK(status == IMF_OK, "written in steps: %d", status);
    struct bytes out = slurp(f);
    imf_writer_close(&w);
    fclose(f);
    return out;
}

static size_t filtered_bytes(const struct imf_info *i) {
    size_t bits = (size_t)i->width * (size_t)i->channels * (size_t)(i->bits ? i->bits : i->depth);
    return ((bits + 7) / 8 + 1) * (size_t)i->height;
}

static void check_image(const struct imf_info *info, enum content content, int level, int blocks) {
    struct imf_encode options = {.compression = level};
    struct imf_error err = {.text = ""};
    unsigned char *pixels = make_pixels(info, content);
    if (info->bits) /* what the file can hold of them */
        for (size_t k = 0; k < image_bytes(info); k++)
            pixels[k] =
                (unsigned char)((pixels[k] >> (8 - info->bits)) * 255 / ((1 << info->bits) - 1));
    struct bytes file = encode(info, pixels, &options, NULL, &err);
    CHECK(file.size > 0 && check_chunks(&file, filtered_bytes(info)) == blocks,
          "%dx%d, %d channels, %d bits, content %d, level %d: %d chunks of %d", info->width,
          info->height, info->channels, info->bits ? info->bits : info->depth, content, level,
          check_chunks(&file, filtered_bytes(info)), blocks);
    struct decoded d = decode(file.data, file.size, NULL);
    CHECK(d.status == IMF_OK && same_shape(&d.info, info) &&
              memcmp(d.pixels, pixels, image_bytes(info)) == 0,
          "%dx%d, %d channels, %d bits, content %d, level %d: %s", info->width, info->height,
          info->channels, info->bits ? info->bits : info->depth, content, level, d.err.text);
    done(&d);
    free(file.data);
    free(pixels);
}

static void test_shapes(void) {
    static const int sides[][2] = {{1, 1}, {1, 300}, {300, 1}, {7, 5}, {181, 67}};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
        for (int level = -1; level <= 9; level++)
            for (int kind = 0; kind < 8; kind++) {
                struct imf_info i =
                    shape(sides[s][0], sides[s][1], kind & 1 ? IMF_COLOR_RGB : IMF_COLOR_GRAY,
                          kind & 2, kind & 4 ? 16 : 8, IMF_FORMAT_PNG);
                check_image(&i, (enum content)((level + 1 + kind) % CONTENTS), level, 1);
            }
    for (int bits = 1; bits <= 4; bits *= 2)
        for (int level = 0; level <= 9; level++) {
            struct imf_info i = shape(331, 47, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_PNG);
            i.bits = bits;
            check_image(&i, (enum content)(level % CONTENTS), level, 1);
        }
}

/* PNG 3rd ed., 9.4 */
static int paeth(int left, int above, int corner) {
    int guess = left + above - corner;
    int a = abs(guess - left), b = abs(guess - above), c = abs(guess - corner);
    return a <= b && a <= c ? left : b <= c ? above : corner;
}

/* Rows that a predictor guesses to within a few levels are filtered by that predictor. */
static void test_predictors(void) {
    struct imf_info info = shape(400, 60, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_PNG);
    size_t filtered = filtered_bytes(&info);
    unsigned char *plain = malloc(filtered + 1);
    for (int filter = IMF_PNG_SUB; filter <= IMF_PNG_PAETH; filter++) {
        unsigned char *pixels = random_pixels(&info);
        for (int y = 1; y < info.height; y++) {
            unsigned char *row = pixels + y * info.width, *above = row - info.width;
            for (int x = 1; x < info.width; x++) {
                int guess = filter == IMF_PNG_SUB       ? row[x - 1]
                            : filter == IMF_PNG_UP      ? above[x]
                            : filter == IMF_PNG_AVERAGE ? (row[x - 1] + above[x]) / 2
                                                        : paeth(row[x - 1], above[x], above[x - 1]);
                row[x] = (unsigned char)(guess + row[x] % 13 - 6);
            }
        }
        struct bytes file = encode(&info, pixels, NULL, NULL, NULL);
        int chosen = 0;
        if (inflate_chunks(&file, filtered, plain) > 0)
            for (int y = 1; y < info.height; y++)
                chosen += plain[y * (info.width + 1)] == filter;
        CHECK(chosen > info.height * 3 / 4, "filter %d: chosen for %d of %d rows", filter, chosen,
              info.height - 1);
        free(file.data);
        free(pixels);
    }
    free(plain);
}

/* Several blocks, rows across their borders, and a row longer than a block. */
static void test_blocks(void) {
    for (int content = 0; content < CONTENTS; content++) {
        struct imf_info wide = shape(700001, 3, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_PNG);
        struct imf_info tall = shape(1, 800000, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_PNG);
        struct imf_info large = shape(1021, 700, IMF_COLOR_RGB, false, 8, IMF_FORMAT_PNG);
        struct imf_info exact = shape(262143, 4, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_PNG);
        check_image(&wide, (enum content)content, -1, 5);
        check_image(&tall, (enum content)content, content, 4);
        check_image(&large, (enum content)content, 6 - content, 5);
        check_image(&exact, (enum content)content, -1, 2);
    }
}

/* The file's bytes depend on the pixels and options, not on who computes when. */
static void test_same_bytes(void) {
    struct imf_info info = shape(1500, 900, IMF_COLOR_RGB, false, 8, IMF_FORMAT_PNG);
    cpu_set_t before, one;
    sched_getaffinity(0, sizeof before, &before);
    CPU_ZERO(&one);
    for (int k = 0; k < CPU_SETSIZE && !CPU_COUNT(&one); k++)
        if (CPU_ISSET(k, &before))
            CPU_SET(k, &one);
    for (int content = 0; content < CONTENTS; content++) {
        unsigned char *pixels = make_pixels(&info, (enum content)content);
        struct imf_encode options = {0};
        struct bytes whole = encode(&info, pixels, &options, NULL, NULL);
        CHECK(whole.size > 0, "not written");
        for (int step = 1; step < 50; step += 13) {
            options.max_memory = step == 1 ? 1 << 20 : 0;
            sched_setaffinity(0, sizeof one, step == 14 ? &one : &before);
            struct bytes steps = encode_steps(&info, pixels, &options, step);
            CHECK(steps.size == whole.size && memcmp(steps.data, whole.data, whole.size) == 0,
                  "content %d, step %d: other bytes", content, step);
            free(steps.data);
        }
        sched_setaffinity(0, sizeof before, &before);
        free(whole.data);
        free(pixels);
    }
}

/* A writer that is closed early, or whose disk is full, ends. */
static void test_ends(void) {
    struct imf_info info = shape(1500, 900, IMF_COLOR_RGB, false, 8, IMF_FORMAT_PNG);
    unsigned char *pixels = make_pixels(&info, NOISE);
    for (int rows = 0; rows <= 900; rows += 180) {
        struct imf_writer *w;
        FILE *f = tmpfile();
        CHECK(imf_writer_open(&w, f, &info, NULL, NULL, NULL) == IMF_OK &&
                  imf_writer_rows(w, pixels, row_bytes(&info), rows, NULL) == IMF_OK,
              "%d rows", rows);
        imf_writer_close(&w);
        fclose(f);
    }
    struct imf_writer *w;
    struct imf_error err = {.text = ""};
    FILE *full = fopen("/dev/full", "wb");
    if (full) {
        CHECK(imf_writer_open(&w, full, &info, NULL, NULL, &err) == IMF_OK, "%s", err.text);
        enum imf_status status = imf_writer_rows(w, pixels, row_bytes(&info), 900, &err);
        CHECK(status == IMF_ERR_IO && strstr(err.text, "space"), "%d: %s", status, err.text);
        imf_writer_close(&w);
        fclose(full);
    }
    free(pixels);
}

/* Each level is there for its size or for its speed; size is what can be tested. */
static void test_levels(void) {
    for (int content = SMOOTH; content < CONTENTS; content++) {
        struct imf_info info = shape(900, 400, IMF_COLOR_RGB, false, 8, IMF_FORMAT_PNG);
        unsigned char *pixels = make_pixels(&info, (enum content)content);
        size_t size[10], usual = 0;
        for (int level = -1; level <= 9; level++) {
            struct imf_encode options = {.compression = level};
            struct bytes file = encode(&info, pixels, &options, NULL, NULL);
            *(level == 0 ? &usual : &size[level < 0 ? 0 : level]) = file.size;
            free(file.data);
        }
        CHECK(usual == size[6], "the default is %zu bytes, level 6 %zu", usual, size[6]);
        CHECK(size[0] > image_bytes(&info), "IMF_COMPRESSION_NONE compresses");
        CHECK(size[9] <= size[8] + size[8] / 100 && size[9] <= size[6] && size[6] <= size[1] &&
                  size[1] <= size[0],
              "content %d: %zu, %zu, %zu, %zu, %zu bytes at 0, 1, 6, 8, 9", content, size[0],
              size[1], size[6], size[8], size[9]);
        free(pixels);
    }
}

/* ---- beside libpng --------------------------------------------------------------------------- */

enum { WIDTH = 1200, HEIGHT = 800, GLYPHS = 64, GLYPH = 9 };

/* Lines of words, of glyphs with soft edges, from the left or the middle on. */
static void draw_text(unsigned char *pixels, int left, int between) {
    unsigned char glyph[GLYPHS][GLYPH][GLYPH];
    for (int g = 0; g < GLYPHS; g++)
        for (int k = 0; k < GLYPH * GLYPH; k++)
            glyph[g][k / GLYPH][k % GLYPH] =
                random_byte() % 3 ? 255 : (unsigned char)(random_byte() & 0xe0);
    for (int top = 20; top + GLYPH < HEIGHT; top += between)
        for (int x = left; x + GLYPH < WIDTH - 20; x += GLYPH - 1) {
            unsigned g = random_byte() % (GLYPHS + 10);
            for (int k = 0; g < GLYPHS && k < GLYPH * GLYPH; k++)
                memset(pixels + ((size_t)(top + k / GLYPH) * WIDTH + (size_t)(x + k % GLYPH)) * 3,
                       glyph[g][k / GLYPH][k % GLYPH], 3);
        }
}

/* Screenshots are no more than a fiftieth larger than libpng's own: a desktop of icons that names
 * stand below, and a photograph with text beside it. */
static void test_screenshots(void) {
    struct imf_info info = shape(WIDTH, HEIGHT, IMF_COLOR_RGB, false, 8, IMF_FORMAT_PNG);
    unsigned char *pixels = malloc(image_bytes(&info));
    for (int kind = 0; kind < 2; kind++) {
        memset(pixels, 255, image_bytes(&info));
        draw_text(pixels, kind ? WIDTH / 2 : 20, kind ? 16 : 60);
        for (size_t y = 0; y < HEIGHT; y++)
            for (size_t x = 0; x < WIDTH / 2; x++)
                for (size_t k = 0;
                     k < 3 && (kind || (y % 127 > 60 && y % 127 < 100 && x % 53 < 40)); k++)
                    pixels[(y * WIDTH + x) * 3 + k] =
                        (unsigned char)(kind ? 60 + y / 8 + k * x / 16 + random_byte() % 8
                                             : y % 127 * (k + 1));
        struct bytes plain = plain_png(&info, pixels, PNG_INTERLACE_NONE);
        struct bytes ours = encode(&info, pixels, NULL, NULL, NULL);
        CHECK(ours.size <= plain.size + plain.size / 50, "screenshot %d: %zu bytes, libpng's %zu",
              kind, ours.size, plain.size);
        free(ours.data);
        free(plain.data);
    }
    free(pixels);
}

int main(void) {
    test_shapes();
    test_predictors();
    test_blocks();
    test_same_bytes();
    test_ends();
    test_levels();
    test_screenshots();
    return check_done("test_codec_idat");
}
