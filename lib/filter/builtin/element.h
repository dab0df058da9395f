/*
 * element.h - structuring elements: the samples of a window that count
 *
 * An element is a kernel of ones and zeros, of scale 1.
 */
#ifndef IMF_FILTER_BUILTIN_ELEMENT_H
#define IMF_FILTER_BUILTIN_ELEMENT_H

#include "base/number.h"
#include "filter/flt/file.h"

#define IMF_WINDOW_MAX 1023 /* largest width or height */
#define IMF_MASK_MAX 255    /* of a mask from a file */

/* A window as a spec gives it. Zero-initialise; the caller frees the mask. */
struct imf_window {
    int width, height;
    bool radius; /* given as a radius: both sides are 2R + 1 */
    struct imf_kernel *mask;
};

enum imf_element { IMF_SQUARE, IMF_DISK, IMF_CROSS };

/* "3" or "5x7". Returns NULL, or else a phrase that follows the quoted text in a message. */
const char *imf_window_read(struct imf_window *out, struct imf_span text);
/* "5x7", both sides from low to high; *out becomes 5 * IMF_SIZE + 7. Returns as above. */
const char *imf_size_read(double *out, struct imf_span text, double low, double high);
/* Move a file's kernel into the window as its mask: nonzero coefficients count. Returns as above. */
const char *imf_window_mask(struct imf_window *out, struct imf_flt *flt);
/* The element of a window; its mask becomes the element. */
enum imf_status imf_window_element(struct imf_kernel **out, struct imf_window *window,
                                   enum imf_element shape, struct imf_error *err);

#endif
