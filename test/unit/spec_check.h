/* spec_check.h - checks of a parsed spec, shared by test_spec.c and test_flt.c */
#ifndef SPEC_CHECK_H
#define SPEC_CHECK_H

#include "filter/filter.h"

#include "check.h"

#include <math.h>
#include <string.h>

static struct imf_filter *parse(const char *spec) {
    struct imf_filter *f;
    struct imf_error err = {0};
    CHECK(imf_filter_parse(&f, &spec, 1, &err) == IMF_OK, "%s", err.text);
    return f;
}

/* Taps of the spec's first kernel against a list that ends with NAN. */
static void taps(const char *spec, int width, double scale, enum imf_range range,
                 const double *expected) {
    struct imf_filter *f = parse(spec);
    if (!f)
        return;
    struct imf_kernel *k = f->stages[0].kernel[0];
    CHECK(f->count == 1 && !f->stages[0].kernel[1], "%s", spec);
    CHECK(f->stages[0].op == IMF_OP_LINEAR || f->stages[0].op == IMF_OP_WINDOW, "%s", spec);
    CHECK(k->width == width, "%s is %d wide", spec, k->width);
    CHECK(k->scale == scale, "%s: scale %g", spec, k->scale);
    CHECK(f->stages[0].range == range, "%s: range %d", spec, f->stages[0].range);
    for (int i = 0; i < k->width * k->height; i++)
        CHECK(k->taps[i] == expected[i], "%s: tap %d is %.17g", spec, i, k->taps[i]);
    CHECK(isnan(expected[k->width * k->height]), "%s has too few taps", spec);
    imf_filter_free(&f);
}

#define TAPS(spec, width, scale, range, ...)                                                       \
    taps(spec, width, scale, range, (const double[]){__VA_ARGS__, NAN})

/* An error's column and a part of its text. */
static void fails(const char *spec, size_t column, const char *part) {
    struct imf_filter *f;
    struct imf_error err = {0};
    enum imf_status status = imf_filter_parse(&f, &spec, 1, &err);
    CHECK(status == IMF_ERR_SPEC && err.status == status && !f, "%s: status %d", spec, status);
    CHECK(err.column == column, "%s: column %zu: %s", spec, err.column, err.text);
    CHECK(strstr(err.text, part), "%s: %s", spec, err.text);
    CHECK(!strchr(err.text, '\n'), "%s: one line", spec);
    CHECK(imf_filter_parse(&f, &spec, 1, NULL) == status, "%s without struct imf_error", spec);
}

#endif
