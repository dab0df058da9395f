/* window.c - a neighbourhood's samples, as its solvers see them */
#include "solver/window.h"

#include <math.h>

static bool holds(const struct imf_neighbourhood *hood, int x, int y) {
    const struct imf_kernel *k = hood->element;
    if (hood->turned) {
        x = hood->width - 1 - x;
        y = hood->height - 1 - y;
    }
    return !k || k->taps[(size_t)y * (size_t)k->width + (size_t)x] != 0;
}

size_t imf_window_runs(const struct imf_neighbourhood *hood, struct imf_run *all) {
    size_t n = 0;
    for (int y = 0; y < hood->height; y++)
        for (int x = 0; x < hood->width; x++) {
            int from = x;
            while (x < hood->width && holds(hood, x, y))
                x++;
            if (x == from)
                continue;
            if (all)
                all[n] = (struct imf_run){y - hood->cy, from - hood->cx, x - hood->cx};
            n++;
        }
    return n;
}

bool imf_window_measure(const struct imf_run *runs, int count, int *left, int *right, int *top,
                        int *bottom) {
    bool box = true;
    *left = runs[0].from;
    *right = runs[0].to - 1;
    *top = runs[0].dy;
    *bottom = runs[count - 1].dy;
    for (int i = 1; i < count; i++) {
        *left = imf_min(*left, runs[i].from);
        *right = imf_max(*right, runs[i].to - 1);
        box = box && runs[i].dy == runs[i - 1].dy + 1 && runs[i].from == runs[0].from &&
              runs[i].to == runs[0].to;
    }
    return box;
}

size_t imf_window_count(const struct imf_neighbourhood *hood) {
    return hood->element ? imf_kernel_nonzero(hood->element)
                         : (size_t)hood->width * (size_t)hood->height;
}

size_t imf_percentile_rank(double percentile, size_t count) {
    /* Divided last: whole percentiles are exact at ties. */
    return (size_t)floor(percentile * (double)(count - 1) / 100 + 0.5);
}

void imf_window_finish(const struct imf_problem *p, double *v, void *row, size_t count) {
    for (size_t i = 0; i < count; i++)
        v[i] = imf_epilogue_apply(&p->epilogue, v[i]);
    imf_samples_narrow(row, p->out, v, count);
}
