/* element.c - structuring elements: which samples of a window count */
#include "filter/builtin/element.h"

#include "filter/builtin/table.h"

#include <math.h>
#include <string.h>

static const char not_whole[] = "is not a whole number";
static const char too_large[] = "is out of range";

const char *imf_window_read(struct imf_window *out, struct imf_span text) {
    const char *cross = memchr(text.text, 'x', text.length);
    struct imf_span side[2] = {text, text};
    double v[2] = {0, 0};
    *out = (struct imf_window){.radius = !cross};
    if (cross) {
        side[0].length = (size_t)(cross - text.text);
        side[1].text = cross + 1;
        side[1].length = text.length - side[0].length - 1;
    }
    for (int i = 0; i < 2; i++) {
        const char *wrong = side[i].length ? imf_number_parse(side[i], &v[i]) : "is no size";
        if (wrong)
            return wrong;
        if (v[i] != rint(v[i]))
            return not_whole;
        v[i] = cross ? v[i] : 2 * v[i] + 1;
        if (v[i] < 1 || v[i] > IMF_WINDOW_MAX)
            return too_large;
    }
    out->width = (int)v[0];
    out->height = (int)v[1];
    return NULL;
}

const char *imf_size_read(double *out, struct imf_span text, double low, double high) {
    struct imf_window sides;
    const char *wrong = imf_window_read(&sides, text);
    if (wrong)
        return wrong;
    if (sides.radius)
        return "is no size";
    *out = sides.width * IMF_SIZE + sides.height;
    return imf_min(sides.width, sides.height) < low || imf_max(sides.width, sides.height) > high
               ? too_large
               : NULL;
}

const char *imf_window_mask(struct imf_window *out, struct imf_flt *flt) {
    struct imf_kernel *k = flt->kernel[0];
    *out = (struct imf_window){.radius = false};
    if (flt->kernel[1])
        return "holds two kernels: a mask is one";
    if (k->width > IMF_MASK_MAX || k->height > IMF_MASK_MAX)
        return "is too large: a mask is at most 255x255";
    if (!imf_kernel_nonzero(k))
        return "is empty: a mask needs a coefficient that is not 0";
    for (size_t i = 0, n = (size_t)k->width * (size_t)k->height; i < n; i++)
        k->taps[i] = k->taps[i] != 0;
    k->scale = 1;
    k->bias = 0;
    if (flt->scaling.flip)
        imf_kernel_flip(k);
    *out = (struct imf_window){.width = k->width, .height = k->height, .mask = k};
    flt->kernel[0] = NULL;
    return NULL;
}

static bool counts(enum imf_element shape, int dx, int dy, int radius) {
    switch (shape) {
    case IMF_DISK:
        return dx * dx + dy * dy <= radius * radius;
    case IMF_CROSS:
        return dx == 0 || dy == 0;
    default:
        return true;
    }
}

enum imf_status imf_window_element(struct imf_kernel **out, struct imf_window *window,
                                   enum imf_element shape, struct imf_error *err) {
    *out = window->mask;
    window->mask = NULL;
    if (*out)
        return IMF_OK;
    enum imf_status status = imf_kernel_create(out, window->width, window->height, err);
    if (status != IMF_OK)
        return status;
    struct imf_kernel *k = *out;
    for (int y = 0; y < k->height; y++)
        for (int x = 0; x < k->width; x++)
            k->taps[(size_t)y * (size_t)k->width + (size_t)x] =
                counts(shape, x - k->cx, y - k->cy, k->cx);
    return IMF_OK;
}
