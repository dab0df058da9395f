/*
 * host_factors.c - kernels that are sums of products of a column and a row, on the host
 *
 * What a device's floats are not precise enough for is done again with float64 sums, and soon
 * enough only with as few products as there are: each input row is filtered along itself when it
 * comes, once for each term, and output rows are sums over columns of these. What others are held
 * to does not do so: it stays what the definition says.
 */
#include "solver/convolution/host.h"

#include <stdlib.h>
#include <string.h>

/* What the terms may leave of the kernel: nothing next to float64 sums' own rounding. */
#define RESIDUAL 1e-13

bool imf_host_factors(const struct imf_problem *p, struct imf_terms *terms) {
    const struct imf_kernel *k = p->kernel[0];
    if (p->kind != IMF_CONVOLUTION || k->width == 1 || k->height == 1)
        return false;
    return imf_problem_term(p, terms) || imf_kernel_terms(k, RESIDUAL * p->facts[0].abs_sum, terms);
}

/* The row that comes next, along itself. */
static void filter_row(double *to, const double *row, const struct imf_term *t, size_t channels,
                       size_t count) {
    memset(to, 0, count * sizeof *to);
    for (int j = t->left; j < t->left + t->width; j++)
        imf_host_add(to, row + (size_t)j * channels, t->row[j], count);
}

size_t imf_host_factored_scratch(const struct imf_problem *p, const struct imf_terms *terms) {
    const struct imf_kernel *k = p->kernel[0];
    size_t channels = (size_t)p->channels, count = (size_t)p->width * channels;
    return ((size_t)terms->rank * (size_t)k->height + 2) * count + (size_t)k->width * channels;
}

void imf_host_factored(const struct imf_problem *p, const struct imf_terms *terms,
                       const struct imf_surface *in, const struct imf_surface *out, int from,
                       int to, double *scratch) {
    struct imf_margin m = imf_kernel_margin(p->kernel[0]);
    size_t channels = (size_t)p->channels, count = (size_t)p->width * channels;
    size_t kh = (size_t)p->kernel[0]->height, ring = kh * count, rank = (size_t)terms->rank;
    size_t length = count + ((size_t)m.left + (size_t)m.right) * channels;
    double *rings = scratch, *wide = rings + rank * ring, *sum = wide + length;
    for (int y = from - m.top; y < to + m.bottom; y++) {
        imf_samples_widen(wide, imf_surface_row(in, y), in->sample,
                          -(ptrdiff_t)m.left * (ptrdiff_t)channels, length);
        for (size_t r = 0; r < rank; r++)
            filter_row(rings + r * ring + (size_t)(y + m.top) % kh * count, wide, &terms->term[r],
                       channels, count);
        int row = y - m.bottom; /* the output row whose last input row this is */
        if (row < from)
            continue;
        memset(sum, 0, count * sizeof *sum);
        for (size_t r = 0; r < rank; r++) {
            const struct imf_term *t = &terms->term[r];
            for (int i = t->top; i < t->top + t->height; i++)
                imf_host_add(sum, rings + r * ring + (size_t)(row + i) % kh * count, t->column[i],
                             count);
        }
        imf_host_finish(p, sum, NULL, out, row);
    }
}
