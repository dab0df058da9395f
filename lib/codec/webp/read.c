/*
 * read.c - WebP decoder (libwebp)
 *
 * A lossless image refers to any of its earlier pixels, and libwebp has a lossy one whole, too: it is
 * decoded before its first row. Its incremental decoder tells how many rows of a damaged file are good.
 */
#include "codec/webp/format.h"

#ifdef IMF_WITH_WEBP
#include "codec/metadata/tiff.h"

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
    const unsigned char *head = r->source.buffer + 4;
    size_t size = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    enum imf_status status =
        imf_reader_read_all(r, size + RIFF_HEAD + size % 2, "a WebP", &p->file, &p->size, err);
    if (!status && imf_source_getc(&r->source) != EOF)
        imf_reader_warn(r, "what follows the image in this file is left out");
    return status;
}

static void read_metadata(struct imf_reader *r, struct webp *p) {
    const WebPData file = {p->file, p->size};
    WebPData icc, exif, xmp;
    WebPMux *mux = WebPMuxCreate(&file, 0);
    p->damaged = !mux;
    if (mux && WebPMuxGetChunk(mux, "ICCP", &icc) == WEBP_MUX_OK)
        imf_reader_add_metadata(r, IMF_META_ICC, IMF_STRIP_ICC, icc.bytes, icc.size);
    if (mux && WebPMuxGetChunk(mux, "EXIF", &exif) == WEBP_MUX_OK)
        imf_reader_add_exif(r, exif.bytes, exif.size);
    if (mux && WebPMuxGetChunk(mux, "XMP ", &xmp) == WEBP_MUX_OK)
        imf_reader_add_metadata(r, IMF_META_XMP, IMF_STRIP_XMP, xmp.bytes, xmp.size);
    WebPMuxDelete(mux);
}

static enum imf_status webp_open(struct imf_reader *r, struct imf_error *err) {
    struct webp *p = r->state = calloc(1, sizeof *p);
    if (!p)
        return imf_fail_memory(err, sizeof *p);
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
        read_metadata(r, p);
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
    if (!p)
        return;
    free(p->file);
    free(p->pixels);
    free(p);
}

/* ---- format ------------------------------------------------------------------------------------ */

static bool recognise(const unsigned char *head, size_t size) {
    return size >= HEAD && memcmp(head, "RIFF", 4) == 0 && memcmp(head + 8, "WEBP", 4) == 0;
}

static const struct imf_decoder decoder = {webp_open, webp_rows, webp_end, webp_close};

const struct imf_codec imf_webp_codec = {
    .doc = {"webp", "WebP", {"webp"}, {"quality"}},
    .recognise = recognise,
    .colors = 1 << IMF_COLOR_GRAY | 1 << IMF_COLOR_RGB,
    .alpha = true,
    .depths = 8,
    .side_max = 16383,
    .metadata_max =
        {[IMF_META_EXIF] = UINT32_MAX, [IMF_META_XMP] = UINT32_MAX, [IMF_META_ICC] = UINT32_MAX},
    .decoder = &decoder,
    .encoder = &imf_webp_encoder,
};
#endif
