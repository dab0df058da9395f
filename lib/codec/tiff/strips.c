/*
 * strips.c - the strips of a TIFF's picture
 *
 * Of about STRIP bytes, deflated with the library's own encoder after each sample's left neighbour is subtracted
 * (TIFF 6.0, section 14), or stored, or by LZW; one bit by Group 4. Strips do not depend on each other: several are
 * compressed at once. Of a picture whose channels come one after the other each is a plane, in strips of a row: of others
 * vips (8.14) reads wrong samples.
 */
#include "codec/tiff/strips.h"

#include "base/image/surface.h"
#include "base/thread_pool.h"
#include "codec/deflate/compress.h"
#include "codec/metadata/items.h"
#include "codec/tiff/group4.h"
#include "codec/tiff/lzw.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define STRIP ((size_t)256 << 10)
#define DEFAULT_LEVEL 6
#define SHARE 16 /* lanes may take 1/SHARE of the limit on memory */
enum { ZLIB_HEAD = 2, ADLER = 4 };
enum { STORED = 1, GROUP4 = 4, LZW = 5, DEFLATE = 8 };
enum { WHITE_IS_ZERO, BLACK_IS_ZERO, RGB, SEPARATED = 5, STRAIGHT_ALPHA = 2, PLANES = 2 };
enum { NO_PREDICTOR = 1, DIFFERENCES, SPLIT_FLOATS };

/* ---- strips ---------------------------------------------------------------------------------- */

static void deflate_lane(struct imf_tiff_lane *l) {
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
    const struct imf_tiff_strips *t = data;
    struct imf_tiff_lane *l = &((struct imf_tiff_strips *)data)->lane[item];
    if (t->scheme == DEFLATE)
        deflate_lane(l);
    else if (t->scheme == LZW)
        l->file_size = imf_lzw(l->lzw, l->plain, l->size, l->file);
    else
        l->file_size =
            imf_group4(l->plain, t->row, t->info.width, (int)(l->size / t->row), t->line, l->file);
}

/* Write the strips that are complete. */
static enum imf_status write_strips(struct imf_tiff_strips *t, struct imf_error *err) {
    bool plain = t->scheme == STORED;
    if (!plain)
        imf_parallel_on(t->pool, t->lanes, t->filling, compress_lane, t);
    for (int i = 0; i < t->filling; i++) {
        const struct imf_tiff_lane *l = &t->lane[i];
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

/* The first sample of each pixel of two, or the second. */
static const unsigned char *pick(unsigned char *to, const unsigned char *row, size_t count,
                                 size_t size, bool second) {
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * size, row + (2 * i + second) * size, size);
    return to;
}

/* Rows of floats. */
static void take_type(const struct imf_tiff_strips *t, unsigned char *to, const unsigned char *row,
                      size_t samples, size_t pixel) {
    unsigned char *packed = t->line ? t->line : to;
    imf_tiff_numbers_write(&t->type, packed, row, samples);
    if (t->line)
        imf_tiff_numbers_split(&t->type, to, packed, samples, pixel);
    else
        imf_tiff_numbers_order(&t->type, to, samples, t->predictor == DIFFERENCES ? pixel : 0,
                               t->big_endian);
}

static void take_row(const struct imf_tiff_strips *t, unsigned char *to, const unsigned char *row) {
    const struct imf_info *info = &t->info;
    size_t channels = (size_t)t->channels, samples = (size_t)info->width * channels;
    if (t->picked)
        row = pick(t->picked, row, samples, (size_t)info->depth / 8,
                   t->writer->channel == t->roles.alpha);
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

enum imf_status imf_tiff_strips_rows(struct imf_tiff_strips *t, const unsigned char *src,
                                     size_t stride, int rows, struct imf_error *err) {
    enum imf_status status = IMF_OK;
    for (int y = 0; y < rows && !status && !t->writer->error; y++, src += stride) {
        struct imf_tiff_lane *l = &t->lane[t->filling];
        size_t done = (t->strips + (size_t)t->filling) % t->each;
        int left = t->info.height - (int)done * t->strip_rows;
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

/* ---- open and close -------------------------------------------------------------------------- */

/* Room for a strip and what it becomes. */
static bool open_lane(const struct imf_tiff_strips *t, struct imf_tiff_lane *l, size_t plain,
                      size_t file) {
    size_t pixel = (size_t)t->channels * (size_t)t->bits / 8;
    if (!(l->plain = malloc(plain + IMF_GROUP4_BEHIND)) || (file && !(l->file = malloc(file))))
        return false;
    if (t->scheme == DEFLATE)
        l->compressor = imf_compressor_new(t->level, t->bits < 8, pixel ? pixel : 1, plain);
    if (t->scheme == LZW)
        l->lzw = malloc(sizeof *l->lzw);
    return l->compressor || l->lzw || t->scheme == STORED || t->scheme == GROUP4;
}

/* Bytes that a strip takes at most. */
static size_t strip_bound(const struct imf_tiff_strips *t, size_t plain) {
    return t->scheme == DEFLATE  ? ZLIB_HEAD + imf_deflate_bound(plain) + ADLER
           : t->scheme == LZW    ? imf_lzw_bound(plain)
           : t->scheme == GROUP4 ? imf_group4_bound(t->row, (size_t)t->strip_rows)
                                 : 0;
}

/* As many strips at once as memory allows. */
static enum imf_status open_lanes(struct imf_tiff_strips *t, struct imf_error *err) {
    const struct imf_encode *e = &t->writer->encode;
    const struct imf_info *info = &t->info;
    size_t plain = t->row * (size_t)t->strip_rows, file = strip_bound(t, plain);
    size_t count = t->each = (size_t)((info->height - 1) / t->strip_rows + 1), all;
    uint64_t each = plain + file +
                    (t->scheme == DEFLATE ? imf_compressor_bytes(t->level, plain)
                     : t->scheme == LZW   ? sizeof(struct imf_lzw_table)
                                          : 0);
    int most = imf_min(e->threads > 0 ? e->threads : imf_cores(), IMF_TIFF_LANES);
    t->lanes = t->scheme == STORED || count < 2 ? 1 : count < (size_t)most ? (int)count : most;
    while (t->lanes > 1 && e->max_memory && (uint64_t)t->lanes * each > e->max_memory / SHARE)
        t->lanes--;
    bool good = imf_size_mul(count, (size_t)imf_max(info->spectral, 1), &all) &&
                (t->offsets = calloc(all, sizeof *t->offsets)) &&
                (t->sizes = calloc(all, sizeof *t->sizes));
    t->memory = (uint64_t)t->lanes * each + 2 * (uint64_t)all * sizeof *t->offsets;
    for (int i = 0; i < t->lanes && good; i++)
        good = open_lane(t, &t->lane[i], plain, file);
    if (!good)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    if (t->lanes < 2 || t->pool)
        return IMF_OK;
    enum imf_status status = imf_pool_open(&t->own, t->lanes, err);
    t->pool = t->own;
    return status;
}

/* One bit stays in a fax's compression. */
static int choose_scheme(struct imf_tiff_strips *t) {
    const struct imf_metadata *m = t->writer->metadata;
    int asked = t->writer->encode.compression;
    bool fax = asked == 0 && t->bits == 1 && m && m->fax && !t->info.spectral;
    bool stored = asked == 0 && !imf_info_integer(&t->info) && !(m && m->compressed);
    t->level = asked >= 1 && asked <= 9 ? asked : DEFAULT_LEVEL;
    return fax || asked == IMF_COMPRESSION_GROUP4    ? GROUP4
           : asked == IMF_COMPRESSION_LZW            ? LZW
           : stored || asked == IMF_COMPRESSION_NONE ? STORED
                                                     : DEFLATE;
}

/* Floats are compressed where their source was, or where that is asked for, since deflate gains little with most of
 * them; by predictor 3, which fewer programs read, where the source was. */
static enum imf_status choose_form(struct imf_tiff_strips *t, struct imf_error *err) {
    const struct imf_writer *w = t->writer;
    const struct imf_metadata *m = w->metadata;
    const struct imf_info *info = &t->info;
    bool integer = imf_info_integer(info);
    t->channels = info->spectral ? 1 : info->channels;
    t->roles =
        m && m->roles.colors
            ? m->roles
            : (struct imf_channel_roles){BLACK_IS_ZERO, 1, info->alpha ? info->spectral - 1 : 0};
    t->type = imf_tiff_numbers_of_info(info);
    t->bits = t->type.depth ? t->type.bits : info->bits ? info->bits : info->depth;
    if (t->type.depth && !imf_tiff_numbers_of(t->type.type, t->bits).depth)
        return imf_fail(err, IMF_ERR_ARGUMENT, "no floats have %d bits", t->bits);
    t->scheme = choose_scheme(t);
    if (t->scheme == GROUP4 && (t->bits > 1 || info->spectral))
        return imf_fail(err, IMF_ERR_FORMAT, "Group 4 compresses black and white alone (%s)",
                        info->spectral ? "choose --compression=6" : "add --depth=1");
    bool predicts = t->scheme == LZW || t->scheme == DEFLATE;
    bool differences = integer && (t->bits == 8 || t->bits == 16 || t->bits == 32);
    t->predictor = predicts && differences                         ? DIFFERENCES
                   : predicts && !integer && m && m->splits_floats ? SPLIT_FLOATS
                                                                   : NO_PREDICTOR;
    t->row = (size_t)(((uint64_t)info->width * (unsigned)(t->channels * t->bits) + 7) / 8);
    if (t->channels < info->channels && !(t->picked = malloc(imf_info_row_bytes(info))))
        return imf_fail_memory(err, imf_info_row_bytes(info));
    if ((t->predictor == SPLIT_FLOATS || t->scheme == GROUP4) &&
        !(t->line = calloc(t->row + IMF_GROUP4_BEHIND, 1)))
        return imf_fail_memory(err, t->row);
    return IMF_OK;
}

enum imf_status imf_tiff_strips_open(struct imf_tiff_strips *t, struct imf_writer *w,
                                     const struct imf_info *info, bool big_endian,
                                     struct imf_pool *pool, struct imf_error *err) {
    *t = (struct imf_tiff_strips){
        .writer = w, .info = *info, .big_endian = big_endian, .pool = pool};
    enum imf_status status = choose_form(t, err);
    if (status)
        return status;
    size_t rows = info->spectral ? 1 : STRIP / t->row;
    t->strip_rows = rows < 1 ? 1 : rows < (size_t)info->height ? (int)rows : info->height;
    return open_lanes(t, err);
}

void imf_tiff_strips_close(struct imf_tiff_strips *t) {
    imf_pool_close(&t->own);
    for (int i = 0; i < t->lanes; i++) {
        free(t->lane[i].plain);
        free(t->lane[i].file);
        free(t->lane[i].lzw);
        imf_compressor_free(&t->lane[i].compressor);
    }
    free(t->line);
    free(t->picked);
    free(t->offsets);
    free(t->sizes);
    *t = (struct imf_tiff_strips){.writer = NULL};
}

/* ---- directory ------------------------------------------------------------------------------- */

/* Add `count` numbers that are all `value`, but for number `at`. */
static void add_alike(struct imf_tiff_directory *d, struct imf_tiff_output *out, unsigned tag,
                      size_t count, uint64_t value, size_t at, uint64_t other) {
    uint64_t *values = calloc(count, sizeof *values);
    out->out_of_memory |= !values;
    for (size_t i = 0; values && i < count; i++)
        values[i] = i == at ? other : value;
    if (values)
        imf_tiff_add(d, out, tag, IMF_TIFF_SHORT, count, values);
    free(values);
}

/* What each of n channels is. */
static void add_channels(const struct imf_tiff_strips *t, size_t n, struct imf_tiff_directory *d,
                         struct imf_tiff_output *out) {
    const struct imf_info *i = &t->info;
    size_t colors = i->spectral ? (size_t)t->roles.colors : n - i->alpha;
    size_t alpha = i->spectral ? (size_t)t->roles.alpha : colors;
    uint64_t format = !imf_info_integer(i) ? 3 : i->type == IMF_TYPE_SIGNED ? 2 : 1;
    add_alike(d, out, 258, n, (uint64_t)t->bits, n, 0);
    if (n > colors)
        add_alike(d, out, 338, n - colors, 0, i->alpha ? alpha - colors : n, STRAIGHT_ALPHA);
    if (t->type.depth)
        add_alike(d, out, 339, n, format, n, 0);
}

void imf_tiff_strips_add(const struct imf_tiff_strips *t, struct imf_tiff_directory *d,
                         struct imf_tiff_output *out) {
    static const uint64_t photometric[] = {
        [IMF_COLOR_GRAY] = BLACK_IS_ZERO, [IMF_COLOR_RGB] = RGB, [IMF_COLOR_CMYK] = SEPARATED};
    const struct imf_info *i = &t->info;
    const uint64_t n = i->spectral ? i->spectral : (uint64_t)i->channels;
    const uint64_t colors = t->scheme == GROUP4 ? WHITE_IS_ZERO
                            : i->spectral       ? (uint64_t)t->roles.photometric
                                                : photometric[i->color];
    const struct {
        unsigned tag;
        enum imf_tiff_type type;
        size_t count; /* 0: the tag is not wanted */
        const uint64_t *values;
    } tags[] = {
        {256, IMF_TIFF_LONG, 1, (uint64_t[]){(uint64_t)i->width}},
        {257, IMF_TIFF_LONG, 1, (uint64_t[]){(uint64_t)i->height}},
        {259, IMF_TIFF_SHORT, 1, (uint64_t[]){(uint64_t)t->scheme}},
        {262, IMF_TIFF_SHORT, 1, &colors},
        {273, out->wide ? IMF_TIFF_LONG8 : IMF_TIFF_LONG, t->strips, t->offsets},
        {277, IMF_TIFF_SHORT, 1, &n},
        {278, IMF_TIFF_LONG, 1, (uint64_t[]){(uint64_t)t->strip_rows}},
        {279, IMF_TIFF_LONG, t->strips, t->sizes},
        {284, IMF_TIFF_SHORT, 1, (uint64_t[]){i->spectral ? PLANES : 1}}, /* or neighbours */
        {317, IMF_TIFF_SHORT, t->predictor > NO_PREDICTOR, (uint64_t[]){(uint64_t)t->predictor}},
        {332, IMF_TIFF_SHORT, colors == SEPARATED, (uint64_t[]){1}}, /* those inks */
    };
    for (size_t k = 0; k < sizeof tags / sizeof *tags; k++)
        if (tags[k].count)
            imf_tiff_add(d, out, tags[k].tag, tags[k].type, tags[k].count, tags[k].values);
    add_channels(t, (size_t)n, d, out);
}
