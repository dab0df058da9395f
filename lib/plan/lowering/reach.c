/*
 * reach.c - how far results depend on the image, and what of it has to be computed
 *
 * A chain is made for the smallest rectangle that holds all regions that change and all that they
 * depend on: a pixel's result depends on the pixels around it, out to the reach of every filter on the
 * way. What such a chain makes near the rectangle's own sides is wrong, since it knows nothing of the
 * pixels beyond them; the reach keeps that away from the regions.
 */
#include "filter/builtin/table.h"
#include "plan/lowering/operations.h"
#include "plan/lowering/region.h"

#include <math.h>

static void widen(struct imf_margin *m, struct imf_margin made, struct imf_margin reach) {
    m->left = imf_max(m->left, made.left + reach.left);
    m->right = imf_max(m->right, made.right + reach.right);
    m->top = imf_max(m->top, made.top + reach.top);
    m->bottom = imf_max(m->bottom, made.bottom + reach.bottom);
}

/* How far the last result reads each of the others beyond a pixel; the image is that before the first. */
static void find_needs(struct imf_operations *o) {
    const struct imf_margin none = {0, 0, 0, 0};
    o->need = none;
    for (int i = 0; i < o->count; i++)
        o->list[i].need = none;
    for (int i = o->count - 1; i >= 0; i--) {
        const struct imf_operation *op = &o->list[i];
        widen(op->source < 0 ? &o->need : &o->list[op->source].need, op->need,
              op->kind == IMF_SOLVE ? op->problem.reach : none);
        if (op->second >= -1)
            widen(op->second < 0 ? &o->need : &o->list[op->second].need, op->need, none);
    }
}

/* What a pixel of a result depends on: pixels nearby; all, of which it is a measure; all, of which
 * each may matter by itself. What counts pixels leaves out hidden ones. */
enum extent { NEARBY, MEASURES, SPREADS };

static enum extent extent_of(const struct imf_operation *op) {
    if (op->kind != IMF_SOLVE)
        return op->kind == IMF_NORMALIZE ? MEASURES : NEARBY;
    const struct imf_problem *p = &op->problem;
    switch (p->kind) {
#define EXTENT(kind, name, extent, ...)                                                            \
    case IMF_##kind:                                                                               \
        return extent;
        IMF_PROBLEMS(EXTENT)
    case IMF_PROBLEM_KINDS:
        break;
    }
    return SPREADS;
}

/* A hidden pixel matters only as far as filters reach from a visible one, which is a colour at no
 * greater distance: further than that need not be searched, and rows go on streaming. */
static void bound_fill(struct imf_operations *o) {
    const struct imf_chain *c = o->chain;
    struct imf_operation *first = &o->list[0];
    if (first->kind != IMF_SOLVE || first->problem.kind != IMF_FILLING)
        return;
    struct imf_fill fill = first->problem.fill;
    struct imf_margin m = first->need;
    double reach = ceil(hypot(imf_max(m.left, m.right), imf_max(m.top, m.bottom)));
    bool any = fill.all || c->edge == IMF_EDGE_WRAP || reach >= imf_min(c->width, c->height) / 2;
    for (int i = 0; i < o->count; i++)
        any = any || extent_of(&o->list[i]) == SPREADS;
    fill.reach = any ? IMF_FILL_ANY : imf_max((int)reach, 1);
    imf_problem_fill(&first->problem, &fill);
}

/* first..end - 1 with what is read before and behind, cut off at the sides or, where those are
 * joined, as long as the side. */
static void reach_out(int *first, int *end, int before, int behind, int size, bool wraps) {
    int64_t from = (int64_t)*first - before, to = (int64_t)*end + behind;
    bool all = wraps && (from < 0 || to > size);
    *first = all || from < 0 ? 0 : (int)from;
    *end = all || to > size ? size : (int)to;
}

/* The part of the image that is read for these regions. */
static struct imf_rect part_of(const struct imf_operations *o, const struct imf_rect *regions,
                               size_t count) {
    const struct imf_chain *c = o->chain;
    double feather = o->settings->mask_feather;
    int x0 = c->width, y0 = c->height, x1 = 0, y1 = 0;
    int soft = feather > 0 ? imf_gaussian_radius(feather) : 0;
    bool wraps = c->edge == IMF_EDGE_WRAP;
    for (int i = 0; i < o->count; i++)
        if (extent_of(&o->list[i]) != NEARBY)
            return c->part;
    for (size_t i = 0; i < count; i++) {
        x0 = imf_min(x0, regions[i].x);
        y0 = imf_min(y0, regions[i].y);
        x1 = imf_max(x1, regions[i].x + regions[i].width);
        y1 = imf_max(y1, regions[i].y + regions[i].height);
    }
    reach_out(&x0, &x1, soft, soft, c->width, false);
    reach_out(&y0, &y1, soft, soft, c->height, false);
    reach_out(&x0, &x1, o->need.left, o->need.right, c->width, wraps);
    reach_out(&y0, &y1, o->need.top, o->need.bottom, c->height, wraps);
    return (struct imf_rect){x0, y0, x1 - x0, y1 - y0};
}

/* Where blocks begin in a part of the picture that begins at `from` of a side of `size` pixels; their
 * own size is a multiple of the step. */
static int grid_start(int step, int first, int from, int size) {
    int at = (first < 0 ? size : 0) - from;
    return (at % step + step) % step;
}

/* Let operations be of a part of the image, which they all were until now. */
static void place(struct imf_operations *o, struct imf_rect part, int regions) {
    struct imf_chain *c = o->chain;
    for (int i = 0; i < o->count; i++) {
        struct imf_operation *op = &o->list[i];
        struct imf_weights *w = &op->blend.weights;
        if (op->kind == IMF_BLEND) {
            w->part = part;
            if (w->regions) {
                w->regions = regions;
                w->across = c->profiles;
                w->down = c->profiles + (size_t)regions * (size_t)part.width;
            }
        } else if (op->kind == IMF_SOLVE) {
            struct imf_problem *p = &op->problem;
            p->width = part.width;
            p->height = part.height;
            if (p->kind == IMF_DENOISE) {
                int step = imf_denoise_grid(p->denoise)->step;
                p->grid_x = grid_start(step, p->denoise->first_x, part.x, c->width);
                p->grid_y = grid_start(step, p->denoise->first_y, part.y, c->height);
            }
        }
    }
    c->part = part;
    c->width = part.width;
    c->height = part.height;
}

bool imf_operations_place(struct imf_operations *o, const struct imf_rect *regions, size_t count) {
    struct imf_chain *c = o->chain;
    const struct imf_rect image = c->part;
    find_needs(o);
    bound_fill(o);
    c->reach = o->need;
    for (int i = 0; i < o->count; i++)
        if (extent_of(&o->list[i]) == SPREADS)
            c->reach = (struct imf_margin){c->width, c->width, c->height, c->height};
    if (!count) {
        place(o, image, 0);
        return true;
    }
    find_needs(o);
    struct imf_rect part = part_of(o, regions, count);
    c->profiles = imf_regions_profiles(regions, count, part, image, o->settings->mask_feather);
    if (!c->profiles)
        return false;
    if (part.width != image.width || part.height != image.height)
        c->kept_row = (double)image.width * c->channels_in * (double)imf_sample_size(c->in);
    place(o, part, (int)count);
    bound_fill(o);
    return true;
}
