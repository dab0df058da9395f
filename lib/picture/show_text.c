/* show_text.c - a filter's coefficients and gains as text */
#include "picture/response.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE 160      /* characters that a row of coefficients may take */
#define ALWAYS 15     /* columns that are never cut */
#define FACTORS 9     /* numbers in a line of a factor */
#define MOST_LIST 255 /* numbers of a factor that is printed */
#define MOST_ROWS 63  /* of a kernel that is not printed whole */

/* ---- kernels -------------------------------------------------------------------------------- */

/* Part of a kernel that is printed: columns and rows from..to-1. */
struct window {
    int from_x, to_x, from_y, to_y;
    int cell; /* characters of the longest number */
};

static double tap(const struct imf_kernel *k, int x, int y) {
    return k->taps[(size_t)y * (size_t)k->width + (size_t)x];
}

static int cell_width(const struct imf_kernel *k, const struct window *w) {
    int most = 1;
    for (int y = w->from_y; y < w->to_y; y++)
        for (int x = w->from_x; x < w->to_x; x++) {
            int length = snprintf(NULL, 0, "%.6g", tap(k, x, y));
            most = length > most ? length : most;
        }
    return most;
}

/* An interval of `room` around `middle`, within 0..count-1. */
static void around(int middle, int room, int count, int *from, int *to) {
    int start = middle - room / 2;
    if (start > count - room)
        start = count - room;
    *from = start > 0 ? start : 0;
    *to = *from + room < count ? *from + room : count;
}

static struct window choose_window(const struct imf_kernel *k, bool whole) {
    struct window w = {0, k->width, 0, k->height, 0};
    if (!whole) {
        around(k->cx, LINE / 2, k->width, &w.from_x, &w.to_x);
        around(k->cy, MOST_ROWS, k->height, &w.from_y, &w.to_y);
        int columns = (LINE / (cell_width(k, &w) + 1) - 1) | 1; /* odd: symmetric stays so */
        if (columns < k->width && k->width > ALWAYS) {
            around(k->cx, columns, k->width, &w.from_x, &w.to_x);
            around(k->cy, columns, k->height, &w.from_y, &w.to_y);
        }
    }
    w.cell = cell_width(k, &w);
    return w;
}

static void print_taps(FILE *out, const struct imf_kernel *k, struct window w) {
    bool left = w.from_x > 0, right = w.to_x < k->width;
    bool above = w.from_y > 0, below = w.to_y < k->height;
    fputc('\n', out);
    if (above)
        fputs("  ...\n", out);
    for (int y = w.from_y; y < w.to_y; y++) {
        fputs(left ? "  ..." : " ", out);
        for (int x = w.from_x; x < w.to_x; x++)
            fprintf(out, " %*.6g", w.cell, tap(k, x, y));
        fputs(right ? " ...\n" : "\n", out);
    }
    if (below)
        fputs("  ...\n", out);
    if (left || right || above || below)
        fprintf(out, "\n  (columns %d to %d and rows %d to %d of %dx%d; -v prints all)\n",
                w.from_x + 1, w.to_x, w.from_y + 1, w.to_y, k->width, k->height);
}

static void print_list(FILE *out, const char *name, const double *value, int count) {
    fprintf(out, "\n  %s:", name);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%11.6g", i % FACTORS == 0 ? "\n   " : " ", value[i]);
    fputc('\n', out);
}

/* Print the factors of a kernel that is cut. The magnitudes of the row sum to 1. */
static void print_factors(FILE *out, const struct imf_kernel *k, double *column, double *row) {
    double sum = 0;
    for (int i = 0; i < k->width; i++)
        sum += fabs(row[i]);
    for (int i = 0; i < k->width; i++)
        row[i] /= sum;
    for (int i = 0; i < k->height; i++)
        column[i] *= sum;
    print_list(out, "row", row, k->width);
    print_list(out, "column", column, k->height);
    fputs("\n  (the kernel is the product of both; -v prints it)\n", out);
}

/* |H| at frequency 0 or 0.5 each way: there every second column or row counts negative. */
static double gain_at(const struct imf_kernel *k, bool columns, bool rows) {
    double sum = 0;
    for (int y = 0; y < k->height; y++)
        for (int x = 0; x < k->width; x++)
            sum += ((columns && x % 2) != (rows && y % 2)) ? -tap(k, x, y) : tap(k, x, y);
    /* A sum that is 0 but for rounding is shown as 0. */
    return fabs(sum) < 1e-14 * imf_kernel_abs_sum(k) ? 0 : fabs(sum / k->scale);
}

static enum imf_status print_kernel(FILE *out, const struct imf_kernel *k, bool whole,
                                    struct imf_error *err) {
    size_t factors = (size_t)k->width + (size_t)k->height;
    double *column = malloc(factors * sizeof *column);
    if (!column)
        return imf_fail_memory(err, factors * sizeof *column);
    bool separable = imf_kernel_separate(k, column, column + k->height);
    double sum = imf_kernel_sum(k), gain = gain_at(k, false, false);
    if (gain == 0)
        sum = 0;
    fprintf(out, "  size %dx%d, origin at column %d, row %d\n", k->width, k->height, k->cx + 1,
            k->cy + 1);
    fprintf(out, "  scale %.6g, bias %.6g, sum %.6g, sum of |taps| %.6g\n", k->scale, k->bias, sum,
            imf_kernel_abs_sum(k));
    fprintf(out, "  %s\n",
            separable ? "separable: a column times a row (rank 1)"
                      : "not separable (rank above 1)");
    fprintf(out,
            "  gain %.6g at frequency 0, %.6g at (0.5, 0), %.6g at (0, 0.5), %.6g at (0.5, 0.5)\n",
            gain, gain_at(k, true, false), gain_at(k, false, true), gain_at(k, true, true));
    struct window w = choose_window(k, whole);
    bool cut = w.to_x - w.from_x < k->width || w.to_y - w.from_y < k->height;
    if (cut && separable && imf_kernel_abs_sum(k) > 0 && k->width <= MOST_LIST &&
        k->height <= MOST_LIST)
        print_factors(out, k, column, column + k->height);
    else
        print_taps(out, k, w);
    free(column);
    return IMF_OK;
}

/* The samples that count, as ones. */
static void print_element(FILE *out, const struct imf_kernel *k, bool whole) {
    fprintf(out, "  size %dx%d, origin at column %d, row %d, %zu samples\n", k->width, k->height,
            k->cx + 1, k->cy + 1, imf_kernel_nonzero(k));
    print_taps(out, k, choose_window(k, whole));
}

/* ---- transfer functions --------------------------------------------------------------------- */

static void print_decibels(FILE *out, double gain) {
    double decibels = 20 * log10(gain);
    if (gain > 0)
        fprintf(out, "  %8.2f\n", fabs(decibels) < 0.005 ? 0.0 : decibels);
    else
        fputs("      -inf\n", out);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The gain along u; these filters look alike in every direction. The cutoffs join the table. */
static void print_rings(FILE *out, const struct imf_transfer *t) {
    double f[24] = {0,    0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1,
                    0.15, 0.2,   0.25, 0.3,  0.35, 0.4,  0.45, 0.5};
    size_t count = 17;
    f[count++] = t->low;
    if (t->kind == IMF_BANDPASS || t->kind == IMF_BANDSTOP) {
        f[count++] = t->high;
        f[count++] = sqrt(t->low * t->high);
    }
    qsort(f, count, sizeof *f, by_value);
    fprintf(out, "\n  %12s  %12s  %12s  %8s\n", "cycles/pixel", "pixels/cycle", "gain", "dB");
    for (size_t i = 0; i < count; i++) {
        if (i && f[i] - f[i - 1] < 1e-9)
            continue;
        char period[32] = "-";
        if (f[i] > 0)
            snprintf(period, sizeof period, "%.6g", 1 / f[i]);
        double gain = imf_transfer_gain(t, f[i], 0);
        fprintf(out, "  %12.6g  %12s  %12.6g", f[i], period, gain);
        print_decibels(out, gain);
    }
}

/* The gain at frequency 0 and along u through the notch, in steps of its radius. */
static void print_notch(FILE *out, const struct imf_transfer *t) {
    static const double steps[] = {-4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4};
    fprintf(out, "\n  %12s  %12s  %12s  %8s\n", "u", "v", "gain", "dB");
    double gain = imf_transfer_gain(t, 0, 0);
    fprintf(out, "  %12d  %12d  %12.6g", 0, 0, gain);
    print_decibels(out, gain);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        double u = t->u + steps[i] * t->radius;
        if (fabs(u) > 0.5)
            continue;
        gain = imf_transfer_gain(t, u, t->v);
        fprintf(out, "  %12.6g  %12.6g  %12.6g", u, t->v, gain);
        print_decibels(out, gain);
    }
}

/* ---- filters -------------------------------------------------------------------------------- */

static enum imf_status print_stage(FILE *out, const struct imf_filter *f, size_t index, bool whole,
                                   struct imf_error *err) {
    const struct imf_stage *s = &f->stages[index];
    char spec[IMF_STAGE_SPEC], words[IMF_STAGE_WORDS];
    if (f->count > 1)
        fprintf(out, "%sstage %zu of %zu: ", index ? "\n" : "", index + 1, f->count);
    fprintf(out, "%s\n", imf_stage_spec(spec, f, index));
    const char *meaning = imf_stage_words(words, s);
    if (*meaning)
        fprintf(out, "  %s\n", meaning);
    if (s->op == IMF_OP_TRANSFER)
        (s->transfer.kind == IMF_NOTCH ? print_notch : print_rings)(out, &s->transfer);
    if (s->op == IMF_OP_WINDOW && s->kernel[0]) {
        print_element(out, s->kernel[0], whole);
        return IMF_OK;
    }
    struct imf_kernel *flat = NULL;
    enum imf_status status = IMF_OK;
    if (s->op == IMF_OP_WINDOW)
        status = imf_response_flat(&flat, s, err);
    if (flat) {
        fprintf(out, "\n  where the image is flat:\n");
        status = print_kernel(out, flat, whole, err);
    }
    imf_kernel_free(&flat);
    for (int i = 0; i < 2 && s->kernel[i] && status == IMF_OK; i++) {
        if (s->kernel[1])
            fprintf(out, "%s  %s:\n", i ? "\n" : "", i ? "gy" : "gx");
        status = print_kernel(out, s->kernel[i], whole, err);
    }
    return status;
}

enum imf_status imf_filter_print(char **text, const struct imf_filter *filter, bool whole,
                                 struct imf_error *err) {
    size_t size;
    *text = NULL;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return imf_fail_memory(err, BUFSIZ);
    enum imf_status status = IMF_OK;
    for (size_t i = 0; i < filter->count && status == IMF_OK; i++)
        status = print_stage(out, filter, i, whole, err);
    bool good = !ferror(out);
    good = fclose(out) == 0 && good && *text; /* without memory glibc leaves none and returns 0 */
    if (status == IMF_OK && !good)
        status = imf_fail_memory(err, size);
    if (status != IMF_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}
