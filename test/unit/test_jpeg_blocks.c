/*
 * test_jpeg_blocks.c - JPEGs of which a part changes: other blocks keep their coefficients, and those
 * that changed get what the encoder gives them
 */
#include "codec_util.h"

#include <jpeglib.h>

enum { DRAWS = 300, SIDE = 75 };

struct coefficients {
    struct jpeg_decompress_struct d;
    struct jpeg_error_mgr errors;
    jvirt_barray_ptr *arrays;
};

static void read_coefficients(struct coefficients *c, struct bytes file) {
    c->d.err = jpeg_std_error(&c->errors);
    jpeg_create_decompress(&c->d);
    jpeg_mem_src(&c->d, file.data, file.size);
    jpeg_read_header(&c->d, TRUE);
    c->arrays = jpeg_read_coefficients(&c->d);
}

static const JCOEF *block(struct coefficients *c, int component, int x, int y) {
    return c->d.mem->access_virt_barray((j_common_ptr)&c->d, c->arrays[component], (JDIMENSION)y, 1,
                                        FALSE)[0][x];
}

static const struct imf_limits keep = {.keep_blocks = true}, usual = {.keep_blocks = false};
static char warning[640]; /* of the last writer */

/* A part of the picture. */
struct part {
    int x, y, width, height;
};

static bool touches(const struct part *p, int x, int y, int width, int height) {
    return x < p->x + p->width && p->x < x + width && y < p->y + p->height && p->y < y + height;
}

/* A picture, how it is encoded, and the part that changes. */
struct draw {
    struct imf_info info;
    struct jpeg_options options;
    struct part part;
    bool luma; /* the same is added to all channels */
};

static struct draw draw(void) {
    static const struct {
        enum imf_color color;
        J_COLOR_SPACE space;
    } kinds[] = {{IMF_COLOR_RGB, JCS_YCbCr}, {IMF_COLOR_RGB, JCS_YCbCr},
                 {IMF_COLOR_RGB, JCS_RGB},   {IMF_COLOR_GRAY, JCS_GRAYSCALE},
                 {IMF_COLOR_CMYK, JCS_CMYK}, {IMF_COLOR_CMYK, JCS_YCCK}};
    unsigned kind = random_byte() % 6;
    struct draw d = {.info = shape(1 + (int)(random_byte() % SIDE), 1 + (int)(random_byte() % SIDE),
                                   kinds[kind].color, false, 8, IMF_FORMAT_JPEG),
                     .options = {.progressive = random_byte() % 4 == 0,
                                 .arithmetic = random_byte() % 5 == 0,
                                 .optimize = random_byte() % 2,
                                 .restart = random_byte() % 3 ? 0 : 1 + (int)(random_byte() % 5),
                                 .space = kinds[kind].space,
                                 .quality = 40 + (int)(random_byte() % 60),
                                 .h = 1 << random_byte() % 3,
                                 .v = 1 << random_byte() % 2}};
    d.options.optimize = d.options.optimize && !d.options.arithmetic; /* libjpeg refuses both */
    d.options.apart = kind < 3 && !d.options.progressive && random_byte() % 5 == 0;
    if (d.options.h == 4)
        d.options.v = 1; /* an MCU has ten blocks at most */
    d.part.x = (int)random_byte() % d.info.width;
    d.part.y = (int)random_byte() % d.info.height;
    d.part.width = 1 + (int)random_byte() % (d.info.width - d.part.x);
    d.part.height = 1 + (int)random_byte() % (d.info.height - d.part.y);
    d.luma = random_byte() % 2;
    return d;
}

/* Every pixel of it changes. */
static void change(const struct draw *d, unsigned char *pixels) {
    int channels = d->info.channels;
    for (int y = d->part.y; y < d->part.y + d->part.height; y++)
        for (int x = d->part.x; x < d->part.x + d->part.width; x++) {
            unsigned char *at =
                pixels + ((size_t)y * (size_t)d->info.width + (size_t)x) * (size_t)channels;
            int add = 1 + (int)(random_byte() % 60), high = 0;
            for (int c = 0; c < channels; c++)
                high = at[c] > high ? at[c] : high;
            for (int c = 0; c < channels; c++)
                at[c] = d->luma && high + add < 256 ? (unsigned char)(at[c] + add)
                        : d->luma                   ? at[c]
                                                    : (unsigned char)(at[c] + add + c);
        }
}

/* The file after a change; as the reader's limits say. */
static struct bytes changed(const struct draw *d, struct bytes file,
                            const struct imf_limits *limits, const unsigned char *pixels) {
    struct decoded in = decode(file.data, file.size, limits);
    struct imf_encode options = {.size = sizeof options};
    FILE *f = tmpfile();
    struct imf_writer *w = NULL;
    struct imf_error err = {.text = ""};
    CHECK(in.reader &&
              !imf_writer_open(&w, f, &d->info, &options, imf_reader_metadata(in.reader), &err) &&
              !imf_writer_rows(w, pixels, row_bytes(&d->info), d->info.height, &err) &&
              !imf_writer_finish(w, &err),
          "%s", err.text);
    const char *text = w ? imf_writer_warning(w) : NULL;
    snprintf(warning, sizeof warning, "%s", text ? text : "");
    imf_writer_close(&w);
    done(&in);
    struct bytes out = slurp(f);
    fclose(f);
    return out;
}

/* Blocks of `got` are the source's, or where the part touches them the encoder's. */
static void compare(const struct draw *d, struct bytes source, struct bytes encoded,
                    struct bytes got) {
    struct coefficients from, made, is;
    unsigned long wrong = 0, kept = 0;
    read_coefficients(&from, source);
    read_coefficients(&made, encoded);
    read_coefficients(&is, got);
    for (int k = 0; k < is.d.num_components; k++) {
        const jpeg_component_info *c = &is.d.comp_info[k];
        int wide = 8 * is.d.max_h_samp_factor / c->h_samp_factor;
        int high = 8 * is.d.max_v_samp_factor / c->v_samp_factor;
        bool still = d->luma && k > 0 && d->options.space == JCS_YCbCr; /* chroma */
        for (int y = 0; y < (int)c->height_in_blocks; y++)
            for (int x = 0; x < (int)c->width_in_blocks; x++) {
                bool same = still || !touches(&d->part, x * wide, y * high, wide, high);
                const JCOEF *want = block(same ? &from : &made, k, x, y);
                bool equal = memcmp(block(&is, k, x, y), want, sizeof(JBLOCK)) == 0;
                if (d->luma && !same && !equal) /* white pixels did not change */
                    equal = memcmp(block(&is, k, x, y), block(&from, k, x, y), sizeof(JBLOCK)) == 0;
                wrong += !equal;
                kept += same;
            }
    }
    CHECK(wrong == 0, "%dx%dx%d, space %d, %dx%d%s%s%s: %lu blocks are wrong, %lu were to stay",
          d->info.width, d->info.height, d->info.channels, d->options.space, d->options.h,
          d->options.v, d->options.progressive ? ", progressive" : "",
          d->options.apart ? ", apart" : "", d->luma ? ", luma" : "", wrong, kept);
    CHECK(is.d.progressive_mode == d->options.progressive &&
              is.d.arith_code == d->options.arithmetic &&
              (int)is.d.restart_interval == d->options.restart && is.errors.num_warnings == 0,
          "the coding stays");
    jpeg_destroy_decompress(&from.d);
    jpeg_destroy_decompress(&made.d);
    jpeg_destroy_decompress(&is.d);
}

static void test_draws(void) {
    for (int i = 0; i < DRAWS; i++) {
        struct draw d = draw();
        unsigned char *pixels = smooth_pixels(&d.info);
        for (size_t k = 0; k < image_bytes(&d.info); k++)
            pixels[k] = (unsigned char)(pixels[k] + random_byte() % 24);
        struct bytes file = plain_jpeg(&d.info, pixels, &d.options);
        struct decoded in = decode(file.data, file.size, NULL);
        memcpy(pixels, in.pixels, image_bytes(&d.info));
        done(&in);
        change(&d, pixels);
        struct bytes encoded = changed(&d, file, &usual, pixels),
                     got = changed(&d, file, &keep, pixels);
        compare(&d, file, encoded, got);
        free(encoded.data);
        free(got.data);
        free(file.data);
        free(pixels);
    }
}

/* A picture of 40x30 pixels, and a part. */
static struct draw small(const struct jpeg_options *options) {
    return (struct draw){.info = shape(40, 30, IMF_COLOR_RGB, false, 8, IMF_FORMAT_JPEG),
                         .options = *options,
                         .part = {5, 5, 10, 10}};
}

/* The pixels of a file; freed by the caller. */
static unsigned char *pixels_of(struct bytes file) {
    struct decoded in = decode(file.data, file.size, NULL);
    unsigned char *pixels = in.pixels;
    CHECK(in.status == IMF_OK, "%s", in.err.text);
    in.pixels = NULL;
    done(&in);
    return pixels;
}

/* All blocks of a changed file are encoded. */
static void check_encoded(const struct draw *d, struct bytes file, const char *what) {
    unsigned char *pixels = pixels_of(file);
    change(d, pixels);
    struct bytes encoded = changed(d, file, &usual, pixels), got = changed(d, file, &keep, pixels);
    CHECK(got.size == encoded.size && memcmp(got.data, encoded.data, got.size) == 0,
          "%s: %zu and %zu bytes", what, got.size, encoded.size);
    free(encoded.data);
    free(got.data);
    free(pixels);
}

/* Another chroma table before the scan of Cr, or of Cb and Cr. */
static void test_tables(void) {
    static const unsigned char table[] = {0xff, 0xdb, 0, 67, 1};
    for (int scan = 1; scan < 3; scan++) {
        struct draw d =
            small(&(struct jpeg_options){.apart = true, .space = JCS_YCbCr, .h = 1, .v = 1});
        unsigned char *pixels = smooth_pixels(&d.info);
        struct bytes file = plain_jpeg(&d.info, pixels, &d.options);
        size_t at = 0;
        for (int n = 0; n <= scan; at++)
            n += file.data[at] == 0xff && file.data[at + 1] == 0xda;
        at--; /* at SOS */
        struct bytes odd = {malloc(file.size + 69), file.size + 69};
        memcpy(odd.data, file.data, at);
        memcpy(odd.data + at, table, sizeof table);
        memset(odd.data + at + sizeof table, 9, 64);
        memcpy(odd.data + at + 69, file.data + at, file.size - at);
        check_encoded(&d, odd, "tables");
        free(odd.data);
        free(file.data);
        free(pixels);
    }
}

/* Scans that leave out details: decoders smooth what there is. */
static void test_incomplete(void) {
    static const jpeg_scan_info script[] = {{3, {0, 1, 2}, 0, 0, 0, 0}, {1, {0}, 1, 5, 0, 2}};
    struct draw d = small(
        &(struct jpeg_options){.space = JCS_YCbCr, .h = 1, .v = 1, .script = script, .scans = 2});
    unsigned char *pixels = smooth_pixels(&d.info);
    struct bytes file = plain_jpeg(&d.info, pixels, &d.options);
    check_encoded(&d, file, "details");
    free(file.data);
    free(pixels);
}

/* What is at the end of its range: differences of 128 and -128, and a colour that was limited. */
static void test_ends(void) {
    static const unsigned char was[][3] = {{128, 0, 0}, {127, 255, 255}, {255, 48, 128}},
                               is[][3] = {{127, 255, 255}, {128, 0, 0}, {235, 28, 108}};
    for (int k = 0; k < 3; k++) {
        struct draw d =
            small(&(struct jpeg_options){.space = JCS_YCbCr, .h = 1, .v = 1, .quality = 95});
        size_t samples = image_bytes(&d.info);
        unsigned char *pixels = malloc(samples);
        for (size_t i = 0; i < samples; i++)
            pixels[i] = was[k][i % 3];
        struct bytes file = plain_jpeg(&d.info, pixels, &d.options);
        free(pixels);
        pixels = pixels_of(file);
        for (int y = 5; y < 15; y++)
            for (int x = 5; x < 15; x++)
                memcpy(pixels + (y * 40 + x) * 3, is[k], 3);
        struct bytes encoded = changed(&d, file, &usual, pixels),
                     got = changed(&d, file, &keep, pixels);
        compare(&d, file, encoded, got);
        free(encoded.data);
        free(got.data);
        free(file.data);
        free(pixels);
    }
}

/* Coefficients beyond those of any picture: limited, with a warning, in a file that is right. */
static void test_limited(void) {
    struct draw d = {.info = shape(64, 8, IMF_COLOR_GRAY, false, 8, IMF_FORMAT_JPEG),
                     .options = {.space = JCS_GRAYSCALE},
                     .part = {24, 0, 8, 8}};
    unsigned char *pixels = smooth_pixels(&d.info), *coded = NULL;
    unsigned long size = 0;
    struct bytes plain = plain_jpeg(&d.info, pixels, &d.options);
    struct coefficients c;
    struct jpeg_compress_struct to;
    read_coefficients(&c, plain);
    JBLOCKROW row = c.d.mem->access_virt_barray((j_common_ptr)&c.d, c.arrays[0], 0, 1, TRUE)[0];
    for (int x = 0; x < 8; x++)
        row[x][0] = x % 2 ? 0 : 2000;
    to.err = &c.errors;
    jpeg_create_compress(&to);
    jpeg_mem_dest(&to, &coded, &size);
    jpeg_copy_critical_parameters(&c.d, &to);
    jpeg_write_coefficients(&to, c.arrays);
    jpeg_finish_compress(&to);
    jpeg_destroy_compress(&to);
    jpeg_destroy_decompress(&c.d);
    struct bytes file = {coded, size};
    free(pixels);
    pixels = pixels_of(file);
    unsigned char *before = pixels_of(file);
    for (int y = 0; y < 8; y++)
        memset(pixels + y * 64 + 24, 0, 8);
    struct bytes got = changed(&d, file, &keep, pixels);
    unsigned char *after = pixels_of(got);
    unsigned long wrong = 0;
    for (int i = 0; i < 64 * 8; i++) {
        bool black = i % 64 >= 24 && i % 64 < 32;
        wrong += black ? after[i] > 8 : after[i] != before[i];
    }
    CHECK(wrong == 0 && strstr(warning, "were limited"), "%lu pixels, %s", wrong, warning);
    free(after);
    free(before);
    free(got.data);
    free(coded);
    free(plain.data);
    free(pixels);
}

/* Scans of a progressive file may name a Huffman table that they do not use. */
static void test_unused_table(void) {
    struct draw d =
        small(&(struct jpeg_options){.progressive = true, .space = JCS_YCbCr, .h = 1, .v = 1});
    unsigned char *pixels = smooth_pixels(&d.info);
    struct bytes file = plain_jpeg(&d.info, pixels, &d.options);
    size_t last = 0;
    for (size_t i = 0; i + 1 < file.size; i++)
        last = file.data[i] == 0xff && file.data[i + 1] == 0xda ? i : last;
    file.data[last + 6] = (unsigned char)(0x80 | (file.data[last + 6] & 15));
    free(pixels);
    pixels = pixels_of(file);
    change(&d, pixels);
    struct bytes encoded = changed(&d, file, &usual, pixels),
                 got = changed(&d, file, &keep, pixels);
    compare(&d, file, encoded, got);
    free(encoded.data);
    free(got.data);
    free(file.data);
    free(pixels);
}

int main(void) {
    test_incomplete();
    test_ends();
    test_limited();
    test_unused_table();
    test_draws();
    test_tables();
    return check_done("test_jpeg_blocks");
}
