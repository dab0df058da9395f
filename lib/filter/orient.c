/*
 * orient.c - a filter for pixels that are not stored upright
 *
 * A filter's directions refer to the upright picture. Where EXIF's orientation says that the pixels
 * are stored otherwise, every direction in the filter is converted to the stored picture: filtering
 * the stored pixels and turning the result upright gives what the filter makes of the upright
 * picture.
 */
#include "base/image/orientation.h"
#include "filter/filter.h"

#include <stdlib.h>

static enum imf_status orient_kernel(struct imf_kernel **out, const struct imf_kernel *k,
                                     struct imf_orientation o, struct imf_error *err) {
    int width = o.swap ? k->height : k->width, height = o.swap ? k->width : k->height;
    enum imf_status status = imf_kernel_create(out, width, height, err);
    if (status)
        return status;
    struct imf_kernel *t = *out;
    t->scale = k->scale;
    t->bias = k->bias;
    t->cx = k->cx;
    t->cy = k->cy;
    imf_pixel_to_stored(o, k->width, k->height, &t->cx, &t->cy);
    for (int i = 0; i < k->height; i++)
        for (int j = 0; j < k->width; j++) {
            int x = j, y = i;
            imf_pixel_to_stored(o, k->width, k->height, &x, &y);
            t->taps[(size_t)y * (size_t)width + (size_t)x] =
                k->taps[(size_t)i * (size_t)k->width + (size_t)j];
        }
    return IMF_OK;
}

static void orient_window_op(struct imf_window_op *window, struct imf_orientation o,
                             const struct imf_kernel *element) {
    int width = window->width;
    imf_pixel_to_stored(o, window->width, window->height, &window->cx, &window->cy);
    if (o.swap) {
        window->width = window->height;
        window->height = width;
    }
    if (window->element)
        window->element = element;
}

static enum imf_status orient_stage(struct imf_stage *out, const struct imf_stage *stage,
                                    struct imf_orientation o, struct imf_error *err) {
    enum imf_status status = IMF_OK;
    *out = *stage;
    out->kernel[0] = out->kernel[1] = NULL;
    imf_mask_keep(out->mask); /* it has planes for each orientation */
    for (int i = 0; i < 2 && !status; i++)
        if (stage->kernel[i])
            status = orient_kernel(&out->kernel[i], stage->kernel[i], o, err);
    if (out->deblur.kernel)
        out->deblur.kernel = out->kernel[0];
    struct imf_window_op *const windows[] = {&out->window_op, &out->second};
    for (int i = 0; i < 2 && stage->op == IMF_OP_WINDOW; i++)
        orient_window_op(windows[i], o, out->kernel[0]);
    imf_offset_to_stored(o, &out->transfer.u, &out->transfer.v); /* the others are round */
    imf_sides_to_stored(o, &out->canny.first_x, &out->canny.first_y);
    imf_sides_to_stored(o, &out->clahe.first_x, &out->clahe.first_y);
    imf_sides_to_stored(o, &out->denoise.first_x, &out->denoise.first_y);
    imf_sides_to_stored(o, &out->deblur.first_x, &out->deblur.first_y);
    out->clahe.turned = out->denoise.turned = o.swap;
    if (o.swap) {
        out->clahe.across = stage->clahe.down;
        out->clahe.down = stage->clahe.across;
    }
    return status;
}

enum imf_status imf_filter_orient(struct imf_filter **out, const struct imf_filter *filter,
                                  int orientation, struct imf_error *err) {
    struct imf_orientation o = imf_orientation_of(orientation);
    *out = NULL;
    if (imf_orientation_is_upright(o))
        return IMF_OK;
    struct imf_filter *f = calloc(1, sizeof *f);
    if (f)
        f->stages = calloc(filter->count, sizeof *f->stages);
    enum imf_status status =
        f && f->stages ? IMF_OK : imf_fail_memory(err, filter->count * sizeof *f->stages);
    if (!status)
        f->borrows = true;
    for (; !status && f->count < filter->count; f->count++)
        status = orient_stage(&f->stages[f->count], &filter->stages[f->count], o, err);
    if (status)
        imf_filter_free(&f);
    else
        f->form = filter->form;
    *out = f;
    return status;
}
