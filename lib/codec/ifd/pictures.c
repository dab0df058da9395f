/*
 * pictures.c - which picture of a TIFF is the one to read
 *
 * Camera raws are TIFFs: a preview, and below it, or in a maker's note, what the sensor saw. TIFF/EP
 * and DNG mark that by its photometric interpretation, others by a tag or by what follows the header.
 */
#include "codec/ifd/pictures.h"
#include "imfilter_program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PAGE = 2, PALETTE = 3, SENSOR = 32803, LINEAR_SENSOR = 34892 };
#define VISITED_MAX 64

struct search {
    struct imf_tiff_input *in;
    bool *out_of_memory;
    size_t visited;
    struct imf_tiff_picture found;
};

/* Phase One: the order of bytes, twice, and "Raw" as a number in it. */
static bool follows_raw(struct imf_tiff_input *in) {
    enum { HEADER = 8 };
    unsigned char head[8];
    if (!imf_bytes_get(&in->bytes, HEADER, head, sizeof head))
        return false;
    return memcmp(head, "MMMM", 4) == 0
               ? memcmp(head + 4, "Raw", 3) == 0
               : memcmp(head, "IIII", 4) == 0 &&
                     (memcmp(head + 5, "waR", 3) == 0 || memcmp(head + 4, "waR", 3) == 0);
}

/* This directory, those below it and, where `behind` or for a first smaller copy, those behind it. */
static void visit(struct search *s, uint64_t at, bool behind) {
    static const unsigned raws[] = {34310 /* Leaf */, 46275 /* Imacon */, 50706 /* DNG */};
    struct imf_tiff_picture *f = &s->found;
    struct imf_tiff_directory d;
    if (s->visited++ >= VISITED_MAX || !imf_tiff_load(&d, s->in, at, s->out_of_memory))
        return;
    uint64_t width = imf_tiff_number_of(s->in, &d, 256), sub;
    uint64_t height = imf_tiff_number_of(s->in, &d, 257);
    uint64_t colors = imf_tiff_number_of(s->in, &d, 262);
    const struct imf_tiff_entry *below = imf_tiff_entry(&d, IMF_TIFF_SUB_IFD);
    bool first = s->visited == 1, reduced = imf_tiff_is_reduced(s->in, &d);
    bool full = imf_tiff_is_page(s->in, &d);
    bool larger =
        width <= UINT32_MAX && height <= UINT32_MAX && width * height > f->width * f->height;
    f->raw |= colors == SENSOR || colors == LINEAR_SENSOR;
    for (size_t i = 0; i < sizeof raws / sizeof *raws; i++)
        f->raw |= imf_tiff_entry(&d, raws[i]) != NULL;
    if (first && reduced)
        f->at = 0;
    else if (larger && (first || full))
        *f = (struct imf_tiff_picture){at, width, height, f->raw};
    behind |= first && reduced;
    for (uint64_t i = 0; below && i < VISITED_MAX && imf_tiff_number(s->in, below, i, &sub); i++)
        visit(s, sub, false);
    if (behind && d.next)
        visit(s, d.next, true);
    imf_tiff_unload(&d);
}

struct imf_tiff_picture imf_tiff_find_picture(struct imf_tiff_input *in, uint64_t first,
                                              bool *out_of_memory) {
    struct search s = {in, out_of_memory, 0, {.at = first, .raw = follows_raw(in)}};
    visit(&s, first, false);
    return s.found;
}

/* ---- pages ----------------------------------------------------------------------------------- */

size_t imf_tiff_list_pictures(struct imf_tiff_input *in, uint64_t first,
                              uint64_t list[IMF_TIFF_PICTURES_MAX], uint64_t *next,
                              bool *out_of_memory) {
    size_t count = 0;
    struct imf_tiff_directory d;
    for (*next = first; *next && count < IMF_TIFF_PICTURES_MAX; imf_tiff_unload(&d)) {
        for (size_t i = 0; i < count; i++)
            if (list[i] == *next) { /* it leads back */
                *next = 0;
                return count;
            }
        if (!imf_tiff_load(&d, in, *next, out_of_memory))
            break;
        list[count++] = *next;
        *next = d.next;
    }
    return count;
}

bool imf_tiff_is_page(struct imf_tiff_input *in, const struct imf_tiff_directory *d) {
    return (imf_tiff_number_of(in, d, IMF_TIFF_SUBFILE) & ~(uint64_t)PAGE) == 0;
}

/* Add the picture's, at most 2^48; a palette's colours have four samples. */
static void add_size(struct imf_pages_size *size, struct imf_tiff_input *in,
                     const struct imf_tiff_directory *d) {
    uint64_t width = imf_tiff_number_of(in, d, 256), height = imf_tiff_number_of(in, d, 257);
    uint64_t each = imf_tiff_number_of(in, d, 277), most = (uint64_t)1 << 48, pixels;
    each = imf_tiff_number_of(in, d, 262) == PALETTE ? 4 : each ? each : 1;
    bool fits = !__builtin_mul_overflow(width, height, &pixels) &&
                !__builtin_mul_overflow(each, pixels, &pixels) && pixels < most;
    uint64_t samples = fits ? pixels : most;
    size->samples += samples;
    uint64_t bits = imf_tiff_number_of(in, d, 258);
    bool plain = imf_tiff_number_of(in, d, 339) < 2 && bits <= 16;
    size->bytes += samples * (bits > 24 ? 8 : !plain ? 4 : bits > 8 ? 2 : 1);
}

uint64_t *imf_tiff_list_pages(struct imf_tiff_input *in, uint64_t first, int *count,
                              struct imf_pages_size *size, bool *out_of_memory) {
    uint64_t *list = calloc(IMF_TIFF_PICTURES_MAX, sizeof *list);
    uint64_t next;
    size_t pictures = list ? imf_tiff_list_pictures(in, first, list, &next, out_of_memory) : 0;
    *count = 0;
    *out_of_memory |= !list;
    for (size_t i = 0; i < pictures; i++) {
        struct imf_tiff_directory d;
        if (!imf_tiff_load(&d, in, list[i], out_of_memory))
            continue;
        if (imf_tiff_is_page(in, &d))
            list[(*count)++] = list[i];
        add_size(size, in, &d);
        if (imf_tiff_entry(&d, IMF_TIFF_SUB_IFD)) /* overviews that have as many pixels at most */
            add_size(size, in, &d);
        imf_tiff_unload(&d);
    }
    return list;
}

/* ---- camera raws ----------------------------------------------------------------------------- */

bool imf_is_camera_raw(int fd) {
    struct stat st;
    bool out_of_memory = false;
    if (fstat(fd, &st) != 0)
        return false;
    struct imf_tiff_input in = {.bytes = {.fd = fd, .size = (uint64_t)st.st_size}};
    uint64_t first = imf_tiff_header(&in);
    struct imf_tiff_picture p = {.at = 0};
    if (first)
        p = imf_tiff_find_picture(&in, first, &out_of_memory);
    return p.raw || (first && !p.at);
}
