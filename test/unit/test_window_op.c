/* test_window_op.c - window operations other than convolutions, as chains and solvers see them */
#include "check.h"
#include "plan/lowering/chain.h"
#include "solver/solver.h"

#include <math.h>
#include <string.h>

/* Three columns from the origin on, five rows, the origin in the second. */
static const struct imf_window_op window = {.kind = IMF_RANK,
                                            .selects = true,
                                            .noun = "a function",
                                            .words = "a function of 3x5 samples",
                                            .width = 3,
                                            .height = 5,
                                            .cx = 0,
                                            .cy = 1};

static struct imf_chain *chain_of(struct imf_filter *filter, enum imf_alpha *alpha, int channels) {
    const struct imf_info info = {.width = 90,
                                  .height = 70,
                                  .channels = channels,
                                  .depth = 8,
                                  .color = channels < 3 ? IMF_COLOR_GRAY : IMF_COLOR_RGB,
                                  .alpha = channels % 2 == 0};
    const struct imf_settings settings = {.edge = IMF_EDGE_REFLECT};
    struct imf_chain *chain = NULL;
    struct imf_error err = {.text = ""};
    imf_filter_find_form(filter);
    CHECK(!imf_chain_build(&chain, filter, &info, &settings, &err), "%s", err.text);
    *alpha = chain->keep_alpha ? IMF_ALPHA_KEEP : IMF_ALPHA_PREMULTIPLY;
    return chain;
}

/* Of results of ranks more is known. */
static void test_lowering(bool selects) {
    struct imf_stage stage[2] = {{.op = IMF_OP_WINDOW, .window_op = window}, {.op = IMF_OP_INVERT}};
    struct imf_filter filter = {.stages = stage, .count = 2};
    enum imf_alpha alpha;
    stage[0].window_op.selects = selects;
    stage[0].window_op.kind = selects ? IMF_RANK : IMF_GUIDED;
    struct imf_chain *c = chain_of(&filter, &alpha, 3);
    const struct imf_problem *p = &c->passes[0].problem;
    struct imf_margin m = imf_chain_margin(c, -1);
    CHECK(c->count == 1 && p->kind == (selects ? IMF_RANK : IMF_GUIDED) &&
              imf_problem_kernels(p) == 0,
          "a pass");
    CHECK(m.left == 0 && m.right == 2 && m.top == 1 && m.bottom == 3, "margins %d %d %d %d", m.left,
          m.right, m.top, m.bottom);
    CHECK(p->exact == selects && c->passes[0].value.integer == selects, "exact: %d", p->exact);
    CHECK(p->epilogue.multiply == -1 && p->in_max == 255, "point operations join it");
    imf_chain_free(&c);
    c = chain_of(&filter, &alpha, 4);
    CHECK(alpha == IMF_ALPHA_KEEP, "alpha");
    imf_chain_free(&c);
}

/* Windows turn with the pixels. */
static void test_turned(void) {
    struct imf_stage stage = {.op = IMF_OP_WINDOW, .window_op = window};
    struct imf_filter filter = {.stages = &stage, .count = 1}, *turned = NULL;
    CHECK(!imf_filter_orient(&turned, &filter, 3, NULL), "half a turn");
    const struct imf_window_op *t = &turned->stages[0].window_op;
    CHECK(t->width == 3 && t->height == 5 && t->cx == 2 && t->cy == 3, "%d, %d", t->cx, t->cy);
    imf_filter_free(&turned);
    CHECK(!imf_filter_orient(&turned, &filter, 6, NULL), "a quarter");
    t = &turned->stages[0].window_op;
    CHECK(t->width == 5 && t->height == 3, "%dx%d", t->width, t->height);
    CHECK((t->cx == 1 || t->cx == 3) && (t->cy == 0 || t->cy == 2), "%d, %d", t->cx, t->cy);
    imf_filter_free(&turned);
}

/* Every solver is asked, and says why if it cannot. */
static void test_solvers(void) {
    const struct imf_device device = {.compute_units = 4, .max_group = 64, .fp64 = true};
    struct imf_stage stage[2] = {{.op = IMF_OP_WINDOW, .window_op = window}};
    struct imf_filter filter = {.stages = stage, .count = 2};
    enum imf_alpha alpha;
    stage[1] = stage[0];
    struct imf_chain *c = chain_of(&filter, &alpha, 1);
    struct imf_proposal one;
    for (size_t i = 0; imf_solvers[i]; i++) {
        imf_propose(&one, imf_solvers[i], &c->passes[0].problem, &device);
        CHECK(one.feasible || (one.why[0] && isinf(one.ms)), "solver %zu: %s", i, one.why);
        CHECK(!one.feasible || imf_solver_takes(imf_solvers[i], IMF_RANK), "solver %zu", i);
    }
    imf_propose_host(&one, &c->passes[0].problem);
    CHECK(one.feasible, "host: %s", one.why);
    imf_chain_free(&c);
}

int main(void) {
    test_lowering(true);
    test_lowering(false);
    test_turned();
    test_solvers();
    return check_done("test_window_op");
}
