/* write.c - encoders for the test pictures, including forms that a filter program never writes */
#include "write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>

void die(const char *path, const char *what) {
    fprintf(stderr, "generate: %s: %s\n", path, what);
    exit(1);
}

static FILE *create(const char *path) {
    FILE *f = fopen(path, "wb");
    if (!f)
        die(path, "cannot create");
    return f;
}

static void finish(const char *path, FILE *f) {
    if (ferror(f) | fclose(f))
        die(path, "cannot write");
}

/* A little-endian TIFF header with one directory: the orientation. */
static void exif_orientation(unsigned char tiff[26], int orientation) {
    static const unsigned char plain[26] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1,
                                            3,   0,   1,  0, 0, 0, 1, 0, 0, 0, 0,    0};
    memcpy(tiff, plain, sizeof plain);
    tiff[18] = (unsigned char)orientation;
}

static unsigned scaled(uint16_t v, unsigned full) {
    return (v * full + 32767u) / 65535u;
}

/* ---- PNG ------------------------------------------------------------------------------------ */

/* Grays for a gray picture; for a colour one a cube of 2 to 6 steps a channel. */
static int palette_of(png_color colours[256], int depth, int channels) {
    int count = 1 << depth, side = depth == 8 ? 6 : depth == 4 ? 2 : 1;
    if (channels < 3 || side == 1) {
        for (int i = 0; i < count; i++) {
            png_byte g = (png_byte)(i * 255 / (count - 1));
            colours[i] = (png_color){g, (png_byte)(255 - g / 2), (png_byte)(g / 2)};
        }
        return count;
    }
    for (int i = 0; i < side * side * side; i++)
        colours[i] = (png_color){(png_byte)(i / (side * side) * 255 / (side - 1)),
                                 (png_byte)(i / side % side * 255 / (side - 1)),
                                 (png_byte)(i % side * 255 / (side - 1))};
    return side * side * side;
}

static unsigned palette_index(const uint16_t *s, int depth, int channels) {
    unsigned side = depth == 8 ? 6 : depth == 4 ? 2 : 1;
    if (channels < 3 || side == 1)
        return scaled(s[0], (1u << depth) - 1);
    return (scaled(s[0], side - 1) * side + scaled(s[1], side - 1)) * side + scaled(s[2], side - 1);
}

static void pack_row(unsigned char *row, const struct picture *p, int y, struct png_form form) {
    const uint16_t *s = p->samples + (size_t)y * p->width * p->channels;
    int n = form.palette ? p->width : p->width * p->channels;
    memset(row, 0, (size_t)n * 2);
    for (int i = 0; i < n; i++) {
        unsigned v = form.palette ? palette_index(s + i * p->channels, form.depth, p->channels)
                                  : scaled(s[i], (1u << form.depth) - 1);
        if (form.depth == 16) {
            row[2 * i] = (unsigned char)(v >> 8);
            row[2 * i + 1] = (unsigned char)v;
        } else {
            int bit = i * form.depth;
            row[bit / 8] |= (unsigned char)(v << (8 - form.depth - bit % 8));
        }
    }
}

static void png_extras(png_structp png, png_infop info, struct png_form form, int channels) {
    png_color colours[256];
    png_byte alpha[] = {0, 128};
    png_color_16 clear = {0};
    if (form.palette)
        png_set_PLTE(png, info, colours, palette_of(colours, form.depth, channels));
    if (form.trns)
        png_set_tRNS(png, info, form.palette ? alpha : NULL, 2, form.palette ? NULL : &clear);
    if (form.metadata) {
        png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE,
                         .key = (char *)"Title",
                         .text = (char *)"imfilter test picture"};
        png_byte tiff[26];
        exif_orientation(tiff, 6);
        png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
        png_set_pHYs(png, info, 11811, 11811, PNG_RESOLUTION_METER);
        png_set_text(png, info, &text, 1);
        png_set_eXIf_1(png, info, sizeof tiff, tiff);
    }
}

void write_png(const char *path, const struct picture *p, struct png_form form) {
    static const int type[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GA, PNG_COLOR_TYPE_RGB,
                               PNG_COLOR_TYPE_RGBA};
    FILE *f = create(path);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    size_t stride = (size_t)p->width * p->channels * 2;
    unsigned char *rows = malloc(stride * p->height);
    png_bytep *list = malloc(sizeof *list * p->height);
    if (!info || !rows || !list)
        die(path, "out of memory");
    if (setjmp(png_jmpbuf(png)))
        die(path, "libpng failed");
    png_init_io(png, f);
    png_set_compression_level(png, 9);
    png_set_IHDR(png, info, p->width, p->height, form.depth,
                 form.palette ? PNG_COLOR_TYPE_PALETTE : type[p->channels - 1],
                 form.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
    png_extras(png, info, form, p->channels);
    for (int y = 0; y < p->height; y++)
        pack_row(list[y] = rows + stride * y, p, y, form);
    png_write_info(png, info);
    png_write_image(png, list);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    free(list);
    free(rows);
    finish(path, f);
}

/* ---- JPEG ----------------------------------------------------------------------------------- */

/* A progression of many small spectral bands: legal, and slow to decode. */
static void many_scans(struct jpeg_compress_struct *c, jpeg_scan_info *scan, int scans) {
    memset(scan, 0, sizeof *scan * scans);
    scan[0].comps_in_scan = c->num_components;
    for (int i = 0; i < c->num_components; i++)
        scan[0].component_index[i] = i;
    scan[0].Al = 0;
    for (int i = 1; i < scans; i++) {
        /* Bands of one coefficient, component by component: 63 a component. */
        scan[i].comps_in_scan = 1;
        scan[i].component_index[0] = (i - 1) / 63 % c->num_components;
        scan[i].Ss = scan[i].Se = (i - 1) % 63 + 1;
    }
    c->scan_info = scan;
    c->num_scans = scans;
}

void write_jpeg(const char *path, const struct picture *p, struct jpeg_form form) {
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    jpeg_scan_info scan[1 + 63 * 3];
    FILE *f = create(path);
    int n = form.cmyk || form.ycck ? 4 : p->channels;
    JSAMPLE *row = malloc((size_t)p->width * n);
    if (!row)
        die(path, "out of memory");
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_stdio_dest(&c, f);
    c.image_width = p->width;
    c.image_height = p->height;
    c.input_components = n;
    c.in_color_space = n == 4 ? JCS_CMYK : n == 3 ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_set_defaults(&c);
    if (form.ycck)
        jpeg_set_colorspace(&c, JCS_YCCK);
    jpeg_set_quality(&c, form.quality, TRUE);
    if (form.h && n != 1) {
        c.comp_info[0].h_samp_factor = form.h;
        c.comp_info[0].v_samp_factor = form.v;
    }
    c.restart_in_rows = form.restart;
    c.arith_code = form.arithmetic;
    c.optimize_coding = !form.arithmetic;
    if (form.scans == 1)
        jpeg_simple_progression(&c);
    else if (form.scans > 1)
        many_scans(&c, scan, form.scans);
    jpeg_start_compress(&c, TRUE);
    if (form.orientation) {
        unsigned char exif[32] = "Exif\0";
        exif_orientation(exif + 6, form.orientation);
        jpeg_write_marker(&c, JPEG_APP0 + 1, exif, sizeof exif);
    }
    for (int y = 0; y < p->height; y++) {
        const uint16_t *s = p->samples + (size_t)y * p->width * p->channels;
        for (int x = 0; x < p->width; x++, s += p->channels)
            for (int i = 0; i < n; i++) {
                unsigned v = i < p->channels ? scaled(s[i], 255) : 0;
                /* Colour as ink without black; Adobe writes 255 - ink, which is the colour. */
                row[x * n + i] = (JSAMPLE)(n == 4 && i == 3 ? 255 : v);
            }
        jpeg_write_scanlines(&c, &row, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    free(row);
    finish(path, f);
}

/* ---- PNM and damage -------------------------------------------------------------------------- */

void write_pnm(const char *path, const struct picture *p, char kind, int maxval) {
    static const char *const tuple[] = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
    FILE *f = create(path);
    bool bits = kind == '1' || kind == '4', ascii = kind < '4';
    if (kind == '7')
        fprintf(f, "P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n", p->width,
                p->height, p->channels, maxval, tuple[p->channels - 1]);
    else if (bits)
        fprintf(f, "P%c\n# a comment\n%d %d\n", kind, p->width, p->height);
    else
        fprintf(f, "P%c\n# a comment\n%d %d\n%d\n", kind, p->width, p->height, maxval);
    for (int y = 0; y < p->height; y++) {
        const uint16_t *s = p->samples + (size_t)y * p->width * p->channels;
        unsigned char byte = 0;
        for (int i = 0; i < p->width * p->channels; i++) {
            unsigned v = scaled(s[i], bits ? 1 : (unsigned)maxval);
            if (bits)
                v = !v; /* 1 is black */
            if (ascii) {
                fprintf(f, "%u%c", v, i % 12 == 11 ? '\n' : ' ');
            } else if (bits) {
                byte |= (unsigned char)(v << (7 - i % 8));
                if (i % 8 == 7 || i == p->width - 1) {
                    putc(byte, f);
                    byte = 0;
                }
            } else {
                if (maxval > 255)
                    putc((int)(v >> 8), f);
                putc((int)(v & 255), f);
            }
        }
        if (ascii)
            putc('\n', f);
    }
    finish(path, f);
}

void write_damaged(const char *path, const char *source, int keep, int flip) {
    static unsigned char bytes[1 << 20];
    FILE *in = fopen(source, "rb"), *out;
    if (!in)
        die(source, "cannot open");
    size_t n = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    if (flip > 0)
        bytes[n * (size_t)flip / 1000] ^= 0xff;
    out = create(path);
    fwrite(bytes, 1, n * (size_t)keep / 1000, out);
    finish(path, out);
}
