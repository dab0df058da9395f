/*
 * write.c - AVIF encoder, by libavif
 *
 * Samples of 16 bits are written as the source's 10 or 12, else as 12. A quality of 100 is without loss: the colours
 * themselves are coded, not luma and differences. The library encodes a whole image.
 */
#include "codec/table.h"

#ifdef IMF_WITH_AVIF
#include "base/image/surface.h"
#include "codec/avif/library.h"
#include "codec/metadata/coding.h"
#include "codec/metadata/tiff.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_QUALITY 92
/* Of 0 to 10: six times as fast as the 6 of libavif's own programs, for a tenth more bytes of the same error. */
#define SPEED 8
/* Bytes of a sample that encoding was seen to take at most, the picture's own two included. */
#define ENCODER_BYTES 16

struct avif {
    struct imf_avif_calls call;
    unsigned char *pixels; /* of three colours, and alpha */
    size_t stride;
    int row; /* to be set next */
    int bits;
};

static int bits_of(const struct imf_info *info) {
    return info->depth == 8 ? 8 : info->maxval == 1023 ? 10 : 12;
}

/* Where it is asked for, or the source is. */
static bool is_lossless(const struct imf_writer *w) {
    return w->encode.quality ? w->encode.quality == 100 : w->metadata && w->metadata->lossless;
}

static enum imf_status avif_open(struct imf_writer *w, struct imf_error *err) {
    struct avif *p = w->state;
    const struct imf_info *info = &w->info;
    size_t pixel = (3u + info->alpha) * (size_t)(info->depth / 8);
    size_t bytes;
    if ((uint64_t)info->width * (uint64_t)info->height > AVIF_DEFAULT_IMAGE_SIZE_LIMIT)
        return imf_fail(err, IMF_ERR_LIMIT, "libavif reads no AVIF of more than %d Mpixel",
                        AVIF_DEFAULT_IMAGE_SIZE_LIMIT / 1000000);
    enum imf_status status = imf_writer_memory(
        w, (uint64_t)info->width * (uint64_t)info->height * (3u + info->alpha) * ENCODER_BYTES,
        "an AVIF of this size", err);
    if (!status)
        status = imf_avif_load(&p->call, err);
    if (status)
        return status;
    p->stride = (size_t)info->width * pixel; /* rgb.rowBytes is an uint32_t, which holds it */
    p->bits = bits_of(info);
    if (!imf_size_mul(p->stride, (size_t)info->height, &bytes) || !(p->pixels = malloc(bytes)))
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    if (info->depth == 16 && p->bits == 12 && info->maxval != 4095)
        imf_writer_warn(w, "of 16 bits an AVIF has 12");
    if (is_lossless(w) && info->color != IMF_COLOR_GRAY && w->encode.subsampling &&
        w->encode.subsampling != 444)
        imf_writer_warn(w, "without loss an AVIF has no subsampling");
    return IMF_OK;
}

static enum imf_status avif_rows(struct imf_writer *w, const unsigned char *src, size_t stride,
                                 int rows, struct imf_error *err) {
    struct avif *p = w->state;
    const struct imf_info *info = &w->info;
    size_t sample = (size_t)info->depth / 8, in = (size_t)info->channels * sample;
    (void)err;
    for (int y = 0; y < rows; y++, src += stride) {
        unsigned char *to = p->pixels + (size_t)p->row++ * p->stride;
        if (info->color != IMF_COLOR_GRAY) {
            memcpy(to, src, w->row_bytes);
            continue;
        }
        const unsigned char *from = src;
        for (int x = 0; x < info->width; x++, from += in) {
            for (int c = 0; c < 3; c++, to += sample)
                memcpy(to, from, sample);
            if (info->alpha) {
                memcpy(to, from + sample, sample);
                to += sample;
            }
        }
    }
    return IMF_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* As asked for, or the source's. */
static avifPixelFormat format_of(const struct imf_writer *w, bool lossless) {
    const struct imf_jpeg_source *jpeg = &w->jpeg;
    int chroma = w->encode.subsampling;
    if (!chroma && w->metadata)
        chroma = w->metadata->subsampling;
    if (!chroma && jpeg->components == 3 && jpeg->v[0] == jpeg->v[1])
        chroma = jpeg->h[0] == jpeg->h[1] ? 444 : 422;
    return w->info.color == IMF_COLOR_GRAY ? AVIF_PIXEL_FORMAT_YUV400
           : lossless || chroma == 444     ? AVIF_PIXEL_FORMAT_YUV444
           : chroma == 422                 ? AVIF_PIXEL_FORMAT_YUV422
                                           : AVIF_PIXEL_FORMAT_YUV420;
}

/* H.273's numbers: those of the source, as a PNG's chunk has them, or sRGB's; or the profile says it. */
static void set_colours(const struct imf_writer *w, avifImage *image, bool lossless) {
    const struct imf_meta_item *cicp = w->metadata && !(w->encode.strip & IMF_STRIP_ICC)
                                           ? imf_chunk_find(w->metadata, "cICP")
                                           : NULL;
    cicp = cicp && cicp->data[3] == 1 ? cicp : NULL; /* of all of the range */
    bool icc = imf_writer_icc(w);
    image->yuvRange = AVIF_RANGE_FULL;
    image->colorPrimaries = (avifColorPrimaries)(cicp ? cicp->data[0] : icc ? 2 : 1);
    image->transferCharacteristics = (avifTransferCharacteristics)(cicp  ? cicp->data[1]
                                                                   : icc ? 2
                                                                         : 13);
    image->matrixCoefficients = lossless && w->info.color != IMF_COLOR_GRAY
                                    ? AVIF_MATRIX_COEFFICIENTS_IDENTITY
                                    : AVIF_MATRIX_COEFFICIENTS_BT601;
}

static void add_metadata(struct imf_writer *w, const struct avif *p, avifImage *image) {
    const struct imf_meta_item *icc = imf_writer_icc(w),
                               *exif = imf_metadata_find(w->metadata, IMF_META_EXIF),
                               *xmp = imf_metadata_find(w->metadata, IMF_META_XMP);
    if (icc)
        p->call.ImageSetProfileICC(image, icc->data, icc->size);
    if (exif && imf_writer_wants(w, exif)) {
        const unsigned char *data = imf_writer_data(w, exif);
        if (!imf_tiff_begins(exif->data, exif->size)) /* libavif would write nothing */
            imf_writer_lose(w, exif, NULL, 0, "damaged");
        else if (data) /* and turns the picture as it says */
            p->call.ImageSetMetadataExif(image, data, exif->size);
    }
    if (xmp && imf_writer_wants(w, xmp)) {
        size_t size;
        const unsigned char *data = imf_writer_xmp(w, xmp, &size);
        if (data)
            p->call.ImageSetMetadataXMP(image, data, size);
    }
}

/* Parts that threads encode; how many there are must not depend on the number of threads. */
static int tiles_log2(int side) {
    return side < 2048 ? 0 : side < 8192 ? 1 : 2;
}

static avifResult encode(const struct imf_writer *w, const struct avif *p, const avifImage *image,
                         int threads, avifRWData *file) {
    int quality = is_lossless(w) ? 100 : w->encode.quality ? w->encode.quality : DEFAULT_QUALITY;
    avifEncoder *encoder = p->call.EncoderCreate();
    if (!encoder)
        return AVIF_RESULT_OUT_OF_MEMORY;
    encoder->maxThreads = threads;
    encoder->speed = SPEED;
    encoder->tileColsLog2 = tiles_log2(w->info.width);
    encoder->tileRowsLog2 = tiles_log2(w->info.height);
    encoder->minQuantizer = encoder->maxQuantizer = ((100 - quality) * 63 + 50) / 100;
    avifResult result = p->call.EncoderWrite(encoder, image, file);
    p->call.EncoderDestroy(encoder);
    return result;
}

static enum imf_status avif_finish(struct imf_writer *w, struct imf_error *err) {
    struct avif *p = w->state;
    bool lossless = is_lossless(w);
    avifImage *image = p->call.ImageCreate((uint32_t)w->info.width, (uint32_t)w->info.height,
                                           (uint32_t)p->bits, format_of(w, lossless));
    if (!image)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    set_colours(w, image, lossless);
    add_metadata(w, p, image);
    avifRGBImage rgb;
    p->call.RGBImageSetDefaults(&rgb, image);
    rgb.depth = (uint32_t)w->info.depth;
    rgb.format = w->info.alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    rgb.pixels = p->pixels;
    rgb.rowBytes = (uint32_t)p->stride;
    avifRWData file = {NULL, 0};
    avifResult result = p->call.ImageRGBToYUV(image, &rgb);
    free(p->pixels);
    p->pixels = NULL;
    int threads = w->encode.threads ? w->encode.threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
    threads = threads < 2 ? 2 : threads < 64 ? threads : 64; /* one thread writes other bytes */
    if (result == AVIF_RESULT_OK)
        result = encode(w, p, image, threads, &file);
    if (result == AVIF_RESULT_ENCODE_COLOR_FAILED ||
        result == AVIF_RESULT_ENCODE_ALPHA_FAILED) /* none may have been started */
        result = encode(w, p, image, 1, &file);
    p->call.ImageDestroy(image);
    if (result == AVIF_RESULT_OK)
        imf_writer_put(w, file.data, file.size);
    p->call.RWDataFree(&file);
    return result == AVIF_RESULT_OK
               ? IMF_OK
               : imf_avif_failure(&p->call, result, IMF_ERR_FORMAT, "AVIF cannot be written", err);
}

static void avif_close(struct imf_writer *w) {
    struct avif *p = w->state;
    free(p->pixels);
}

const struct imf_encoder imf_avif_encoder = {
    .state = sizeof(struct avif),
    .open = avif_open,
    .rows = avif_rows,
    .finish = avif_finish,
    .close = avif_close,
};
#endif
