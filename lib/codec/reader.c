/* reader.c - images read through the decoder of their format */
#include "base/arguments.h"
#include "base/image/info.h"
#include "base/image/samples.h"
#include "base/image/surface.h"
#include "base/sized.h"
#include "codec/metadata/items.h"
#include "codec/table.h"
#include "imfilter_program.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool imf_reader_in_order(const struct imf_reader *r) {
    return !r->buffered;
}

uint64_t imf_reader_held(const struct imf_reader *reader) {
    return reader->memory + reader->blocks;
}

static enum imf_status open_recognised(struct imf_reader *r, struct imf_error *err) {
    struct imf_source *s = &r->source;
    if (!imf_source_fill(s))
        return s->error ? imf_fail_io(err, s->error) : imf_fail(err, IMF_ERR_FORMAT, "empty file");
    r->info.format = imf_codec_recognise(s->buffer, s->end);
    r->codec = imf_codec_of(r->info.format);
    if (r->codec && !(r->state = calloc(1, r->codec->decoder->state)))
        return imf_fail_memory(err, r->codec->decoder->state);
    if (r->codec)
        return r->codec->decoder->open(r, err);
    char all[IMF_FORMATS_TEXT];
    imf_codec_titles(all);
    return s->error ? imf_fail_io(err, s->error)
                    : imf_fail(err, IMF_ERR_FORMAT, "not a %s image", all);
}

static enum imf_status finish_open(struct imf_reader *r, enum imf_status status,
                                   struct imf_error *err) {
    if (status == IMF_OK)
        status = imf_metadata_complete(r->metadata.out_of_memory, err);
    if (status == IMF_OK)
        r->info.orientation = imf_metadata_orientation(&r->metadata);
    return status;
}

/* page: 0, the first that is read. of: NULL, or the reader beside which the page is read. */
static enum imf_status open_page(struct imf_reader **out, FILE *stream,
                                 const struct imf_limits *limits, const struct imf_reader *of,
                                 struct imf_error *err) {
    *out = NULL;
    struct imf_reader *r = calloc(1, sizeof *r);
    if (!r)
        return imf_fail_memory(err, sizeof *r);
    r->source.stream = stream;
    r->metadata.account = &r->account;
    r->source.start = ftello(stream);
    if (of) {
        r->page = of->page;
        r->page_at = of->page_at;
        r->aside = true;
    }
    const struct imf_limits usual = {.max_pixels = IMF_DEFAULT_MAX_PIXELS,
                                     .max_scans = IMF_DEFAULT_MAX_SCANS};
    imf_sized_read(&r->limits, sizeof r->limits, limits ? limits : &usual);
    enum imf_status status = imf_check_limits(&r->limits, err);
    status = finish_open(r, status ? status : open_recognised(r, err), err);
    if (status)
        imf_reader_close(&r);
    *out = r;
    return status;
}

enum imf_status imf_reader_open(struct imf_reader **out, FILE *stream,
                                const struct imf_limits *limits, struct imf_error *err) {
    return open_page(out, stream, limits, NULL, err);
}

int imf_reader_pages(const struct imf_reader *r) {
    return imf_max(r->pages, 1);
}

bool imf_reader_pages_open(const struct imf_reader *r) {
    return r->pages_open;
}

uint64_t imf_reader_bytes_of_pages(const struct imf_reader *r, int depth) {
    return depth ? r->pages_size.samples * (unsigned)depth / 8 : r->pages_size.bytes;
}

static void free_page(struct imf_reader *r) {
    imf_account_free(&r->account);
    imf_metadata_clear(&r->metadata);
    free(r->palette);
}

enum imf_status imf_reader_turn(struct imf_reader *r, int page, struct imf_error *err) {
    if (page < 1 || (page > imf_reader_pages(r) && !r->pages_open))
        return imf_fail(err, IMF_ERR_ARGUMENT, "there is no page %d (it has %d)", page,
                        imf_reader_pages(r));
    if (page == imf_max(r->page, 1) && r->row == 0 && !r->failed)
        return IMF_OK;
    if (!r->codec->decoder->turn)
        return imf_fail(err, IMF_ERR_ARGUMENT, "its page was read");
    struct imf_error why = {0};
    enum imf_format format = r->info.format;
    r->codec->decoder->turn(r);
    free_page(r);
    memset(&r->info, 0, sizeof *r - offsetof(struct imf_reader, info));
    r->info.format = format;
    r->metadata.account = &r->account;
    r->page = page;
    r->page_at = 0;
    r->failed = finish_open(r, r->codec->decoder->open(r, &why), &why);
    return r->failed ? imf_fail(err, r->failed, "page %d: %s", page, why.text) : IMF_OK;
}

enum imf_status imf_reader_channel(struct imf_reader *r, int channel, struct imf_error *err) {
    if (channel < 0 || channel >= r->info.spectral)
        return imf_fail(err, IMF_ERR_ARGUMENT, "there is no channel %d (it has %d)", channel,
                        r->info.spectral);
    if (r->failed)
        return imf_fail(err, r->failed, "an earlier read failed");
    r->channel = channel;
    r->row = 0;
    r->broken = false;
    return IMF_OK;
}

enum imf_status imf_reader_again(struct imf_reader **out, const struct imf_reader *r,
                                 struct imf_error *err) {
    FILE *stream = r->source.stream;
    *out = NULL;
    if (fseeko(stream, r->source.start, SEEK_SET) != 0)
        return imf_fail_io(err, errno);
    struct imf_limits limits = r->limits;
    limits.keep_blocks = false; /* they are r's */
    enum imf_status status = open_page(out, stream, &limits, r, err);
    if (status == IMF_OK && r->channel)
        status = imf_reader_channel(*out, r->channel, err);
    if (status == IMF_OK && (*out)->row_bytes == r->row_bytes &&
        (*out)->info.height == r->info.height)
        return IMF_OK;
    imf_reader_close(out);
    return status ? status : imf_fail(err, IMF_ERR_FORMAT, "it changed while it was read");
}

void imf_reader_close(struct imf_reader **reader) {
    if (!*reader)
        return;
    if ((*reader)->state)
        (*reader)->codec->decoder->close(*reader);
    free((*reader)->state);
    free_page(*reader);
    free(*reader);
    *reader = NULL;
}

const struct imf_info *imf_reader_info(const struct imf_reader *reader) {
    return &reader->info;
}

const struct imf_metadata *imf_reader_metadata(const struct imf_reader *reader) {
    return &reader->metadata;
}

const char *imf_reader_warning(const struct imf_reader *reader) {
    return reader->warning[0] ? reader->warning : NULL;
}

/* Damage outranks the harmless warnings that may have come before it. */
static void warn_of_damage(struct imf_reader *r, const struct imf_error *why) {
    int missing = r->info.height - r->row;
    r->broken = true;
    if (missing > 0)
        snprintf(r->warning, sizeof r->warning, "%.200s: the last %d row%s missing", why->text,
                 missing, missing > 1 ? "s are" : " is");
    else
        snprintf(r->warning, sizeof r->warning, "%.200s", why->text);
}

/* As NaN, which is a missing sample. */
static void mark_infinities(const struct imf_info *info, unsigned char *row) {
    enum imf_sample sample = imf_info_sample(info);
    int samples = info->width * info->channels, i = imf_samples_finite(row, sample, samples);
    for (; i < samples; i++)
        if (isinf(imf_sample_get(row, sample, i)))
            imf_sample_put(row, sample, i, NAN);
}

enum imf_status imf_reader_rows(struct imf_reader *r, void *dst, size_t stride, int rows,
                                struct imf_error *err) {
    unsigned char *to = dst;
    if (rows < 0 || rows > r->info.height - r->row || stride < r->row_bytes)
        return imf_fail(err, IMF_ERR_ARGUMENT, "row %d of %d, %d rows: no such rows, or stride",
                        r->row, r->info.height, rows);
    if (r->failed)
        return imf_fail(err, r->failed, "an earlier read failed");
    struct imf_error why = {0};
    enum imf_status status = IMF_OK;
    int done = 0;
    if (rows > 0 && !r->broken) {
        status = r->codec->decoder->rows(r, to, stride, rows, &done, &why);
        r->row += done;
        if (status == IMF_OK && r->row == r->info.height) {
            status = r->codec->decoder->end ? r->codec->decoder->end(r, &why) : IMF_OK;
            imf_reader_close_account(r);
        }
        if (status == IMF_OK)
            status = imf_metadata_complete(r->metadata.out_of_memory, &why);
    }
    bool damaged = status == IMF_ERR_DAMAGED, lenient = r->limits.lenient;
    bool some = r->row > 0 || (r->recoverable && !lenient);
    if (damaged && lenient && some) {
        warn_of_damage(r, &why);
        status = IMF_OK;
    }
    if (status) {
        r->failed = status;
        return imf_fail(err, status, "%s%s", why.text,
                        damaged && some ? " (accept the readable part with --lenient)"
                        : damaged       ? ": no row of it can be read"
                                        : "");
    }
    r->row += rows - done;
    if (r->row == r->info.height && imf_metadata_orientation(&r->metadata) != r->info.orientation)
        imf_reader_warn(r,
                        "the EXIF orientation follows the pixels, too late to be applied (give "
                        "the file by its name)");
    if (r->broken)
        imf_reader_close_account(r);
    for (int k = 0; k < done && r->limits.infinity_missing && !imf_info_integer(&r->info); k++)
        mark_infinities(&r->info, to + (size_t)k * stride);
    for (; done < rows; done++)
        memset(to + (size_t)done * stride, 0, r->row_bytes);
    return IMF_OK;
}

unsigned imf_reader_maxval(const struct imf_reader *r) {
    int bits = r->info.bits ? r->info.bits : imf_min(r->info.depth, 16);
    return r->info.maxval ? (unsigned)r->info.maxval : (1u << bits) - 1;
}

const struct imf_palette *imf_reader_palette(const struct imf_reader *r) {
    return r->palette && r->row == 0 && !r->limits.lenient ? r->palette : NULL;
}

void imf_reader_take_indices(struct imf_reader *r) {
    r->indices = true;
    r->row_bytes = (size_t)r->info.width;
}
