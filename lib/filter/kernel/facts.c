/*
 * facts.c - properties of a kernel's taps
 */
#include "filter/kernel/taps.h"

#include <math.h>

/* Columns mirror each other: 1, with opposite sign: -1. */
static int find_mirror(const struct imf_kernel *k) {
    bool even = true, odd = true;
    for (int i = 0; i < k->height && (even || odd); i++) {
        const double *row = k->taps + (size_t)i * (size_t)k->width;
        for (int j = 0; j < (k->width + 1) / 2; j++) {
            even = even && row[j] == row[k->width - 1 - j];
            odd = odd && row[j] == -row[k->width - 1 - j];
        }
    }
    return k->width == 1 ? 0 : even ? 1 : odd ? -1 : 0;
}

void imf_kernel_facts_find(struct imf_kernel_facts *out, const struct imf_kernel *k) {
    size_t count = (size_t)k->width * (size_t)k->height;
    *out = (struct imf_kernel_facts){.mirror = find_mirror(k),
                                     .sum = imf_kernel_sum(k),
                                     .abs_sum = imf_kernel_abs_sum(k),
                                     .nonzero = imf_kernel_nonzero(k),
                                     .integer = imf_kernel_is_integer(k),
                                     .pivot = imf_kernel_pivot(k)};
    bool negative = false;
    for (size_t i = 0; i < count; i++) {
        double tap = k->taps[i];
        out->squares += tap * tap;
        out->rounding += fabs(tap - (double)(float)tap);
        negative = negative || tap < 0;
    }
    out->positive = !negative && k->scale > 0;
    out->product = imf_kernel_is_product(k, &out->pivot);
}
