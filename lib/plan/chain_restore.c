/* chain_restore.c - appending passes that restore a picture: noise, patterns and blur removed */
#include "plan/chain_builder.h"

/* Estimates of blocks may be beyond their samples, by less than these spread. */
#define OVERSHOOT 2

/* Where blocks begin in a part of the picture that begins at `from` of a side of `size` pixels; their own size is a
 * multiple of the step. */
static int grid_start(const struct imf_denoise *denoise, int first, int from, int size) {
    int step = imf_denoise_grid(denoise)->step, at = (first < 0 ? size : 0) - from;
    return (at % step + step) % step;
}

bool imf_builder_denoise(struct imf_builder *b, const struct imf_denoise *denoise) {
    bool ready = imf_builder_premultiply(b) && imf_builder_alpha(b);
    struct imf_pass *pass = ready ? imf_builder_problem(b) : NULL;
    if (!pass)
        return false;
    imf_problem_denoise(&pass->problem, denoise,
                        b->channels - (b->alpha && !b->alpha_apart ? 1 : 0));
    pass->problem.weigh = b->hides && !b->alpha_apart;
    const struct imf_rect *part = &b->chain->part;
    pass->problem.grid_x = grid_start(denoise, denoise->first_x, part->x, b->input->width);
    pass->problem.grid_y = grid_start(denoise, denoise->first_y, part->y, b->input->height);
    b->integral = b->whole_if_opaque = b->positive = false;
    pass->bound = b->bound *= OVERSHOOT;
    return true;
}

bool imf_builder_descreen(struct imf_builder *b, const struct imf_descreen *descreen) {
    struct imf_pass *pass = imf_builder_premultiply(b) ? imf_builder_problem(b) : NULL;
    if (!pass)
        return false;
    imf_problem_descreen(&pass->problem, descreen, b->channels - (b->alpha && !b->alpha_apart));
    b->integral = b->whole_if_opaque = b->positive = false;
    pass->bound = b->bound *= 2; /* a pattern is weaker than the picture */
    return true;
}

/* Deconvolution magnifies errors by about this. */
#define DEBLUR_GAIN 10

bool imf_builder_deblur(struct imf_builder *b, const struct imf_deblur *deblur) {
    struct imf_pass *pass = imf_builder_problem(b);
    if (!pass)
        return false;
    imf_problem_deblur(&pass->problem, deblur, b->channels - (b->alpha ? 1 : 0));
    pass->problem.grain = b->chain->grain;
    pass->bound = b->bound *= DEBLUR_GAIN;
    b->chain->high_gain = true;
    b->integral = b->positive = false;
    return true;
}
