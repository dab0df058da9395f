/*
 * write.c - WebP encoder (libwebp)
 *
 * Lossless where the source is a lossless WebP and no quality is asked for, otherwise lossy. libwebp
 * encodes a whole image, and knows colours only: gray is repeated.
 */
#include "codec/table.h"

#ifdef IMF_WITH_WEBP
#include <stdlib.h>
#include <string.h>
#include <webp/encode.h>
#include <webp/mux.h>

#define DEFAULT_QUALITY 92
/* Bytes a pixel that encoding was seen to take at most, the image's own four included. */
#define LOSSY_BYTES 8
#define LOSSLESS_BYTES 40

struct webp {
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter file;
    int row; /* of the picture, to be set next */
};

static enum imf_status failure(const struct webp *p, struct imf_error *err) {
    WebPEncodingError code = p->picture.error_code;
    if (code == VP8_ENC_ERROR_OUT_OF_MEMORY || code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    return imf_fail(err, IMF_ERR_FORMAT, "WebP cannot be written (libwebp's error %d)", code);
}

static enum imf_status webp_open(struct imf_writer *w, struct imf_error *err) {
    int quality = w->encode.quality;
    struct webp *p = w->state;
    bool lossless = w->metadata && w->metadata->lossless && quality == 0;
    uint64_t pixels = (uint64_t)w->info.width * (uint64_t)w->info.height;
    enum imf_status status = imf_writer_memory(
        w, pixels * (lossless ? LOSSLESS_BYTES : LOSSY_BYTES), "a WebP of this size", err);
    if (status)
        return status;
    WebPMemoryWriterInit(&p->file);
    if (!WebPConfigInit(&p->config) || !WebPPictureInit(&p->picture))
        return imf_fail(err, IMF_ERR_FORMAT, "WebP cannot be written (another version of libwebp)");
    p->config.quality = (float)(quality ? quality : DEFAULT_QUALITY);
    if (lossless) {
        WebPConfigLosslessPreset(&p->config, 6); /* libwebp's default level */
        p->config.exact = 1;                     /* colours of transparent pixels, too */
    }
    p->picture.use_argb = 1;
    p->picture.width = w->info.width;
    p->picture.height = w->info.height;
    p->picture.writer = WebPMemoryWrite;
    p->picture.custom_ptr = &p->file;
    return WebPPictureAlloc(&p->picture) ? IMF_OK : failure(p, err);
}

static enum imf_status webp_rows(struct imf_writer *w, const unsigned char *src, size_t stride,
                                 int rows, struct imf_error *err) {
    struct webp *p = w->state;
    int n = w->info.channels, last = n - 1, green = n < 3 ? 0 : 1, blue = n < 3 ? 0 : 2;
    (void)err;
    for (int y = 0; y < rows; y++, src += stride) {
        uint32_t *to = p->picture.argb + (size_t)p->row++ * (size_t)p->picture.argb_stride;
        for (int x = 0; x < w->info.width; x++) {
            const unsigned char *v = src + (size_t)x * (size_t)n;
            uint32_t alpha = w->info.alpha ? v[last] : 255;
            to[x] = alpha << 24 | (uint32_t)v[0] << 16 | (uint32_t)v[green] << 8 | v[blue];
        }
    }
    return IMF_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Set a chunk of the item's data. */
static bool set_chunk(struct imf_writer *w, WebPMux *mux, const char name[4],
                      const struct imf_meta_item *item) {
    if (!item || !imf_writer_wants(w, item))
        return true;
    size_t size = item->size;
    const unsigned char *data =
        item->kind == IMF_META_XMP ? imf_writer_xmp(w, item, &size) : imf_writer_data(w, item);
    return !data || WebPMuxSetChunk(mux, name, &(WebPData){data, size}, 1) == WEBP_MUX_OK;
}

/* The image with its metadata. */
static bool assemble(struct imf_writer *w, const WebPData *image, WebPData *file) {
    WebPMux *mux = WebPMuxNew();
    const struct imf_metadata *m = w->metadata;
    bool good = mux && WebPMuxSetImage(mux, image, 0) == WEBP_MUX_OK &&
                set_chunk(w, mux, "ICCP", imf_writer_icc(w)) &&
                set_chunk(w, mux, "EXIF", imf_metadata_find(m, IMF_META_EXIF)) &&
                set_chunk(w, mux, "XMP ", imf_metadata_find(m, IMF_META_XMP)) &&
                WebPMuxAssemble(mux, file) == WEBP_MUX_OK;
    WebPMuxDelete(mux);
    return good;
}

static enum imf_status webp_finish(struct imf_writer *w, struct imf_error *err) {
    struct webp *p = w->state;
    if (!WebPEncode(&p->config, &p->picture))
        return failure(p, err);
    WebPPictureFree(&p->picture);
    const WebPData image = {p->file.mem, p->file.size};
    WebPData file = {NULL, 0};
    if (!assemble(w, &image, &file))
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    imf_writer_put(w, file.bytes, file.size);
    WebPDataClear(&file);
    return IMF_OK;
}

static void webp_close(struct imf_writer *w) {
    struct webp *p = w->state;
    WebPPictureFree(&p->picture);
    WebPMemoryWriterClear(&p->file);
}

const struct imf_encoder imf_webp_encoder = {
    .state = sizeof(struct webp),
    .open = webp_open,
    .rows = webp_rows,
    .finish = webp_finish,
    .close = webp_close,
};
#endif
