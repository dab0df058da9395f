/* codec_util.h - what the codec tests share: images in memory, files as bytes, and makers of the
 * kinds of file that imfilter itself never writes (interlaced PNG, progressive JPEG) */
#ifndef CODEC_UTIL_H
#define CODEC_UTIL_H

#include "check.h"
#include "codec/metadata/items.h"
#include "imfilter_program.h"

#include <jpeglib.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    unsigned char *data;
    size_t size;
};

static uint32_t random_state = 1;
static inline unsigned random_byte(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 24;
}

static inline struct imf_info shape(int width, int height, enum imf_color color, bool alpha,
                                    int depth, enum imf_format format) {
    static const int channels[] = {[IMF_COLOR_GRAY] = 1, [IMF_COLOR_RGB] = 3, [IMF_COLOR_CMYK] = 4};
    return (struct imf_info){.width = width,
                             .height = height,
                             .channels = channels[color] + alpha,
                             .depth = depth,
                             .color = color,
                             .alpha = alpha,
                             .format = format};
}

/* Not memcmp(), which sees the padding too. */
static inline bool same_shape(const struct imf_info *a, const struct imf_info *b) {
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->depth == b->depth && a->color == b->color && a->alpha == b->alpha &&
           a->format == b->format;
}

static inline size_t row_bytes(const struct imf_info *i) {
    return (size_t)i->width * (size_t)i->channels * (size_t)i->depth / 8;
}

static inline size_t image_bytes(const struct imf_info *i) {
    return row_bytes(i) * (size_t)i->height;
}

static inline unsigned char *random_pixels(const struct imf_info *i) {
    unsigned char *p = malloc(image_bytes(i) + 1);
    for (size_t k = 0; k < image_bytes(i); k++)
        p[k] = (unsigned char)random_byte();
    return p;
}

/* Slow ramps, which a JPEG keeps well. */
static inline unsigned char *smooth_pixels(const struct imf_info *i) {
    unsigned char *p = malloc(image_bytes(i) + 1), *to = p;
    for (int y = 0; y < i->height; y++)
        for (int x = 0; x < i->width; x++)
            for (int c = 0; c < i->channels; c++)
                *to++ = (unsigned char)(40 + abs((x * (c + 1) + 2 * y) % 300 - 150));
    return p;
}

static inline struct bytes slurp(FILE *f) {
    struct bytes b = {malloc(1 << 22), 0};
    rewind(f);
    b.size = fread(b.data, 1, 1 << 22, f);
    return b;
}

static inline FILE *stream_of(const void *data, size_t size) {
    FILE *f = tmpfile();
    if (size) /* data may be NULL otherwise */
        fwrite(data, 1, size, f);
    rewind(f);
    return f;
}

/* Write pixels and return the file's bytes; size 0 on failure. */
static inline struct bytes encode(const struct imf_info *info, const void *pixels,
                                  const struct imf_encode *options,
                                  const struct imf_metadata *metadata, struct imf_error *err) {
    struct imf_writer *w;
    struct bytes out = {NULL, 0};
    FILE *f = tmpfile();
    enum imf_status status = imf_writer_open(&w, f, info, options, metadata, err);
    if (status == IMF_OK)
        status = imf_writer_rows(w, pixels, row_bytes(info), info->height, err);
    if (status == IMF_OK)
        status = imf_writer_finish(w, err);
    if (status == IMF_OK)
        out = slurp(f);
    imf_writer_close(&w);
    fclose(f);
    return out;
}

struct decoded {
    enum imf_status status;
    bool opened;
    struct imf_info info;
    unsigned char *pixels;
    struct imf_reader *reader;
    struct imf_error err;
    FILE *stream;
};

/* Read all rows, a few at a time; the reader stays open for its metadata and warning. */
static inline struct decoded decode_stream(FILE *f, const struct imf_limits *limits) {
    struct decoded d = {.stream = f};
    d.status = imf_reader_open(&d.reader, f, limits, &d.err);
    if (d.status)
        return d;
    d.opened = true;
    d.info = *imf_reader_info(d.reader);
    size_t stride = row_bytes(&d.info);
    d.pixels = malloc(image_bytes(&d.info) + 1);
    memset(d.pixels, 0xaa, image_bytes(&d.info));
    for (int y = 0; y < d.info.height && !d.status; y += 3) {
        int rows = d.info.height - y < 3 ? d.info.height - y : 3;
        d.status = imf_reader_rows(d.reader, d.pixels + (size_t)y * stride, stride, rows, &d.err);
    }
    return d;
}

static inline struct decoded decode(const void *data, size_t size,
                                    const struct imf_limits *limits) {
    return decode_stream(stream_of(data, size), limits);
}

/* The parts of an image that was read to its end cover its file, without a gap. */
static inline void check_cover(const struct decoded *d) {
    struct imf_parts parts;
    uint64_t end = 0;
    CHECK(imf_parts_of(&parts, d->reader, NULL), "memory");
    for (size_t i = 0; i < parts.count; i++) {
        const struct imf_part *p = &parts.list[i];
        CHECK(p->offset == end, "%s at %llu, not %llu", p->name, (unsigned long long)p->offset,
              (unsigned long long)end);
        end = p->offset + p->bytes;
    }
    long size = fseek(d->stream, 0, SEEK_END) == 0 ? ftell(d->stream) : (long)end; /* a pipe */
    CHECK(end == parts.size && (long)end == size, "%llu of %ld bytes", (unsigned long long)end,
          size);
    imf_parts_free(&parts);
}

/* Is a part lost whose name or reason contains this? NULL: is any? */
static inline bool loses(const struct decoded *d, const char *text) {
    struct imf_parts parts;
    bool found = false;
    CHECK(imf_parts_of(&parts, d->reader, NULL), "memory");
    for (size_t i = 0; i < parts.count; i++) {
        const struct imf_part *p = &parts.list[i];
        found = found || (p->becomes == IMF_LOST &&
                          (!text || strstr(p->name, text) || (p->why && strstr(p->why, text))));
    }
    imf_parts_free(&parts);
    return found;
}

static inline void done(struct decoded *d) {
    if (d->reader && d->status == IMF_OK)
        check_cover(d);
    imf_reader_close(&d->reader);
    free(d->pixels);
    fclose(d->stream);
}

/* libpng's own writer, interlaced. */
static inline struct bytes plain_png(const struct imf_info *i, unsigned char *pixels,
                                     int interlace) {
    FILE *f = tmpfile();
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, f);
    png_set_IHDR(png, info, (png_uint_32)i->width, (png_uint_32)i->height, i->depth,
                 (i->color == IMF_COLOR_RGB ? PNG_COLOR_MASK_COLOR : 0) |
                     (i->alpha ? PNG_COLOR_MASK_ALPHA : 0),
                 interlace, 0, 0);
    png_write_info(png, info);
    if (i->depth == 16)
        png_set_swap(png);
    png_bytep *rows = malloc((size_t)i->height * sizeof *rows);
    for (int y = 0; y < i->height; y++)
        rows[y] = pixels + (size_t)y * row_bytes(i);
    png_write_image(png, rows);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    free(rows);
    struct bytes out = slurp(f);
    fclose(f);
    return out;
}

static inline struct bytes interlaced_png(const struct imf_info *i, unsigned char *pixels) {
    return plain_png(i, pixels, PNG_INTERLACE_ADAM7);
}

struct marker {
    int code;
    const void *data;
    size_t size;
};

struct jpeg_options {
    bool progressive, no_adobe, arithmetic, optimize;
    bool apart;          /* a scan for each component */
    int restart;         /* interval, in MCUs */
    bool wide_tables;    /* quantisation tables of 16 bits where the quality asks for it */
    J_COLOR_SPACE space; /* in the file; JCS_UNKNOWN: libjpeg's default */
    int quality, h, v;   /* sampling of the first component */
    const struct marker *markers;
    size_t marker_count;
    const jpeg_scan_info *script; /* or NULL */
    int scans;                    /* of it */
    const unsigned char *icc;
    size_t icc_size;
};

/* libjpeg's own writer. */
static inline struct bytes plain_jpeg(const struct imf_info *i, unsigned char *pixels,
                                      const struct jpeg_options *o) {
    static const J_COLOR_SPACE space[] = {JCS_GRAYSCALE, JCS_RGB, JCS_CMYK};
    FILE *f = tmpfile();
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    c.err = jpeg_std_error(&errors);
    errors.trace_level = -1; /* coarse tables are a remark */
    jpeg_create_compress(&c);
    jpeg_stdio_dest(&c, f);
    c.image_width = (JDIMENSION)i->width;
    c.image_height = (JDIMENSION)i->height;
    c.input_components = i->channels;
    c.in_color_space = space[i->color];
    jpeg_set_defaults(&c);
    if (o->space != JCS_UNKNOWN)
        jpeg_set_colorspace(&c, o->space);
    jpeg_set_quality(&c, o->quality ? o->quality : 90, !o->wide_tables);
    if (o->h) {
        c.comp_info[0].h_samp_factor = o->h;
        c.comp_info[0].v_samp_factor = o->v;
    }
    if (o->no_adobe)
        c.write_Adobe_marker = FALSE;
    static const jpeg_scan_info apart[] = {
        {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
    if (o->progressive)
        jpeg_simple_progression(&c);
    if (o->apart) {
        c.scan_info = apart;
        c.num_scans = 3;
    }
    if (o->script) {
        c.scan_info = o->script;
        c.num_scans = o->scans;
    }
    c.restart_interval = (unsigned)o->restart;
    c.arith_code = o->arithmetic;
    c.optimize_coding = o->optimize;
    jpeg_start_compress(&c, TRUE);
    for (size_t k = 0; k < o->marker_count; k++)
        jpeg_write_marker(&c, o->markers[k].code, o->markers[k].data, (unsigned)o->markers[k].size);
    if (o->icc)
        jpeg_write_icc_profile(&c, o->icc, (unsigned)o->icc_size);
    for (int y = 0; y < i->height; y++) {
        JSAMPROW row = pixels + (size_t)y * row_bytes(i);
        jpeg_write_scanlines(&c, &row, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    struct bytes out = slurp(f);
    fclose(f);
    return out;
}

#endif
