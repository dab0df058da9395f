/* facts.c - what follows from a chain's passes */
#include "plan/chain.h"

#include <stdlib.h>

bool imf_point_is_map(const struct imf_point *p) {
    bool bends = p->linearize || p->delinearize;
    return !p->take_alpha && !p->unsharp && !p->unpremultiply && !p->gray && !p->normalize &&
           !p->blend && !p->put && !p->premultiply && !(bends && imf_curve_count(p->curve) > 1);
}

enum imf_sample imf_chain_sample(const struct imf_chain *chain, int index, bool float64) {
    if (index == 0)
        return chain->in;
    if (index == chain->count)
        return chain->out;
    const struct imf_pass *pass = &chain->passes[index - 1];
    return float64 || (pass->coarse && pass->out == IMF_F32) ? IMF_F64 : pass->out;
}

bool imf_problem_decides(const struct imf_problem *p) {
    return p->kind == IMF_HISTOGRAM_OP || p->kind == IMF_CANNY || p->kind == IMF_CLAHE ||
           p->kind == IMF_LOCAL_THRESHOLD;
}

const struct imf_epilogue *imf_pass_threshold(const struct imf_pass *pass) {
    const struct imf_epilogue *e =
        pass->kind == IMF_PASS_CONVOLVE ? &pass->problem.epilogue : &pass->point.e;
    bool is = (pass->kind == IMF_PASS_CONVOLVE || pass->point.epilogue) && e->threshold;
    return is ? e : NULL;
}

bool imf_chain_decides(const struct imf_chain *c, int i) {
    bool is = imf_pass_threshold(&c->passes[i]) != NULL;
    for (int k = i + 1; k < c->count; k++) {
        const struct imf_pass *reader = &c->passes[k];
        is = is || (reader->source == i && reader->kind == IMF_PASS_CONVOLVE &&
                    imf_problem_decides(&reader->problem));
    }
    return is;
}

struct imf_margin imf_chain_margin(const struct imf_chain *chain, int index) {
    struct imf_margin all = {0, 0, 0, 0};
    for (int i = 0; i < chain->count; i++) {
        const struct imf_pass *pass = &chain->passes[i];
        if (pass->kind != IMF_PASS_CONVOLVE || pass->source != index ||
            pass->problem.kind == IMF_FILLING) /* what repeats the picture is no nearer */
            continue;
        struct imf_margin m = pass->problem.reach;
        all.left = imf_max(all.left, m.left);
        all.right = imf_max(all.right, m.right);
        all.top = imf_max(all.top, m.top);
        all.bottom = imf_max(all.bottom, m.bottom);
    }
    return all;
}

enum imf_edge imf_chain_edge(const struct imf_chain *chain, int index) {
    for (int i = 0; i < chain->count && chain->edge == IMF_EDGE_CLAMP; i++) {
        const struct imf_pass *pass = &chain->passes[i];
        if (pass->kind == IMF_PASS_CONVOLVE && pass->source == index &&
            pass->problem.kind == IMF_DENOISE)
            return IMF_EDGE_REFLECT;
    }
    return chain->edge;
}

/* ---- what pixels depend on ------------------------------------------------------------------- */

bool imf_pass_takes_all(const struct imf_pass *pass) {
    if (pass->kind == IMF_PASS_POINT)
        return pass->point.normalize;
    switch (pass->problem.kind) { /* without a default: the compiler asks for new kinds */
    case IMF_CONVOLUTION:
    case IMF_MAGNITUDE:
    case IMF_PHASE:
    case IMF_RANK:
    case IMF_BILATERAL:
    case IMF_GUIDED:
    case IMF_LOCAL_THRESHOLD:
        return false;
    case IMF_DENOISE:
        return pass->problem.denoise->sigma < 0; /* the noise of all of them is measured */
    case IMF_FILLING:
        return pass->problem.fill.reach == IMF_FILL_ANY;
    case IMF_TRANSFER:
    case IMF_DESCREEN:
    case IMF_CANNY:
    case IMF_HISTOGRAM_OP:
    case IMF_CLAHE:
    case IMF_DEBLURRING:
        break;
    }
    return true;
}

static void widen(struct imf_margin *m, struct imf_margin made, struct imf_margin reach) {
    m->left = imf_max(m->left, made.left + reach.left);
    m->right = imf_max(m->right, made.right + reach.right);
    m->top = imf_max(m->top, made.top + reach.top);
    m->bottom = imf_max(m->bottom, made.bottom + reach.bottom);
}

bool imf_chain_reach(const struct imf_chain *c, int index, struct imf_margin *out) {
    const struct imf_margin none = {0, 0, 0, 0};
    struct imf_margin *need = calloc((size_t)c->count + 1, sizeof *need);
    if (!need)
        return false;
    for (int i = c->count - 1; i >= 0; i--) {
        const struct imf_pass *pass = &c->passes[i];
        widen(&need[pass->source + 1], need[i + 1],
              pass->kind == IMF_PASS_CONVOLVE ? pass->problem.reach : none);
        if (pass->second >= -1)
            widen(&need[pass->second + 1], need[i + 1], none);
    }
    *out = need[index + 1];
    free(need);
    return true;
}
