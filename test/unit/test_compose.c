/* test_compose.c - when two convolutions in a row become one, and what deciding that may take */
#include "check.h"
#include "plan/compose.h"
#include "run/rim.h"
#include "solver/edge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct imf_chain *chain_of(const char *first, const char *second, enum imf_edge edge,
                                  int width, int height, struct imf_filter **filter) {
    const char *const specs[] = {first, second};
    const struct imf_info info = {
        .width = width, .height = height, .channels = 3, .depth = 8, .color = IMF_COLOR_RGB};
    const struct imf_settings settings = {.edge = edge};
    struct imf_chain *chain = NULL;
    struct imf_error err;
    CHECK(!imf_filter_parse(filter, specs, 2, &err), "%s", err.text);
    CHECK(!imf_chain_build(&chain, *filter, &info, &settings, &err), "%s", err.text);
    return chain;
}

struct market {
    double pass, composed; /* milliseconds */
    int asked;             /* for a composed problem */
};

static double pass_price(void *context, int index) {
    (void)index;
    return ((struct market *)context)->pass;
}

static double problem_price(void *context, const struct imf_problem *p) {
    (void)p;
    ((struct market *)context)->asked++;
    return ((struct market *)context)->composed;
}

struct expectation {
    const char *first, *second;
    enum imf_edge edge;
    double pass, composed;
    bool priced, done;
};

static void check_case(const struct expectation *e) {
    struct market m = {e->pass, e->composed, 0};
    const struct imf_prices prices = {pass_price, problem_price, &m};
    struct imf_filter *filter = NULL;
    struct imf_chain *out, *chain = chain_of(e->first, e->second, e->edge, 4000, 3000, &filter);
    CHECK(!imf_chain_compose(&out, chain, &prices, NULL), "compose");
    CHECK((m.asked > 0) == e->priced, "%s, %s: a price was asked %d times", e->first, e->second,
          m.asked);
    CHECK((out != NULL) == e->done, "%s, %s: %scomposed", e->first, e->second, out ? "" : "not ");
    imf_chain_free(&out);
    imf_chain_free(&chain);
    imf_filter_free(&filter);
}

/* ---- the rim ------------------------------------------------------------------------------- */

static struct imf_surface surface(const struct imf_chain *c, struct imf_margin m) {
    struct imf_surface s;
    if (imf_surface_layout(&s, IMF_F64, c->width, c->height, 3, m, NULL) ||
        imf_surface_alloc(&s, NULL))
        abort();
    return s;
}

static void run(const struct imf_chain *c, struct imf_problem p, const struct imf_surface *in,
                const struct imf_surface *out) {
    void *job = NULL;
    p.in = p.out = IMF_F64;
    imf_edge_fill_host(in, p.reach, c->edge, p.outside);
    struct imf_proposal host;
    imf_propose_host(&host, &p);
    CHECK(!host.solver->make(&job, &p, &host, NULL, NULL) && !host.solver->run(job, in, out, NULL),
          "run");
    host.solver->destroy(&job);
}

/* The rim's rows from..to - 1, from nothing but the
 * rows of the source that they are said to take. */
static void run_rim(const struct imf_chain *c, const struct imf_pass *pass,
                    const struct imf_surface *in, const struct imf_surface *out, int from, int to) {
    struct imf_margin m = in->margin;
    struct imf_surface part = surface(c, m);
    const struct imf_rim rim = imf_rim_find(c, pass, from, to);
    size_t row = in->pitch * sizeof(double);
    for (size_t i = 0; i < part.size; i++)
        ((double *)part.host)[i] = NAN;
    CHECK(rim.source_first >= -m.top &&
              rim.source_first + rim.source_rows <= c->height + m.bottom && rim.first >= 0 &&
              rim.first + rim.rows <= c->height,
          "rows %d to %d: outside of the image", from, to);
    struct imf_margin second = pass->composition->second.reach;
    bool inner = from >= second.top && to <= c->height - second.bottom;
    CHECK(!inner || (second.left + second.right > 0) == (rim.rows > 0),
          "rows %d to %d: %d rows of rim", from, to, rim.rows);
    memcpy((char *)part.host + (size_t)(m.top + rim.source_first) * row,
           (const char *)in->host + (size_t)(m.top + rim.source_first) * row,
           (size_t)rim.source_rows * row);
    CHECK(!imf_rim_run(c, pass, &rim, &part, out, NULL), "rim");
    imf_surface_free(&part);
}

/* One composed pass with its rim put right gives what two passes do, at every pixel. */
static void check_rim(const char *first, const char *second, enum imf_edge edge) {
    enum { WIDTH = 29, HEIGHT = 26 };
    struct market m = {1e6, 0, 0};
    const struct imf_prices prices = {pass_price, problem_price, &m};
    struct imf_filter *filter = NULL;
    struct imf_chain *one, *two = chain_of(first, second, edge, WIDTH, HEIGHT, &filter);
    CHECK(!imf_chain_compose(&one, two, &prices, NULL) && one, "%s, %s", first, second);
    const struct imf_pass *pass = &one->passes[0];
    struct imf_margin wide = pass->problem.reach, none = {0, 0, 0, 0};
    struct imf_surface in = surface(two, wide), out = surface(two, none), want = surface(two, none);
    struct imf_surface between = surface(two, two->passes[1].problem.reach);
    for (int y = 0; y < HEIGHT; y++)
        for (int i = 0; i < 3 * WIDTH; i++)
            ((double *)imf_surface_row(&in, y))[i] = (y * 71 + i * i * 13) % 256;
    run(two, two->passes[0].problem, &in, &between);
    run(two, two->passes[1].problem, &between, &want);
    run(two, pass->problem, &in, &out);
    if (pass->composition->rim)
        for (int y = 0, rows = 1; y < HEIGHT; y += rows, rows = rows % 5 + 1)
            run_rim(one, pass, &in, &out, y, y + rows < HEIGHT ? y + rows : HEIGHT);
    double worst = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int i = 0; i < 3 * WIDTH; i++)
            worst = fmax(worst, fabs(((double *)imf_surface_row(&out, y))[i] -
                                     ((double *)imf_surface_row(&want, y))[i]));
    CHECK(worst < 1e-6, "%s, %s, edge %d: off by %g", first, second, edge, worst);
    imf_surface_free(&in);
    imf_surface_free(&out);
    imf_surface_free(&want);
    imf_surface_free(&between);
    imf_chain_free(&one);
    imf_chain_free(&two);
    imf_filter_free(&filter);
}

static void test_rims(void) {
    static const char *const firsts[] = {"sharpen", "kernel:1,2,3/4,5,6", "kernel:1,-3/2,5:flip",
                                         /* Equal to their mirror image in one direction alone. */
                                         "kernel:1,2,1/3,4,3/0,5,0", "kernel:1,3,0/2,4,5/1,3,0"};
    /* Origins at either end: what one side repeats is not what the other does. */
    static const char *const seconds[] = {"emboss", "kernel:1,2:flip", "kernel:1/3:flip",
                                          "kernel:1,2,5,-1", "kernel:2/1/1/4:flip"};
    static const enum imf_edge edges[] = {IMF_EDGE_CLAMP, IMF_EDGE_REFLECT, IMF_EDGE_MIRROR,
                                          IMF_EDGE_WRAP, IMF_EDGE_CONSTANT};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
        for (size_t j = 0; j < sizeof seconds / sizeof *seconds; j++)
            for (size_t k = 0; k < sizeof edges / sizeof *edges; k++)
                check_rim(firsts[i], seconds[j], edges[k]);
}

int main(void) {
    test_rims();
    static const struct expectation cases[] = {
        {"sharpen", "sharpen", IMF_EDGE_WRAP, 10, 10, true, true},
        {"sharpen", "sharpen", IMF_EDGE_WRAP, 10, 30, true, false},
        /* A narrow rim is cheap for the host, that of a wide blur dearer than both passes. */
        {"sharpen", "sharpen", IMF_EDGE_CLAMP, 10, 10, true, true},
        {"blur:50", "blur:50", IMF_EDGE_CLAMP, 170, 200, false, false},
        {"blur:50", "blur:50", IMF_EDGE_WRAP, 170, 200, true, true},
        /* Not a product of a column and a row: to compose these takes a part of the work. */
        {"disk:40", "disk:40", IMF_EDGE_WRAP, 100, 150, false, false},
        {"disk:40", "disk:40", IMF_EDGE_WRAP, 1e6, 150, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
    return check_done("test_compose");
}
