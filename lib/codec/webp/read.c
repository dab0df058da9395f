/*
 * read.c - WebP decoder (libwebp)
 *
 * A lossless image refers to any of its earlier pixels, and libwebp has a lossy one whole, too: it is
 * decoded before its first row. Its incremental decoder tells how many rows of a damaged file are good.
 */
#include "codec/table.h"

#ifdef IMF_WITH_WEBP
#include "codec/metadata/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/mux.h>

#define SMALL ((uint64_t)4 << 20) /* an image of fewer bytes is as good as streamed */
enum { RIFF_HEAD = 8, HEAD = 12, LOSSLESS = 2 };

struct webp {
    unsigned char *file, *pixels;
    size_t size;
    bool damaged; /* its chunks */
    int rows;     /* that are decoded */
    VP8StatusCode status;
};

static enum imf_status damaged(const struct imf_reader *r, VP8StatusCode status, int done,
                               struct imf_error *err) {
    const char *what = status == VP8_STATUS_SUSPENDED || status == VP8_STATUS_NOT_ENOUGH_DATA
                           ? "truncated"
                           : "damaged (WebP data)";
    if (status == VP8_STATUS_OUT_OF_MEMORY)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    return done < 0 ? imf_fail(err, IMF_ERR_DAMAGED, "%s in the header", what)
                    : imf_reader_damaged(r, done, what, err);
}

/* ---- header ------------------------------------------------------------------------------------ */

/* The file is as long as its header says, or shorter. */
static enum imf_status read_file(struct imf_reader *r, struct webp *p, struct imf_error *err) {
    size_t size = imf_get(r->source.buffer + 4, 4, false);
    struct imf_source *s = &r->source;
    enum imf_status status =
        imf_reader_read_all(r, size + RIFF_HEAD + size % 2, "a WebP", &p->file, &p->size, err);
    (void)(s->at < s->end || imf_source_fill(s)); /* to see what follows in a pipe */
    return status;
}

static const struct {
    char type[5];
    enum imf_becomes becomes;
    unsigned strip;
    const char *name;
    enum imf_meta_kind kind; /* of a lost one */
} known[] = {
    {"VP8 ", IMF_PIXELS, 0, "pixels", IMF_META_KINDS},
    {"VP8L", IMF_PIXELS, 0, "pixels", IMF_META_KINDS},
    {"ALPH", IMF_PIXELS, 0, "pixels", IMF_META_KINDS},
    {"VP8X", IMF_STRUCTURE, 0, "header", IMF_META_KINDS},
    {"ICCP", IMF_LOST, IMF_STRIP_ICC, "ICC profile", IMF_META_ICC},
    {"EXIF", IMF_LOST, IMF_STRIP_EXIF, "EXIF", IMF_META_EXIF},
    {"XMP ", IMF_LOST, IMF_STRIP_XMP, "XMP", IMF_META_XMP},
};
enum { KNOWN = sizeof known / sizeof known[0], CHUNK = 8 };

/* A chunk is a name, its data's size, and the data, of even length. */
static void read_chunks(struct imf_reader *r, struct webp *p) {
    imf_account_add(&r->account, 0, HEAD, IMF_STRUCTURE, 0, "header");
    for (size_t at = HEAD, bytes; p->size - at >= CHUNK; at += bytes) {
        const unsigned char *chunk = p->file + at, *data = chunk + CHUNK;
        size_t size = imf_get(chunk + 4, 4, false), left = p->size - at, k = 0;
        bytes = CHUNK + size + size % 2;
        bytes = bytes < left ? bytes : left;
        while (k < KNOWN && memcmp(chunk, known[k].type, 4) != 0)
            k++;
        char text[] = "unknown chunk ....";
        for (size_t i = 0; i < 4; i++)
            if (chunk[i] > ' ' && chunk[i] < 0x7f)
                text[14 + i] = (char)chunk[i];
        imf_account_add(&r->account, at, bytes, k < KNOWN ? known[k].becomes : IMF_LOST,
                        k < KNOWN ? known[k].strip : IMF_STRIP_OTHER,
                        k < KNOWN ? known[k].name : text);
        r->at = at;
        if (k == KNOWN || known[k].becomes != IMF_LOST)
            continue;
        if (size > left - CHUNK)
            imf_reader_lose(r, NULL, "damaged");
        else if (known[k].kind == IMF_META_EXIF)
            imf_reader_add_exif(r, data, size);
        else
            imf_reader_add_metadata(r, known[k].kind, known[k].strip, data, size);
    }
    WebPMux *mux = WebPMuxCreate(&(WebPData){p->file, p->size}, 0);
    p->damaged = !mux;
    WebPMuxDelete(mux);
}

static enum imf_status webp_open(struct imf_reader *r, struct imf_error *err) {
    struct webp *p = r->state;
    WebPBitstreamFeatures f;
    enum imf_status status = read_file(r, p, err);
    if (status)
        return status;
    VP8StatusCode code = WebPGetFeatures(p->file, p->size, &f);
    if (code != VP8_STATUS_OK)
        return damaged(r, code, -1, err);
    if (f.has_animation)
        return imf_fail(
            err, IMF_ERR_FORMAT,
            "an animated WebP cannot be read (webpmux -get frame 1 takes out an image)");
    status = imf_reader_shape(r, (uint64_t)f.width, (uint64_t)f.height, IMF_COLOR_RGB, f.has_alpha,
                              8, err);
    if (status)
        return status;
    /* The decoder's own: pixels of four bytes, or an alpha channel. */
    uint64_t pixels = (uint64_t)f.width * (uint64_t)f.height,
             image = r->row_bytes * (uint64_t)f.height;
    status =
        imf_reader_buffer(r, p->size + image + pixels * (f.format == LOSSLESS ? 4 : f.has_alpha),
                          "a WebP of this size", err);
    r->buffered = image > SMALL;
    r->metadata.lossless = f.format == LOSSLESS;
    if (!status)
        read_chunks(r, p);
    return status;
}

/* ---- pixels ------------------------------------------------------------------------------------ */

static enum imf_status decode(struct imf_reader *r, struct webp *p, struct imf_error *err) {
    size_t bytes = r->row_bytes * (size_t)r->info.height;
    WebPDecoderConfig config;
    WebPInitDecoderConfig(&config);
    if (!(p->pixels = malloc(bytes)))
        return imf_fail_memory(err, bytes);
    config.output.colorspace = r->info.alpha ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA = (WebPRGBABuffer){p->pixels, (int)r->row_bytes, bytes};
    WebPIDecoder *decoder = WebPIDecode(NULL, 0, &config);
    if (!decoder)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    p->status = WebPIUpdate(decoder, p->file, p->size);
    if (!WebPIDecGetRGB(decoder, &p->rows, NULL, NULL, NULL))
        p->rows = 0;
    WebPIDelete(decoder);
    return p->status == VP8_STATUS_OUT_OF_MEMORY ? damaged(r, p->status, 0, err) : IMF_OK;
}

static enum imf_status webp_rows(struct imf_reader *r, unsigned char *dst, size_t stride, int rows,
                                 int *done, struct imf_error *err) {
    struct webp *p = r->state;
    enum imf_status status = p->pixels ? IMF_OK : decode(r, p, err);
    if (status)
        return status;
    for (; *done < rows && r->row + *done < p->rows; ++*done, dst += stride)
        memcpy(dst, p->pixels + (size_t)(r->row + *done) * r->row_bytes, r->row_bytes);
    return *done < rows ? damaged(r, p->status, *done, err) : IMF_OK;
}

static enum imf_status webp_end(struct imf_reader *r, struct imf_error *err) {
    const struct webp *p = r->state;
    if (p->status != VP8_STATUS_OK)
        return damaged(r, p->status, 0, err);
    return p->damaged ? imf_fail(err, IMF_ERR_DAMAGED,
                                 "truncated or damaged: no pixel is missing, but metadata may be")
                      : IMF_OK;
}

static void webp_close(struct imf_reader *r) {
    struct webp *p = r->state;
    free(p->file);
    free(p->pixels);
}

/* ---- format ------------------------------------------------------------------------------------ */

static bool recognise(const unsigned char *head, size_t size) {
    return size >= HEAD && memcmp(head, "RIFF", 4) == 0 && memcmp(head + 8, "WEBP", 4) == 0;
}

static bool webp_part(size_t i, struct imf_part_kind *kind) {
    if (i < KNOWN && known[i].becomes == IMF_LOST) {
        snprintf(kind->name, sizeof kind->name, "%s", known[i].name);
        kind->items = 1u << known[i].kind;
    } else if (i == KNOWN) {
        snprintf(kind->name, sizeof kind->name, "unknown chunk");
    }
    return i <= KNOWN;
}

static const struct imf_decoder decoder = {sizeof(struct webp), webp_open, webp_rows, webp_end,
                                           webp_close,          webp_part, NULL};

const struct imf_codec imf_webp_codec = {
    .doc = {"webp", "WebP", {"webp"}, {"quality"}},
    .recognise = recognise,
    .colors = 1 << IMF_COLOR_GRAY | 1 << IMF_COLOR_RGB,
    .alpha = 8,
    .repeats_gray = true,
    .depths = 8,
    .late = true,
    .side_max = 16383,
    .metadata_max =
        {[IMF_META_EXIF] = UINT32_MAX, [IMF_META_XMP] = UINT32_MAX, [IMF_META_ICC] = UINT32_MAX},
    .decoder = &decoder,
    .encoder = &imf_webp_encoder,
};
#endif
