/*
 * write.c - PNG encoder
 *
 * A PNG is a signature and chunks: length, name, data and their CRC (PNG, third edition, 5.3). All but
 * the pixels' are written here; idat.c filters, deflates and writes pixels. After an error nothing more
 * is written.
 */
#include "codec/table.h"

#include "codec/metadata/bytes.h"
#include "codec/metadata/tiff.h"
#include "codec/metadata/xmp.h"
#include "codec/png/chunks.h"
#include "codec/png/idat.h"
#include "codec/png/profile.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LENGTH_MAX 0x7fffffffu
enum { TYPE_PALETTE = 3, TYPE_COLOR = 2, TYPE_ALPHA = 4 }; /* of IHDR */

_Static_assert(IMF_METADATA_MAX < LENGTH_MAX / 3, "a chunk holds any item, in hex as well");

struct png {
    struct imf_writer *writer;
    const struct imf_meta_item *known; /* the last item when the writer was opened */
    const struct imf_meta_item *last;  /* the last item written */
    unsigned char *scratch;            /* a chunk's data while it is written */
    bool begun;                        /* the chunks before the pixels are written */
    bool palette_written;
    struct imf_palette *palette; /* owned, or NULL: rows are pixels */
    int bits;                    /* of a sample in the file */
    unsigned char *line;         /* a row of the file, where it differs from the caller's */
    struct imf_idat *idat;       /* the pixels' encoder */
};

/* Write a chunk of a fixed beginning (which may contain NUL) and data. */
static void put_chunk(struct png *p, const char *name, const void *begin, size_t begin_size,
                      const void *data, size_t size) {
    unsigned char head[8], crc[4];
    imf_put32(head, (uint32_t)(begin_size + size));
    memcpy(head + 4, name, 4);
    uLong sum = crc32_z(crc32_z(0, head + 4, 4), begin, begin_size);
    imf_put32(crc, (uint32_t)crc32_z(sum, data, size));
    imf_writer_put(p->writer, head, sizeof head);
    imf_writer_put(p->writer, begin, begin_size);
    imf_writer_put(p->writer, data, size);
    imf_writer_put(p->writer, crc, sizeof crc);
}

/* ---- metadata ----------------------------------------------------------------------------- */

static bool is_ascii(const unsigned char *s, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (s[i] >= 0x80)
            return false;
    return true;
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
    const struct imf_metadata *m = p->writer->metadata;
    bool named = m && item == m->of[IMF_META_ICC] && *m->icc_name;
    char begin[sizeof m->icc_name + 1] = {0}; /* the name, its end, and the method */
    size_t length = (size_t)snprintf(begin, sizeof m->icc_name, "%s", named ? m->icc_name : "icc");
    uLongf size = compressBound(item->size);
    unsigned char *deflated = scratch(p, malloc(size));
    if (deflated && compress(deflated, &size, item->data, item->size) == Z_OK)
        put_chunk(p, "iCCP", begin, length + 2, deflated, size);
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
    const unsigned char *data = imf_writer_data(p->writer, item);
    if (data)
        put_profile(p, "Raw profile type 8bim\0", "", 0, data, item->size);
}

static void put_exif(struct png *p, const struct imf_meta_item *item) {
    const unsigned char *data = imf_writer_data(p->writer, item);
    if (!imf_tiff_begins(item->data, item->size))
        imf_writer_lose(p->writer, item, NULL, 0, "damaged");
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

static int color_type(const struct png *p) {
    const struct imf_info *info = &p->writer->info;
    return p->palette
               ? TYPE_PALETTE
               : (info->color == IMF_COLOR_RGB ? TYPE_COLOR : 0) | (info->alpha ? TYPE_ALPHA : 0);
}

static void put_raw(struct png *p, const struct imf_meta_item *item) {
    char name[5] = "";
    imf_put32(name, item->tag);
    bool background = strcmp(name, "bKGD") == 0;
    if ((background || strcmp(name, "sBIT") == 0) &&
        p->writer->metadata->png_form != imf_png_form(color_type(p), p->bits)) {
        imf_writer_lose(p->writer, item, NULL, 0, "it is for pixels of another form");
        return;
    }
    if (background && p->palette && !p->palette_written)
        return; /* its index follows the palette */
    if (strcmp(name, "sRGB") == 0 && imf_writer_icc(p->writer))
        imf_writer_lose(p->writer, item, NULL, 0, "the ICC profile counts");
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
    unsigned char data[9];
    if (d.unit == IMF_DENSITY_NONE || !d.x || !d.y)
        return;
    imf_put32(data, d.x);
    imf_put32(data + 4, d.y);
    data[8] = d.unit == IMF_DENSITY_METRE;
    put_chunk(p, "pHYs", "", 0, data, sizeof data);
}

/* ---- before the pixels -------------------------------------------------------------------- */

static void put_header(struct png *p) {
    const struct imf_info *info = &p->writer->info;
    unsigned char data[13] = {0}; /* the last three: deflate, the usual filters, not interlaced */
    imf_put32(data, (uint32_t)info->width);
    imf_put32(data + 4, (uint32_t)info->height);
    data[8] = (unsigned char)p->bits;
    data[9] = (unsigned char)color_type(p);
    imf_writer_put(p->writer, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(p, "IHDR", "", 0, data, sizeof data);
}

static void put_palette(struct png *p) {
    unsigned char colors[256][3] = {{0}}, alpha[256] = {0};
    size_t count = (size_t)p->palette->count, clear = 0; /* entries up to the last not opaque */
    for (size_t i = 0; i < count; i++) {
        memcpy(colors[i], p->palette->rgba[i], 3);
        alpha[i] = p->palette->rgba[i][3];
        clear = alpha[i] < 255 ? i + 1 : clear;
    }
    put_chunk(p, "PLTE", "", 0, colors, 3 * count);
    if (clear)
        put_chunk(p, "tRNS", "", 0, alpha, clear);
    p->palette_written = true;
    const struct imf_meta_item *item = p->known ? p->writer->metadata->first : NULL;
    for (; item; item = item == p->known ? NULL : item->next)
        if (item->kind == IMF_META_PNG_CHUNK && item->tag == imf_get32("bKGD") &&
            imf_writer_wants(p->writer, item))
            put_raw(p, item);
}

static int palette_bits(int count) {
    return count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8;
}

static struct imf_idat_shape shape_of(const struct png *p, int bits) {
    const struct imf_writer *w = p->writer;
    size_t channels = p->palette ? 1 : (size_t)w->info.channels;
    uint64_t row_bits = (uint64_t)w->info.width * channels * (unsigned)bits;
    bool few = p->palette || bits < 8;
    return (struct imf_idat_shape){.row_bytes = (size_t)((row_bits + 7) / 8),
                                   .pixel = few ? 1 : channels * (size_t)bits / 8,
                                   .few = few};
}

/* Write what stands before the pixels, once it is known whether they are indices. */
static enum imf_status begin(struct png *p, struct imf_error *err) {
    const struct imf_info *info = &p->writer->info;
    p->begun = true;
    p->bits = p->palette ? palette_bits(p->palette->count) : info->bits ? info->bits : info->depth;
    put_header(p);
    /* Colour chunks stand before a palette. Metadata that the source has after its pixels are being
     * read by another thread now, and are written after the pixels. */
    if (p->writer->made_icc)
        put_icc(p, p->writer->made_icc);
    if (p->known)
        put_items(p, p->known);
    if (p->palette)
        put_palette(p);
    put_density(p);
    struct imf_idat_shape shape = shape_of(p, p->bits);
    if (p->bits != 8 && !(p->line = malloc(shape.row_bytes)))
        return imf_fail_memory(err, shape.row_bytes);
    if (!(p->idat = imf_idat_open(&shape, p->writer)))
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    return IMF_OK;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* An index has as many bits as the file's sample. */
static const unsigned char *pack(struct png *p, const unsigned char *row) {
    const struct imf_info *info = &p->writer->info;
    imf_pack_bits(p->line, row, info->width, p->palette ? p->bits : info->depth, p->bits);
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
    struct png *p = w->state;
    (void)err;
    p->writer = w;
    p->known = w->metadata ? w->metadata->last : NULL;
    if (w->encode.compression >= IMF_COMPRESSION_LZW)
        imf_writer_warn(w, "a PNG is deflated, whatever the compression of a TIFF");
    int bits = w->info.bits ? w->info.bits : w->info.depth;
    struct imf_idat_shape shape = shape_of(p, bits);
    w->memory =
        imf_idat_memory(&shape, w) + (bits != 8 ? shape.row_bytes : 0); /* a palette: less */
    return IMF_OK;
}

static enum imf_status png_rows(struct imf_writer *w, const unsigned char *src, size_t stride,
                                int rows, struct imf_error *err) {
    struct png *p = w->state;
    enum imf_status status = p->begun ? IMF_OK : begin(p, err);
    for (int y = 0; y < rows && !status && !w->error; y++, src += stride) {
        const unsigned char *row = p->bits < 8     ? pack(p, src)
                                   : p->bits == 16 ? big_endian(p, src)
                                                   : src;
        imf_idat_row(p->idat, row);
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
    struct png *p = w->state;
    (void)err;
    put_items(p, NULL); /* the reader may have found more metadata after its last row */
    put_chunk(p, "IEND", "", 0, "", 0);
    return IMF_OK;
}

static void png_close(struct imf_writer *w) {
    struct png *p = w->state;
    imf_idat_close(&p->idat);
    free(p->scratch);
    free(p->palette);
    free(p->line);
}

const struct imf_encoder imf_png_encoder = {
    .state = sizeof(struct png),
    .open = png_open,
    .rows = png_rows,
    .finish = png_finish,
    .close = png_close,
    .palette = png_palette,
};
