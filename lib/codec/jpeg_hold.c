/* jpeg_hold.c - a JPEG that more images follow, held until it is complete */
#include "codec/jpeg_hold.h"
#include "codec/xmp.h"

#include <jerror.h>
#include <stdlib.h>
#include <string.h>

#define ROOM ((size_t)1 << 20)

static void init(j_compress_ptr c) {
    (void)c;
}

static boolean grow(j_compress_ptr c) {
    struct imf_jpeg_hold *hold = (struct imf_jpeg_hold *)c->dest;
    size_t room = hold->room ? 2 * hold->room : ROOM;
    hold->too_large = hold->max && room > hold->max && hold->room > 0;
    unsigned char *data = hold->too_large ? NULL : realloc(hold->data, room);
    if (!data)
        ERREXIT1(c, JERR_OUT_OF_MEMORY, 0);
    hold->data = data;
    hold->dest.next_output_byte = data + hold->room;
    hold->dest.free_in_buffer = room - hold->room;
    hold->room = room;
    return TRUE;
}

void imf_jpeg_hold(struct jpeg_compress_struct *c, struct imf_jpeg_hold *hold, uint64_t max) {
    hold->max = max;
    hold->dest.init_destination = init;
    hold->dest.empty_output_buffer = grow;
    hold->dest.term_destination = init;
    c->dest = &hold->dest;
    grow(c);
}

size_t imf_jpeg_held_bytes(const struct imf_jpeg_hold *hold) {
    return hold->room - hold->dest.free_in_buffer;
}

/* ---- the end ------------------------------------------------------------------------------ */

static bool put(const struct imf_writer *w, const void *data, size_t size) {
    return size == 0 || fwrite(data, 1, size, w->stream) == size;
}

/* The XMP segment without claims, if there is XMP. */
static bool put_unclaimed(struct imf_jpeg_hold *hold, struct imf_writer *w) {
    const struct imf_meta_item *xmp = imf_metadata_find(w->metadata, IMF_META_XMP);
    size_t size = 0, prefix = sizeof IMF_XMP_PREFIX;
    const unsigned char *data =
        xmp && xmp->claims && imf_writer_wants(w, xmp) ? imf_writer_data(w, xmp) : NULL;
    if (data)
        hold->xmp = imf_xmp_without(data, xmp->size, IMF_XMP_PICTURES, &size, &w->starved);
    if (!hold->xmp)
        return true;
    size_t length = 2 + prefix + size;
    const unsigned char head[] = {0xff, JPEG_APP0 + 1, (unsigned char)(length >> 8),
                                  (unsigned char)length};
    return put(w, head, sizeof head) && put(w, IMF_XMP_PREFIX, prefix) && put(w, hold->xmp, size);
}

bool imf_jpeg_release(struct imf_jpeg_hold *hold, struct imf_writer *w) {
    const struct imf_metadata *m = w->metadata;
    const struct imf_meta_item *behind = imf_metadata_find(m, IMF_META_JPEG_BEHIND);
    size_t size = imf_jpeg_held_bytes(hold);
    const struct imf_mpf_place from = {m->mpf_at, m->behind_at}, to = {hold->mpf_at, size};
    if (behind && (hold->mpf_size == 0 || imf_mpf_move(hold->data + hold->mpf_at, hold->mpf_size,
                                                       &from, &to, behind->size)))
        return put(w, hold->data, size) && put(w, behind->data, behind->size);
    imf_writer_warn(w, IMF_BEHIND_LEFT_OUT("it is not where the file says"));
    return put(w, hold->data, hold->claims_at) && put_unclaimed(hold, w) &&
           put(w, hold->data + hold->claims_end, size - hold->claims_end);
}

void imf_jpeg_free_hold(struct imf_jpeg_hold *hold) {
    free(hold->data);
    free(hold->xmp);
}
