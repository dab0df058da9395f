/*
 * orient.c - a filter for pixels that do not lie upright
 *
 * A filter's directions are those of the picture as it is looked at. Where EXIF says that the rows
 * lie otherwise, everything in it that has a direction is turned the other way, and the result,
 * once it is turned upright, is what the filter makes of the upright picture: the tap at offset d
 * of the turned kernel is the original's at d's place in the upright picture.
 */
#include "base/orientation.h"
#include "filter/filter.h"

#include <stdlib.h>

static enum imf_status turn_kernel(struct imf_kernel **out, const struct imf_kernel *k,
                                   struct imf_turn turn, struct imf_error *err) {
    int width = turn.swap ? k->height : k->width, height = turn.swap ? k->width : k->height;
    enum imf_status status = imf_kernel_create(out, width, height, err);
    if (status)
        return status;
    struct imf_kernel *t = *out;
    t->scale = k->scale;
    t->bias = k->bias;
    t->cx = k->cx;
    t->cy = k->cy;
    imf_turn_pixel_back(turn, k->width, k->height, &t->cx, &t->cy);
    for (int i = 0; i < k->height; i++)
        for (int j = 0; j < k->width; j++) {
            int x = j, y = i;
            imf_turn_pixel_back(turn, k->width, k->height, &x, &y);
            t->taps[(size_t)y * (size_t)width + (size_t)x] =
                k->taps[(size_t)i * (size_t)k->width + (size_t)j];
        }
    return IMF_OK;
}

static void turn_neighbourhood(struct imf_neighbourhood *hood, struct imf_turn turn,
                               const struct imf_kernel *element) {
    int width = hood->width;
    imf_turn_pixel_back(turn, hood->width, hood->height, &hood->cx, &hood->cy);
    if (turn.swap) {
        hood->width = hood->height;
        hood->height = width;
    }
    if (hood->element)
        hood->element = element;
}

static enum imf_status turn_stage(struct imf_stage *out, const struct imf_stage *stage,
                                  struct imf_turn turn, struct imf_error *err) {
    *out = *stage;
    out->kernel[0] = out->kernel[1] = NULL;
    imf_turn_offset_back(turn, &out->transfer.u, &out->transfer.v); /* the others are round */
    double x = stage->canny.first_x, y = stage->canny.first_y;
    imf_turn_offset_back(turn, &x, &y);
    out->canny.first_x = (int)x;
    out->canny.first_y = (int)y;
    enum imf_status status = IMF_OK;
    for (int i = 0; i < 2 && !status; i++)
        if (stage->kernel[i])
            status = turn_kernel(&out->kernel[i], stage->kernel[i], turn, err);
    if (stage->op == IMF_OP_NEIGHBOURHOOD) {
        turn_neighbourhood(&out->neighbourhood, turn, out->kernel[0]);
        turn_neighbourhood(&out->second, turn, out->kernel[0]);
    }
    return status;
}

enum imf_status imf_filter_turn(struct imf_filter **out, const struct imf_filter *filter,
                                int orientation, struct imf_error *err) {
    struct imf_turn turn = imf_turn_of(orientation);
    *out = NULL;
    if (imf_turn_is_none(turn))
        return IMF_OK;
    struct imf_filter *f = calloc(1, sizeof *f);
    if (f)
        f->stages = calloc(filter->count, sizeof *f->stages);
    enum imf_status status =
        f && f->stages ? IMF_OK : imf_fail_memory(err, filter->count * sizeof *f->stages);
    for (; !status && f->count < filter->count; f->count++)
        status = turn_stage(&f->stages[f->count], &filter->stages[f->count], turn, err);
    if (status)
        imf_filter_free(&f);
    *out = f;
    return status;
}
