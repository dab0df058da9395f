/* facts.c - what follows from a chain's passes */
#include "plan/lowering/operations.h"

#include <math.h>

const struct imf_operation *imf_point_find(const struct imf_point *p,
                                           enum imf_operation_kind kind) {
    for (int i = 0; i < p->count; i++)
        if (p->steps[i].kind == kind)
            return &p->steps[i];
    return NULL;
}

static int holds(const struct imf_point *p, const struct imf_operation *op) {
    switch (op->kind) {
#define HOLDS(kind, name, what, ...)                                                               \
    case IMF_##kind:                                                                               \
        return what;
        IMF_POINT_OPERATIONS(HOLDS)
    case IMF_SOLVE:
        break;
    }
    return 0;
}

bool imf_point_all(const struct imf_point *p, int what) {
    for (int i = 0; i < p->count; i++)
        what &= holds(p, &p->steps[i]);
    return what;
}

const struct imf_operation *imf_point_first(const struct imf_point *p, int what) {
    for (int i = 0; i < p->count; i++)
        if (holds(p, &p->steps[i]) & what)
            return &p->steps[i];
    return NULL;
}

bool imf_point_is_alike(const struct imf_point *p) {
    return imf_point_all(p, IMF_ALIKE) && (!p->alpha || imf_point_all(p, IMF_ALPHA_TOO));
}

bool imf_point_is_map(const struct imf_point *p) {
    return imf_point_all(p, IMF_ALIKE) && imf_point_all(p, IMF_MAPS);
}

bool imf_point_is_table(const struct imf_point *p, enum imf_sample in) {
    bool integers = in == IMF_U8 || in == IMF_U16;
    return integers && imf_point_is_map(p) && imf_point_first(p, IMF_TABLE);
}

enum imf_sample imf_chain_sample(const struct imf_chain *chain, int index, bool float64) {
    if (index == 0)
        return chain->in;
    if (index == chain->count)
        return chain->out;
    const struct imf_pass *pass = &chain->passes[index - 1];
    return float64 || (pass->coarse && pass->out == IMF_F32) ? IMF_F64 : pass->out;
}

int imf_point_jump(const struct imf_point *p) {
    int i = 0;
    while (i < p->count && isinf(p->steps[i].jump))
        i++;
    return i;
}

double imf_pass_jump(const struct imf_pass *pass) {
    const struct imf_epilogue *e = &pass->problem.epilogue;
    int i = imf_point_jump(&pass->point);
    if (pass->kind == IMF_PASS_POINT)
        return i < pass->point.count ? pass->point.steps[i].jump : INFINITY;
    return e->threshold ? e->level : INFINITY;
}

int imf_pass_hides(const struct imf_pass *pass) {
    const struct imf_operation *op = imf_point_find(&pass->point, IMF_UNPREMULTIPLY);
    return op && imf_point_find(&pass->point, IMF_BLEND) ? (int)(op - pass->point.steps) + 1 : 0;
}

bool imf_chain_decides(const struct imf_chain *c, int i) {
    bool is = isfinite(imf_pass_jump(&c->passes[i])) || imf_pass_hides(&c->passes[i]);
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
