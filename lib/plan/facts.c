/* facts.c - what follows from a chain's passes */
#include "plan/chain.h"

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
