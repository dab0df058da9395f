/*
 * write.c - TIFF encoder
 *
 * Strips of about STRIP bytes, deflated with the library's own encoder after each sample's left
 * neighbour is subtracted (TIFF 6.0, section 14), or stored, or by LZW; one bit by Group 4. Strips do not depend on each
 * other: several are compressed at once. The directory follows them, and the header, which is written last,
 * refers to it; a file of more than 4 GB is a BigTIFF. Of several pages each has its directory behind its strips, and
 * the first one's decides. A stream that cannot be written to twice, as a
 * pipe, gets the whole file in the end.
 */
#include "codec/table.h"

#include "base/surface.h"
#include "base/thread_pool.h"
#include "codec/deflate/compress.h"
#include "codec/metadata/tiff.h"
#include "codec/tiff/group4.h"
#include "codec/tiff/lzw.h"
#include "codec/tiff/metadata.h"
#include "codec/tiff/numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define STRIP ((size_t)256 << 10)
#define DEFAULT_LEVEL 6
#define LANES 8
#define SHARE 16  /* lanes may take 1/SHARE of the limit on memory */
#define HEADER 16 /* a BigTIFF's; TIFF's is shorter */
enum { ZLIB_HEAD = 2, ADLER = 4 };
enum scheme { STORED = 1, GROUP4 = 4, LZW = 5, DEFLATE = 8 };
enum { WHITE_IS_ZERO, BLACK_IS_ZERO, RGB, SEPARATED = 5, STRAIGHT_ALPHA = 2 };
enum { NO_PREDICTOR = 1, DIFFERENCES, SPLIT_FLOATS };

/* A strip that is being made. */
struct lane {
    unsigned char *plain, *file;
    size_t size, file_size;
    struct imf_compressor *compressor;
    struct imf_lzw_table *lzw;
};

struct tiff {
    struct imf_writer *writer;
    off_t start;
    uint64_t next; /* where the next page's directory is to be named; 0: in the header */
    bool big_endian, wide;
    /* of the page: */
    enum scheme scheme;
    int bits, level, predictor;
    struct imf_tiff_numbers type; /* depth 0: unsigned of `bits` */
    unsigned char
        *line;  /* NULL, or room for a row that predictor 3 splits; or Group 4's white one */
    size_t row; /* bytes in the file */
    int strip_rows, row_in_strip;
    struct lane lane[LANES];
    int lanes, filling;
    struct imf_pool *pool;
    uint64_t *offsets, *sizes; /* of the strips */
    size_t strips;
};

/* ---- strips ---------------------------------------------------------------------------------- */

static void deflate_lane(struct lane *l) {
    unsigned char *to = l->file;
    *to++ = 0x78; /* deflate, a window of 32 KiB */
    *to++ = 0x9c;
    to += imf_compress(l->compressor, l->plain, 0, l->size, true, to);
    uLong sum = adler32_z(1, l->plain, l->size);
    for (int i = 3; i >= 0; i--)
        *to++ = (unsigned char)(sum >> 8 * i);
    l->file_size = (size_t)(to - l->file);
}

static void compress_lane(void *data, int item) {
    const struct tiff *t = data;
    struct lane *l = &((struct tiff *)data)->lane[item];
    if (t->scheme == DEFLATE)
        deflate_lane(l);
    else if (t->scheme == LZW)
        l->file_size = imf_lzw(l->lzw, l->plain, l->size, l->file);
    else
        l->file_size = imf_group4(l->plain, t->row, t->writer->info.width, (int)(l->size / t->row),
                                  t->line, l->file);
}

/* Write the strips that are complete. */
static enum imf_status write_strips(struct tiff *t, struct imf_error *err) {
    bool plain = t->scheme == STORED;
    if (!plain)
        imf_parallel_on(t->pool, t->lanes, t->filling, compress_lane, t);
    for (int i = 0; i < t->filling; i++) {
        const struct lane *l = &t->lane[i];
        t->offsets[t->strips] = t->writer->written;
        t->sizes[t->strips++] = plain ? l->size : l->file_size;
        enum imf_status status = t->writer->file
                                     ? imf_memory_fits(t->writer->encode.max_memory,
                                                       t->writer->written + t->sizes[t->strips - 1],
                                                       "a TIFF to a pipe", err)
                                     : IMF_OK;
        if (status)
            return status;
        imf_writer_put(t->writer, plain ? l->plain : l->file, (size_t)t->sizes[t->strips - 1]);
    }
    t->filling = 0;
    return IMF_OK;
}

/* Samples less their left neighbours, as the file has them. */
static void take_8(unsigned char *restrict to, const unsigned char *restrict from, size_t samples,
                   size_t pixel) {
    memcpy(to, from, pixel);
    for (size_t i = pixel; i < samples; i++)
        to[i] = (unsigned char)(from[i] - from[i - pixel]);
}

static void take_16(unsigned char *to, const unsigned char *from, size_t samples, size_t pixel,
                    bool differences, bool big_endian) {
    for (size_t i = 0; i < samples; i++) {
        uint16_t v, left = 0;
        memcpy(&v, from + 2 * i, sizeof v);
        if (differences && i >= pixel)
            memcpy(&left, from + 2 * (i - pixel), sizeof left);
        v = (uint16_t)(v - left);
        to[2 * i + big_endian] = (unsigned char)v;
        to[2 * i + !big_endian] = (unsigned char)(v >> 8);
    }
}

/* Rows of floats. */
static void take_type(const struct tiff *t, unsigned char *to, const unsigned char *row,
                      size_t samples, size_t pixel) {
    unsigned char *packed = t->line ? t->line : to;
    imf_tiff_numbers_write(&t->type, packed, row, samples);
    if (t->line)
        imf_tiff_numbers_split(&t->type, to, packed, samples, pixel);
    else
        imf_tiff_numbers_order(&t->type, to, samples, t->predictor == DIFFERENCES ? pixel : 0,
                               t->big_endian);
}

static void take_row(const struct tiff *t, unsigned char *to, const unsigned char *row) {
    const struct imf_info *info = &t->writer->info;
    size_t channels = (size_t)info->channels, samples = (size_t)info->width * channels;
    if (t->type.depth)
        take_type(t, to, row, samples, channels);
    else if (t->bits < 8)
        imf_pack_bits(to, row, info->width, info->depth, t->bits);
    else if (t->bits == 16)
        take_16(to, row, samples, channels, t->predictor == DIFFERENCES, t->big_endian);
    else if (t->predictor == DIFFERENCES)
        take_8(to, row, samples, channels);
    else
        memcpy(to, row, samples);
    for (size_t i = 0; i < t->row && t->scheme == GROUP4; i++) /* whose 0 is white */
        to[i] = (unsigned char)~to[i];
}

static enum imf_status tiff_rows(struct imf_writer *w, const unsigned char *src, size_t stride,
                                 int rows, struct imf_error *err) {
    struct tiff *t = w->state;
    enum imf_status status = IMF_OK;
    for (int y = 0; y < rows && !status && !w->error; y++, src += stride) {
        struct lane *l = &t->lane[t->filling];
        size_t done = t->strips + (size_t)t->filling;
        int left = w->info.height - (int)done * t->strip_rows;
        take_row(t, l->plain + (size_t)t->row_in_strip * t->row, src);
        if (++t->row_in_strip < imf_min(t->strip_rows, left))
            continue;
        l->size = (size_t)t->row_in_strip * t->row;
        t->row_in_strip = 0;
        if (++t->filling == t->lanes || left <= t->strip_rows)
            status = write_strips(t, err);
    }
    return status;
}

/* ---- open and finish ------------------------------------------------------------------------- */

static enum imf_status open_stream(struct tiff *t, struct imf_error *err) {
    static const unsigned char header[HEADER] = {0};
    struct imf_writer *w = t->writer;
    if (t->next)
        return IMF_OK;
    off_t start = imf_writer_position(w);
    enum imf_status status = start >= 0 ? IMF_OK : imf_writer_hold(w, err);
    t->start = start >= 0 ? start : 0;
    if (status)
        return status;
    imf_writer_put(w, header, sizeof header);
    return IMF_OK;
}

/* Room for a strip and what it becomes. */
static bool open_lane(const struct tiff *t, struct lane *l, size_t plain, size_t file) {
    size_t pixel = (size_t)t->writer->info.channels * (size_t)t->bits / 8;
    if (!(l->plain = malloc(plain + IMF_GROUP4_BEHIND)) || (file && !(l->file = malloc(file))))
        return false;
    if (t->scheme == DEFLATE)
        l->compressor = imf_compressor_new(t->level, t->bits < 8, pixel ? pixel : 1, plain);
    if (t->scheme == LZW)
        l->lzw = malloc(sizeof *l->lzw);
    return l->compressor || l->lzw || t->scheme == STORED || t->scheme == GROUP4;
}

/* Bytes that a strip takes at most. */
static size_t strip_bound(const struct tiff *t, size_t plain) {
    return t->scheme == DEFLATE  ? ZLIB_HEAD + imf_deflate_bound(plain) + ADLER
           : t->scheme == LZW    ? imf_lzw_bound(plain)
           : t->scheme == GROUP4 ? imf_group4_bound(t->row, (size_t)t->strip_rows)
                                 : 0;
}

/* As many strips at once as memory allows. */
static enum imf_status open_lanes(struct tiff *t, struct imf_error *err) {
    const struct imf_encode *e = &t->writer->encode;
    const struct imf_info *info = &t->writer->info;
    size_t plain = t->row * (size_t)t->strip_rows, file = strip_bound(t, plain);
    size_t count = (size_t)((info->height - 1) / t->strip_rows + 1);
    uint64_t each = plain + file +
                    (t->scheme == DEFLATE ? imf_compressor_bytes(t->level, plain)
                     : t->scheme == LZW   ? sizeof(struct imf_lzw_table)
                                          : 0);
    int most = imf_min(e->threads > 0 ? e->threads : imf_cores(), LANES);
    t->lanes = t->scheme == STORED || count < 2 ? 1 : count < (size_t)most ? (int)count : most;
    while (t->lanes > 1 && e->max_memory && (uint64_t)t->lanes * each > e->max_memory / SHARE)
        t->lanes--;
    t->writer->memory = (uint64_t)t->lanes * each + 2 * count * sizeof *t->offsets;
    bool good = (t->offsets = calloc(count, sizeof *t->offsets)) &&
                (t->sizes = calloc(count, sizeof *t->sizes));
    for (int i = 0; i < t->lanes && good; i++)
        good = open_lane(t, &t->lane[i], plain, file);
    if (!good)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    return t->lanes > 1 ? imf_pool_open(&t->pool, t->lanes, err) : IMF_OK;
}

/* One bit stays in a fax's compression. */
static enum scheme choose_scheme(struct tiff *t) {
    const struct imf_metadata *m = t->writer->metadata;
    int asked = t->writer->encode.compression;
    bool fax = asked == 0 && t->bits == 1 && m && m->fax;
    bool stored = asked == 0 && !imf_info_integer(&t->writer->info) && !(m && m->compressed);
    t->level = asked >= 1 && asked <= 9 ? asked : DEFAULT_LEVEL;
    return fax || asked == IMF_COMPRESSION_GROUP4    ? GROUP4
           : asked == IMF_COMPRESSION_LZW            ? LZW
           : stored || asked == IMF_COMPRESSION_NONE ? STORED
                                                     : DEFLATE;
}

/* Floats are compressed where their source was, or where that is asked for, since deflate gains little with most of
 * them; by predictor 3, which fewer programs read, where the source was. */
static enum imf_status choose_form(struct tiff *t, struct imf_error *err) {
    const struct imf_writer *w = t->writer;
    const struct imf_metadata *m = w->metadata;
    const struct imf_info *info = &w->info;
    bool integer = imf_info_integer(info);
    t->type = imf_tiff_numbers_of_info(info);
    t->bits = t->type.depth ? t->type.bits : info->bits ? info->bits : info->depth;
    if (t->type.depth && !imf_tiff_numbers_of(t->type.type, t->bits).depth)
        return imf_fail(err, IMF_ERR_ARGUMENT, "no floats have %d bits", t->bits);
    t->scheme = choose_scheme(t);
    if (t->scheme == GROUP4 && t->bits > 1)
        return imf_fail(err, IMF_ERR_FORMAT,
                        "Group 4 compresses black and white alone (add --depth=1)");
    bool predicts = t->scheme == LZW || t->scheme == DEFLATE;
    bool differences = integer && (t->bits == 8 || t->bits == 16 || t->bits == 32);
    t->predictor = predicts && differences                         ? DIFFERENCES
                   : predicts && !integer && m && m->splits_floats ? SPLIT_FLOATS
                                                                   : NO_PREDICTOR;
    t->row = (size_t)(((uint64_t)info->width * (unsigned)(info->channels * t->bits) + 7) / 8);
    if ((t->predictor == SPLIT_FLOATS || t->scheme == GROUP4) &&
        !(t->line = calloc(t->row + IMF_GROUP4_BEHIND, 1)))
        return imf_fail_memory(err, t->row);
    return IMF_OK;
}

/* Camera makers' own tags are in EXIF's order, and cannot be changed. A file has one order; of floats it is little-endian
 * unless such a tag is there, which more programs read. */
static void choose_order(struct tiff *t) {
    const struct imf_writer *w = t->writer;
    const struct imf_meta_item *exif = imf_metadata_find(w->metadata, IMF_META_EXIF),
                               *tags = imf_metadata_find(w->metadata, IMF_META_TIFF_TAGS);
    if (tags && imf_writer_wants(w, tags))
        imf_tiff_first(tags->data, tags->size, &t->big_endian);
    if (exif && imf_writer_wants(w, exif) &&
        (imf_info_integer(&w->info) || imf_tiff_has_note(exif->data, exif->size)))
        imf_tiff_first(exif->data, exif->size, &t->big_endian);
}

static enum imf_status tiff_open(struct imf_writer *w, struct imf_error *err) {
    struct tiff *t = w->state;
    t->writer = w;
    enum imf_status status = choose_form(t, err);
    if (status)
        return status;
    if (!t->next)
        choose_order(t);
    size_t rows = STRIP / t->row;
    t->strip_rows = rows < 1 ? 1 : rows < (size_t)w->info.height ? (int)rows : w->info.height;
    status = open_lanes(t, err);
    return status ? status : open_stream(t, err);
}

/* What readers need to know of the pixels. */
static void add_form(const struct tiff *t, struct imf_tiff_directory *d,
                     struct imf_tiff_output *out) {
    static const uint64_t photometric[] = {
        [IMF_COLOR_GRAY] = BLACK_IS_ZERO, [IMF_COLOR_RGB] = RGB, [IMF_COLOR_CMYK] = SEPARATED};
    const struct imf_writer *w = t->writer;
    const struct imf_info *i = &w->info;
    uint64_t bits = (uint64_t)t->bits, n = (uint64_t)i->channels;
    uint64_t format = !imf_info_integer(i) ? 3 : i->type == IMF_TYPE_SIGNED ? 2 : 1;
    const struct {
        unsigned tag;
        enum imf_tiff_type type;
        size_t count; /* 0: the tag is not wanted */
        const uint64_t *values;
    } tags[] = {
        {256, IMF_TIFF_LONG, 1, (uint64_t[]){(uint64_t)i->width}},
        {257, IMF_TIFF_LONG, 1, (uint64_t[]){(uint64_t)i->height}},
        {258, IMF_TIFF_SHORT, n, (uint64_t[]){bits, bits, bits, bits}},
        {259, IMF_TIFF_SHORT, 1, (uint64_t[]){t->scheme}},
        {262, IMF_TIFF_SHORT, 1,
         t->scheme == GROUP4 ? (uint64_t[]){WHITE_IS_ZERO} : &photometric[i->color]},
        {273, out->wide ? IMF_TIFF_LONG8 : IMF_TIFF_LONG, t->strips, t->offsets},
        {277, IMF_TIFF_SHORT, 1, &n},
        {278, IMF_TIFF_LONG, 1, (uint64_t[]){(uint64_t)t->strip_rows}},
        {279, IMF_TIFF_LONG, t->strips, t->sizes},
        {284, IMF_TIFF_SHORT, 1, (uint64_t[]){1}}, /* samples of a pixel are neighbours */
        {297, IMF_TIFF_SHORT, w->pages > 0 ? 2 : 0,
         (uint64_t[]){(uint64_t)w->page - 1, w->source ? 0 : (uint64_t)w->pages}},
        {317, IMF_TIFF_SHORT, t->predictor > NO_PREDICTOR, (uint64_t[]){(uint64_t)t->predictor}},
        {332, IMF_TIFF_SHORT, i->color == IMF_COLOR_CMYK, (uint64_t[]){1}}, /* those inks */
        {338, IMF_TIFF_SHORT, i->alpha, (uint64_t[]){STRAIGHT_ALPHA}},
        {339, IMF_TIFF_SHORT, t->type.depth ? n : 0, (uint64_t[]){format, format, format, format}},
    };
    for (size_t k = 0; k < sizeof tags / sizeof *tags; k++)
        if (tags[k].count)
            imf_tiff_add(d, out, tags[k].tag, tags[k].type, tags[k].count, tags[k].values);
}

/* Name the directory in the header, or behind the page's before it. */
static void link_directory(const struct tiff *t, uint64_t directory) {
    struct imf_writer *w = t->writer;
    unsigned char bytes[HEADER];
    uint64_t written = w->written;
    size_t size = t->wide ? 8 : 4;
    imf_put(bytes, (int)size, directory, t->big_endian);
    if (!t->next)
        size = imf_tiff_make_header(bytes, t->big_endian, t->wide, directory);
    errno = 0;
    if (!w->error && fseeko(w->stream, t->start + (off_t)t->next, SEEK_SET) != 0)
        w->error = errno;
    imf_writer_put(w, bytes, size);
    if (!w->error && fseeko(w->stream, t->start + (off_t)written, SEEK_SET) != 0)
        w->error = errno;
    w->written = written;
}

static enum imf_status tiff_finish(struct imf_writer *w, struct imf_error *err) {
    struct tiff *t = w->state;
    struct imf_tiff_directory d = {.entries = NULL};
    struct imf_tiff_output out = {.big_endian = t->big_endian, .base = w->written + w->written % 2};
    if (!t->next)
        t->wide = out.base + 16 * t->strips + 3 * IMF_METADATA_MAX + w->later > UINT32_MAX;
    out.wide = t->wide;
    add_form(t, &d, &out);
    imf_tiff_add_metadata(w, &d, &out);
    uint64_t directory = imf_tiff_store(&d, &out);
    d.at = directory;
    bool fits = t->wide || out.base + out.size <= UINT32_MAX;
    if (!out.out_of_memory && fits) {
        imf_writer_put(w, "", w->written % 2);
        imf_writer_put(w, out.data, out.size);
        link_directory(t, directory);
        t->next = imf_tiff_key(&(struct imf_tiff_input){.wide = t->wide}, &d, d.count);
    }
    imf_tiff_unload(&d);
    free(out.data);
    if (out.out_of_memory)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    if (!fits)
        return imf_fail(err, IMF_ERR_LIMIT,
                        "a TIFF of more than 4 GB, though its pages were to take less");
    if (w->file && w->page == w->pages) {
        imf_writer_release(w);
        imf_writer_put(w, w->held, w->held_size);
    }
    return IMF_OK;
}

static void tiff_turn(struct imf_writer *w) {
    struct tiff *t = w->state;
    imf_pool_close(&t->pool);
    for (int i = 0; i < t->lanes; i++) {
        free(t->lane[i].plain);
        free(t->lane[i].file);
        free(t->lane[i].lzw);
        imf_compressor_free(&t->lane[i].compressor);
    }
    free(t->line);
    free(t->offsets);
    free(t->sizes);
    *t = (struct tiff){
        .start = t->start, .next = t->next, .big_endian = t->big_endian, .wide = t->wide};
}

const struct imf_encoder imf_tiff_encoder = {
    .state = sizeof(struct tiff),
    .open = tiff_open,
    .rows = tiff_rows,
    .finish = tiff_finish,
    .close = tiff_turn,
    .turn = tiff_turn,
};
