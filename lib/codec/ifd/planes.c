/*
 * planes.c - several pictures that one directory of a TIFF describes
 *
 * ImageJ writes a stack of more than 4 GB so, which no directory could point into, and MetaMorph all of its stacks: rows of all
 * planes, not compressed, follow those of the first.
 */
#include "codec/ifd/planes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { OFFSETS = 273, SAMPLES = 277, SIZES = 279, PLANAR = 284, TILE_WIDTH = 322, UIC2 = 33629 };
enum { STORED = 1, SEPARATE = 2, TEXT_MAX = 1 << 20 };

/* That the description says there are; 0: it does not say so. */
static uint64_t described(struct imf_tiff_input *in, const struct imf_tiff_directory *d,
                          bool *out_of_memory) {
    static const char program[] = "ImageJ=", name[] = "\nimages=";
    const struct imf_tiff_entry *e = imf_tiff_entry(d, IMF_TIFF_DESCRIPTION);
    size_t size = 0;
    unsigned char *text = e ? imf_tiff_value(in, e, TEXT_MAX, &size, out_of_memory) : NULL;
    const char *end = text ? (const char *)text + size : NULL;
    const char *at = text && size > strlen(program) && memcmp(text, program, strlen(program)) == 0
                         ? memmem(text, size, name, strlen(name))
                         : NULL;
    uint64_t count = 0;
    if (at)
        at += strlen(name);
    for (; at && at < end && *at >= '0' && *at <= '9' && count < INT_MAX; at++)
        count = 10 * count + (uint64_t)(*at - '0');
    free(text);
    return count;
}

/* Do the strips follow each other? Sets where they begin, and all their bytes. */
static bool are_joined(struct imf_tiff_input *in, const struct imf_tiff_directory *d,
                       struct imf_tiff_planes *planes) {
    const struct imf_tiff_entry *offsets = imf_tiff_entry(d, OFFSETS),
                                *sizes = imf_tiff_entry(d, SIZES);
    uint64_t at, bytes;
    if (!offsets || !sizes || offsets->count != sizes->count)
        return false;
    for (uint64_t i = 0; i < offsets->count; i++) {
        if (!imf_tiff_number(in, offsets, i, &at) || !imf_tiff_number(in, sizes, i, &bytes) ||
            (i > 0 && at != planes->first + planes->bytes) || bytes > in->bytes.size)
            return false;
        if (i == 0)
            planes->first = at;
        planes->bytes += bytes;
    }
    return planes->bytes > 0;
}

/* Bytes of the picture, as its shape says. */
static uint64_t shape_bytes(struct imf_tiff_input *in, const struct imf_tiff_directory *d) {
    uint64_t width = imf_tiff_number_of(in, d, 256), height = imf_tiff_number_of(in, d, 257);
    uint64_t samples = imf_tiff_number_of(in, d, SAMPLES), bits = imf_tiff_number_of(in, d, 258);
    samples = samples ? samples : 1;
    if (width > INT_MAX || height > INT_MAX || samples > IMF_TIFF_SAMPLES_MAX || bits > 64)
        return 0;
    uint64_t row = (width * samples * (bits ? bits : 1) + 7) / 8, bytes;
    return __builtin_mul_overflow(row, height, &bytes) ? 0 : bytes;
}

struct imf_tiff_planes imf_tiff_find_planes(struct imf_tiff_input *in, uint64_t at,
                                            bool *out_of_memory) {
    const struct imf_tiff_planes one = {.count = 1};
    struct imf_tiff_planes p = {.count = 0};
    struct imf_tiff_directory d;
    if (!imf_tiff_load(&d, in, at, out_of_memory))
        return one;
    const struct imf_tiff_entry *uic = imf_tiff_entry(&d, UIC2);
    uint64_t count = uic ? uic->count : described(in, &d, out_of_memory);
    uint64_t compression = imf_tiff_number_of(in, &d, 259);
    bool plain = !d.next && compression <= STORED && !imf_tiff_entry(&d, TILE_WIDTH) &&
                 imf_tiff_number_of(in, &d, PLANAR) != SEPARATE;
    bool good = plain && count > 1 && count <= INT_MAX && are_joined(in, &d, &p) &&
                p.bytes == shape_bytes(in, &d) && p.first < in->bytes.size &&
                count <= (in->bytes.size - p.first) / p.bytes;
    imf_tiff_unload(&d);
    p.count = (int)count;
    return good ? p : one;
}
