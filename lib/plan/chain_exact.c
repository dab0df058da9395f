/*
 * chain_exact.c - appending passes that read integer samples and leave them: edges, thresholds, histograms
 *
 * What they read is rounded to the image's depth: by themselves, or by the pass before, where that has
 * no other reader (chain_bounds.c).
 */
#include "plan/chain_builder.h"

#include <math.h>

/* Append a pass whose results are integer samples of the image's depth. Alpha that is apart passes through: after a
 * filter it is no sample. `weighs`: it counts pixels, but not those of alpha 0. */
static struct imf_pass *append_exact(struct imf_builder *b, bool weighs) {
    bool ready = imf_builder_straighten(b) && (!weighs || imf_builder_alpha(b));
    struct imf_pass *pass = ready ? imf_builder_problem(b) : NULL;
    if (!pass)
        return NULL;
    pass->problem.exact = true;
    pass->problem.weigh = weighs && b->hides;
    pass->whole = b->integral = b->integral || !b->alpha_apart;
    pass->bound = b->bound = b->alpha_apart ? fmax(b->bound, b->chain->full) : b->chain->full;
    b->positive = b->positive || !b->alpha_apart;
    if (!b->alpha_apart)
        pass->out = b->chain->in;
    return pass;
}

bool imf_builder_canny(struct imf_builder *b, const struct imf_canny *canny) {
    struct imf_pass *pass = append_exact(b, false);
    if (pass)
        imf_problem_canny(&pass->problem, canny, b->channels - (b->alpha ? 1 : 0));
    return pass;
}

bool imf_builder_clahe(struct imf_builder *b, const struct imf_clahe *clahe) {
    struct imf_pass *pass = append_exact(b, true);
    if (pass)
        imf_problem_clahe(&pass->problem, clahe, b->channels - (b->alpha ? 1 : 0));
    return pass;
}

bool imf_builder_bilevel(struct imf_builder *b, const struct imf_window_op *window) {
    struct imf_pass *pass = append_exact(b, false);
    if (!pass)
        return false;
    double *outside = pass->problem.outside; /* rounded, too */
    for (int i = 0; i < b->channels; i++)
        outside[i] = imf_sample_round(outside[i], b->chain->full);
    imf_problem_window_op(&pass->problem, window);
    return true;
}

bool imf_builder_histogram_op(struct imf_builder *b, enum imf_histogram_op op) {
    struct imf_pass *pass = append_exact(b, true);
    if (!pass)
        return false;
    /* Samples are what it counts: no float in between moves a value across a tie. */
    struct imf_pass *before = pass->source < 0 ? NULL : &b->chain->passes[pass->source];
    if (before && before->kind == IMF_PASS_POINT && !b->alpha_apart)
        pass->in = pass->problem.in = before->out = b->chain->in;
    imf_problem_histogram_op(&pass->problem, op, b->channels - (b->alpha ? 1 : 0));
    return true;
}
