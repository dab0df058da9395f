/* test_coefficients.c - kernels in memory mean what the same spec does; chains of parts */
#include "check.h"
#include "filter/filter.h"

#include <math.h>
#include <string.h>

static const double values[] = {1, -2.5, 3, 4, 5, 6, 0, 8, 9, 10, 11, 12};
#define TEXT "1,-2.5,3/4,5,6/0,8,9/10,11,12"

static bool same_note(const struct imf_filter *a, const struct imf_filter *b,
                      enum imf_range range) {
    const char *x = imf_filter_note(a, range), *y = imf_filter_note(b, range);
    return !x == !y && (!x || strcmp(x, y) == 0);
}

static void check(const struct imf_coefficients *c, const char *spec) {
    struct imf_filter *want = NULL, *got = NULL;
    struct imf_error err = {0};
    CHECK(!imf_filter_parse(&want, &spec, 1, &err) && !imf_filter_from_kernel(&got, c, &err),
          "%s: %s", spec, err.text);
    if (!got || !want)
        return;
    const struct imf_kernel *a = got->stages->kernel[0], *b = want->stages->kernel[0];
    CHECK(got->count == 1 && got->stages->op == want->stages->op, "%s: stages", spec);
    CHECK(same_note(got, want, IMF_RANGE_NORMALIZE) && same_note(got, want, IMF_RANGE_CLIP),
          "%s: notes", spec);
    CHECK(got->stages->range == want->stages->range, "%s: range", spec);
    CHECK(got->stages->unscaled == want->stages->unscaled, "%s: unscaled", spec);
    CHECK(a->width == b->width && a->height == b->height, "%s: %dx%d", spec, a->width, a->height);
    CHECK(a->cx == b->cx && a->cy == b->cy, "%s: origin %d, %d", spec, a->cx, a->cy);
    CHECK(a->scale == b->scale && a->bias == b->bias, "%s: %g, %g", spec, a->scale, a->bias);
    CHECK(memcmp(a->taps, b->taps, (size_t)(a->width * a->height) * sizeof *a->taps) == 0, "%s: %g",
          spec, a->taps[0]);
    imf_filter_free(&got);
    imf_filter_free(&want);
}

static void test_meaning(void) {
    const struct imf_coefficients c = {.width = 3, .height = 4, .values = values};
    check(&c, "kernel:" TEXT);
    check(&(struct imf_coefficients){.width = 1, .height = 1, .values = values}, "kernel:1");
    struct imf_coefficients scaled = c;
    scaled.scale = -7;
    scaled.bias = 0.5;
    check(&scaled, "kernel:" TEXT ":scale=-7:bias=0.5");
    scaled.scale_auto = true; /* goes before a number */
    scaled.flip = true;
    check(&scaled, "kernel:" TEXT ":scale=auto:bias=0.5:flip");
}

static void fails_with(struct imf_coefficients c, enum imf_status status, const char *part) {
    struct imf_filter *f;
    struct imf_error err = {0};
    CHECK(imf_filter_from_kernel(&f, &c, &err) == status && !f, "%s: %s", part, err.text);
    CHECK(strstr(err.text, part), "%s: %s", part, err.text);
}

static void test_errors(void) {
    const double bad[] = {1, 2, NAN, 3}, large[] = {1, 2, 3, -2e30};
    const struct imf_coefficients c = {.width = 3, .height = 4, .values = values};
    struct imf_coefficients wrong = c;
    wrong.height = 0;
    fails_with(wrong, IMF_ERR_ARGUMENT, "3x0");
    wrong.height = 4096;
    fails_with(wrong, IMF_ERR_LIMIT, "4095x4095");
    wrong = (struct imf_coefficients){.width = 2, .height = 2, .values = bad};
    fails_with(wrong, IMF_ERR_ARGUMENT, "row 2, column 1 ");
    wrong.values = large;
    fails_with(wrong, IMF_ERR_ARGUMENT, "row 2, column 2 ");
    wrong = c;
    wrong.scale = 1e-31;
    fails_with(wrong, IMF_ERR_ARGUMENT, "out of range");
    wrong.scale = INFINITY;
    fails_with(wrong, IMF_ERR_ARGUMENT, "out of range");
    wrong.scale = 1e-20;
    fails_with(wrong, IMF_ERR_ARGUMENT, "too large for the scale");
    wrong = c;
    wrong.bias = NAN;
    fails_with(wrong, IMF_ERR_ARGUMENT, "bias nan");
}

/* Stages, text and remarks of two parts are those of the chain that was parsed at once. */
static void test_append(void) {
    const char *const specs[] = {"blur:2", "kernel:1,1/1,1", "invert"};
    const struct imf_coefficients c = {.width = 2, .height = 2, .values = (double[]){1, 1, 1, 1}};
    struct imf_filter *want = NULL, *got = NULL, *kernel = NULL, *last = NULL;
    struct imf_error err = {0};
    bool ok = !imf_filter_parse(&want, specs, 3, &err) && !imf_filter_parse(&got, specs, 1, &err) &&
              !imf_filter_from_kernel(&kernel, &c, &err) &&
              !imf_filter_parse(&last, specs + 2, 1, &err) &&
              same_note(kernel, want, IMF_RANGE_NORMALIZE) &&
              strstr(imf_filter_note(kernel, IMF_RANGE_DEFAULT), "mid-grey white");
    CHECK(ok, "parts: %s", err.text);
    if (!ok)
        return;
    CHECK(!imf_filter_append(got, &kernel, &err) && !kernel, "%s", err.text);
    CHECK(strstr(imf_filter_note(got, IMF_RANGE_DEFAULT), "mid-grey white"), "the chain's gain");
    CHECK(!imf_filter_append(got, &last, &err) && !last, "%s", err.text);
    CHECK(got->count == 3, "%zu stages", got->count);
    for (size_t i = 0; i < 3; i++)
        CHECK(got->stages[i].op == want->stages[i].op, "stage %zu", i);
    CHECK(strcmp(imf_filter_text(got), "blur:2 | kernel 2x2 | invert") == 0, "%s",
          imf_filter_text(got));
    CHECK(same_note(got, want, IMF_RANGE_NORMALIZE) && same_note(got, want, IMF_RANGE_DEFAULT),
          "note: %s", imf_filter_note(got, IMF_RANGE_DEFAULT));
    imf_filter_free(&got);
    imf_filter_free(&want);
}

int main(void) {
    test_meaning();
    test_errors();
    test_append();
    return check_done("test_coefficients");
}
