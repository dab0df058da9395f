/* problem.c - what one filtering pass computes */
#include "solver/problem.h"

#include <math.h>
#include <stdlib.h>

void imf_problem_convolve(struct imf_problem *p, const struct imf_kernel *kernel) {
    p->kind = IMF_CONVOLUTION;
    p->kernel[0] = kernel;
    p->reach = imf_kernel_margin(kernel);
    imf_kernel_facts_find(&p->facts[0], kernel);
}

void imf_problem_magnitude(struct imf_problem *p, const struct imf_kernel *a,
                           const struct imf_kernel *b) {
    imf_problem_convolve(p, a);
    p->kind = IMF_MAGNITUDE;
    p->kernel[1] = b;
    imf_kernel_facts_find(&p->facts[1], b);
}

void imf_problem_phase(struct imf_problem *p, const struct imf_kernel *x,
                       const struct imf_kernel *y) {
    imf_problem_magnitude(p, x, y);
    p->kind = IMF_PHASE;
}

void imf_problem_transfer(struct imf_problem *p, const struct imf_transfer *transfer) {
    p->kind = IMF_TRANSFER;
    p->transfer = transfer;
    p->reach = (struct imf_margin){0, 0, 0, 0};
}

void imf_problem_descreen(struct imf_problem *p, const struct imf_descreen *descreen, int colors) {
    p->kind = IMF_DESCREEN;
    p->descreen = descreen;
    p->colors = colors;
    p->reach = (struct imf_margin){0, 0, 0, 0};
}

void imf_problem_window_op(struct imf_problem *p, const struct imf_window_op *window) {
    p->kind = window->kind;
    p->window_op = window;
    p->colors = p->channels;
    p->reach = (struct imf_margin){.left = window->cx,
                                   .right = window->width - 1 - window->cx,
                                   .top = window->cy,
                                   .bottom = window->height - 1 - window->cy};
}

void imf_problem_canny(struct imf_problem *p, const struct imf_canny *canny, int colors) {
    int reach = (int)ceil(4 * canny->sigma) + canny->aperture / 2;
    p->kind = IMF_CANNY;
    p->canny = canny;
    p->colors = colors;
    p->reach = (struct imf_margin){reach, reach, reach, reach};
}

void imf_problem_denoise(struct imf_problem *p, const struct imf_denoise *denoise, int colors) {
    const struct imf_denoise_grid *grid = imf_denoise_grid(denoise);
    int reach = imf_denoise_reach(grid);
    p->kind = IMF_DENOISE;
    p->denoise = denoise;
    p->colors = colors;
    p->reach = (struct imf_margin){reach, reach, reach, reach};
}

void imf_problem_histogram_op(struct imf_problem *p, enum imf_histogram_op op, int colors) {
    p->kind = IMF_HISTOGRAM_OP;
    p->histogram_op = op;
    p->colors = colors;
    p->reach = (struct imf_margin){0, 0, 0, 0};
}

void imf_problem_clahe(struct imf_problem *p, const struct imf_clahe *clahe, int colors) {
    p->kind = IMF_CLAHE;
    p->clahe = clahe;
    p->colors = colors;
    p->reach = (struct imf_margin){0, 0, 0, 0};
}

void imf_problem_deblur(struct imf_problem *p, const struct imf_deblur *deblur, int colors) {
    p->kind = IMF_DEBLURRING;
    p->deblur = deblur;
    p->colors = colors;
    p->reach = (struct imf_margin){0, 0, 0, 0};
}

void imf_problem_fill(struct imf_problem *p, const struct imf_fill *fill) {
    p->kind = IMF_FILLING;
    p->fill = *fill;
    p->colors = p->channels - 1;
    p->reach = (struct imf_margin){fill->reach, fill->reach, fill->reach, fill->reach};
}

void imf_problem_despeckle(struct imf_problem *p, const struct imf_despeckle *despeckle,
                           int colors) {
    p->kind = IMF_DESPECKLE;
    p->despeckle = despeckle;
    p->colors = colors;
    p->reach = (struct imf_margin){0, 0, 0, 0};
}

int imf_problem_kernels(const struct imf_problem *p) {
    bool two = p->kind == IMF_MAGNITUDE || p->kind == IMF_PHASE;
    return p->kind == IMF_CONVOLUTION ? 1 : two ? 2 : 0;
}

double imf_largest_sum(const struct imf_problem *p) {
    double sum = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++)
        sum = fmax(sum, p->facts[i].abs_sum);
    return sum * p->in_max;
}

bool imf_problem_term(const struct imf_problem *p, struct imf_terms *out) {
    const struct imf_kernel *k = p->kernel[0];
    *out = (struct imf_terms){.count = 1};
    if (!p->facts[0].product)
        return false;
    size_t taps = (size_t)k->height + (size_t)k->width;
    out->store = calloc(taps, sizeof *out->store);
    if (!out->store) {
        out->missing = taps * sizeof *out->store;
        return false;
    }
    out->term[0] = (struct imf_term){.column = out->store,
                                     .row = out->store + k->height,
                                     .height = k->height,
                                     .width = k->width};
    imf_kernel_factors(k, &p->facts[0].pivot, out->term[0].column, out->term[0].row);
    return true;
}

bool imf_problem_terms(const struct imf_problem *p, double allowed, struct imf_terms *out) {
    return p->facts[0].product ? imf_problem_term(p, out)
                               : imf_kernel_terms(p->kernel[0], allowed, out);
}
