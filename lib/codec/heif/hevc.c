/*
 * hevc.c - how large the pictures of an HEVC stream are, before a decoder is entered
 *
 * A decoder makes room for what a sequence's parameter set says, whatever the file says around it. Sets stand in
 * the item's configuration ("hvcC"); in its data they have no place in a HEIF, and are refused.
 */
#include "codec/heif/hevc.h"

#include "codec/bmff/bits.h"

#include <stdlib.h>
#include <string.h>

enum { SPS = 33, VPS = 32, PPS = 34, LARGEST_BLOCK = 64, LENGTH_BYTES = 4 };

/* ---- a sequence's parameters (7.3.2.2) ------------------------------------------------------- */

static void skip_profile(struct imf_bits *b, int layers) {
    bool profile[8], level[8];
    imf_bits_take(b, 32), imf_bits_take(b, 32), imf_bits_take(b, 24);
    imf_bits_take(b, 8);
    for (int i = 0; i < layers; i++) {
        profile[i] = imf_bits_take(b, 1);
        level[i] = imf_bits_take(b, 1);
    }
    for (int i = layers; layers > 0 && i < 8; i++)
        imf_bits_take(b, 2);
    for (int i = 0; i < layers; i++) {
        if (profile[i])
            imf_bits_take(b, 32), imf_bits_take(b, 32), imf_bits_take(b, 24);
        if (level[i])
            imf_bits_take(b, 8);
    }
}

/* nal: without its header, and without the 3 that stands behind two zeros. */
static enum imf_status check_sequence(struct imf_bits b, uint32_t width, uint32_t height,
                                      struct imf_error *err) {
    imf_bits_take(&b, 4);
    int layers = (int)imf_bits_take(&b, 3);
    imf_bits_take(&b, 1);
    skip_profile(&b, layers);
    imf_bits_golomb(&b); /* its number */
    if (imf_bits_golomb(&b) == 3)
        imf_bits_take(&b, 1);
    uint32_t w = imf_bits_golomb(&b), h = imf_bits_golomb(&b);
    if (b.cut)
        return imf_bmff_damaged(err, "a set of parameters");
    /* Both are whole numbers of blocks, and are cut to what is shown. */
    if (w / LARGEST_BLOCK > (width - 1) / LARGEST_BLOCK + 1 ||
        h / LARGEST_BLOCK > (height - 1) / LARGEST_BLOCK + 1)
        return imf_bmff_damaged(err, "its pictures are larger than it says");
    return IMF_OK;
}

static enum imf_status check_set(const unsigned char *nal, size_t size, uint32_t width,
                                 uint32_t height, struct imf_error *err) {
    enum { HEADER = 2, ENOUGH = 256 };
    unsigned char plain[ENOUGH];
    size_t n = 0;
    int zeros = 0;
    if (size < HEADER || (nal[0] >> 1 & 63) != SPS)
        return IMF_OK;
    for (size_t i = 0; i < size && n < ENOUGH; i++) {
        bool stuffed = zeros >= 2 && nal[i] == 3;
        zeros = stuffed || nal[i] ? 0 : zeros + 1;
        if (!stuffed && i >= HEADER)
            plain[n++] = nal[i];
    }
    return check_sequence((struct imf_bits){.data = plain, .bytes = n}, width, height, err);
}

/* ---- an item --------------------------------------------------------------------------------- */

static enum imf_status check_configuration(struct imf_box c, uint32_t width, uint32_t height,
                                           struct imf_hevc_form *form, struct imf_error *err) {
    imf_box_skip(&c, 16);
    form->chroma = (int)imf_box_take(&c, 1) & 3;
    form->depth = 8 + ((int)imf_box_take(&c, 1) & 7);
    imf_box_skip(&c, 3);
    /* libde265 takes four whatever stands here, and so would find other units. */
    if (((int)imf_box_take(&c, 1) & 3) != LENGTH_BYTES - 1)
        return imf_fail(err, IMF_ERR_FORMAT,
                        "units whose length does not have 4 bytes are not read");
    enum imf_status status = IMF_OK;
    for (int arrays = (int)imf_box_take(&c, 1); arrays > 0; arrays--) {
        imf_box_skip(&c, 1);
        for (int units = (int)imf_box_take(&c, 2); units > 0 && !status && !c.cut; units--) {
            size_t size = (size_t)imf_box_take(&c, 2);
            const unsigned char *nal = c.data;
            imf_box_skip(&c, size);
            if (!c.cut)
                status = check_set(nal, size, width, height, err);
        }
    }
    return status ? status : c.cut ? imf_bmff_damaged(err, "a configuration") : IMF_OK;
}

/* No set of parameters among the pictures. Units may go on in the next extent, and are walked as one. */
static enum imf_status check_data(const struct imf_bmff *b, const struct imf_bmff_item *item,
                                  struct imf_error *err) {
    size_t offset, bytes, left = 0; /* of the unit */
    uint64_t length = 0;
    int have = 0; /* bytes of its length */
    bool cut = false;
    for (int at = 0; imf_bmff_extent(b, item, &at, &offset, &bytes, &cut);) {
        while (bytes > 0) {
            if (left > 0) {
                size_t n = left < bytes ? left : bytes;
                left -= n;
                offset += n;
                bytes -= n;
                continue;
            }
            if (have == LENGTH_BYTES) {
                int type = b->file[offset] >> 1 & 63;
                if (type >= VPS && type <= PPS)
                    return imf_bmff_damaged(err, "parameters among its data");
                left = (size_t)length;
                have = 0;
                length = 0;
                continue;
            }
            length = length << 8 | b->file[offset++];
            bytes--;
            if (++have == LENGTH_BYTES && length == 0)
                have = 0;
        }
    }
    return IMF_OK;
}

enum imf_status imf_hevc_check(const struct imf_bmff *b, const struct imf_bmff_item *item,
                               uint32_t width, uint32_t height, struct imf_hevc_form *form,
                               struct imf_error *err) {
    struct imf_box hvcc;
    if (!imf_bmff_property(b, item, IMF_BOX('h', 'v', 'c', 'C'), 0, &hvcc))
        return imf_bmff_damaged(err, "nothing says how a picture is coded");
    if (width < 1 || height < 1)
        return imf_bmff_damaged(err, "a picture without pixels");
    enum imf_status status = check_configuration(hvcc, width, height, form, err);
    return status ? status : check_data(b, item, err);
}
