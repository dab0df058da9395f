/* region.c - where the regions that change are, and how much each pixel around them does */
#include "plan/lowering/region.h"

#include "filter/builtin/table.h"

#include <math.h>
#include <stdlib.h>

/* ---- where they are -------------------------------------------------------------------------- */

/* From `start` on, in pixels of the upright picture's `size`; a percentage is of the size. */
static double pixels_of(double value, bool percent, int size) {
    return percent ? value * size / 100 : value;
}

/* The pixels from `start` to `start` + `length`, both rounded, that a side of `size` has. */
static void cut(double start, double length, int size, int *from, int *count) {
    double first = fmin(fmax(rint(start), 0), size),
           end = fmin(fmax(rint(start + length), 0), size);
    *from = (int)first;
    *count = (int)(end - first);
}

static struct imf_rect to_stored(struct imf_rect r, int width, int height,
                                 struct imf_orientation o) {
    int x0 = r.x, y0 = r.y, x1 = r.x + r.width - 1, y1 = r.y + r.height - 1;
    imf_pixel_to_stored(o, width, height, &x0, &y0);
    imf_pixel_to_stored(o, width, height, &x1, &y1);
    return (struct imf_rect){imf_min(x0, x1), imf_min(y0, y1), abs(x1 - x0) + 1, abs(y1 - y0) + 1};
}

static const char *sign(const struct imf_region *r, enum imf_percent side) {
    return r->percent & side ? "%" : "";
}

struct rects {
    struct imf_rect *at; /* owned */
    size_t count, room;
};

static bool append(struct rects *all, struct imf_rect r) {
    if (all->count == all->room) {
        size_t room = 2 * all->room + 8;
        struct imf_rect *grown = reallocarray(all->at, room, sizeof *grown);
        if (!grown)
            return false;
        all->at = grown;
        all->room = room;
    }
    all->at[all->count++] = r;
    return true;
}

/* Add the pixels of r that none has; from `first` on it may share some. So the sum of the rectangles' profiles is
 * that of their union, however they overlap. */
static bool add_apart(struct rects *all, struct imf_rect r, size_t first) {
    for (size_t i = first; i < all->count; i++) {
        const struct imf_rect o = all->at[i];
        int left = imf_max(r.x, o.x), right = imf_min(r.x + r.width, o.x + o.width);
        int top = imf_max(r.y, o.y), bottom = imf_min(r.y + r.height, o.y + o.height);
        if (left >= right || top >= bottom)
            continue;
        const struct imf_rect parts[] = {
            {r.x, r.y, r.width, top - r.y},
            {r.x, bottom, r.width, r.y + r.height - bottom},
            {r.x, top, left - r.x, bottom - top},
            {right, top, r.x + r.width - right, bottom - top},
        };
        bool added = true;
        for (int k = 0; k < 4 && added; k++)
            added = !parts[k].width || !parts[k].height || add_apart(all, parts[k], i + 1);
        return added;
    }
    return append(all, r);
}

enum imf_status imf_regions_place(struct imf_rect **out, size_t *count,
                                  const struct imf_settings *settings, const struct imf_info *input,
                                  struct imf_error *err) {
    struct imf_orientation o = imf_orientation_of(input->orientation);
    int width = o.swap ? input->height : input->width,
        height = o.swap ? input->width : input->height;
    struct rects all = {.at = NULL};
    *out = NULL;
    for (size_t i = 0; i < settings->region_count; i++) {
        const struct imf_region *r = &settings->regions[i];
        struct imf_rect upright;
        cut(pixels_of(r->x, r->percent & IMF_PERCENT_X, width),
            pixels_of(r->width, r->percent & IMF_PERCENT_WIDTH, width), width, &upright.x,
            &upright.width);
        cut(pixels_of(r->y, r->percent & IMF_PERCENT_Y, height),
            pixels_of(r->height, r->percent & IMF_PERCENT_HEIGHT, height), height, &upright.y,
            &upright.height);
        if (!upright.width || !upright.height) {
            free(all.at);
            return imf_fail(err, IMF_ERR_ARGUMENT,
                            "the region %g%sx%g%s+%g%s+%g%s has no pixel of the upright picture of "
                            "%dx%d",
                            r->width, sign(r, IMF_PERCENT_WIDTH), r->height,
                            sign(r, IMF_PERCENT_HEIGHT), r->x, sign(r, IMF_PERCENT_X), r->y,
                            sign(r, IMF_PERCENT_Y), width, height);
        }
        if (!add_apart(&all, upright, 0)) {
            free(all.at);
            return imf_fail_memory(err, 2 * all.room * sizeof *all.at);
        }
    }
    for (size_t i = 0; i < all.count; i++)
        all.at[i] = to_stored(all.at[i], width, height, o);
    *out = all.at;
    *count = all.count;
    return IMF_OK;
}

/* ---- profiles -------------------------------------------------------------------------------- */

/* A Gaussian's taps; sums[i]: of the first i. */
struct gaussian {
    const double *sums;
    int radius;
};

/* How much of a Gaussian around each of the pixels from `at` on lies on first..end - 1. Beyond the sides of the image the profile is that at the sides, as
 * where a mask is blurred. */
static void make_profile(double *out, int at, int count, int first, int end, int size,
                         struct gaussian g) {
    int taps = 2 * g.radius + 1;
    for (int i = 0; i < count; i++) {
        int from = first > 0 ? first - (at + i) + g.radius : 0;
        int to = end < size ? end - (at + i) + g.radius : taps;
        from = imf_min(imf_max(from, 0), taps);
        to = imf_min(imf_max(to, from), taps);
        out[i] = (g.sums[to] - g.sums[from]) / g.sums[taps];
    }
}

double *imf_regions_profiles(const struct imf_rect *regions, size_t count, struct imf_rect part,
                             struct imf_rect image, double feather) {
    size_t width = (size_t)part.width, height = (size_t)part.height, values, bytes;
    int radius = feather > 0 ? imf_gaussian_radius(feather) : 0;
    size_t taps = 2 * (size_t)radius + 1;
    double *store;
    if (!imf_size_mul(count, width + height, &values) ||
        !imf_size_mul(values + taps + 1, sizeof *store, &bytes) || !(store = malloc(bytes)))
        return NULL;
    double *across = store, *down = across + count * width, *sums = store + values;
    sums[0] = 0;
    if (radius)
        imf_gaussian_sample(sums + 1, radius, feather);
    else
        sums[1] = 1;
    for (size_t i = 0; i < taps; i++)
        sums[i + 1] += sums[i];
    const struct gaussian g = {sums, radius};
    for (size_t i = 0; i < count; i++) {
        const struct imf_rect *r = &regions[i];
        make_profile(across + i * width, part.x, part.width, r->x, r->x + r->width, image.width, g);
        make_profile(down + i * height, part.y, part.height, r->y, r->y + r->height, image.height,
                     g);
    }
    return store;
}
