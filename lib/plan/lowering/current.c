/* current.c - operations on what stages of a filter have led to so far, and what becomes of alpha in between */
#include "plan/lowering/current.h"
#include "base/image/orientation.h"

struct imf_operation *imf_lowering_append(struct imf_lowering *l, enum imf_operation_kind kind) {
    struct imf_operation *op = imf_operations_insert(l->out, l->out->count, kind);
    op->stage = l->stage;
    op->channels = l->channels;
    op->source = l->current;
    l->current = l->out->count - 1;
    return op;
}

struct imf_epilogue imf_lowering_plain(const struct imf_lowering *l) {
    struct imf_epilogue e = imf_plain_epilogue;
    e.full = l->chain->full;
    return e;
}

struct imf_problem *imf_lowering_solve(struct imf_lowering *l) {
    const struct imf_chain *c = l->chain;
    struct imf_problem *p = &imf_lowering_append(l, IMF_SOLVE)->problem;
    *p = (struct imf_problem){.channels = l->channels,
                              .out = IMF_F32,
                              .epilogue = imf_lowering_plain(l),
                              .edge = c->edge,
                              .unit = c->full,
                              .hidden = c->hidden,
                              .grain = c->grain};
    for (int i = 0; i < l->channels; i++)
        p->outside[i] = l->out->alpha && i == l->channels - 1 ? c->full : l->outside[i];
    l->alpha_filtered = l->out->alpha && (l->missing || !l->out->alpha_apart);
    return p;
}

void imf_lowering_premultiply(struct imf_lowering *l) {
    if (l->premultiplies && !l->premultiplied)
        imf_lowering_append(l, IMF_PREMULTIPLY);
    l->premultiplied = l->premultiplies;
}

void imf_lowering_straighten(struct imf_lowering *l) {
    if (l->premultiplied)
        imf_lowering_append(l, IMF_UNPREMULTIPLY)->number = 1;
    l->premultiplied = false;
}

void imf_lowering_take_alpha(struct imf_lowering *l) {
    if (!l->hides || !l->alpha_filtered)
        return;
    imf_lowering_append(l, IMF_TAKE_ALPHA)->second = -1;
    l->alpha_filtered = false;
}

void imf_lowering_fill(struct imf_lowering *l) {
    struct imf_orientation o = imf_orientation_of(l->orientation);
    struct imf_fill fill = {.first_x = 1, .first_y = 1, .turned = o.swap};
    imf_sides_to_stored(o, &fill.first_x, &fill.first_y);
    imf_problem_fill(imf_lowering_solve(l), &fill);
    l->alpha_filtered = false;
    l->filled = l->current;
}

void imf_lowering_leave_out(struct imf_lowering *l, bool weighs) {
    if (!l->missing)
        return;
    imf_lowering_take_alpha(l);
    if (!weighs)
        imf_lowering_fill(l);
    l->premultiplies = weighs;
}

void imf_lowering_lose(struct imf_lowering *l, struct imf_margin m) {
    struct imf_margin *lost = &l->out->chain->lost;
    lost->left += m.left;
    lost->right += m.right;
    lost->top += m.top;
    lost->bottom += m.bottom;
}
