/*
 * read.c - AVIF decoder, by libavif
 *
 * The container is read here first, so that limits hold before the library is entered. libavif neither turns, mirrors
 * nor crops: pixels are put in order here. It has the picture whole.
 */
#include "codec/table.h"

#ifdef IMF_WITH_AVIF
#include "base/image/orientation.h"
#include "base/image/surface.h"
#include "codec/avif/av1.h"
#include "codec/avif/library.h"
#include "codec/bmff/account.h"
#include "codec/bmff/check.h"
#include "codec/metadata/bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AV01 IMF_BOX('a', 'v', '0', '1')
#define SMALL ((uint64_t)4 << 20) /* an image of fewer bytes is as good as streamed */
/* Bytes that decoding was seen to take, beside the file and the pixels: for each byte of a pixel's samples, and for each
 * part of a grid. */
#define DECODER_BYTES 4
#define PART_BYTES ((uint64_t)1 << 20)

struct avif {
    struct imf_avif_calls call;
    unsigned char *file, *pixels; /* as coded, of three colours, and alpha */
    size_t size, stride, pixel;
    struct imf_bmff boxes;
    struct imf_av1_form form;
    avifDecoder *decoder;
    uint32_t left, top, width, height; /* what is shown of the coded picture */
    struct imf_orientation orientation;
};

/* ---- header ------------------------------------------------------------------------------------ */

static enum imf_status check_item(struct avif *p, const struct imf_bmff_item *item, bool *any,
                                  struct imf_error *err) {
    const struct imf_bmff *b = &p->boxes;
    uint32_t width = 0, height = 0;
    struct imf_av1_form form;
    bool sized = imf_bmff_size(b, item, &width, &height);
    if (!sized && !item->alpha) /* the picture's stand for it */
        return imf_bmff_damaged(err, "no width and height");
    if (!sized)
        imf_bmff_size(b, b->primary, &width, &height);
    if ((uint64_t)width * height > AVIF_DEFAULT_IMAGE_SIZE_LIMIT)
        return imf_fail(err, IMF_ERR_LIMIT, "libavif reads no more than %d Mpixel",
                        AVIF_DEFAULT_IMAGE_SIZE_LIMIT / 1000000);
    if (item->type == IMF_BMFF_GRID)
        return imf_bmff_check_derived(b, item, width, height, err);
    if (item->type != AV01)
        return imf_fail(err, IMF_ERR_FORMAT, "of AVIF only pictures and grids of AV1 can be read");
    enum imf_status status = imf_av1_check(b, item, width, height, &form, err);
    if (status || item->alpha)
        return status;
    if (*any && (form.depth != p->form.depth || form.gray != p->form.gray))
        return imf_bmff_damaged(err, "tiles of several kinds");
    p->form = form;
    *any = true;
    return IMF_OK;
}

/* What decoding will make room for is no more than the limits were asked about. */
static enum imf_status check_items(struct avif *p, struct imf_error *err) {
    const struct imf_bmff *b = &p->boxes;
    enum imf_status status = IMF_OK;
    uint32_t width = 0, height = 0;
    bool any = false;
    for (size_t i = 0; i < b->count && !status; i++)
        if (b->items[i].role == IMF_BMFF_PIXELS)
            status = check_item(p, &b->items[i], &any, err);
    if (!status && !any)
        status = imf_bmff_damaged(err, "no picture");
    imf_bmff_size(b, b->primary, &width, &height);
    return status ? status : imf_bmff_check_parts(b, (uint64_t)width * height, err);
}

/* most: pixels of the largest picture that is decoded; a frame of more is refused. */
static enum imf_status open_library(struct avif *p, uint64_t most, struct imf_error *err) {
    enum imf_status status = imf_avif_load(&p->call, err);
    if (status)
        return status;
    if (!(p->decoder = p->call.DecoderCreate()))
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    p->decoder->codecChoice = AVIF_CODEC_CHOICE_DAV1D; /* which obeys this limit */
    p->decoder->imageSizeLimit = (uint32_t)most;
    p->decoder->imageDimensionLimit = 0;
    p->decoder->ignoreExif = p->decoder->ignoreXMP = AVIF_TRUE;
    p->decoder->strictFlags = AVIF_STRICT_DISABLED; /* as browsers do */
    avifResult result = p->call.DecoderSetSource(p->decoder, AVIF_DECODER_SOURCE_PRIMARY_ITEM);
    if (result == AVIF_RESULT_OK)
        result = p->call.DecoderSetIOMemory(p->decoder, p->file, p->size);
    if (result == AVIF_RESULT_OK)
        result = p->call.DecoderParse(p->decoder);
    return result == AVIF_RESULT_OK
               ? IMF_OK
               : imf_avif_failure(&p->call, result, IMF_ERR_DAMAGED, "damaged in the header", err);
}

/* A fraction of two numbers of a box; NaN: it has none. */
static double take_fraction(struct imf_box *box) {
    double above = (int32_t)imf_box_take(box, 4), below = (int32_t)imf_box_take(box, 4);
    return below != 0 ? above / below : NAN;
}

/* The rectangle of the coded picture that is shown: its size, and where its centre is from the picture's. */
static enum imf_status set_shown(struct avif *p, struct imf_error *err) {
    struct imf_box clap;
    const avifImage *image = p->decoder->image;
    imf_bmff_size(&p->boxes, p->boxes.primary, &p->width, &p->height);
    if (image->width != p->width || image->height != p->height)
        return imf_bmff_damaged(err, "width and height");
    if (!imf_bmff_property(&p->boxes, p->boxes.primary, IMF_BOX('c', 'l', 'a', 'p'), 0, &clap))
        return IMF_OK;
    double width = floor(take_fraction(&clap)), height = floor(take_fraction(&clap));
    double left = ceil((p->width - width) / 2 + take_fraction(&clap) - 0.5);
    double top = ceil((p->height - height) / 2 + take_fraction(&clap) - 0.5);
    if (clap.cut || !(width >= 1 && height >= 1 && left >= 0 && top >= 0 &&
                      left + width <= p->width && top + height <= p->height))
        return imf_bmff_damaged(err, "what of it is shown");
    p->left = (uint32_t)left;
    p->top = (uint32_t)top;
    p->width = (uint32_t)width;
    p->height = (uint32_t)height;
    return IMF_OK;
}

static enum imf_status set_shape(struct imf_reader *r, struct avif *p, struct imf_error *err) {
    const avifImage *image = p->decoder->image;
    enum imf_status status = set_shown(p, err);
    if (status)
        return status;
    p->orientation = imf_orientation_of(imf_bmff_orientation(&p->boxes));
    bool swap = p->orientation.swap, alpha = p->decoder->alphaPresent, wide = p->form.depth > 8;
    status =
        imf_reader_shape(r, swap ? p->height : p->width, swap ? p->width : p->height,
                         p->form.gray ? IMF_COLOR_GRAY : IMF_COLOR_RGB, alpha, wide ? 16 : 8, err);
    if (status)
        return status;
    if (wide)
        r->info.maxval = (1 << p->form.depth) - 1;
    static const int subsamplings[] = {[AVIF_PIXEL_FORMAT_YUV444] = 444,
                                       [AVIF_PIXEL_FORMAT_YUV422] = 422,
                                       [AVIF_PIXEL_FORMAT_YUV420] = 420,
                                       [AVIF_PIXEL_FORMAT_YUV400] = 0};
    if ((size_t)image->yuvFormat < sizeof subsamplings / sizeof *subsamplings)
        r->metadata.subsampling = subsamplings[image->yuvFormat];
    /* Of gray nothing says it: no loss is added. */
    r->metadata.lossless =
        p->form.gray || image->matrixCoefficients == AVIF_MATRIX_COEFFICIENTS_IDENTITY;
    p->pixel = (3u + alpha) * (wide ? 2 : 1);
    p->stride = image->width * p->pixel;
    uint64_t bytes = (uint64_t)image->height * p->stride;
    uint64_t parts = p->boxes.part_pixels * p->pixel + p->boxes.parts * PART_BYTES;
    status = imf_reader_buffer(r, p->size + bytes * (1 + DECODER_BYTES) + parts,
                               "an AVIF of this size", err);
    r->buffered = bytes > SMALL;
    return status;
}

static enum imf_status avif_open(struct imf_reader *r, struct imf_error *err) {
    struct avif *p = r->state;
    struct imf_bmff_most most;
    enum imf_status status = imf_bmff_read_file(r, "an AVIF", &p->file, &p->size, err);
    if (!status)
        status = imf_bmff_open(&p->boxes, p->file, p->size, err);
    if (!status)
        status = imf_bmff_check(r, &p->boxes, &most, err);
    if (!status)
        status = check_items(p, err);
    if (!status)
        status = open_library(p, most.pixels, err);
    if (!status)
        status = set_shape(r, p, err);
    if (!status && !r->info.alpha)
        imf_bmff_leave_out_alpha(&p->boxes);
    if (!status) {
        const avifImage *image = p->decoder->image;
        imf_put32(p->boxes.coding,
                  (uint32_t)image->colorPrimaries << 16 | image->transferCharacteristics);
        imf_bmff_read_parts(r, &p->boxes);
    }
    return status;
}

/* ---- pixels ------------------------------------------------------------------------------------ */

static enum imf_status decode(struct imf_reader *r, struct avif *p, struct imf_error *err) {
    const avifImage *image = p->decoder->image;
    uint32_t width = image->width, height = image->height;
    size_t bytes = p->stride * (size_t)height;
    avifResult result = p->call.DecoderNextImage(p->decoder);
    if (result != AVIF_RESULT_OK)
        return imf_avif_failure(&p->call, result, IMF_ERR_DAMAGED, "damaged, or out of memory",
                                err);
    image = p->decoder->image;
    bool gray = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
    if (image->width != width || image->height != height ||
        image->depth != (uint32_t)p->form.depth || gray != p->form.gray ||
        (r->info.alpha && !image->alphaPlane))
        return imf_fail(err, IMF_ERR_DAMAGED, "damaged (it is not what its header says)");
    if (!(p->pixels = malloc(bytes)))
        return imf_fail_memory(err, bytes);
    avifRGBImage rgb;
    p->call.RGBImageSetDefaults(&rgb, image);
    rgb.depth =
        (uint32_t)r->info.depth; /* of 16 it has more than the file's: it converts in floats */
    rgb.format = r->info.alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    rgb.pixels = p->pixels;
    rgb.rowBytes = (uint32_t)p->stride;
    result = p->call.ImageYUVToRGB(image, &rgb);
    if (result == AVIF_RESULT_OK)
        return IMF_OK;
    free(p->pixels);
    p->pixels = NULL;
    return imf_fail(err, IMF_ERR_FORMAT, "its colours cannot be read (libavif: %.100s, matrix %d)",
                    p->call.ResultToString(result), (int)image->matrixCoefficients);
}

/* A row of the picture as it is shown; of gray one of three equal samples, and alpha. */
static void put_row(const struct imf_reader *r, const struct avif *p, unsigned char *to, int row) {
    const struct imf_info *info = &r->info;
    size_t sample = (size_t)info->depth / 8, out = (size_t)info->channels * sample;
    bool gray = info->color == IMF_COLOR_GRAY;
    const struct imf_orientation o = p->orientation;
    const unsigned char *origin = p->pixels + p->top * p->stride + p->left * p->pixel;
    if (!gray && !o.swap && !o.flip_x && !o.flip_y) {
        memcpy(to, origin + (size_t)row * p->stride, r->row_bytes);
        return;
    }
    for (int i = 0; i < info->width; i++, to += out) {
        int x = i, y = row;
        imf_pixel_to_stored(o, info->width, info->height, &x, &y);
        const unsigned char *from = origin + (size_t)y * p->stride + (size_t)x * p->pixel;
        memcpy(to, from, gray ? sample : out);
        if (gray && info->alpha)
            memcpy(to + sample, from + 3 * sample, sample);
    }
}

static enum imf_status avif_rows(struct imf_reader *r, unsigned char *dst, size_t stride, int rows,
                                 int *done, struct imf_error *err) {
    struct avif *p = r->state;
    enum imf_status status = p->pixels ? IMF_OK : decode(r, p, err);
    for (; !status && *done < rows; ++*done, dst += stride)
        put_row(r, p, dst, r->row + *done);
    return status;
}

static void avif_close(struct imf_reader *r) {
    struct avif *p = r->state;
    if (p->decoder)
        p->call.DecoderDestroy(p->decoder);
    imf_bmff_close(&p->boxes);
    free(p->pixels);
    free(p->file);
}

/* ---- format ------------------------------------------------------------------------------------ */

/* By its brands; or a general one, and an item of AV1 where items are listed first. */
static bool recognise(const unsigned char *head, size_t size) {
    static const char *const brands[] = {"avif", "avis", NULL}, *const general[] = {"mif1", NULL};
    enum { LOOKED_AT = 512 };
    return imf_bmff_branded(head, size, brands) ||
           (imf_bmff_branded(head, size, general) &&
            memmem(head, size < LOOKED_AT ? size : LOOKED_AT, "av01", 4));
}

static const struct imf_decoder decoder = {sizeof(struct avif), avif_open,     avif_rows, NULL,
                                           avif_close,          imf_bmff_part, NULL};

const struct imf_codec imf_avif_codec = {
    .doc = {"avif", "AVIF", {"avif"}, {"quality", "subsampling"}},
    .recognise = recognise,
    .colors = 1 << IMF_COLOR_GRAY | 1 << IMF_COLOR_RGB,
    .alpha = 8 | 16,
    .depths = 8 | 16,
    .rounds = 12,
    .late = true,
    .side_max = 32768,
    .names_colors = true,
    .metadata_max =
        {[IMF_META_EXIF] = UINT32_MAX, [IMF_META_XMP] = UINT32_MAX, [IMF_META_ICC] = UINT32_MAX},
    .decoder = &decoder,
    .encoder = &imf_avif_encoder,
};
#endif
