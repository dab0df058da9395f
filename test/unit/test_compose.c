/* test_compose.c - when two convolutions in a row become one, and what deciding that may take */
#include "check.h"
#include "compose.h"

#include <math.h>
#include <stdlib.h>

static struct imf_chain *chain_of(const char *first, const char *second, enum imf_edge edge,
                                  struct imf_filter **filter) {
    const char *const specs[] = {first, second};
    const struct imf_info info = {
        .width = 4000, .height = 3000, .channels = 3, .depth = 8, .color = IMF_COLOR_RGB};
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
    struct imf_chain *out, *chain = chain_of(e->first, e->second, e->edge, &filter);
    CHECK(!imf_chain_compose(&out, chain, &prices, NULL), "compose");
    CHECK((m.asked > 0) == e->priced, "%s, %s: a price was asked %d times", e->first, e->second,
          m.asked);
    CHECK((out != NULL) == e->done, "%s, %s: %scomposed", e->first, e->second, out ? "" : "not ");
    imf_chain_free(&out);
    imf_chain_free(&chain);
    imf_filter_free(&filter);
}

int main(void) {
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
