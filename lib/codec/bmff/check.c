/* check.c - what a HEIF or an AVIF makes a decoder make room for is what the limits were asked about */
#include "codec/bmff/check.h"

enum imf_status imf_bmff_check(struct imf_reader *r, const struct imf_bmff *b,
                               struct imf_bmff_most *most, struct imf_error *err) {
    *most = (struct imf_bmff_most){.pixels = 1};
    for (size_t i = 0; i < b->count; i++) {
        const struct imf_bmff_item *item = &b->items[i];
        uint32_t width = 0, height = 0;
        size_t offset, bytes;
        bool pixels = item->role == IMF_BMFF_PIXELS, cut = false;
        if (imf_bmff_size(b, item, &width, &height)) {
            uint32_t side = width > height ? width : height;
            uint64_t area = (uint64_t)width * height;
            most->side = side > most->side ? side : most->side;
            most->pixels = pixels && area > most->pixels ? area : most->pixels;
        } else if (item == b->primary) {
            return imf_bmff_damaged(err, "no width and height");
        }
        enum imf_status status = pixels ? imf_limits_check(&r->limits, width, height, err) : IMF_OK;
        if (!status && pixels && item->type != IMF_BMFF_IDENTITY && /* libraries look elsewhere */
            (item->far || !item->extent_count))
            status = imf_bmff_damaged(err, "a picture not in it");
        for (int at = 0; pixels && imf_bmff_extent(b, item, &at, &offset, &bytes, &cut);)
            continue;
        if (!status && cut)
            status = imf_fail(err, IMF_ERR_DAMAGED, "truncated: not all of the pixels are there");
        if (status)
            return status;
    }
    return IMF_OK;
}

enum imf_status imf_bmff_check_derived(const struct imf_bmff *b, const struct imf_bmff_item *item,
                                       uint32_t width, uint32_t height, struct imf_error *err) {
    size_t offset, bytes;
    bool cut = false;
    int at = 0;
    if (!imf_bmff_extent(b, item, &at, &offset, &bytes, &cut) || item->extent_count > 1)
        return imf_bmff_damaged(err, "a grid");
    struct imf_box data = {.data = b->file + offset, .size = bytes};
    int side = imf_box_take(&data, 2) & 1 ? 4 : 2;
    imf_box_skip(&data, item->type == IMF_BMFF_OVERLAY ? 8 : 2);
    bool same = imf_box_take(&data, side) == width && imf_box_take(&data, side) == height;
    return same && !data.cut ? IMF_OK : imf_bmff_damaged(err, "sizes of a grid");
}

enum imf_status imf_bmff_check_parts(const struct imf_bmff *b, uint64_t pixels,
                                     struct imf_error *err) {
    enum { TIMES = 8, FREE = 1 << 24 };
    return b->part_pixels <= TIMES * pixels + FREE
               ? IMF_OK
               : imf_fail(err, IMF_ERR_FORMAT, "its parts have %llu pixels, of %llu in all",
                          (unsigned long long)b->part_pixels, (unsigned long long)pixels);
}
