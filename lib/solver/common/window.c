/* window.c - the samples of a window operation: runs, counts, ranks */
#include "solver/common/window.h"

#include <math.h>
#include <stdint.h>

static bool covers(const struct imf_window_op *window, int x, int y) {
    const struct imf_kernel *k = window->element;
    if (window->turned) {
        x = window->width - 1 - x;
        y = window->height - 1 - y;
    }
    return !k || k->taps[(size_t)y * (size_t)k->width + (size_t)x] != 0;
}

size_t imf_window_runs(const struct imf_window_op *window, struct imf_run *all) {
    size_t n = 0;
    for (int y = 0; y < window->height; y++)
        for (int x = 0; x < window->width; x++) {
            int from = x;
            while (x < window->width && covers(window, x, y))
                x++;
            if (x == from)
                continue;
            if (all)
                all[n] = (struct imf_run){y - window->cy, from - window->cx, x - window->cx};
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

size_t imf_window_count(const struct imf_window_op *window) {
    return window->element ? imf_kernel_nonzero(window->element)
                           : (size_t)window->width * (size_t)window->height;
}

/*
 * The decimal number that the user wrote: digits / 10^places with the fewest places that converts to
 * this double. A number of up to 15 digits is always found, because no two such numbers convert to the
 * same double, and dividing integers that doubles hold rounds as the conversion does.
 */
static int decimal(double v, uint64_t *digits) {
    double power = 1;
    for (int places = 0; places <= 22; places++, power *= 10) {
        double whole = rint(v * power);
        if (whole > 9007199254740992.0)
            break;
        *digits = (uint64_t)whole;
        if (whole / power == v)
            return places;
    }
    return -1;
}

uint64_t imf_decimal_times(double v, uint64_t n, bool *rest) {
    uint64_t digits, carried = 0;
    int places = decimal(v, &digits);
    *rest = false;
    if (places < 0) { /* more digits than a double distinguishes */
        *rest = true;
        return (uint64_t)(v * (double)n);
    }
    /* Multiply from the last decimal place on: the remainders cannot change the integer part. */
    for (; places > 0; places--, digits /= 10) {
        carried += digits % 10 * n;
        *rest = *rest || carried % 10 > 0;
        carried /= 10;
    }
    return digits * n + carried;
}

size_t imf_percentile_rank(double percentile, size_t count) {
    bool rest;
    return (size_t)((imf_decimal_times(percentile, count - 1, &rest) + 50) / 100);
}

void imf_window_finish(const struct imf_problem *p, double *v, void *row, size_t count) {
    imf_epilogue_values(&p->epilogue, v, count);
    imf_samples_narrow(row, p->out, v, count);
}

const void *imf_strip_input(const struct imf_piece *s, int row) {
    return imf_sample_at(s->in, row, (ptrdiff_t)s->at.x + (ptrdiff_t)s->left * s->p->channels);
}

static char *output(const struct imf_piece *s, int y) {
    return (char *)imf_surface_row(s->out, y) + (size_t)s->at.x * imf_sample_size(s->p->out);
}

void *imf_strip_target(const struct imf_piece *s, int y) {
    return s->identity ? output(s, y) : s->made;
}

void imf_strip_end(const struct imf_piece *s, int y) {
    enum { SOME = 512 };
    double wide[SOME];
    for (int i = 0; i < s->at.n && !s->identity; i += SOME) {
        size_t count = (size_t)imf_min(s->at.n - i, SOME);
        imf_samples_widen(wide, s->made, s->p->in, i, count);
        imf_window_finish(s->p, wide, output(s, y) + (size_t)i * imf_sample_size(s->p->out), count);
    }
}
