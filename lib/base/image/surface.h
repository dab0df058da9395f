/*
 * surface.h - pixel surfaces with margins, and checked sizes
 *
 * Every stage of a chain reads a surface whose margins hold what lies beyond the image's edge, so that no solver contains edge code: the producer of a surface fills its margins once (edge.h), at
 * a cost that grows with the perimeter, not with the area.
 *
 *        pitch samples from row to row
 *      +-----------------------------------+
 *      |            top rows               |
 *      |      +-----------------+          |
 *      | left | width*channels  | right    |   left, right: pixels; origin: index of pixel (0,0)
 *      |      +-----------------+          |
 *      |           bottom rows             |
 *      +-----------------------------------+  + IMF_SLACK samples that may be read or written
 */
#ifndef IMF_BASE_IMAGE_SURFACE_H
#define IMF_BASE_IMAGE_SURFACE_H

#include "base/error.h"
#include "base/image/samples.h"

/* Kernels may read and write this many samples past the end of any row of a surface: vector tails
 * need no special case. Row starts (pixel (0,0) of each row) are aligned to it as well. */
#define IMF_SLACK 64

struct imf_buffer;

struct imf_margin {
    int left, right, top, bottom; /* pixels */
};

struct imf_surface {
    enum imf_sample sample;
    int width, height, channels;
    int row; /* of the image, where this is a view of some of its rows: row 0's number there */
    struct imf_margin margin;
    size_t origin; /* samples from the start of the storage to pixel (0,0); multiple of IMF_SLACK */
    size_t pitch;  /* samples from a row to the next; multiple of IMF_SLACK */
    size_t size;   /* samples in all, slack included */
    void *host;    /* storage in host memory, or NULL */
    struct imf_buffer *mem; /* storage on the device (device/buffer.h), or NULL */
};

static inline int imf_max(int a, int b) {
    return a > b ? a : b;
}

static inline int imf_min(int a, int b) {
    return a < b ? a : b;
}

static inline int imf_round_up(int n, int multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

/* a * b and a + b into *out; false on overflow. */
bool imf_size_mul(size_t a, size_t b, size_t *out);
bool imf_size_add(size_t a, size_t b, size_t *out);

/* Compute origin, pitch and size from shape and margin; no storage is allocated. Fails with
 * IMF_ERR_LIMIT when a size does not fit in size_t. */
enum imf_status imf_surface_layout(struct imf_surface *s, enum imf_sample sample, int width,
                                   int height, int channels, struct imf_margin margin,
                                   struct imf_error *err);
/* Bytes of storage. */
size_t imf_surface_bytes(const struct imf_surface *s);
/* Allocate and free host storage. It is aligned to a page, as devices that use it directly need. */
enum imf_status imf_surface_alloc(struct imf_surface *s, struct imf_error *err);
void imf_surface_free(struct imf_surface *s);
/* Copy the pixels, not the margins, to a surface
 * of the same shape and samples; both on the host. */
void imf_surface_copy(const struct imf_surface *to, const struct imf_surface *from);
/* Host address of pixel (0, y); y may reach into the margins. */
void *imf_surface_row(const struct imf_surface *s, int y);

#endif
