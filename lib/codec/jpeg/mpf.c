/*
 * mpf.c - the list of the images in a JPEG (CIPA DC-007, Multi-Picture Format)
 *
 * An APP2 segment of the first image holds a TIFF stream. Its first directory points to an entry of
 * 16 bytes for each image: attributes, size, offset from the stream's begin (0 for the first
 * image), and two numbers of images that it depends on.
 */
#include "codec/jpeg/mpf.h"

#include "codec/metadata/tiff.h"

enum { TAG_COUNT = 0xb001, TAG_ENTRIES = 0xb002, MP_ENTRY = 16, MP_SIZE = 4, MP_OFFSET = 8 };

/* The first image's entry and the number of entries; NULL when it is no such list. */
static unsigned char *entries_of(unsigned char *mpf, size_t size, bool *big, size_t *count) {
    size_t directory = imf_tiff_first(mpf, size, big);
    size_t number = directory ? imf_tiff_find(mpf, size, *big, directory, TAG_COUNT) : 0;
    size_t list = directory ? imf_tiff_find(mpf, size, *big, directory, TAG_ENTRIES) : 0;
    if (!number || !list)
        return NULL;
    *count = imf_get(mpf + number + 8, 4, *big);
    size_t bytes = imf_get(mpf + list + 4, 4, *big), at = imf_get(mpf + list + 8, 4, *big);
    if (*count < 1 || *count > size / MP_ENTRY || bytes < *count * MP_ENTRY || at > size ||
        *count * MP_ENTRY > size - at)
        return NULL;
    return mpf + at;
}

bool imf_mpf_move(unsigned char *mpf, size_t size, const struct imf_mpf_position *from,
                  const struct imf_mpf_position *to, uint64_t trailer) {
    bool big;
    size_t count;
    unsigned char *entry = entries_of(mpf, size, &big, &count);
    if (!entry || to->end > UINT32_MAX || imf_get(entry + MP_OFFSET, 4, big) != 0)
        return false;
    imf_put(entry + MP_SIZE, 4, (uint32_t)to->end, big);
    for (size_t i = 1; i < count; i++) {
        entry += MP_ENTRY;
        uint64_t length = imf_get(entry + MP_SIZE, 4, big);
        uint64_t at = from->mpf + imf_get(entry + MP_OFFSET, 4, big);
        if (at < from->end || at - from->end > trailer || length > trailer - (at - from->end))
            return false;
        uint64_t offset = to->end + (at - from->end) - to->mpf;
        if (offset > UINT32_MAX)
            return false;
        imf_put(entry + MP_OFFSET, 4, (uint32_t)offset, big);
    }
    return true;
}
