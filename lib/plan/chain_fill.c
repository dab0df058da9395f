/*
 * chain_fill.c - pixels of alpha 0, which have no colour
 *
 * In front of filters that cannot weigh pixels there is a pass that fills them. It reads the image, so that all that follows, light curves and channels that are picked included, has colours everywhere.
 * A hidden pixel matters only as far as filters reach from a visible one, which is a colour at no greater distance: further
 * than that need not be searched, and rows go on streaming.
 */
#include "plan/chain_builder.h"

#include "base/orientation.h"

#include <math.h>

bool imf_builder_fill(struct imf_builder *b) {
    struct imf_pass *pass = imf_builder_problem(b);
    double x = 1, y = 1;
    if (!pass)
        return false;
    struct imf_orientation o = imf_orientation_of(b->input->orientation);
    imf_offset_to_stored(o, &x, &y);
    const struct imf_fill fill = {.first_x = (int)x, .first_y = (int)y, .turned = o.swap};
    imf_problem_fill(&pass->problem, &fill);
    /* Whatever the edge: it reads the image's samples, and leaves such. */
    pass->in = pass->out = pass->problem.in = b->chain->in;
    pass->bound = pass->problem.in_max = b->bound = b->chain->full;
    pass->problem.exact = pass->problem.positive = pass->whole = b->integral = true;
    b->alpha_filtered = false;
    b->filled = b->source;
    return true;
}

/* Filters of this kind spread a pixel without end. What counts pixels leaves the hidden ones out. */
static bool spreads(const struct imf_pass *pass) {
    if (pass->kind != IMF_PASS_CONVOLVE)
        return false;
    switch (pass->problem.kind) {
    case IMF_TRANSFER:
    case IMF_DESCREEN:
    case IMF_CANNY:
    case IMF_DEBLURRING:
        return true;
    default:
        return false;
    }
}

bool imf_builder_bound_fill(struct imf_chain *c) {
    struct imf_margin m;
    if (c->passes[0].kind != IMF_PASS_CONVOLVE || c->passes[0].problem.kind != IMF_FILLING)
        return true;
    if (!imf_chain_reach(c, 0, &m))
        return false;
    struct imf_fill fill = c->passes[0].problem.fill;
    double reach = ceil(hypot(imf_max(m.left, m.right), imf_max(m.top, m.bottom)));
    bool any = c->edge == IMF_EDGE_WRAP || reach >= imf_min(c->width, c->height) / 2;
    for (int i = 0; i < c->count; i++)
        any = any || spreads(&c->passes[i]);
    fill.reach = any ? IMF_FILL_ANY : imf_max((int)reach, 1);
    imf_problem_fill(&c->passes[0].problem, &fill);
    return true;
}
