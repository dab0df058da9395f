/*
 * read.c - PNG decoder (libpng 1.6)
 *
 * Rows are inflated one after the other; only an interlaced image is buffered, because its second row
 * needs the last pass. libpng reports an error by longjmp: each call into it is a step that guarded()
 * runs, so that setjmp and the variables that it could clobber stay in one place.
 *
 * libpng hands over colour and text chunks as raw bytes, as if they were unknown to it, and skips
 * others that the pixels do not need: its own readers allocate as much as a chunk says that it is
 * long.
 */
#include "codec/table.h"

#include "codec/metadata/bytes.h"
#include "codec/png/chunks.h"
#include "codec/png/stored.h"

#include <limits.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_MAX ((png_alloc_size_t)16 << 20) /* a larger ancillary chunk is left out */
#define CHUNK_COUNT_MAX 128                    /* of those that libpng itself would keep */
#define ADAM7_PASSES 7
/* The size of libpng's input buffer, which it drops if the file ends within. When lenient, and for the
 * first row, which says whether lenient reading would help, it is small. */
#define SMALL_BUFFER 64
#define LARGE_BUFFER 8192
#define STORED_BUFFER (1 << 17) /* more than a chunk of imf_png_stored_read() */
/* libpng inflates all that follows the last row: no more than this is read. */
#define SURPLUS_MAX 16384
#define NO_ROWS INT_MIN /* instead of how many were good */

struct png {
    png_structp png;
    png_infop info;
    struct imf_reader *reader;
    struct imf_png_walk walk;
    struct imf_png_stored *stored; /* NULL: libpng reads the file as it is */
    bool tried;                    /* whether it can be that */
    jmp_buf jump;
    char message[120];
    char bad_chunk[5];     /* the last chunk that failed its CRC */
    unsigned char end[12]; /* the last bytes that libpng read */
    unsigned char *image;  /* interlaced: all rows */
    size_t image_bytes;
    int pass;
    bool out_of_memory; /* of libpng */
    bool started;
    bool last;          /* libpng is asked for the last row */
    size_t surplus;     /* bytes read after that row */
    bool endless;       /* more than SURPLUS_MAX */
    unsigned char *dst; /* rows wanted */
    size_t stride;
    int rows, done;
};

static void on_error(png_structp png, png_const_charp message) {
    struct png *p = png_get_error_ptr(png);
    snprintf(p->message, sizeof p->message, "%s", message);
    longjmp(p->jump, 1);
}

/* Of libpng's warnings those about data are passed on. */
static void on_warning(png_structp png, png_const_charp message) {
    struct png *p = png_get_error_ptr(png);
    if (strstr(message, "CRC error")) {
        memcpy(p->bad_chunk, message, 4); /* "tEXt: CRC error" */
    } else if (strncmp(message, "IDAT", 4) == 0) {
        imf_reader_warn(p->reader, "doubtful image data (%.80s)", message);
    }
}

static bool guarded(struct png *p, void (*step)(struct png *)) {
    if (setjmp(p->jump))
        return false;
    step(p);
    return true;
}

/* libpng counts a row, and the pass, before it looks for the stream's end. */
static bool last_row_complete(const struct png *p) {
    return png_get_current_pass_number(p->png) == ADAM7_PASSES ||
           png_get_current_row_number(p->png) == (png_uint_32)p->reader->info.height;
}

/* What all rows inflate to, with the filter before each. */
static uint64_t inflated_bytes(const struct png *p) {
    png_uint_32 width = png_get_image_width(p->png, p->info),
                height = png_get_image_height(p->png, p->info);
    uint64_t bits =
                 (uint64_t)png_get_bit_depth(p->png, p->info) * png_get_channels(p->png, p->info),
             bytes = 0;
    if (png_get_interlace_type(p->png, p->info) == PNG_INTERLACE_NONE)
        return height * (1 + (width * bits + 7) / 8);
    for (int pass = 0; pass < ADAM7_PASSES; pass++) {
        uint64_t columns = PNG_PASS_COLS(width, pass);
        bytes += columns ? PNG_PASS_ROWS(height, pass) * (1 + (columns * bits + 7) / 8) : 0;
    }
    return bytes;
}

/* Behind the head of the first IDAT: give libpng another, if its data can be inflated beforehand. */
static void try_stored(struct png *p, unsigned char *head) {
    p->tried = true;
    p->stored = imf_png_stored_open(p->reader, &p->walk, inflated_bytes(p));
    if (!p->stored)
        return;
    png_set_crc_action(p->png, PNG_CRC_QUIET_USE, PNG_CRC_NO_CHANGE); /* do not compute them */
    png_set_option(p->png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
    png_set_compression_buffer_size(p->png, STORED_BUFFER);
    imf_png_stored_read(&p->stored, head, 8);
}

static void read_stored(struct png *p, unsigned char *dst, size_t size) {
    if (!imf_png_stored_read(&p->stored, dst, size))
        png_error(p->png, "zlib is to read it");
    if (!p->stored)
        png_set_crc_action(p->png, PNG_CRC_DEFAULT, PNG_CRC_NO_CHANGE);
}

static void read_data(png_structp png, png_bytep dst, size_t size) {
    struct png *p = png_get_io_ptr(png);
    if (p->stored) {
        read_stored(p, dst, size);
        return;
    }
    if (p->last && last_row_complete(p)) {
        p->surplus += size;
        p->endless = p->surplus > SURPLUS_MAX;
        if (p->endless)
            png_error(png, "too much image data");
    }
    if (imf_source_read(&p->reader->source, dst, size) < size)
        png_error(png, "truncated");
    imf_png_walk(&p->walk, p->reader, dst, size);
    size_t kept = size < sizeof p->end ? sizeof p->end - size : 0;
    memmove(p->end, p->end + sizeof p->end - kept, kept);
    memcpy(p->end + kept, dst + size - (sizeof p->end - kept), sizeof p->end - kept);
    if (!p->tried && size == 8 && memcmp(dst + 4, "IDAT", 4) == 0)
        try_stored(p, dst);
}

/* Returns 1 for a chunk that was handled, 0 for one that libpng must handle (a critical one). */
static int on_chunk(png_structp png, png_unknown_chunkp c) {
    struct png *p = png_get_user_chunk_ptr(png);
    struct imf_png_chunk chunk = {.after_pixels = c->location & PNG_AFTER_IDAT,
                                  .data = c->data ? c->data : (const unsigned char *)"",
                                  .size = c->data ? c->size : 0};
    memcpy(chunk.name, c->name, sizeof chunk.name);
    bool known = imf_source_position(&p->reader->source) < p->walk.at; /* it is read again */
    p->reader->at = p->walk.chunk;
    if (memcmp(p->bad_chunk, chunk.name, 4) != 0 && !known)
        imf_png_add_chunk(p->reader, &chunk);
    p->bad_chunk[0] = 0;
    return (c->name[0] & 0x20) != 0;
}

/* Without memory for a chunk libpng skips it, with a warning like those of damaged chunks. */
static png_voidp allocate(png_structp png, png_alloc_size_t size) {
    struct png *p = png_get_mem_ptr(png);
    void *block = malloc(size);
    p->reader->metadata.out_of_memory |= !block;
    p->out_of_memory |= !block;
    return block;
}

/* ---- steps -------------------------------------------------------------------------------- */

static void header_step(struct png *p) {
    static const png_byte frames[] = "fcTL\0fdAT"; /* may be large, and are not read */
    p->png =
        png_create_read_struct_2(PNG_LIBPNG_VER_STRING, p, on_error, on_warning, p, allocate, NULL);
    p->info = p->png ? png_create_info_struct(p->png) : NULL;
    if (!p->info)
        return;
    png_set_read_fn(p->png, p, read_data);
    png_set_user_limits(p->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(p->png, CHUNK_MAX);
    png_set_chunk_cache_max(p->png, CHUNK_COUNT_MAX);
    png_set_keep_unknown_chunks(p->png, PNG_HANDLE_CHUNK_ALWAYS, NULL, -1);
    png_set_keep_unknown_chunks(p->png, PNG_HANDLE_CHUNK_NEVER, frames, 2);
    png_set_compression_buffer_size(p->png, SMALL_BUFFER);
    png_set_read_user_chunk_fn(p->png, p, on_chunk);
    png_read_info(p->png, p->info);
}

/* Before the first row: the form of rows. */
static void start_step(struct png *p) {
    static const union {
        uint16_t number;
        unsigned char little;
    } order = {1};
    if (p->reader->indices)
        png_set_packing(p->png);
    else
        png_set_expand(p->png);
    if (order.little && p->reader->info.depth == 16)
        png_set_swap(p->png);
    png_set_interlace_handling(p->png);
    png_read_update_info(p->png, p->info);
    if (png_get_rowbytes(p->png, p->info) != p->reader->row_bytes)
        png_error(p->png, "unexpected row size");
    p->started = true;
}

static void palette_step(struct png *p) {
    struct imf_palette *palette = p->reader->palette;
    png_colorp colors = NULL;
    png_bytep alpha = NULL;
    int alphas = 0;
    png_get_PLTE(p->png, p->info, &colors, &palette->count);
    png_get_tRNS(p->png, p->info, &alpha, &alphas, NULL);
    for (int i = 0; i < palette->count; i++) {
        png_byte opacity = i < alphas ? alpha[i] : 255;
        memcpy(palette->rgba[i],
               (png_byte[]){colors[i].red, colors[i].green, colors[i].blue, opacity}, 4);
    }
}

/* `row` receives the pixels of this pass, or `all` whole blocks; one is NULL. */
static void read_row(struct png *p, unsigned char *row, unsigned char *all, bool last) {
    struct imf_reader *r = p->reader;
    p->last = last;
    png_read_row(p->png, row, all);
    p->last = false;
    if (!r->recoverable && !r->limits.lenient && !p->stored)
        png_set_compression_buffer_size(p->png, LARGE_BUFFER);
    r->recoverable = true;
}

/* In whole blocks: where passes are missing, only detail is lost. */
static void image_step(struct png *p) {
    const struct imf_reader *r = p->reader;
    for (p->pass = 0; p->pass < ADAM7_PASSES; p->pass++)
        for (int y = 0; y < r->info.height; y++)
            read_row(p, NULL, p->image + (size_t)y * r->row_bytes,
                     p->pass + 1 == ADAM7_PASSES && y + 1 == r->info.height);
}

static void rows_step(struct png *p) {
    const struct imf_reader *r = p->reader;
    for (; p->done < p->rows; p->done++)
        read_row(p, p->dst + (size_t)p->done * p->stride, NULL,
                 r->row + p->done + 1 == r->info.height);
}

/* From the file's beginning, by zlib, to where rows are wanted. */
static void again_step(struct png *p) {
    struct imf_reader *r = p->reader;
    int done = p->done;
    png_destroy_read_struct(&p->png, &p->info, NULL);
    free(p->stored);
    p->stored = NULL;
    p->message[0] = 0;
    r->recoverable = false;
    imf_source_seek(&r->source, 0);
    header_step(p);
    p->out_of_memory = !p->info;
    if (!p->info)
        longjmp(p->jump, 1);
    start_step(p);
    for (p->done = -r->row; p->done < done; p->done++)
        read_row(p, p->dst + (size_t)done * p->stride, NULL, false);
}

/* Run a step that reads rows; data after the last row may be left out. */
static bool guarded_rows(struct png *p, void (*step)(struct png *)) {
    bool good = guarded(p, step);
    if (!good && p->stored)
        good = guarded(p, again_step) && guarded(p, step);
    if (p->endless)
        imf_reader_warn(p->reader, "image data continue after the last row; they are not read");
    p->done += p->endless;
    return good || p->endless;
}

/* Some versions of libpng do not read IEND's CRC. */
static void end_step(struct png *p) {
    static const unsigned char iend[12] = "\0\0\0\0IEND\xae\x42\x60\x82";
    unsigned char crc[4];
    png_read_end(p->png, p->info);
    if (memcmp(p->end + 4, iend, 8) == 0)
        read_data(p->png, crc, sizeof crc);
    if (memcmp(p->end, iend, sizeof iend) != 0)
        png_error(p->png, "IEND is wrong");
    struct imf_source *s = &p->reader->source;
    (void)(s->at < s->end || imf_source_fill(s)); /* to see what follows in a pipe */
    imf_reader_add_trailer(p->reader);
}

/* ---- decoder ------------------------------------------------------------------------------ */

/* The error in words: libpng's "IDAT: CRC error" is no sentence. */
static enum imf_status failure(const struct png *p, struct imf_error *err, const char *where,
                               int done) {
    char what[200];
    if (p->out_of_memory)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    if (strcmp(p->message, "truncated") == 0)
        snprintf(what, sizeof what, "truncated%s", where);
    else
        snprintf(what, sizeof what, "damaged (%s)%s", p->message, where);
    if (done != NO_ROWS || p->reader->source.error)
        return imf_reader_damaged(p->reader, done, what, err);
    return imf_fail(err, IMF_ERR_DAMAGED, "%s", what);
}

static enum imf_status png_open(struct imf_reader *r, struct imf_error *err) {
    struct png *p = r->state;
    p->reader = r;
    if (!guarded(p, header_step))
        return failure(p, err, " in the header", NO_ROWS);
    if (!p->info)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");

    png_uint_32 width, height;
    int bits, type, interlace;
    png_get_IHDR(p->png, p->info, &width, &height, &bits, &type, &interlace, NULL, NULL);
    bool alpha = (type & PNG_COLOR_MASK_ALPHA) || png_get_valid(p->png, p->info, PNG_INFO_tRNS);
    enum imf_status status = imf_reader_shape(
        r, width, height, type & PNG_COLOR_MASK_COLOR ? IMF_COLOR_RGB : IMF_COLOR_GRAY, alpha,
        bits == 16 ? 16 : 8, err);
    if (status)
        return status;
    if (interlace != PNG_INTERLACE_NONE) {
        uint64_t bytes;
        if (__builtin_mul_overflow((uint64_t)r->row_bytes, (uint64_t)height, &bytes) ||
            bytes > PTRDIFF_MAX)
            return imf_fail(err, IMF_ERR_LIMIT, "an interlaced PNG of this size is too large");
        p->image_bytes = (size_t)bytes;
        status = imf_reader_buffer(r, bytes, "an interlaced PNG of this size", err);
        if (status)
            return status;
    }
    r->metadata.png_form = imf_png_form(type, bits);
    imf_png_find_trailing_exif(r);
    if (type == PNG_COLOR_TYPE_GRAY && bits < 8 && !alpha)
        r->info.bits = bits;
    if (type != PNG_COLOR_TYPE_PALETTE)
        return IMF_OK;
    if (!(r->palette = calloc(1, sizeof *r->palette)))
        return imf_fail_memory(err, sizeof *r->palette);
    return guarded(p, palette_step) ? IMF_OK : failure(p, err, " in the header", NO_ROWS);
}

/* Read all passes. A damaged image lacks detail everywhere instead of its last rows. */
static enum imf_status read_image(struct imf_reader *r, struct imf_error *err) {
    struct png *p = r->state;
    char where[40];
    if (r->indices)
        p->image_bytes = r->row_bytes * (size_t)r->info.height;
    p->image = calloc(1, p->image_bytes);
    if (!p->image)
        return imf_fail_memory(err, p->image_bytes);
    if (guarded_rows(p, image_step))
        return IMF_OK;
    snprintf(where, sizeof where, " in pass %d of %d", p->pass + 1, ADAM7_PASSES);
    enum imf_status status = failure(p, err, where, NO_ROWS);
    if (status != IMF_ERR_DAMAGED || !r->limits.lenient || !r->recoverable)
        return status;
    snprintf(r->warning, sizeof r->warning, "%s%s: detail is missing", p->message, where);
    return IMF_OK;
}

static enum imf_status png_rows(struct imf_reader *r, unsigned char *dst, size_t stride, int rows,
                                int *done, struct imf_error *err) {
    struct png *p = r->state;
    if (!p->started && !guarded(p, start_step))
        return failure(p, err, " in the header", NO_ROWS);
    if (p->image_bytes) {
        enum imf_status status = p->image ? IMF_OK : read_image(r, err);
        if (status)
            return status;
        for (; *done < rows; ++*done)
            memcpy(dst + (size_t)*done * stride, p->image + (size_t)(r->row + *done) * r->row_bytes,
                   r->row_bytes);
        return IMF_OK;
    }
    p->dst = dst;
    p->stride = stride;
    p->rows = rows;
    p->done = 0;
    bool good = guarded_rows(p, rows_step);
    *done = p->done;
    return good ? IMF_OK : failure(p, err, "", p->done);
}

static enum imf_status png_end(struct imf_reader *r, struct imf_error *err) {
    struct png *p = r->state;
    if (p->message[0]) /* the damage was accepted already: interlaced, or endless */
        return IMF_OK;
    return guarded(p, end_step) ? IMF_OK : failure(p, err, "", 0);
}

static void png_close(struct imf_reader *r) {
    struct png *p = r->state;
    png_destroy_read_struct(&p->png, &p->info, NULL);
    free(p->stored);
    free(p->image);
}

/* ---- format ------------------------------------------------------------------------------- */

static bool recognise(const unsigned char *head, size_t size) {
    return size >= 4 && memcmp(head, "\x89PNG", 4) == 0;
}

static const struct imf_decoder decoder = {sizeof(struct png), png_open,     png_rows, png_end,
                                           png_close,          imf_png_part, NULL};

const struct imf_codec imf_png_codec = {
    .doc = {"png", "PNG", {"png"}, {"compression"}},
    .recognise = recognise,
    .colors = 1 << IMF_COLOR_GRAY | 1 << IMF_COLOR_RGB,
    .alpha = 8 | 16,
    .depths = 8 | 16,
    .few_bits = 1 << 1 | 1 << 2 | 1 << 4,
    .resolution = true,
    .late = true,
    .side_max = INT_MAX,
    .metadata_max = {[IMF_META_EXIF] = PNG_UINT_31_MAX,
                     [IMF_META_XMP] = PNG_UINT_31_MAX,
                     [IMF_META_ICC] = PNG_UINT_31_MAX,
                     [IMF_META_COMMENT] = PNG_UINT_31_MAX,
                     [IMF_META_IRB] = PNG_UINT_31_MAX,
                     [IMF_META_EXIF_TEXT] = PNG_UINT_31_MAX / 3,
                     [IMF_META_PNG_CHUNK] = PNG_UINT_31_MAX,
                     [IMF_META_TRAILER] = SIZE_MAX},
    .decoder = &decoder,
    .encoder = &imf_png_encoder,
};
