/* coefficients.c - kernels from text: rows of coefficients, and the scale, bias and flip that go
 * with them
 */
#include "filter/text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Devices compute in single precision: numbers stay where it neither overflows nor vanishes. */
#define LARGEST 1e30
#define LARGEST_GAIN 1e15
#define LARGEST_BIAS 1e6

const char *imf_rows_add(struct imf_rows *r, struct imf_span s, bool *memory) {
    double tap;
    *memory = false;
    const char *wrong = imf_number_parse(s, &tap);
    if (wrong)
        return wrong;
    if (fabs(tap) > LARGEST)
        return "is too large (coefficients go up to 1e30)";
    if (r->cells == IMF_KERNEL_MAX)
        return "is one coefficient too many (a kernel is at most 4095x4095)";
    if (r->height == IMF_KERNEL_MAX)
        return "is in one row too many (a kernel is at most 4095x4095)";
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? r->capacity * 2 : 64;
        double *taps = realloc(r->taps, capacity * sizeof *taps);
        *memory = !taps;
        if (!taps)
            return "does not fit: out of memory";
        r->taps = taps;
        r->capacity = capacity;
    }
    r->taps[r->count++] = tap;
    r->cells++;
    return NULL;
}

bool imf_rows_end(struct imf_rows *r, char why[IMF_ROWS_WHY]) {
    size_t cells = r->cells;
    r->cells = 0;
    if (r->height > 0 && cells != r->width) {
        snprintf(why, IMF_ROWS_WHY, "row %zu has %zu coefficient%s, row 1 has %zu", r->height + 1,
                 cells, cells == 1 ? "" : "s", r->width);
        return false;
    }
    r->width = cells;
    r->height++;
    return true;
}

enum imf_status imf_rows_kernel(const struct imf_rows *r, struct imf_kernel **out,
                                struct imf_error *err) {
    enum imf_status status = imf_kernel_create(out, (int)r->width, (int)r->height, err);
    if (status == IMF_OK)
        memcpy((*out)->taps, r->taps, r->count * sizeof *r->taps);
    return status;
}

void imf_rows_free(struct imf_rows *r) {
    free(r->taps);
    *r = (struct imf_rows){0};
}

const char *imf_tuning_scale(struct imf_tuning *t, struct imf_span s) {
    double scale = 1;
    bool automatic = imf_span_is(s, "auto");
    if (!automatic) {
        if (imf_number_parse(s, &scale))
            return "is neither a number nor \"auto\"";
        if (scale == 0)
            return "cannot be the scale: the sum is divided by it";
        if (fabs(scale) > LARGEST || fabs(scale) < 1 / LARGEST)
            return "is out of range (a scale's size is 1e-30 to 1e30)";
    }
    t->scale_given = true;
    t->scale_auto = automatic;
    t->scale = scale;
    return NULL;
}

const char *imf_tuning_bias(struct imf_tuning *t, struct imf_span s) {
    double bias;
    const char *wrong = imf_number_parse(s, &bias);
    if (wrong)
        return wrong;
    if (fabs(bias) > LARGEST_BIAS)
        return "is out of range (a bias is a fraction of full scale, at most 1e6)";
    t->bias_given = true;
    t->bias = bias;
    return NULL;
}

const char *imf_tuning_apply(const struct imf_tuning *t, struct imf_kernel *k) {
    double size = imf_kernel_abs_sum(k);
    k->bias = t->bias_given ? t->bias : 0;
    k->scale = t->scale_given && !t->scale_auto ? t->scale : 1;
    if (t->scale_auto) {
        /* Decimal fractions like 0.1 0.2 -0.3 add up to 0 but for their rounding. */
        double sum = imf_kernel_sum(k);
        k->scale = fabs(sum) > 4 * DBL_EPSILON * size ? sum : 1;
    }
    if (!(size / fabs(k->scale) <= LARGEST_GAIN))
        return "the coefficients are too large for the scale (their sizes may add up to 1e15 "
               "times the scale)";
    if (t->flip)
        imf_kernel_flip(k);
    return NULL;
}
