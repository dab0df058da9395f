/*
 * transcode.c - a JPEG made of its source's coefficients, and of new ones where blocks changed
 *
 * Of the rows that the filter made, those of an MCU row with a changed block are encoded by themselves, as a
 * JPEG in memory of the source's settings, and the coefficients of its changed blocks are kept. After the last row
 * they are put among the source's, which the decoder has kept, and all are written: entropy coding loses nothing.
 */
#include "codec/jpeg/transcode.h"

#include "codec/jpeg/blocks.h"

#include <stdio.h>

#include <jerror.h>
#include <stdlib.h>
#include <string.h>

struct imf_jpeg_transcode {
    struct imf_jpeg_original *from; /* borrowed */
    struct imf_writer settings;     /* the writer's, for MCU rows */
    struct imf_jpeg_blocks blocks;
    struct jpeg_compress_struct c;   /* of MCU rows */
    struct jpeg_decompress_struct d; /* of them */
    jvirt_barray_ptr *source;        /* the source's coefficients */
    struct jpeg_error_mgr
        *errors; /* the source's own, and its client_data, while it has the caller's */
    void *client;
    jpeg_scan_info script[IMF_JPEG_SCANS];
    unsigned char *pixels;   /* of the current MCU row; owned */
    unsigned char *inverted; /* CMYK: a row; owned */
    unsigned char *coded;    /* room for a coded MCU row; owned */
    size_t room;
    unsigned char *changed; /* owned: of each block, MCU row by MCU row, component by component */
    size_t at, total;       /* blocks that were compared; all */
    JBLOCK *made;           /* owned: coefficients of the changed ones, in that order */
    size_t count, capacity;
    bool optimize; /* Huffman tables of the file */
};

/* Of the MCU row that ends with the last row taken. */
static int height_of(const struct imf_jpeg_blocks *b) {
    return (b->row - 1) % b->mcu + 1;
}

/* A coefficient has a code of 16 bits and 11 of its own at most, and a byte may need another one behind it. */
#define CODED_BLOCK (2 * (DCTSIZE2 * 27 / 8 + 1))
#define CODED_HEADER 4096

static size_t room_of(const struct imf_jpeg_blocks *b) {
    size_t blocks = 0;
    for (int i = 0; i < b->components; i++)
        blocks += (size_t)(b->component[i].across + 4) * (size_t)(b->mcu / b->component[i].high);
    return CODED_HEADER + blocks * CODED_BLOCK;
}

bool imf_jpeg_transcodes(const struct imf_writer *w) {
    const struct imf_jpeg_source *s = &w->jpeg;
    const struct imf_jpeg_original *o = s->original;
    if (!o || w->encode.quality || w->encode.subsampling || w->info.width != o->blocks.width ||
        w->info.height != o->blocks.height || w->info.channels != s->components ||
        !imf_orientation_is_upright(w->orientation))
        return false;
    for (int t = 0; t < NUM_QUANT_TBLS; t++)
        for (int i = 0; s->has_table[t] && i < DCTSIZE2; i++)
            if (s->quant[t][i] == 0)
                return false;
    return true;
}

struct imf_jpeg_transcode *imf_jpeg_transcode_make(const struct imf_writer *w,
                                                   struct jpeg_compress_struct *c) {
    struct imf_jpeg_transcode *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->from = w->jpeg.original;
    t->settings = *w;
    t->optimize = w->encode.optimize;
    t->settings.jpeg.progressive = t->settings.encode.optimize = false; /* of MCU rows */
    t->total = imf_jpeg_blocks_count(&t->from->blocks);
    t->changed = calloc(t->total, 1);
    t->inverted = w->info.color == IMF_COLOR_CMYK ? malloc(w->row_bytes) : NULL;
    t->c.err = t->d.err = c->err;
    t->c.client_data = t->d.client_data = c->client_data;
    t->room = room_of(&t->from->blocks);
    t->coded = malloc(t->room);
    t->pixels = malloc(w->row_bytes * (size_t)t->from->blocks.mcu);
    bool good = !imf_jpeg_blocks_open(&t->blocks, &w->jpeg, w->info.width, w->info.height, false);
    if (!good || !t->changed || !t->pixels || !t->coded ||
        (w->info.color == IMF_COLOR_CMYK && !t->inverted))
        imf_jpeg_transcode_free(&t);
    return t;
}

void imf_jpeg_transcode_free(struct imf_jpeg_transcode **out) {
    struct imf_jpeg_transcode *t = *out;
    *out = NULL;
    if (!t)
        return;
    if (t->errors) {
        t->from->d->err = t->errors;
        t->from->d->client_data = t->client;
    }
    jpeg_destroy_compress(&t->c); /* harmless where it was not made */
    jpeg_destroy_decompress(&t->d);
    imf_jpeg_blocks_close(&t->blocks);
    free(t->pixels);
    free(t->inverted);
    free(t->coded);
    free(t->changed);
    free(t->made);
    free(t);
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* Compare the blocks of MCU row i with the source's; false: none changed. */
static bool compare(struct imf_jpeg_transcode *t, int i) {
    bool any = false;
    for (int k = 0; k < t->blocks.components; k++) {
        size_t n;
        const uint64_t *made = imf_jpeg_blocks_of(&t->blocks, k, i, &n);
        const uint64_t *from = imf_jpeg_blocks_of(&t->from->blocks, k, i, &n);
        for (size_t b = 0; b < n; b++)
            any |= t->changed[t->at++] = from[b] == 0 || from[b] != made[b];
    }
    return any;
}

static void encode(struct imf_jpeg_transcode *t, unsigned long *size) {
    struct jpeg_compress_struct *c = &t->c;
    size_t bytes = t->settings.row_bytes;
    t->settings.info.height = height_of(&t->blocks);
    jpeg_create_compress(c);
    jpeg_mem_dest(c, &t->coded, size); /* it never has to grow */
    imf_jpeg_configure(c, &t->settings, t->script);
    jpeg_start_compress(c, TRUE);
    for (int y = 0; y < t->settings.info.height; y++) {
        JSAMPROW row = t->pixels + (size_t)y * bytes;
        for (size_t x = 0; t->inverted && x < bytes; x++)
            t->inverted[x] = (unsigned char)(255 - row[x]);
        row = t->inverted ? t->inverted : row;
        jpeg_write_scanlines(c, &row, 1);
    }
    jpeg_finish_compress(c);
    jpeg_destroy_compress(c);
}

static JBLOCKROW block_row(struct jpeg_decompress_struct *d, jvirt_barray_ptr array, int row) {
    return d->mem->access_virt_barray((j_common_ptr)d, array, (JDIMENSION)row, 1, TRUE)[0];
}

/* Copy the coefficients of the changed blocks of MCU row i: out of the arrays, which begin with it, to t->made, or
 * from `made` on into the file's. Returns what follows in `made`. */
static JBLOCK *exchange(struct imf_jpeg_transcode *t, int i, const unsigned char **changed,
                        jvirt_barray_ptr *arrays, JBLOCK *made, bool in) {
    for (int k = 0; k < t->blocks.components; k++) {
        const struct imf_jpeg_component *c = &t->blocks.component[k];
        int rows = t->blocks.mcu / c->high, above = in ? i * rows : 0;
        for (int y = 0; y < rows && i * rows + y < c->down; y++) {
            JBLOCKROW row = block_row(in ? t->from->d : &t->d, arrays[k], above + y);
            for (int x = 0; x < c->across; x++)
                if (*(*changed)++) {
                    memcpy(in ? row[x] : *made, in ? *made : row[x], sizeof(JBLOCK));
                    made++;
                }
        }
    }
    return made;
}

/* Make room for the blocks of the current MCU row. */
static void reserve(struct imf_jpeg_transcode *t, size_t more) {
    size_t most = t->count + more, capacity = 2 * most < t->total ? 2 * most : t->total;
    if (most <= t->capacity)
        return;
    JBLOCK *made = realloc(t->made, capacity * sizeof *made);
    if (!made)
        ERREXIT1(&t->c, JERR_OUT_OF_MEMORY, 0);
    t->made = made;
    t->capacity = capacity;
}

void imf_jpeg_transcode_row(struct imf_jpeg_transcode *t, const unsigned char *row) {
    struct imf_jpeg_blocks *b = &t->blocks;
    const unsigned char *changed = t->changed + t->at;
    size_t bytes = t->settings.row_bytes, at = t->at;
    int i = b->row / b->mcu;
    memcpy(t->pixels + (size_t)(b->row % b->mcu) * bytes, row, bytes);
    imf_jpeg_blocks_take(b, row);
    if ((b->row % b->mcu && b->row < b->height) || !compare(t, i))
        return;
    unsigned long size = t->room;
    encode(t, &size);
    reserve(t, t->at - at);
    jpeg_create_decompress(&t->d);
    jpeg_mem_src(&t->d, t->coded, size);
    jpeg_read_header(&t->d, TRUE);
    jvirt_barray_ptr *arrays = jpeg_read_coefficients(&t->d);
    t->count = (size_t)(exchange(t, i, &changed, arrays, t->made + t->count, false) - t->made);
    jpeg_destroy_decompress(&t->d);
}

/* ---- the file ---------------------------------------------------------------------------------- */

static bool same_codes(const JHUFF_TBL *a, const JHUFF_TBL *b) {
    return a && b && memcmp(a->bits, b->bits, sizeof a->bits) == 0 &&
           memcmp(a->huffval, b->huffval, sizeof a->huffval) == 0;
}

/* Are the source's Huffman tables those of the compressor, which are the standard's? */
static bool standard(const struct jpeg_decompress_struct *d, const struct jpeg_compress_struct *c) {
    bool same = true;
    for (int i = 0; i < c->num_components; i++) {
        const jpeg_component_info *from = &d->comp_info[i], *to = &c->comp_info[i];
        same =
            same &&
            same_codes(d->dc_huff_tbl_ptrs[from->dc_tbl_no], c->dc_huff_tbl_ptrs[to->dc_tbl_no]) &&
            same_codes(d->ac_huff_tbl_ptrs[from->ac_tbl_no], c->ac_huff_tbl_ptrs[to->ac_tbl_no]);
    }
    return same;
}

/* Limit coefficients to what Huffman codes hold of samples of 8 bits: libjpeg does not check them where tables are
 * the standard's. Of a picture none are beyond. Returns whether some were. */
static bool limit(struct jpeg_decompress_struct *d, jvirt_barray_ptr *arrays) {
    bool any = false;
    for (int k = 0; k < d->num_components; k++)
        for (int y = 0; y < (int)d->comp_info[k].height_in_blocks; y++)
            any |= imf_jpeg_limit(block_row(d, arrays[k], y)[0], d->comp_info[k].width_in_blocks);
    return any;
}

bool imf_jpeg_transcode_configure(struct imf_jpeg_transcode *t, struct jpeg_compress_struct *c,
                                  jpeg_scan_info script[IMF_JPEG_SCANS]) {
    const unsigned char *changed = t->changed;
    struct jpeg_decompress_struct *d = t->from->d;
    JBLOCK *made = t->made;
    t->errors = d->err;
    t->client = d->client_data;
    d->err = c->err;
    d->client_data = c->client_data;
    t->source = jpeg_read_coefficients(d);
    bool limited = limit(d, t->source);
    for (int i = 0; i * t->blocks.mcu < t->blocks.height; i++)
        made = exchange(t, i, &changed, t->source, made, true);
    jpeg_copy_critical_parameters(d, c);
    c->density_unit = 0;
    c->X_density = c->Y_density = 1;
    c->restart_interval = d->restart_interval;
    c->arith_code = d->arith_code;
    imf_jpeg_set_scans(c, d->progressive_mode, script);
    c->optimize_coding = t->optimize || (!c->arith_code && !d->progressive_mode && !standard(d, c));
    return !limited;
}

void imf_jpeg_transcode_start(struct imf_jpeg_transcode *t, struct jpeg_compress_struct *c) {
    jpeg_write_coefficients(c, t->source);
}
