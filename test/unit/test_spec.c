/* test_spec.c - specs to filters: taps, gains, errors and their columns, numbers */

#include "base/number.h"
#include "spec_check.h"

#include <locale.h>
#include <stdlib.h>

static void test_integer_filters(void) {
    TAPS("sharpen", 3, 1, IMF_RANGE_CLIP, 0, -1, 0, -1, 5, -1, 0, -1, 0);
    TAPS("sharpen:0.5", 3, 1, IMF_RANGE_CLIP, 0, -0.5, 0, -0.5, 3, -0.5, 0, -0.5, 0);
    TAPS("sharpen:amount=2", 3, 1, IMF_RANGE_CLIP, 0, -2, 0, -2, 9, -2, 0, -2, 0);
    TAPS("box:2", 2, 4, IMF_RANGE_CLIP, 1, 1, 1, 1);
    TAPS("disk:1", 3, 5, IMF_RANGE_CLIP, 0, 1, 0, 1, 1, 1, 0, 1, 0);
    TAPS("disk:1.5", 3, 9, IMF_RANGE_CLIP, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    TAPS("disk:0.5", 1, 1, IMF_RANGE_CLIP, 1);
    TAPS("motion:5:0", 5, 5, IMF_RANGE_CLIP, 1, 1, 1, 1, 1);
    TAPS("motion:3:90", 1, 3, IMF_RANGE_CLIP, 1, 1, 1);
    TAPS("motion:3:-270", 1, 3, IMF_RANGE_CLIP, 1, 1, 1);
    TAPS("motion:1:33", 1 + 2 * 0, 1, IMF_RANGE_CLIP, 1);
    TAPS("sobel:dir=x", 3, 1, IMF_RANGE_OFFSET, -1, 0, 1, -2, 0, 2, -1, 0, 1);
    TAPS("sobel:dir=y", 3, 1, IMF_RANGE_OFFSET, -1, -2, -1, 0, 0, 0, 1, 2, 1);
    TAPS("prewitt:dir=y", 3, 1, IMF_RANGE_OFFSET, -1, -1, -1, 0, 0, 0, 1, 1, 1);
    TAPS("scharr:dir=x", 3, 1, IMF_RANGE_OFFSET, -3, 0, 3, -10, 0, 10, -3, 0, 3);
    TAPS("laplacian", 3, 1, IMF_RANGE_ABS, 0, 1, 0, 1, -4, 1, 0, 1, 0);
    TAPS("emboss", 3, 1, IMF_RANGE_OFFSET, -1, -1, 0, -1, 0, 1, 0, 1, 1);
    TAPS("emboss:0", 3, 1, IMF_RANGE_OFFSET, 1, 0, -1, 1, 0, -1, 1, 0, -1);
    TAPS("emboss:-45", 3, 1, IMF_RANGE_OFFSET, 1, 1, 0, 1, 0, -1, 0, -1, -1);
    TAPS("emboss:135.0", 3, 1, IMF_RANGE_OFFSET, -1, -1, 0, -1, 0, 1, 0, 1, 1);
}

static void test_elements(void) {
    TAPS("median:1", 3, 1, IMF_RANGE_CLIP, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    TAPS("median:0", 1, 1, IMF_RANGE_CLIP, 1);
    TAPS("erode:3x2", 3, 1, IMF_RANGE_CLIP, 1, 1, 1, 1, 1, 1);
    TAPS("dilate:1:shape=cross", 3, 1, IMF_RANGE_CLIP, 0, 1, 0, 1, 1, 1, 0, 1, 0);
    TAPS("percentile:20:shape=disk:r=2", 5, 1, IMF_RANGE_CLIP, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1,
         1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0);
    struct imf_filter *f = parse("percentile:12.5:4x3");
    const struct imf_window_op *window = &f->stages[0].window_op;
    CHECK(window->value == 12.5 && window->selects && window->element == f->stages[0].kernel[0],
          "%g", window->value);
    CHECK(window->width == 4 && window->height == 3 && window->cx == 2 && window->cy == 1,
          "%dx%d, %d, %d", window->width, window->height, window->cx, window->cy);
    CHECK(strcmp(imf_filter_note(f, IMF_RANGE_DEFAULT),
                 "percentile is 4x3: its origin is column 3, row 2, half a pixel off its centre") ==
              0,
          "%s", imf_filter_note(f, IMF_RANGE_DEFAULT));
    imf_filter_free(&f);
    f = parse("median:1023x1");
    CHECK(f->stages[0].window_op.width == 1023, "the widest");
    imf_filter_free(&f);
    fails("median", 7, "R is missing");
    fails("median:1024x1", 8, "out of range");
    fails("median:512", 8, "out of range");
    fails("median:-1", 8, "out of range");
    fails("median:1.5", 8, "whole number");
    fails("median:3x", 8, "is no size");
    fails("median:x3", 8, "is no size");
    fails("median:3x4x5", 8, "not a number");
    fails("median:3x3:shape=disk", 18, "needs a radius");
    fails("median:3:shape=round", 16, "not one of the choices");
    fails("median:3:4", 10, "one argument too many");
    fails("median:@", 8, "name is missing");
    fails("percentile:101:3", 12, "0 to 100");
    f = parse("bilateral:1.1:range=0.1");
    window = &f->stages[0].window_op;
    CHECK(window->width == 9 && window->height == 9 && window->cx == 4 && window->cy == 4, "%dx%d",
          window->width, window->height);
    CHECK(window->value == 1.1 && window->range == 0.1 && window->gain >= 1, "%g", window->value);
    imf_filter_free(&f);
    f = parse("guided:3:0.2");
    window = &f->stages[0].window_op;
    CHECK(window->width == 13 && window->cx == 6 && window->value == 0.2, "%d", window->width);
    imf_filter_free(&f);
    fails("bilateral:2", 12, "RANGE is missing");
    fails("bilateral:171:1", 11, "out of range");
    fails("bilateral:2:0", 13, "out of range");
    fails("guided:512:1", 8, "out of range");
    fails("guided:1.5:1", 8, "whole number");
    fails("guided:2:0", 10, "out of range");
}

static void test_kernel_specs(void) {
    TAPS("kernel:1", 1, 1, IMF_RANGE_CLIP, 1);
    TAPS("kernel:1,2,3/4,5,6", 3, 1, IMF_RANGE_CLIP, 1, 2, 3, 4, 5, 6);
    TAPS("kernel:1,2,3/4,5,6:scale=auto", 3, 21, IMF_RANGE_CLIP, 1, 2, 3, 4, 5, 6);
    TAPS("kernel:1,-2,1:scale=auto", 3, 1, IMF_RANGE_CLIP, 1, -2, 1);
    TAPS("kernel:0.1,0.2,-0.3:scale=auto", 3, 1, IMF_RANGE_CLIP, 0.1, 0.2, -0.3);
    TAPS("kernel:0,0:scale=auto", 2, 1, IMF_RANGE_CLIP, 0, 0);
    TAPS("kernel:1,2,3/4,5,6:flip:scale=-2.5", 3, -2.5, IMF_RANGE_CLIP, 6, 5, 4, 3, 2, 1);
    TAPS("kernel:scale=2:-1e-1,+.5,3.", 3, 2, IMF_RANGE_CLIP, -0.1, 0.5, 3);
    struct imf_filter *f = parse("kernel:1,2,3,4:bias=-0.25");
    CHECK(f->stages[0].kernel[0]->bias == -0.25, "bias");
    CHECK(f->stages[0].kernel[0]->cx == 2 && f->stages[0].kernel[0]->cy == 0, "origin");
    CHECK(strcmp(imf_filter_note(f, IMF_RANGE_DEFAULT),
                 "kernel is 4x1: its origin is column 3, row 1, half a pixel off its centre") == 0,
          "%s", imf_filter_note(f, IMF_RANGE_DEFAULT));
    imf_filter_free(&f);
    f = parse("kernel:1,2,3,4:flip");
    CHECK(f->stages[0].kernel[0]->cx == 1 && f->stages[0].kernel[0]->taps[1] == 3,
          "the same tap is the origin");
    imf_filter_free(&f);
    f = parse("kernel:1,-1,1");
    CHECK(!imf_filter_note(f, IMF_RANGE_DEFAULT), "odd kernels need no note");
    CHECK(strcmp(imf_filter_text(f), "kernel:1,-1,1") == 0, "%s", imf_filter_text(f));
    imf_filter_free(&f);
    f = parse("kernel:1,1");
    CHECK(strncmp(imf_filter_note(f, IMF_RANGE_CLIP), "kernel is 2x1: ", 15) == 0,
          "the size first");
    CHECK(strstr(imf_filter_note(f, IMF_RANGE_CLIP), "; the kernel's coefficients add up to 2,"),
          "then the sum");
    CHECK(!strstr(imf_filter_note(f, IMF_RANGE_NORMALIZE), "add up"), "a stretch hides the sum");
    imf_filter_free(&f);
}

/* Sum, and the largest difference between a tap and its mirror images. */
static void symmetric(const char *spec, double sum, bool signs) {
    struct imf_filter *f = parse(spec);
    if (!f)
        return;
    const struct imf_kernel *k = f->stages[0].kernel[0];
    int w = k->width, h = k->height;
    double tolerance = 1e-14 * fmax(1, imf_kernel_abs_sum(k) / k->scale);
    CHECK(fabs(imf_kernel_sum(k) / k->scale - sum) <= tolerance, "%s: sum %.17g", spec,
          imf_kernel_sum(k));
    CHECK(w % 2 == 1 && h % 2 == 1 && k->cx == w / 2 && k->cy == h / 2, "%s: %dx%d", spec, w, h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double tap = k->taps[y * w + x];
            CHECK(tap == k->taps[(h - 1 - y) * w + (w - 1 - x)], "%s: centre %d %d", spec, x, y);
            if (signs)
                CHECK(tap == k->taps[y * w + (w - 1 - x)] && tap == k->taps[x * w + y],
                      "%s: mirror %d %d", spec, x, y);
        }
    imf_filter_free(&f);
}

static void test_real_filters(void) {
    symmetric("blur:1", 1, true);
    symmetric("gaussian:2.5", 1, true);
    symmetric("blur:1e-300", 1, true);
    symmetric("blur:0.001", 1, true);
    symmetric("disk:12", 1, true);
    symmetric("box:7", 1, true);
    symmetric("log:1.4", 0, true);
    symmetric("log:0.3", 0, true);
    symmetric("dog:1:2", 0, true);
    symmetric("unsharp", 1, true);
    symmetric("unsharp:sigma=3:amount=0.8", 1, true);
    symmetric("motion:9:45", 1, false);
    symmetric("motion:20.5:-33", 1, false);
    symmetric("sharpen:3", 1, true);
    struct imf_filter *f = parse("blur:2");
    const struct imf_kernel *k = f->stages[0].kernel[0];
    double row[17], column[17];
    CHECK(k->width == 17, "blur:2 reaches 4 sigma: %d", k->width);
    CHECK(fabs(k->taps[8 * 17 + 10] / k->taps[8 * 17 + 8] - exp(-0.5)) < 1e-15, "gaussian shape");
    CHECK(imf_kernel_separate(k, column, row), "a Gaussian separates");
    CHECK(memcmp(row, column, sizeof row) == 0, "in equal factors");
    for (int i = 0; i < 8; i++)
        CHECK(row[i] == row[16 - i], "that are symmetric");
    imf_filter_free(&f);
    static const struct {
        const char *spec;
        int width;
    } sides[] = {{"blur:4.99", 41}, {"blur:5", 51}, {"unsharp:5", 51}, {"blur:511.75", 4095}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        f = parse(sides[i].spec);
        CHECK(f->stages[0].kernel[0]->width == sides[i].width, "%s reaches as far as it says: %d",
              sides[i].spec, f->stages[0].kernel[0]->width);
        imf_filter_free(&f);
    }
    /* A line going up to the right: upper right and lower left are covered. */
    f = parse("motion:7:45");
    k = f->stages[0].kernel[0];
    CHECK(k->taps[k->width - 2 + k->width] > 0.05 && k->taps[0] == 0, "counter-clockwise");
    CHECK(k->taps[(k->cy - 1) * k->width + k->cx + 1] ==
              k->taps[(k->cy + 1) * k->width + k->cx - 1],
          "45 degrees");
    imf_filter_free(&f);
    /* The Laplacian of x^2 + y^2 is 4, whatever sigma. */
    f = parse("log:2");
    k = f->stages[0].kernel[0];
    double sum = 0;
    for (int y = 0; y < k->height; y++)
        for (int x = 0; x < k->width; x++)
            sum +=
                k->taps[y * k->width + x] * ((x - k->cx) * (x - k->cx) + (y - k->cy) * (y - k->cy));
    CHECK(fabs(sum - 4) < 0.01, "log of x^2 + y^2: %g", sum);
    imf_filter_free(&f);
    f = parse("blur:500");
    CHECK(f->stages[0].kernel[0]->width == 4095, "blur:500");
    imf_filter_free(&f);
    f = parse("emboss:20");
    CHECK(fabs(imf_kernel_sum(f->stages[0].kernel[0])) < 1e-15, "emboss sums to 0");
    imf_filter_free(&f);
}

static void test_other_stages(void) {
    struct imf_filter *f = parse("unsharp:threshold=0.1:sigma=2:amount=0.5");
    CHECK(f->stages[0].op == IMF_OP_UNSHARP && f->stages[0].amount == 0.5 &&
              f->stages[0].threshold == 0.1 && f->stages[0].kernel[0]->width == 17,
          "unsharp");
    imf_filter_free(&f);
    f = parse("scharr");
    CHECK(f->stages[0].op == IMF_OP_MAGNITUDE && f->stages[0].range == IMF_RANGE_CLIP &&
              f->stages[0].kernel[1]->taps[1] == -10,
          "scharr");
    imf_filter_free(&f);
    const char *chain[] = {"gray", "blur:1", "sobel:dir=mag", "threshold:0.25", "invert"};
    struct imf_error err;
    CHECK(imf_filter_parse(&f, chain, 5, &err) == IMF_OK, "%s", err.text);
    CHECK(f->count == 5 && f->stages[0].op == IMF_OP_GRAY && f->stages[3].threshold == 0.25 &&
              f->stages[4].op == IMF_OP_INVERT && f->stages[3].op == IMF_OP_THRESHOLD,
          "chain");
    CHECK(imf_op_is_point(IMF_OP_GRAY) && !imf_op_is_point(IMF_OP_LINEAR), "point operations");
    CHECK(strcmp(imf_filter_text(f), "gray | blur:1 | sobel:dir=mag | threshold:0.25 | invert") ==
              0,
          "%s", imf_filter_text(f));
    imf_filter_free(&f);
    CHECK(imf_filter_parse(&f, chain, 0, &err) == IMF_ERR_ARGUMENT && !f, "no specs");
    imf_filter_free(&f);
    f = parse("notch:0.25:-0.1:0.05");
    CHECK(f->stages[0].op == IMF_OP_TRANSFER && !imf_filter_note(f, IMF_RANGE_DEFAULT), "notch");
    imf_filter_free(&f);
    f = parse("descreen:2.5");
    CHECK(f->stages[0].op == IMF_OP_DESCREEN && f->stages[0].descreen.strength == 2.5, "descreen");
    imf_filter_free(&f);
    f = parse("lowpass:0.1:order=4");
    CHECK(imf_filter_note(f, IMF_RANGE_DEFAULT), "an order that has no effect is noted");
    imf_filter_free(&f);
}

static void near(const char *spec, double u, double v, double expected) {
    struct imf_filter *f = parse(spec);
    double g = imf_transfer_gain(&f->stages[0].transfer, u, v);
    CHECK(g == imf_transfer_gain(&f->stages[0].transfer, -u, -v), "%s is even", spec);
    CHECK(g >= 0 && g <= 1 && fabs(g - expected) < 1e-12, "%s at %g, %g: %.15g", spec, u, v, g);
    imf_filter_free(&f);
}

static void test_transfer(void) {
    near("lowpass:0.1", 0, 0, 1);
    near("lowpass:0.1", 0.06, 0.08, exp(-0.5));
    near("highpass:0.1", 0, 0, 0);
    near("highpass:0.1", 0.2, 0, 1 - exp(-2));
    near("lowpass:0.1:type=butterworth", 0, 0.1, 0.5);
    near("lowpass:0.1:type=butterworth:order=3", 0, 0.2, 1.0 / 65);
    near("highpass:0.1:type=butterworth:order=100", 0.5, 0.5, 1);
    near("lowpass:0.1:type=ideal", 0.06, 0.08, 1);
    near("lowpass:0.1:type=ideal", 0.101, 0, 0);
    near("bandpass:0.1:0.2", 0, 0, 0);
    near("bandpass:0.1:0.2", sqrt(0.02), 0, 1);
    near("bandpass:0.1:0.2", 0.1, 0, exp(-0.5));
    near("bandpass:0.1:0.2", 0, 0.2, exp(-0.5));
    near("bandpass:0.1:0.2:type=butterworth", 0, 0.1, 0.5);
    near("bandpass:0.1:0.2:mean=keep", 0, 0, 1);
    near("bandpass:0.1:0.2:mean=keep", 0.1, 0, exp(-0.5));
    near("bandpass:0.1:0.2:type=ideal:mean=keep", 0, 0, 1);
    near("bandpass:0.1:0.2:type=ideal:mean=keep", 1e-6, 0, 0);
    near("highpass:0.1:mean=keep", 0, 0, 1);
    near("highpass:0.1:mean=keep", 0, 0.1, 1 - exp(-0.5));
    near("highpass:0.1:mean=remove", 0, 0, 0);
    near("bandpass:0.1:0.2:type=ideal", 0.099, 0, 0);
    near("bandpass:0.1:0.2:type=ideal", 0.1, 0, 1);
    near("bandpass:0.1:0.2:type=ideal", 0.2, 0, 1);
    near("bandpass:0.1:0.2:type=ideal", 0.201, 0, 0);
    near("bandstop:0.1:0.2", 0, 0, 1);
    near("bandstop:0.1:0.2", sqrt(0.02), 0, 0);
    near("notch:0.2:0.1:0.02", 0.2, 0.1, 0);
    near("notch:0.2:0.1:0.02", -0.2, -0.1, 0);
    near("notch:0.2:0.1:0.02", 0, 0, 1);
    near("notch:0.5:0:0.02", -0.5, 0, 0);
}

static void test_errors(void) {
    fails("blur:x", 6,
          "blur:x: \"x\" at column 6 is not a number (blur:SIGMA, SIGMA in pixels > 0");
    fails("shrapen", 1, "unknown filter \"shrapen\" (did you mean \"sharpen\"?)");
    fails("Blur:2", 1, "did you mean \"blur\"?");
    fails("gaus:2", 1, "did you mean \"gaussian\"?");
    fails("erosion:2", 1, "did you mean \"erode\"?");
    fails("dilation:2", 1, "did you mean \"dilate\"?");
    fails("grayscale", 1, "did you mean \"gray\"?");
    fails("morph:2", 1, "did you mean \"open\"?");
    fails("otsu", 1, "did you mean \"threshold:otsu\"?");
    fails("medain:2", 1, "did you mean \"median\"?");
    fails("nonsense", 1, "unknown filter \"nonsense\" (--list-filters");
    fails("", 1, "name is missing");
    fails(":2", 1, "name is missing");
    fails("blur", 5, "SIGMA is missing at column 5");
    fails("blur:", 6, "empty");
    fails("blur:sigma=", 12, "empty");
    fails("blur:0", 6, "out of range");
    fails("blur:-1", 6, "out of range");
    fails("blur:512", 6, "<= 511.75");
    fails("blur:nan", 6, "not a number");
    fails("blur:inf", 6, "not a number");
    fails("blur:0x10", 6, "not a number");
    fails("blur:1e999", 6, "\"1e999\" at column 6 is too large");
    fails("blur:2px", 6, "not a number");
    fails("blur: 2", 6, "not a number");
    fails("blur:1,5", 6, "not a number");
    fails("blur:1:2", 8, "one argument too many");
    fails("blur:1:sigma=2", 8, "given twice");
    fails("blur:1:radius=2", 8, "unknown key \"radius\" at column 8; keys: sigma");
    fails("sobel:x", 7, "needs its key");
    fails("unsharp:1:2:0.5:3", 17, "one argument too many");
    fails("unsharp:r=2", 9, "keys: sigma, amount, threshold");
    fails("unsharp:threshold=2", 19, "0 to 1");
    fails("gray:1", 6, "one argument too many");
    fails("gray:a=1", 6, "keys: none");
    fails("box:2.5", 5, "whole number");
    fails("box:0", 5, "1 to 4095");
    fails("disk:0.4", 6, "out of range");
    fails("disk:2048", 6, "out of range");
    fails("motion:5", 9, "ANGLE is missing");
    fails("motion:0:0", 8, "out of range");
    fails("dog:1:1", 7, "S1 and S2 must differ");
    fails("sobel:dir=z", 11, "dir mag, x or y");
    fails("sobel:3", 7, "needs its key");
    fails("laplacian:dir=x", 11, "keys: none");
    fails("highpass:0.8", 10, "0.7071");
    fails("highpass:0", 10, "out of range");
    fails("highpass:0.1:type=box", 19, "gaussian, butterworth or ideal");
    fails("highpass:0.1:type=ideal:order=0", 31, "order from 1");
    fails("bandpass:0.2:0.1", 14, "LOW must be below HIGH");
    fails("notch:0:0:0.1", 11, "must not both be 0");
    fails("notch:0.6:0:0.1", 7, "-0.5 to 0.5");
    fails("notch:auto:0.1", 12, "too many");
    fails("descreen:0", 10, "0.1 to 10");
    fails("threshold:128", 11, "fraction of full scale");
    fails("kernel", 7, "coefficients are missing at column 7");
    fails("kernel:", 8, "coefficients are missing");
    fails("kernel:flip", 12, "coefficients are missing");
    fails("kernel:1,2,3/4,5", 14, "row 2 has 2 coefficients, row 1 has 3 at column 14");
    fails("kernel:1,2/3", 12, "row 2 has 1 coefficient, row 1 has 2");
    fails("kernel:1,,2", 10, "coefficient at column 10 is empty");
    fails("kernel:1,2/", 12, "empty");
    fails("kernel:/1", 8, "empty");
    fails("kernel:1,foo,3", 10, "\"foo\" at column 10 is not a number");
    fails("kernel:1,2e31", 10, "too large");
    fails("kernel:1e29:scale=1e-20", 8, "too large for the scale");
    fails("kernel:1:scale=0", 16, "divided by it");
    fails("kernel:1:scale=big", 16, "nor \"auto\"");
    fails("kernel:1:scale=1:scale=2", 18, "given twice");
    fails("kernel:1:bias=x", 15, "not a number");
    fails("kernel:1:gain=2", 10, "keys: scale, bias");
    fails("kernel:1:2", 10, "one argument too many");
    fails("kernel:@", 8, "name is missing");
    fails("kernel:@/nonexistent.flt", 8, "cannot open /nonexistent.flt: No such file");
    fails("./nonexistent.flt", 1, "cannot open");
    fails("blur:\xC3\xA9", 6, "not a number");
    fails("kernel:1,2/\xC3\xA9,x", 12, "not a number");
    const char *two[] = {"gray", "blur:x"};
    struct imf_filter *f;
    struct imf_error err;
    CHECK(imf_filter_parse(&f, two, 2, &err) == IMF_ERR_SPEC && err.column == 6, "column");
    CHECK(strncmp(err.text, "filter 2: blur:x: ", 18) == 0, "%s", err.text);
    /* Rows and columns beyond the limit. */
    for (int rows = 0; rows < 2; rows++) {
        char *long_spec = malloc(10000), *p = long_spec + sprintf(long_spec, "kernel:1");
        for (int i = 1; i < 4096; i++)
            p += sprintf(p, rows ? "/1" : ",1");
        fails(long_spec, 8 + 2 * 4095, "at most 4095x4095");
        p[-2] = '\0';
        f = parse(long_spec);
        imf_filter_free(&f);
        free(long_spec);
    }
}

static void number(const char *text, double expected) {
    double value = -1;
    const char *wrong = imf_number_parse((struct imf_span){text, strlen(text)}, &value);
    CHECK(!wrong && value == expected, "%s: %s, %.17g", text, wrong ? wrong : "", value);
}

static void test_numbers(void) {
    number("0", 0);
    number("-0", 0);
    number("1.", 1);
    number(".5", 0.5);
    number("+3e2", 300);
    number("1E-3", 0.001);
    number("0.1", 0.1);
    number("9007199254740993", 9007199254740992.0);
    number("9007199254740993.00000000000000000000000000000001", 9007199254740994.0);
    number("123456789012345678901234567890", 123456789012345678901234567890.0);
    number("2.2250738585072011e-308", 2.2250738585072011e-308);
    number("1e-999", 0);
    number("0e999", 0);
    number("1.7976931348623157e308", 1.7976931348623157e308);
    number("0.000000000000000000000000000000000001", 1e-36);
    number("1e23", 1e23);
    number("8.5e22", 8.5e22);
    char buffer[40];
    unsigned long long state = 1;
    for (int i = 0; i < 20000; i++) { /* against the C library, in the "C" locale */
        state = state * 6364136223846793005u + 1442695040888963407u;
        double value = ldexp((double)(state >> 11), (int)(state % 160) - 130);
        snprintf(buffer, sizeof buffer, i % 2 ? "%.17g" : "%.6g", value);
        number(buffer, strtod(buffer, NULL));
    }
    const char *bad[] = {"",    "+",     ".",     "e5", "1e",  "1e+",
                         "--1", "1.2.3", "1_000", "1 ", "\t1", "1f"};
    double value;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(imf_number_parse((struct imf_span){bad[i], strlen(bad[i])}, &value), "%s", bad[i]);
    char *digits = malloc(2000);
    memset(digits, '1', 2000);
    CHECK(imf_number_parse((struct imf_span){digits, 2000}, &value), "2000 digits");
    CHECK(imf_number_parse((struct imf_span){digits, 1000}, &value), "1e999");
    CHECK(!imf_number_parse((struct imf_span){digits, 300}, &value) && value > 1e299, "300 digits");
    free(digits);
}

static void test_locale(void) {
    const char *names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    bool set = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !set; i++)
        set = setlocale(LC_ALL, names[i]) != NULL;
    if (!set) {
        puts("no locale with a decimal comma is installed: not tested");
        return;
    }
    CHECK(strtod("0,5", NULL) == 0.5, "this locale has a decimal comma");
    number("0.5", 0.5);
    number("1.7976931348623157e308", 1.7976931348623157e308);
    fails("blur:0,5", 6, "not a number");
    TAPS("kernel:1.5,2.25", 2, 1, IMF_RANGE_CLIP, 1.5, 2.25);
    setlocale(LC_ALL, "C");
}

int main(void) {
    unsetenv("IMFILTER_PATH");
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "/nonexistent", 1);
    test_integer_filters();
    test_elements();
    test_kernel_specs();
    test_real_filters();
    test_other_stages();
    test_transfer();
    test_errors();
    test_numbers();
    test_locale();
    return check_done("test_spec");
}
