/*
 * read.c - HEIF decoder of HEVC (HEIC), by libheif
 *
 * The container is read here first, so that limits hold before the library is entered. The library turns, mirrors
 * and crops; it has the picture whole.
 */
#include "codec/table.h"

#ifdef IMF_WITH_HEIF
#include "base/image/surface.h"
#include "codec/bmff/account.h"
#include "codec/bmff/check.h"
#include "codec/heif/hevc.h"
#include "codec/heif/library.h"

#include <stdlib.h>
#include <string.h>

#define HVC1 IMF_BOX('h', 'v', 'c', '1')
#define HEV1 IMF_BOX('h', 'e', 'v', '1')
#define SMALL ((uint64_t)4 << 20) /* an image of fewer bytes is as good as streamed */
/* Bytes of a pixel's sample of each colour that decoding was seen to take, beside the file. */
#define DECODER_BYTES 5

struct heif {
    struct imf_heif_calls call;
    unsigned char *file;
    size_t size;
    struct imf_bmff boxes;
    struct heif_context *context;
    struct heif_image_handle *handle;
    struct heif_image *image; /* once it is decoded */
    int bits;                 /* of a sample in it */
    bool premultiplied;
};

static enum imf_status failure(struct heif_error e, struct imf_error *err) {
    if (e.code == heif_error_Memory_allocation_error)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    bool other =
        e.code == heif_error_Unsupported_feature || e.code == heif_error_Unsupported_filetype;
    return imf_fail(err, other ? IMF_ERR_FORMAT : IMF_ERR_DAMAGED, "%s (libheif: %.200s)",
                    other ? "it cannot be read" : "damaged", e.message ? e.message : "");
}

/* ---- header ------------------------------------------------------------------------------------ */

/* What decoding will make room for is no more than the limits were asked about. *coded: the pixels of what it has
 * at a time beside the picture. */
static enum imf_status check_items(const struct imf_bmff *b, struct imf_hevc_form *form,
                                   uint64_t *coded, struct imf_error *err) {
    enum { AT_A_TIME = 4 }; /* tiles, in libheif's threads */
    enum imf_status status = IMF_OK;
    uint64_t largest = 0, whole = 0;
    bool any = false;
    *form = (struct imf_hevc_form){0};
    for (size_t i = 0; i < b->count && !status; i++) {
        const struct imf_bmff_item *item = &b->items[i];
        uint32_t width = 0, height = 0;
        struct imf_hevc_form own;
        if (item->role != IMF_BMFF_PIXELS)
            continue;
        bool sized = imf_bmff_size(b, item, &width, &height);
        if (item->type == HVC1 || item->type == HEV1)
            status = imf_hevc_check(b, item, width, height, &own, err);
        else if (item->type == IMF_BMFF_GRID || item->type == IMF_BMFF_OVERLAY)
            status = imf_bmff_check_derived(b, item, width, height, err);
        else if (item->type != IMF_BMFF_IDENTITY)
            status = imf_fail(err, IMF_ERR_FORMAT,
                              "of HEIF only pictures of HEVC can be read (heif-convert may)");
        bool is_coded = !status && (item->type == HVC1 || item->type == HEV1);
        if (is_coded && !sized)
            status = imf_bmff_damaged(err, "no width and height");
        uint64_t pixels = (uint64_t)width * height;
        if (is_coded && pixels > largest)
            largest = pixels;
        if (item == b->primary)
            whole = pixels;
        if (is_coded && !item->alpha) { /* it is gray if all of it is */
            form->chroma |= own.chroma;
            form->depth = imf_max(form->depth, own.depth);
            any = true;
        }
    }
    *coded = largest * (b->parts < AT_A_TIME ? b->parts ? b->parts : 1 : AT_A_TIME);
    if (!status)
        status = imf_bmff_check_parts(b, whole, err);
    return status || any ? status : imf_bmff_damaged(err, "no picture");
}

static enum imf_status open_library(struct heif *p, uint32_t side, struct imf_error *err) {
    enum imf_status status = imf_heif_load(&p->call, err);
    if (status)
        return status;
    /* Threads wait here for each other: without it they may find decoders that are being registered. */
    struct heif_error e = p->call.init(NULL);
    if (e.code != heif_error_Ok)
        return failure(e, err);
    if (!p->call.have_decoder_for_format(heif_compression_HEVC))
        return imf_fail(err, IMF_ERR_FORMAT,
                        "libheif has no decoder of HEVC (Debian: libheif-plugin-libde265)");
    if (!(p->context = p->call.context_alloc()))
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    p->call.context_set_maximum_image_size_limit(p->context,
                                                 side < INT32_MAX ? (int)side + 1 : INT32_MAX);
    e = p->call.context_read_from_memory_without_copy(p->context, p->file, p->size, NULL);
    if (e.code == heif_error_Ok)
        e = p->call.context_get_primary_image_handle(p->context, &p->handle);
    return e.code == heif_error_Ok ? IMF_OK : failure(e, err);
}

static enum imf_status set_shape(struct imf_reader *r, struct heif *p,
                                 const struct imf_hevc_form *form, uint64_t coded,
                                 struct imf_error *err) {
    int width = p->call.image_handle_get_width(p->handle),
        height = p->call.image_handle_get_height(p->handle),
        bits = p->call.image_handle_get_luma_bits_per_pixel(p->handle);
    bool alpha = p->call.image_handle_has_alpha_channel(p->handle);
    enum imf_status status = imf_reader_shape(
        r, (uint64_t)imf_max(width, 0), (uint64_t)imf_max(height, 0),
        form->chroma ? IMF_COLOR_RGB : IMF_COLOR_GRAY, alpha, bits > 8 ? 16 : 8, err);
    if (status)
        return status;
    p->premultiplied = alpha && p->call.image_handle_is_premultiplied_alpha(p->handle);
    if (bits > 8 && bits < 16)
        r->info.maxval = (1 << bits) - 1;
    uint64_t pixels = (uint64_t)width * (uint64_t)height;
    uint64_t samples = (pixels > coded ? pixels : coded) * (3u + alpha) * (bits > 8 ? 2 : 1);
    status = imf_reader_buffer(r, p->size + samples * DECODER_BYTES, "a HEIF of this size", err);
    r->buffered = r->row_bytes * (uint64_t)height > SMALL;
    return status;
}

static enum imf_status heif_open(struct imf_reader *r, struct imf_error *err) {
    struct heif *p = r->state;
    struct imf_hevc_form form;
    uint64_t coded = 0;
    struct imf_bmff_most most;
    enum imf_status status = imf_bmff_read_file(r, "a HEIF", &p->file, &p->size, err);
    if (!status)
        status = imf_bmff_open(&p->boxes, p->file, p->size, err);
    if (!status)
        status = imf_bmff_check(r, &p->boxes, &most, err);
    if (!status)
        status = check_items(&p->boxes, &form, &coded, err);
    if (!status)
        status = open_library(p, most.side, err);
    if (!status)
        status = set_shape(r, p, &form, coded, err);
    if (!status && !r->info.alpha) /* libheif leaves out what does not fit */
        imf_bmff_leave_out_alpha(&p->boxes);
    if (!status)
        imf_bmff_read_parts(r, &p->boxes);
    return status;
}

/* ---- pixels ------------------------------------------------------------------------------------ */

static enum imf_status decode(struct imf_reader *r, struct heif *p, struct imf_error *err) {
    static const enum heif_chroma chroma[2][2] = {
        {heif_chroma_interleaved_RGB, heif_chroma_interleaved_RGBA},
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        {heif_chroma_interleaved_RRGGBB_BE, heif_chroma_interleaved_RRGGBBAA_BE}
#else
        {heif_chroma_interleaved_RRGGBB_LE, heif_chroma_interleaved_RRGGBBAA_LE}
#endif
    };
    const enum heif_channel all = heif_channel_interleaved;
    struct heif_error e = p->call.decode_image(p->handle, &p->image, heif_colorspace_RGB,
                                               chroma[r->info.depth > 8][r->info.alpha], NULL);
    if (e.code == heif_error_Decoder_plugin_error)
        return imf_fail(err, IMF_ERR_DAMAGED, "damaged, or out of memory (libheif: %.200s)",
                        e.message ? e.message : "");
    if (e.code != heif_error_Ok)
        return failure(e, err);
    if (!p->call.image_has_channel(p->image, all) ||
        p->call.image_get_width(p->image, all) != r->info.width ||
        p->call.image_get_height(p->image, all) != r->info.height)
        return imf_fail(err, IMF_ERR_DAMAGED, "damaged (its size is not what its header says)");
    p->bits = p->call.image_get_bits_per_pixel_range(p->image, all);
    bool right = r->info.depth > 8 ? p->bits > 8 && p->bits <= 16 : p->bits == 8;
    return right
               ? IMF_OK
               : imf_fail(err, IMF_ERR_DAMAGED, "damaged (its depth is not what its header says)");
}

static unsigned sample(const unsigned char *row, bool wide, size_t i) {
    uint16_t value = row[i];
    if (wide)
        memcpy(&value, row + 2 * i, sizeof value);
    return value;
}

/* A row of colours (and alpha) in the image's own range, as the reader's; gray is one of three equal ones. */
static void convert(const struct imf_reader *r, const struct heif *p, unsigned char *to,
                    const unsigned char *from) {
    const struct imf_info *info = &r->info;
    bool wide = info->depth > 8, gray = info->color == IMF_COLOR_GRAY;
    unsigned most = (1u << p->bits) - 1, full = wide ? 65535 : 255;
    size_t in = 3u + info->alpha, out = (size_t)info->channels, width = (size_t)info->width;
    if (!gray && most == full && !p->premultiplied) {
        memcpy(to, from, r->row_bytes);
        return;
    }
    for (size_t x = 0; x < width; x++) {
        unsigned alpha = info->alpha ? sample(from, wide, x * in + 3) : most;
        for (size_t c = 0; c < out; c++) {
            bool is_alpha = info->alpha && c == out - 1;
            unsigned v = is_alpha ? alpha : sample(from, wide, x * in + (gray ? 0 : c));
            v = v < most ? v : most;
            if (p->premultiplied && !is_alpha && alpha) {
                v = (v * most + alpha / 2) / alpha;
                v = v < most ? v : most;
            }
            uint16_t value = (uint16_t)((v * full + most / 2) / most);
            if (wide)
                memcpy(to + 2 * (x * out + c), &value, sizeof value);
            else
                to[x * out + c] = (unsigned char)value;
        }
    }
}

static enum imf_status heif_rows(struct imf_reader *r, unsigned char *dst, size_t stride, int rows,
                                 int *done, struct imf_error *err) {
    struct heif *p = r->state;
    enum imf_status status = p->image ? IMF_OK : decode(r, p, err);
    int step = 0;
    const uint8_t *plane =
        status ? NULL : p->call.image_get_plane_readonly(p->image, heif_channel_interleaved, &step);
    if (!status && !plane)
        status = imf_fail(err, IMF_ERR_DAMAGED, "damaged (it has no pixels)");
    for (; !status && *done < rows; ++*done, dst += stride)
        convert(r, p, dst, plane + (size_t)(r->row + *done) * (size_t)step);
    return status;
}

static void heif_close(struct imf_reader *r) {
    struct heif *p = r->state;
    if (p->image)
        p->call.image_release(p->image);
    if (p->handle)
        p->call.image_handle_release(p->handle);
    if (p->context)
        p->call.context_free(p->context);
    imf_bmff_close(&p->boxes);
    free(p->file);
}

/* ---- format ------------------------------------------------------------------------------------ */

static bool recognise(const unsigned char *head, size_t size) {
    static const char *const brands[] = {"heic", "heix", "heim", "heis", "hevc", "hevx", NULL};
    return imf_bmff_branded(head, size, brands);
}

static const struct imf_decoder decoder = {sizeof(struct heif), heif_open,     heif_rows, NULL,
                                           heif_close,          imf_bmff_part, NULL};

const struct imf_codec imf_heif_codec = {
    .doc = {"heif", "HEIF", {"heic", "heif", "hif"}, {NULL}},
    .recognise = recognise,
    .colors = 1 << IMF_COLOR_GRAY | 1 << IMF_COLOR_RGB,
    .alpha = 8 | 16,
    .depths = 8 | 16,
    .side_max = INT32_MAX,
    .decoder = &decoder,
};
#endif
