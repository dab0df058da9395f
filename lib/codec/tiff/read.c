/*
 * read.c - TIFF decoder (libtiff)
 *
 * An image is a grid of cells: tiles, or strips of its whole width. Samples of a pixel are neighbours
 * in a cell, or each has a plane of cells. One row of cells is decoded at a time, as the file packs
 * it, and its rows are converted as they are asked for. Many files are a single strip: where it is
 * large, a few rows are a cell, read from the file if they are not compressed, by libtiff's decoder
 * otherwise. Only large tiles, and large strips of planes, are held whole.
 */
#include "codec/table.h"

#ifdef IMF_WITH_TIFF
#include "base/image/surface.h"
#include "codec/ifd/metadata.h"
#include "codec/ifd/pictures.h"
#include "codec/ifd/planes.h"
#include "codec/metadata/tiff.h"
#include "codec/tiff/channels.h"
#include "codec/tiff/compression.h"
#include "codec/tiff/form.h"
#include "codec/tiff/pixels.h"
#include "codec/tiff/stream.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define LARGE ((size_t)4 << 20) /* bytes of a row of cells that is held without need */
#define SHARE 8                 /* of the limit on memory 1/SHARE is for channels ahead */
#define FEW ((size_t)64 << 10)  /* of one that is made of single rows */

struct tiff {
    struct imf_tiff_stream stream;
    uint64_t first;                /* the file's first directory, once it is open */
    uint64_t *pages;               /* owned: where the reader's pages begin, or NULL */
    struct imf_tiff_planes planes; /* the pages, where one directory has all */
    /* of the page: */
    struct imf_tiff_pixels pixels;
    struct imf_tiff_ahead ahead;
    bool is_held;      /* the channel is, ahead */
    TIFF *tif;         /* the stream's */
    int width, height; /* of a cell */
    int strip_rows;    /* of a strip, or of a tile */
    int across;        /* cells in a row of them */
    size_t row;        /* bytes of a row of a cell */
    unsigned char *cells;
    int top, held; /* rows that are in `cells` */
    bool (*read_cell)(struct tiff *t, int x, int plane, unsigned char *to);
};

/* ---- cells ----------------------------------------------------------------------------------- */

static bool read_tile(struct tiff *t, int x, int plane, unsigned char *to) {
    tmsize_t size = (tmsize_t)t->row * t->height;
    uint32_t tile = TIFFComputeTile(t->tif, (uint32_t)x, (uint32_t)t->top, 0, (uint16_t)plane);
    return TIFFReadEncodedTile(t->tif, tile, to, size) == size;
}

static uint32_t strip_at(const struct tiff *t, int plane) {
    return TIFFComputeStrip(t->tif, (uint32_t)t->top, (uint16_t)plane);
}

static bool read_strip(struct tiff *t, int x, int plane, unsigned char *to) {
    tmsize_t size = (tmsize_t)t->row * t->held;
    (void)x;
    return TIFFReadEncodedStrip(t->tif, strip_at(t, plane), to, size) == size;
}

static bool read_scanlines(struct tiff *t, int x, int plane, unsigned char *to) {
    (void)x;
    for (int y = 0; y < t->held; y++, to += t->row)
        if (TIFFReadScanline(t->tif, to, (uint32_t)(t->top + y), (uint16_t)plane) != 1)
            return false;
    return true;
}

static void swap_bytes(unsigned char *to, size_t size, int bits) {
    tmsize_t count = (tmsize_t)(size / (size_t)imf_max(bits / 8, 1));
    if (bits == 16)
        TIFFSwabArrayOfShort((uint16_t *)(void *)to, count);
    else if (bits == 24)
        TIFFSwabArrayOfTriples(to, count);
    else if (bits == 32)
        TIFFSwabArrayOfLong((uint32_t *)(void *)to, count);
    else if (bits == 64)
        TIFFSwabArrayOfLong8((uint64_t *)(void *)to, count);
}

/* Rows of a strip that is not compressed. */
static bool read_stored(struct tiff *t, int x, int plane, unsigned char *to) {
    uint32_t strip = strip_at(t, plane);
    uint64_t before = (uint64_t)(t->top % t->strip_rows) * t->row;
    size_t size = t->row * (size_t)t->held;
    uint16_t order;
    int failed = 0;
    uint64_t page = t->planes.count > 1 ? (uint64_t)imf_max(t->stream.reader->page - 1, 0) : 0;
    uint64_t at =
        TIFFGetStrileOffsetWithErr(t->tif, strip, &failed) + before + page * t->planes.bytes;
    (void)x;
    if (failed || before + size > TIFFGetStrileByteCountWithErr(t->tif, strip, &failed) || failed ||
        !imf_bytes_get(&t->stream.in.bytes, at, to, size))
        return false;
    TIFFGetFieldDefaulted(t->tif, TIFFTAG_FILLORDER, &order);
    if (order == FILLORDER_LSB2MSB)
        TIFFReverseBits(to, (tmsize_t)size);
    if (TIFFIsByteSwapped(t->tif))
        swap_bytes(to, size, t->pixels.bits);
    return true;
}

/* Decode the row of cells that begins at `top`. */
static bool load(struct tiff *t, int top) {
    struct imf_reader *r = t->stream.reader;
    size_t cell = t->row * (size_t)t->height;
    unsigned char *to = t->cells;
    bool good = true;
    t->top = top;
    t->held =
        imf_min(t->height, imf_min(t->strip_rows - top % t->strip_rows, r->info.height - top));
    t->stream.decoding = true;
    for (int i = 0; i < t->across; i++)
        for (int plane = 0; plane < t->pixels.planes && good; plane++, to += cell)
            good =
                t->read_cell(t, i * t->width, t->pixels.separate ? t->pixels.from[plane] : 0, to);
    t->stream.decoding = false;
    r->recoverable = good && t->stream.guessed;
    if (good && t->stream.guessed && r->limits.lenient)
        imf_reader_warn(r, "damaged (%s): what is missing is guessed", t->stream.message);
    else if (t->stream.guessed || !good)
        t->held = 0;
    return t->held > 0;
}

/* Choose cells, and how they are read. */
static enum imf_status set_cells(struct tiff *t, uint16_t compression, struct imf_error *err) {
    struct imf_reader *r = t->stream.reader;
    const struct imf_tiff_pixels *p = &t->pixels;
    bool tiled = TIFFIsTiled(t->tif);
    uint32_t width = (uint32_t)r->info.width, rows = 0;
    if (tiled)
        TIFFGetField(t->tif, TIFFTAG_TILEWIDTH, &width);
    TIFFGetFieldDefaulted(t->tif, tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &rows);
    if (width < 1 || width > INT_MAX || rows < 1 || (tiled && rows > INT_MAX))
        return imf_fail(err, IMF_ERR_DAMAGED, "damaged header (strips or tiles of no size)");
    t->width = (int)width;
    t->strip_rows = tiled || rows < (uint32_t)r->info.height ? (int)rows : r->info.height;
    t->across = (r->info.width - 1) / t->width + 1;
    int samples = p->separate ? 1 : p->samples;
    uint64_t row = ((uint64_t)width * (unsigned)(samples * p->bits) + 7) / 8, bytes;
    if (row != (tiled ? TIFFTileRowSize64(t->tif) : TIFFScanlineSize64(t->tif)))
        return imf_fail(err, IMF_ERR_DAMAGED, "damaged header (rows of an odd size)");
    t->row = (size_t)row;
    t->height = t->strip_rows;
    bool stored = compression == COMPRESSION_NONE && !tiled;
    t->read_cell = stored ? read_stored : tiled ? read_tile : read_strip;
    bool large = !tiled && p->planes == 1 && row * (unsigned)t->height > LARGE;
    if (stored || large)
        t->height = imf_min(t->height, imf_max(1, (int)(FEW / row)));
    if (large && !stored)
        t->read_cell = read_scanlines;
    uint64_t across = (uint64_t)t->across * width;
    enum imf_status status = imf_limits_check(&r->limits, across, (unsigned)t->height, err);
    if (status)
        return status;
    uint64_t cells = (uint64_t)t->across * (unsigned)p->planes;
    if (__builtin_mul_overflow(row * cells, (unsigned)t->height, &bytes) || bytes > PTRDIFF_MAX)
        return imf_fail(err, IMF_ERR_LIMIT, "a TIFF of such tiles is too large");
    uint64_t line = p->bits < 8 && !p->type.depth ? (uint64_t)width * (unsigned)p->samples : 0;
    uint64_t size = t->stream.in.bytes.size, coded = stored ? 0 : TIFFGetStrileByteCount(t->tif, 0);
    uint64_t decoder;
    const struct imf_tiff_cell cell = {compression, width, (unsigned)t->strip_rows, row, samples};
    status = imf_tiff_check_decoder(&t->stream, &cell, &decoder, err);
    uint64_t memory = r->memory + bytes + line + decoder + (coded < size ? coded : size) +
                      (t->stream.bytes ? size : 0);
    if (!status)
        status = imf_memory_fits(r->limits.max_memory, memory,
                                 "a row of this TIFF's tiles or strips", err);
    if (status)
        return status;
    r->memory = memory;
    r->buffered = bytes > LARGE && t->height >= r->info.height;
    t->cells = malloc((size_t)bytes);
    t->pixels.line = line ? malloc((size_t)line) : NULL;
    return t->cells && (t->pixels.line || !line) ? IMF_OK
                                                 : imf_fail_memory(err, (size_t)(bytes + line));
}

/* ---- what a TIFF is ------------------------------------------------------------------------- */

static enum imf_status read_palette(struct tiff *t, struct imf_error *err) {
    uint16_t *channel[3];
    if (!TIFFGetField(t->tif, TIFFTAG_COLORMAP, &channel[0], &channel[1], &channel[2]))
        return imf_fail(err, IMF_ERR_DAMAGED, "damaged header (a palette image without palette)");
    imf_tiff_set_palette(&t->pixels, channel);
    return IMF_OK;
}

static void read_density(const struct tiff *t) {
    static const enum imf_density_unit units[] = {[RESUNIT_NONE] = IMF_DENSITY_ASPECT,
                                                  [RESUNIT_INCH] = IMF_DENSITY_INCH,
                                                  [RESUNIT_CENTIMETER] = IMF_DENSITY_CM};
    float x = 0, y = 0;
    uint16_t unit = imf_tiff_field(t->tif, TIFFTAG_RESOLUTIONUNIT);
    TIFFGetField(t->tif, TIFFTAG_XRESOLUTION, &x);
    TIFFGetField(t->tif, TIFFTAG_YRESOLUTION, &y);
    if (x >= 0.5 && y >= 0.5 && x < 1e9 && y < 1e9 && unit <= RESUNIT_CENTIMETER)
        t->stream.reader->metadata.density =
            (struct imf_density){units[unit], (uint32_t)(x + 0.5), (uint32_t)(y + 0.5)};
}

/* ---- decoder --------------------------------------------------------------------------------- */

/* Open the file, and find its picture or its pages. */
static enum imf_status open_file(struct tiff *t, uint64_t *at, struct imf_error *err) {
    struct imf_tiff_stream *s = &t->stream;
    struct imf_reader *r = s->reader;
    enum imf_status status = imf_tiff_open_bytes(s, err);
    if (status)
        return status;
    t->first = imf_tiff_header(&s->in);
    struct imf_tiff_picture p = imf_tiff_find_picture(&s->in, t->first, &r->metadata.out_of_memory);
    if (p.raw)
        return imf_fail(
            err, IMF_ERR_FORMAT,
            "is camera raw, which imfilter does not read (try: dcraw -c FILE | imfilter ... -)");
    if (t->first && !p.at)
        return imf_fail(err, IMF_ERR_FORMAT,
                        "its first image is marked as a smaller copy of another (NewSubfileType "
                        "1), as in camera raw files (dcraw develops those; tiffset -s 254 0 FILE "
                        "marks it as the image)");
    *at = p.at;
    if (p.at != t->first || !r->limits.pages)
        return IMF_OK;
    t->planes = imf_tiff_find_planes(&s->in, t->first, &r->metadata.out_of_memory);
    t->pages = imf_tiff_list_pages(&s->in, t->first, &r->pages, &r->pages_size,
                                   &r->metadata.out_of_memory);
    if (t->planes.count > 1 && r->pages == 1) {
        r->pages = t->planes.count;
        r->pages_size.samples *= (unsigned)r->pages;
        r->pages_size.bytes *= (unsigned)r->pages;
    }
    return IMF_OK;
}

/* Of the page, or of a file that is read as one picture. */
static enum imf_status read_header(struct tiff *t, uint64_t *at, struct imf_tiff_form *f,
                                   struct imf_error *err) {
    struct imf_tiff_stream *s = &t->stream;
    struct imf_reader *r = s->reader;
    enum imf_status status = t->first ? IMF_OK : open_file(t, at, err);
    if (status)
        return status;
    if (r->page > 1 && r->page > r->pages)
        return imf_fail(err, IMF_ERR_FORMAT, "it has no page %d", r->page);
    if (r->page > 1 && t->planes.count < 2)
        *at = t->pages[r->page - 1];
    else if (r->pages)
        *at = t->first;
    if (!imf_tiff_open_library(s, *at))
        return imf_tiff_failure(s, -1, err);
    t->tif = s->tif;
    return imf_tiff_read_form(t->tif, f, err);
}

static enum imf_status tiff_open(struct imf_reader *r, struct imf_error *err) {
    struct tiff *t = r->state;
    struct imf_tiff_form f;
    uint32_t width = 0, height = 0;
    uint64_t at = 0;
    t->stream.reader = r;
    enum imf_status status = read_header(t, &at, &f, err);
    if (status)
        return status;
    imf_tiff_set_channels(&t->pixels, &f, r);
    TIFFGetField(t->tif, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(t->tif, TIFFTAG_IMAGELENGTH, &height);
    int depth = f.type.depth ? f.type.depth : f.bits == 16 ? 16 : 8;
    status = imf_reader_shape(r, width, height, f.color, t->pixels.alpha, depth, err);
    if (!status && t->pixels.palette)
        status = read_palette(t, err);
    if (!status)
        status = set_cells(t, f.compression, err);
    if (status)
        return status;
    t->pixels.channels = r->info.channels;
    if (r->metadata.roles.colors)
        r->info.spectral = f.samples;
    if (r->info.spectral && !t->pixels.separate && !r->aside)
        r->memory += imf_tiff_ahead_plan(&t->ahead, r->row_bytes, r->info.height, f.samples - 1,
                                         r->limits.max_memory / SHARE);
    r->info.bits = r->info.channels == 1 && f.bits < 8 && !f.type.depth ? f.bits : 0;
    r->info.type = (unsigned char)f.type.type;
    r->info.type_bits = f.type.type ? (unsigned char)f.type.bits : 0;
    r->metadata.compressed = f.compression != COMPRESSION_NONE;
    r->metadata.fax =
        f.compression == COMPRESSION_CCITTFAX3 || f.compression == COMPRESSION_CCITTFAX4;
    uint16_t predictor =
        0; /* its default must not be asked for: libtiff takes any decoder for one that has it */
    TIFFGetField(t->tif, TIFFTAG_PREDICTOR, &predictor);
    r->metadata.splits_floats = predictor == PREDICTOR_FLOATINGPOINT;
    read_density(t);
    uint64_t first = r->page > 1 ? at : t->first;
    if (at != first)
        imf_reader_warn(r, "read is the largest picture (%d x %d), below or behind the first",
                        r->info.width, r->info.height);
    imf_tiff_read_metadata(r, &t->stream.in, first, at);
    t->stream.message[0] = '\0';
    imf_account_close(&r->account, r->page > 1 ? NULL : &t->stream.in.bytes);
    r->metadata.out_of_memory |= r->account.out_of_memory;
    return IMF_OK;
}

/* Convert row y, which was loaded. */
static void convert_row(const struct tiff *t, int y, unsigned char *dst) {
    const struct imf_reader *r = t->stream.reader;
    size_t pixel = r->row_bytes / (size_t)r->info.width, cell = t->row * (size_t)t->height;
    const unsigned char *from = t->cells + (size_t)(y - t->top) * t->row;
    for (int i = 0; i < t->across; i++) {
        int x = i * t->width;
        imf_tiff_convert(&t->pixels, dst + (size_t)x * pixel, from, cell,
                         (size_t)imf_min(t->width, r->info.width - x));
        from += cell * (size_t)t->pixels.planes;
    }
}

/* Convert it of the channel that is read, and of those ahead. */
static void convert_channels(struct tiff *t, int y, unsigned char *dst) {
    struct imf_tiff_ahead *a = &t->ahead;
    const struct imf_reader *r = t->stream.reader;
    convert_row(t, y, dst);
    for (int i = 0; i < a->count; i++) {
        imf_tiff_set_channel(&t->pixels, r, a->first + i);
        convert_row(t, y, imf_tiff_ahead_row(a, i, y));
    }
    if (a->count)
        imf_tiff_set_channel(&t->pixels, r, r->channel);
    a->rows = y + 1;
}

static enum imf_status tiff_rows(struct imf_reader *r, unsigned char *dst, size_t stride, int rows,
                                 int *done, struct imf_error *err) {
    struct tiff *t = r->state;
    struct imf_tiff_ahead *a = &t->ahead;
    if (r->row == 0 && r->info.spectral) {
        t->top = t->held = 0;
        imf_tiff_set_channel(&t->pixels, r, r->channel);
        t->is_held = imf_tiff_ahead_begin(a, r->channel, r->info.spectral, r->info.height);
    }
    for (; *done < rows; ++*done, dst += stride) {
        int y = r->row + *done;
        if (t->is_held) {
            memcpy(dst, imf_tiff_ahead_row(a, r->channel - a->first, y), r->row_bytes);
            continue;
        }
        if (y >= t->top + t->held && !load(t, y))
            return imf_tiff_failure(&t->stream, *done, err);
        convert_channels(t, y, dst);
    }
    return IMF_OK;
}

static void tiff_turn(struct imf_reader *r) {
    struct tiff *t = r->state;
    struct imf_tiff_stream *s = &t->stream;
    if (s->tif)
        TIFFClose(s->tif);
    free(t->pixels.line);
    free(t->cells);
    free(t->ahead.held);
    s->in.untrue = 0;
    *t = (struct tiff){.stream = {.in = s->in, .bytes = s->bytes},
                       .first = t->first,
                       .pages = t->pages,
                       .planes = t->planes};
}

static void tiff_close(struct imf_reader *r) {
    struct tiff *t = r->state;
    tiff_turn(r);
    free(t->stream.bytes);
    free(t->pages);
}

/* ---- format ---------------------------------------------------------------------------------- */

/* Canon's camera raw files are TIFFs, too. */
static bool recognise(const unsigned char *head, size_t size) {
    enum { CANON = 8 };
    if (size >= 4 && (memcmp(head, "II+\0", 4) == 0 || memcmp(head, "MM\0+", 4) == 0))
        return true;
    bool canon = size >= CANON + 4 && memcmp(head + CANON, "CR\2\0", 4) == 0;
    return imf_tiff_begins(head, size) && !canon;
}

/* The first directory follows the header. */
static bool plausible(const unsigned char *head, size_t size) {
    bool big = head[0] == 'M';
    return size >= IMF_TIFF_HEADER &&
           (head[2] == '+' || head[3] == '+' || imf_get(head + 4, 4, big) >= IMF_TIFF_HEADER);
}

static const struct imf_decoder decoder = {sizeof(struct tiff), tiff_open,     tiff_rows, NULL,
                                           tiff_close,          imf_tiff_part, tiff_turn};

const struct imf_codec imf_tiff_codec = {
    .doc = {"tiff", "TIFF", {"tif", "tiff"}, {"compression"}},
    .recognise = recognise,
    .plausible = plausible,
    .colors = 1 << IMF_COLOR_GRAY | 1 << IMF_COLOR_RGB | 1 << IMF_COLOR_CMYK,
    .alpha = 8 | 16 | 32 | 64,
    .depths = 8 | 16 | 32 | 64,
    .few_bits = 1 << 1 | 1 << 2 | 1 << 4,
    .resolution = true,
    .spectral = true,
    .late = true,
    .side_max = INT_MAX,
    .metadata_max = {[IMF_META_EXIF] = UINT32_MAX,
                     [IMF_META_XMP] = UINT32_MAX,
                     [IMF_META_ICC] = UINT32_MAX,
                     [IMF_META_COMMENT] = UINT32_MAX,
                     [IMF_META_IRB] = UINT32_MAX,
                     [IMF_META_TIFF_TAGS] = UINT32_MAX,
                     [IMF_META_TIFF_OVERVIEW] = UINT32_MAX,
                     [IMF_META_TIFF_MASK] = UINT32_MAX},
    .decoder = &decoder,
    .encoder = &imf_tiff_encoder,
};
#endif
