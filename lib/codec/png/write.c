/*
 * write.c - PNG encoder (libpng 1.6)
 *
 * libpng writes the chunks before and after the pixels; idat.c filters, deflates and writes pixels.
 *
 * libpng reports an error by longjmp: each call into it is a step that guarded() runs.
 */
#include "codec/png/write.h"

#include "codec/codec.h"
#include "codec/metadata/bytes.h"
#include "codec/metadata/tiff.h"
#include "codec/metadata/xmp.h"
#include "codec/png/idat.h"
#include "codec/png/profile.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define DEFAULT_LEVEL 6

_Static_assert(IMF_METADATA_MAX < PNG_UINT_31_MAX / 3, "a chunk holds any item, in hex as well");

struct png {
    png_structp png;
    png_infop info;
    struct imf_writer *writer;
    const struct imf_meta_item *known; /* the last item when the writer was opened */
    const struct imf_meta_item *last;  /* the last item written */
    jmp_buf jump;
    char message[120];
    int error;                   /* errno of a failed write */
    bool out_of_memory;          /* of libpng */
    unsigned char *scratch;      /* a chunk's data while it is written */
    bool begun;                  /* the chunks before the pixels are written */
    struct imf_palette *palette; /* owned, or NULL: rows are pixels */
    int bits;                    /* of a sample in the file */
    unsigned char *line;         /* a row of the file, where it differs from the caller's */
    struct imf_idat *idat;       /* the pixels' encoder */
};

static void on_error(png_structp png, png_const_charp message) {
    struct png *p = png_get_error_ptr(png);
    snprintf(p->message, sizeof p->message, "%s", message);
    longjmp(p->jump, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png, (void)message;
}

static png_voidp allocate(png_structp png, png_alloc_size_t size) {
    struct png *p = png_get_mem_ptr(png);
    void *block = malloc(size);
    p->out_of_memory |= !block;
    return block;
}

static bool guarded(struct png *p, void (*step)(struct png *)) {
    if (setjmp(p->jump))
        return false;
    step(p);
    return true;
}

static enum imf_status failure(const struct png *p, struct imf_error *err) {
    if (p->error)
        return imf_fail_io(err, p->error);
    return imf_fail(err, p->out_of_memory ? IMF_ERR_MEMORY : IMF_ERR_FORMAT,
                    "PNG cannot be written (%s)", p->message);
}

static void write_data(png_structp png, png_bytep data, size_t size) {
    struct png *p = png_get_io_ptr(png);
    errno = 0;
    if (fwrite(data, 1, size, p->writer->stream) == size)
        return;
    p->error = errno ? errno : EIO;
    png_error(png, "write error");
}

/* imf_writer_finish() flushes, once. */
static void flush_data(png_structp png) {
    (void)png;
}

/* ---- metadata ----------------------------------------------------------------------------- */

static bool is_ascii(const unsigned char *s, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (s[i] >= 0x80)
            return false;
    return true;
}

/* Write a chunk of a fixed beginning (which may contain NUL) and data. */
static void put_chunk(struct png *p, const char *name, const void *begin, size_t begin_size,
                      const unsigned char *data, size_t size) {
    png_write_chunk_start(p->png, (png_const_bytep)name, (png_uint_32)(begin_size + size));
    png_write_chunk_data(p->png, begin, begin_size);
    png_write_chunk_data(p->png, data, size);
    png_write_chunk_end(p->png);
}

/* PNG text contains no NUL; a comment that is not ASCII is assumed to be UTF-8, as in iTXt. */
static void put_comment(struct png *p, const struct imf_meta_item *item) {
    static const char text[] = "Comment", itext[] = "Comment\0\0\0\0";
    size_t size = strnlen((const char *)item->data, item->size);
    if (is_ascii(item->data, size))
        put_chunk(p, "tEXt", text, sizeof text, item->data, size);
    else
        put_chunk(p, "iTXt", itext, sizeof itext, item->data, size);
}

static void *scratch(struct png *p, void *memory) {
    free(p->scratch);
    return p->scratch = memory;
}

static void put_icc(struct png *p, const struct imf_meta_item *item) {
    static const char begin[] = "icc\0"; /* a name, and the method */
    uLongf size = compressBound(item->size);
    unsigned char *deflated = scratch(p, malloc(size));
    if (deflated && compress(deflated, &size, item->data, item->size) == Z_OK)
        put_chunk(p, "iCCP", begin, sizeof begin, deflated, size);
    else
        p->writer->out_of_memory = true; /* the buffer is large enough */
}

/* Write `begin` and data as a "Raw profile" text, whose name is the keyword's last word. */
static void put_profile(struct png *p, const char *keyword, const void *begin, size_t begin_size,
                        const unsigned char *data, size_t size) {
    size_t length, key = strlen(keyword) + 2; /* with its end and the method, both 0 */
    unsigned char *text =
        imf_png_profile_text(strrchr(keyword, ' ') + 1, begin, begin_size, data, size, &length);
    uLongf room = text ? compressBound(length) : 0;
    unsigned char *deflated = scratch(p, text ? malloc(room) : NULL);
    if (deflated && compress(deflated, &room, text, length) == Z_OK)
        put_chunk(p, "zTXt", keyword, key, deflated, room);
    else
        p->writer->out_of_memory = true;
    free(text);
}

static void put_irb(struct png *p, const struct imf_meta_item *item) {
    put_profile(p, "Raw profile type 8bim\0", "", 0, item->data, item->size);
}

static void put_exif(struct png *p, const struct imf_meta_item *item) {
    const unsigned char *data = imf_writer_data(p->writer, item);
    if (!imf_tiff_begins(item->data, item->size))
        imf_writer_warn(p->writer, "damaged EXIF was left out");
    else if (data)
        put_chunk(p, "eXIf", "", 0, data, item->size);
}

/* The text repeats the image's EXIF, which may be another chunk's. */
static void put_exif_text(struct png *p, const struct imf_meta_item *item) {
    const struct imf_meta_item *exif = imf_metadata_find(p->writer->metadata, IMF_META_EXIF);
    bool usable = exif && imf_tiff_begins(exif->data, exif->size);
    const unsigned char *data = usable ? imf_writer_data(p->writer, exif) : NULL;
    (void)item;
    if (data)
        put_profile(p, "Raw profile type exif\0", IMF_EXIF_PREFIX, sizeof IMF_EXIF_PREFIX, data,
                    exif->size);
}

static void put_xmp(struct png *p, const struct imf_meta_item *item) {
    static const char begin[] = "XML:com.adobe.xmp\0\0\0\0";
    size_t size;
    const unsigned char *data = imf_writer_xmp(p->writer, item, &size);
    if (data)
        put_chunk(p, "iTXt", begin, sizeof begin, data, size);
}

static void put_raw(struct png *p, const struct imf_meta_item *item) {
    char name[5] = "";
    imf_put32(name, item->tag);
    const struct imf_meta_item *icc = imf_metadata_find(p->writer->metadata, IMF_META_ICC);
    if (strcmp(name, "sRGB") == 0 && icc && imf_writer_wants(p->writer, icc))
        imf_writer_warn(p->writer, "sRGB beside an ICC profile was left out");
    else
        put_chunk(p, name, "", 0, item->data, item->size);
}

static void (*const put[IMF_META_KINDS])(struct png *p, const struct imf_meta_item *item) = {
    [IMF_META_IRB] = put_irb,
    [IMF_META_ICC] = put_icc,
    [IMF_META_EXIF] = put_exif,
    [IMF_META_XMP] = put_xmp,
    [IMF_META_COMMENT] = put_comment,
    [IMF_META_PNG_CHUNK] = put_raw,
    [IMF_META_EXIF_TEXT] = put_exif_text,
};

/* Write the items after p->last up to `end`, or all of them (NULL). */
static void put_items(struct png *p, const struct imf_meta_item *end) {
    const struct imf_metadata *m = p->writer->metadata;
    const struct imf_meta_item *item = p->last ? p->last->next : m ? m->first : NULL;
    for (; item; item = item == end ? NULL : item->next) {
        p->last = item;
        if (put[item->kind] && !item->derived && imf_writer_wants(p->writer, item))
            put[item->kind](p, item);
    }
}

static void put_density(struct png *p) {
    struct imf_density d = imf_density_convert(imf_writer_density(p->writer), IMF_DENSITY_METRE);
    if (d.unit != IMF_DENSITY_NONE && d.x && d.y)
        png_set_pHYs(p->png, p->info, d.x, d.y,
                     d.unit == IMF_DENSITY_METRE ? PNG_RESOLUTION_METER : PNG_RESOLUTION_UNKNOWN);
}

/* ---- steps -------------------------------------------------------------------------------- */

static void open_step(struct png *p) {
    p->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, p, on_error, on_warning, p, allocate,
                                       NULL);
    p->info = p->png ? png_create_info_struct(p->png) : NULL;
    if (!p->info)
        return;
    png_set_write_fn(p->png, p, write_data, flush_data);
    png_set_user_limits(p->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
}

static void put_palette(struct png *p) {
    png_color colors[256] = {{0}};
    png_byte alpha[256];
    int clear = 0; /* entries up to the last that is not opaque */
    for (int i = 0; i < p->palette->count; i++) {
        const unsigned char *c = p->palette->rgba[i];
        colors[i] = (png_color){c[0], c[1], c[2]};
        alpha[i] = c[3];
        clear = c[3] < 255 ? i + 1 : clear;
    }
    png_set_PLTE(p->png, p->info, colors, p->palette->count);
    if (clear)
        png_set_tRNS(p->png, p->info, alpha, clear, NULL);
}

static int palette_bits(int count) {
    return count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8;
}

/* Write what stands before the pixels, once it is known whether they are indices. */
static void begin_step(struct png *p) {
    const struct imf_writer *w = p->writer;
    int type = (w->info.color == IMF_COLOR_RGB ? PNG_COLOR_MASK_COLOR : 0) |
               (w->info.alpha ? PNG_COLOR_MASK_ALPHA : 0);
    int bits = w->info.bits ? w->info.bits : w->info.depth;
    if (p->palette) {
        bits = palette_bits(p->palette->count);
        type = PNG_COLOR_TYPE_PALETTE;
    }
    p->bits = bits;
    png_set_IHDR(p->png, p->info, (png_uint_32)w->info.width, (png_uint_32)w->info.height, bits,
                 type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (p->palette)
        put_palette(p);
    put_density(p);
    png_write_info_before_PLTE(p->png, p->info);
    /* Colour chunks stand before a palette. Metadata that the source has after its pixels are being
     * read by another thread now, and are written after the pixels. */
    if (p->known)
        put_items(p, p->known);
    png_write_info(p->png, p->info);
}

/* The reader may have found more metadata after its last row. png_write_end() would require pixels
 * that libpng wrote. */
static void finish_step(struct png *p) {
    put_items(p, NULL);
    png_write_chunk(p->png, (png_const_bytep) "IEND", NULL, 0);
}

/* ---- rows --------------------------------------------------------------------------------- */

static bool write_idat(void *data, const void *bytes, size_t size) {
    struct png *p = data;
    errno = 0;
    if (fwrite(bytes, 1, size, p->writer->stream) == size)
        return true;
    p->error = errno ? errno : EIO;
    return false;
}

static struct imf_idat_shape shape_of(const struct png *p, int bits) {
    const struct imf_writer *w = p->writer;
    size_t channels = p->palette ? 1 : (size_t)w->info.channels;
    uint64_t row_bits = (uint64_t)w->info.width * channels * (unsigned)bits;
    bool few = p->palette || bits < 8;
    int level = w->encode.compression == IMF_COMPRESSION_NONE ? 0
                : w->encode.compression == 0                  ? DEFAULT_LEVEL
                                                              : w->encode.compression;
    return (struct imf_idat_shape){.row_bytes = (size_t)((row_bits + 7) / 8),
                                   .rows = w->info.height,
                                   .pixel = few ? 1 : channels * (size_t)bits / 8,
                                   .few = few,
                                   .level = level,
                                   .threads = w->encode.threads,
                                   .max_memory = w->encode.max_memory};
}

static enum imf_status begin(struct png *p, struct imf_error *err) {
    if (!guarded(p, begin_step))
        return failure(p, err);
    struct imf_idat_shape shape = shape_of(p, p->bits);
    if (p->bits != 8 && !(p->line = malloc(shape.row_bytes)))
        return imf_fail_memory(err, shape.row_bytes);
    if (!(p->idat = imf_idat_open(&shape, write_idat, p)))
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    p->begun = true;
    return IMF_OK;
}

/* Pack the upper bits of samples, or indices, several to a byte. */
static const unsigned char *pack(struct png *p, const unsigned char *row) {
    const struct imf_info *info = &p->writer->info;
    bool wide = info->depth == 16 && !p->palette;
    int drop = p->palette ? 0 : info->depth - p->bits, held = 0;
    unsigned bits = 0;
    unsigned char *to = p->line;
    for (int x = 0; x < info->width; x++) {
        uint16_t sample = row[x];
        if (wide)
            memcpy(&sample, row + 2 * (size_t)x, sizeof sample);
        bits = bits << p->bits | (unsigned)sample >> drop;
        held += p->bits;
        if (held == 8) {
            *to++ = (unsigned char)bits;
            held = 0;
        }
    }
    if (held)
        *to = (unsigned char)(bits << (8 - held));
    return p->line;
}

/* Samples of 16 bits, the upper byte first. */
static const unsigned char *big_endian(struct png *p, const unsigned char *row) {
    size_t samples = (size_t)p->writer->info.width * (size_t)p->writer->info.channels;
    for (size_t i = 0; i < samples; i++) {
        uint16_t v;
        memcpy(&v, row + 2 * i, sizeof v);
        p->line[2 * i] = (unsigned char)(v >> 8);
        p->line[2 * i + 1] = (unsigned char)v;
    }
    return p->line;
}

/* ---- encoder ------------------------------------------------------------------------------ */

static enum imf_status png_open(struct imf_writer *w, struct imf_error *err) {
    if (w->encode.compression < IMF_COMPRESSION_NONE || w->encode.compression > 9)
        return imf_fail(err, IMF_ERR_ARGUMENT, "PNG compression %d is not -1..9",
                        w->encode.compression);
    struct png *p = w->state = calloc(1, sizeof *p);
    if (!p)
        return imf_fail_memory(err, sizeof *p);
    p->writer = w;
    p->known = w->metadata ? w->metadata->last : NULL;
    if (!guarded(p, open_step))
        return failure(p, err);
    int bits = w->info.bits ? w->info.bits : w->info.depth;
    struct imf_idat_shape shape = shape_of(p, bits);
    w->memory = imf_idat_memory(&shape) + (bits != 8 ? shape.row_bytes : 0); /* a palette: less */
    return p->info ? IMF_OK : imf_fail(err, IMF_ERR_MEMORY, "out of memory");
}

static enum imf_status png_rows(struct imf_writer *w, const unsigned char *src, size_t stride,
                                int rows, struct imf_error *err) {
    struct png *p = w->state;
    enum imf_status status = p->begun ? IMF_OK : begin(p, err);
    for (int y = 0; y < rows && !status; y++, src += stride) {
        const unsigned char *row = p->bits < 8     ? pack(p, src)
                                   : p->bits == 16 ? big_endian(p, src)
                                                   : src;
        if (!imf_idat_row(p->idat, row))
            status = failure(p, err);
    }
    return status;
}

static enum imf_status png_palette(struct imf_writer *w, const struct imf_palette *palette,
                                   struct imf_error *err) {
    struct png *p = w->state;
    if (!p->palette && !(p->palette = malloc(sizeof *palette)))
        return imf_fail_memory(err, sizeof *palette);
    *p->palette = *palette;
    return IMF_OK;
}

static enum imf_status png_finish(struct imf_writer *w, struct imf_error *err) {
    return guarded(w->state, finish_step) ? IMF_OK : failure(w->state, err);
}

static void png_close(struct imf_writer *w) {
    struct png *p = w->state;
    if (!p)
        return;
    imf_idat_close(&p->idat);
    png_destroy_write_struct(&p->png, &p->info);
    free(p->scratch);
    free(p->palette);
    free(p->line);
    free(p);
}

const struct imf_encoder imf_png_encoder = {
    .open = png_open,
    .rows = png_rows,
    .finish = png_finish,
    .close = png_close,
    .palette = png_palette,
};
