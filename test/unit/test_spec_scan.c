/* test_spec_scan.c - specs of local thresholds, flatten, clahe and levels */
#include "spec_check.h"

static void test_thresholds(void) {
    struct imf_filter *f = parse("threshold:local:7:-5%");
    const struct imf_window_op *window = &f->stages[0].window_op;
    CHECK(f->stages[0].op == IMF_OP_WINDOW && window->kind == IMF_LOCAL_THRESHOLD &&
              !window->spread && window->bilevel && window->width == 15 && window->cy == 7 &&
              window->value == -0.05,
          "%d, %g", window->width, window->value);
    imf_filter_free(&f);
    f = parse("threshold:sauvola:12");
    window = &f->stages[0].window_op;
    CHECK(window->kind == IMF_LOCAL_THRESHOLD && window->spread && window->height == 25 &&
              window->value == 0.34,
          "%d, %g", window->height, window->value);
    imf_filter_free(&f);
    fails("threshold:local", 16, "R is missing");
    fails("threshold:local:3", 18, "OFFSET is missing");
    fails("threshold:local:3:2", 19, "-1 to 1");
    fails("threshold:sauvola:0", 19, "1 to 511");
    fails("threshold:sauvola:3:0.3", 21, "one argument too many");
    fails("threshold:sauvola:3:k=2", 23, "out of range");
    fails("threshold:locl:3", 11, "otsu, local or sauvola");
    fails("threshold:t=local", 13, "not a number");
}

static void test_flatten(void) {
    struct imf_filter *f = parse("flatten:4");
    const struct imf_window_op *window = &f->stages[0].window_op;
    CHECK(f->stages[0].compound == IMF_PART && window->selects && window->element->scale == 81 &&
              window->value == 100 && f->stages[0].second.value == 0,
          "%g", window->value);
    imf_filter_free(&f);
    TAPS("flatten:1", 3, 9, IMF_RANGE_CLIP, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    fails("flatten", 8, "R is missing");
}

static void test_clahe(void) {
    struct imf_filter *f = parse("clahe:limit=2:tiles=12x3");
    const struct imf_clahe *clahe = &f->stages[0].clahe;
    CHECK(f->stages[0].op == IMF_OP_CLAHE && clahe->across == 12 && clahe->down == 3 &&
              clahe->limit == 2 && clahe->first_x == 1 && clahe->first_y == 1 && !clahe->turned,
          "%dx%d", clahe->across, clahe->down);
    imf_filter_free(&f);
    f = parse("clahe");
    clahe = &f->stages[0].clahe;
    CHECK(clahe->across == 8 && clahe->down == 8 && clahe->limit == 3, "%g", clahe->limit);
    imf_filter_free(&f);
    fails("clahe:8x8", 7, "needs its key");
    fails("clahe:tiles=8", 13, "is no size");
    fails("clahe:tiles=8x", 13, "is no size");
    fails("clahe:tiles=65x8", 13, "out of range");
    fails("clahe:tiles=0x8", 13, "out of range");
    fails("clahe:limit=-1", 13, "out of range");
    fails("flatten:512", 9, "1 to 511");
}

static void test_levels(void) {
    struct imf_filter *f = parse("levels:10%:1.5:gamma=2");
    CHECK(f->stages[0].op == IMF_OP_LEVELS && f->stages[0].black == 0.1 &&
              f->stages[0].white == 1.5 && f->stages[0].gamma == 2,
          "%g %g %g", f->stages[0].black, f->stages[0].white, f->stages[0].gamma);
    imf_filter_free(&f);
    f = parse("gamma:0.5");
    CHECK(f->stages[0].op == IMF_OP_LEVELS && f->stages[0].black == 0 && f->stages[0].white == 1 &&
              f->stages[0].gamma == 0.5,
          "%g %g %g", f->stages[0].black, f->stages[0].white, f->stages[0].gamma);
    imf_filter_free(&f);
    fails("levels:0.3:0.3000001", 12, "must differ");
    fails("levels:0.3", 11, "WHITE is missing");
    fails("levels:0.3:1001", 12, "-1000 to 1000");
    fails("gamma:0", 7, "0.01 to 100");
}

static void test_curve(void) {
    struct imf_filter *f = parse("curve:0,0.5/0.5,0.5/1,1.25");
    const struct imf_spline *s = f->stages[0].spline;
    static const double want[] = {0.5, 0, 0.5, 0, 0, 0, 0.5, 0.5, 0, 6, -6};
    CHECK(f->stages[0].op == IMF_OP_CURVE && s->pieces == 2 && s->low == 0.5 && s->high == 1.25,
          "%d pieces from %g to %g", s->pieces, s->low, s->high);
    CHECK(s->steepest == 2, "%g", s->steepest);
    for (int i = 0; i < 11; i++)
        CHECK(s->number[i] == want[i], "number %d is %g, not %g", i, s->number[i], want[i]);
    imf_filter_free(&f);
    fails("curve", 6, "points are missing");
    fails("curve:0,0", 7, "is one point");
    fails("curve:0,0/1", 11, "row 2 has 1");
    fails("curve:0/1", 7, "no list of points");
    fails("curve:0,0/0.5,1/0.5,2", 7, "from left to right");
    fails("curve:1,0/0,1", 7, "from left to right");
    fails("curve:0,0/1,1001", 7, "-1000 to 1000");
    fails("curve:0,0/1,1:2", 15, "too many");
}

int main(void) {
    test_curve();
    test_thresholds();
    test_flatten();
    test_clahe();
    test_levels();
    return check_done("test_spec_scan");
}
