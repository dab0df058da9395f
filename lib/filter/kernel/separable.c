/*
 * separable.c - is a kernel the product of a column and a row, or a short sum of such products?
 *
 * A WxH kernel of rank 1 costs W+H products a sample instead of W*H. The textbook test is the
 * singular value decomposition: rank 1 when the second singular value s2 is nothing beside the
 * first, s1. A decomposition takes O(n^3); one step of cross approximation takes O(n^2), two
 * passes over the taps and no memory, and answers the same question:
 *
 * Let p = A[y][x] be the tap of largest magnitude. If A has rank 1 then A = A[.][x] A[y][.] / p
 * holds at every tap. In general this product B differs from A by some E = A - B, and
 *   - B has rank 1, and no matrix of rank 1 is nearer to A than s2 (Eckart and Young), so
 *     s2 <= |E|, the Frobenius norm: a small |E| proves a small s2;
 *   - p is the largest tap, so no entry of E exceeds 2 s2 (Goreinov and Tyrtyshnikov 2001, maximal
 *     volume of 1x1): a tiny s2 cannot give a large E;
 *   - s1 >= |B| - |E|, and |B| is the product of the factors' lengths.
 * So the test is |E| <= 1e-13 |B|. Rounding alone gives about 3e-16 |B|.
 *
 * Integer taps need no tolerance: A has rank 1 if and only if p A[i][j] = A[i][x] A[y][j] for all
 * i, j, which 64-bit integers decide for taps below 2^31. Dividing row y by the greatest common
 * divisor of its taps makes it primitive, and every integer row that is proportional to a primitive
 * one is an integer multiple of it: the column is made of integers as well.
 *
 * Sums of products: further steps, each on what the ones before have left. Which tap a step takes
 * as its pivot decides what the terms look like, for a matrix has many sums of the same rank, and
 * factors with few taps cost less:
 *   - the largest tap: always well conditioned;
 *   - the largest that is neither in the row nor in the column of the largest, while there is one:
 *     if the kernel is d times the identity plus something else, then d lies there, so that the
 *     something is found first and the identity is left: one tap by one (unsharp masks);
 *   - first the largest of the four corners: of two kernels of different size, only the larger
 *     reaches them, so that it is found first and the smaller is left, rimmed with zeros (the
 *     difference of two Gaussians).
 * The sum with the fewest taps is taken. A pivot that is small by chance makes terms that cancel:
 * such sums are dropped by their size, and what is off in any case is measured at the end.
 */
#include "filter/kernel/taps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANK_TOLERANCE 1e-13
#define ROUNDING 1e-14 /* a sum's taps below this part of the kernel's largest are rounding's */
#define GROWTH 16      /* sum of the terms' |taps| at most, in those of the kernel */

static const double *kernel_row(const struct imf_kernel *k, int y) {
    return k->taps + (size_t)y * (size_t)k->width;
}

struct imf_pivot imf_kernel_pivot(const struct imf_kernel *k) {
    struct imf_pivot p = {.integer = true};
    for (int y = 0; y < k->height; y++) {
        const double *taps = kernel_row(k, y);
        for (int x = 0; x < k->width; x++) {
            if (fabs(taps[x]) > fabs(p.tap))
                p = (struct imf_pivot){x, y, taps[x], p.integer};
            p.integer = p.integer && taps[x] == rint(taps[x]);
        }
    }
    p.integer = p.integer && fabs(p.tap) < 2147483648.0;
    return p;
}

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static bool is_integer_product(const struct imf_kernel *k, struct imf_pivot p) {
    const double *pivot_row = kernel_row(k, p.y);
    int64_t tap = (int64_t)p.tap;
    for (int y = 0; y < k->height; y++) {
        const double *taps = kernel_row(k, y);
        int64_t factor = (int64_t)taps[p.x];
        for (int x = 0; x < k->width; x++)
            if (tap * (int64_t)taps[x] != factor * (int64_t)pivot_row[x])
                return false;
    }
    return true;
}

static void integer_factors(const struct imf_kernel *k, struct imf_pivot p, double *column,
                            double *row) {
    const double *pivot_row = kernel_row(k, p.y);
    int64_t divisor = 0;
    for (int x = 0; x < k->width; x++)
        divisor = common_divisor(divisor, (int64_t)pivot_row[x]);
    for (int x = 0; x < k->width; x++)
        row[x] = (double)((int64_t)pivot_row[x] / divisor);
    for (int y = 0; y < k->height; y++)
        column[y] = (double)((int64_t)kernel_row(k, y)[p.x] / (int64_t)row[p.x]);
}

/* Everything is divided by the pivot first, so that no square overflows. */
static bool is_real_product(const struct imf_kernel *k, struct imf_pivot p) {
    double row[IMF_KERNEL_MAX], row_square = 0, column_square = 0, error_square = 0;
    for (int x = 0; x < k->width; x++) {
        row[x] = kernel_row(k, p.y)[x] / p.tap;
        row_square += row[x] * row[x];
    }
    for (int y = 0; y < k->height; y++) {
        double tap = kernel_row(k, y)[p.x] / p.tap;
        column_square += tap * tap;
    }
    double allowed = RANK_TOLERANCE * RANK_TOLERANCE * row_square * column_square;
    for (int y = 0; y < k->height; y++) {
        const double *taps = kernel_row(k, y);
        double column = taps[p.x] / p.tap;
        for (int x = 0; x < k->width; x++) {
            double error = taps[x] / p.tap - column * row[x];
            error_square += error * error;
        }
        if (error_square > allowed)
            return false;
    }
    return true;
}

/* They share the pivot's size, so that a kernel that equals its transpose has equal factors. */
static void real_factors(const struct imf_kernel *k, struct imf_pivot p, double *column,
                         double *row) {
    double root = sqrt(fabs(p.tap));
    for (int x = 0; x < k->width; x++)
        row[x] = kernel_row(k, p.y)[x] / p.tap * root;
    for (int y = 0; y < k->height; y++)
        column[y] = kernel_row(k, y)[p.x] / p.tap * copysign(root, p.tap);
}

bool imf_kernel_is_product(const struct imf_kernel *k, const struct imf_pivot *pivot) {
    if (pivot->tap == 0)
        return true;
    return pivot->integer ? is_integer_product(k, *pivot) : is_real_product(k, *pivot);
}

void imf_kernel_factors(const struct imf_kernel *k, const struct imf_pivot *pivot, double *column,
                        double *row) {
    if (pivot->tap == 0) {
        memset(column, 0, (size_t)k->height * sizeof *column);
        memset(row, 0, (size_t)k->width * sizeof *row);
    } else if (pivot->integer) {
        integer_factors(k, *pivot, column, row);
    } else {
        real_factors(k, *pivot, column, row);
    }
}

bool imf_kernel_separate(const struct imf_kernel *k, double *column, double *row) {
    struct imf_pivot pivot = imf_kernel_pivot(k);
    bool product = imf_kernel_is_product(k, &pivot);
    if (product)
        imf_kernel_factors(k, &pivot, column, row);
    return product;
}

/* ---- sums of products ---------------------------------------------------------------------- */

enum order { LARGEST, ASIDE, CORNER, ORDERS };

/* The largest tap of `rest`, outside of row y and column x if they are not -1. */
static struct imf_pivot largest(const struct imf_kernel *k, const double *rest, int x, int y) {
    struct imf_pivot p = {0};
    for (int i = 0; i < k->height; i++)
        for (int j = 0; j < k->width; j++) {
            double tap = rest[i * k->width + j];
            if (i != y && j != x && fabs(tap) > fabs(p.tap))
                p = (struct imf_pivot){j, i, tap, false};
        }
    return p;
}

static struct imf_pivot choose_pivot(const struct imf_kernel *k, const double *rest,
                                     enum order order, struct imf_pivot top, bool first) {
    struct imf_pivot p = {0};
    for (int i = 0; i < 4 && first && order == CORNER; i++) {
        int x = i % 2 ? k->width - 1 : 0, y = i / 2 ? k->height - 1 : 0;
        double tap = rest[y * k->width + x];
        if (fabs(tap) > fabs(p.tap))
            p = (struct imf_pivot){x, y, tap, false};
    }
    if (order == ASIDE)
        p = largest(k, rest, top.x, top.y);
    return p.tap != 0 ? p : largest(k, rest, -1, -1);
}

/* Where taps other than 0 begin and how many there are; 0 and 1 when there is none. */
static void trim(const double *taps, int n, int *from, int *count) {
    int first = 0, end = n;
    while (first < n && taps[first] == 0)
        first++;
    while (end > first + 1 && taps[end - 1] == 0)
        end--;
    *from = first < n ? first : 0;
    *count = first < n ? end - first : 1;
}

/* Takes the next term out of `rest`. */
static void take_term(const struct imf_kernel *k, double *rest, struct imf_pivot p, double rounding,
                      struct imf_term *t) {
    double root = sqrt(fabs(p.tap));
    for (int j = 0; j < k->width; j++)
        t->row[j] = rest[p.y * k->width + j] / p.tap * root;
    for (int i = 0; i < k->height; i++)
        t->column[i] = rest[i * k->width + p.x] / root;
    for (int i = 0; i < k->height; i++)
        for (int j = 0; j < k->width; j++) {
            double *tap = &rest[i * k->width + j];
            *tap -= t->column[i] * t->row[j];
            if (i == p.y || j == p.x || fabs(*tap) <= rounding)
                *tap = 0;
        }
    trim(t->column, k->height, &t->top, &t->height);
    trim(t->row, k->width, &t->left, &t->width);
}

static double residual(const struct imf_kernel *k, const struct imf_terms *t) {
    double sum = 0;
    for (int i = 0; i < k->height; i++)
        for (int j = 0; j < k->width; j++) {
            double tap = kernel_row(k, i)[j];
            for (int r = 0; r < t->count; r++)
                tap -= t->term[r].column[i] * t->term[r].row[j];
            sum += fabs(tap);
        }
    return sum;
}

/* Terms in one order; false if they are too many. `rest` has room for the kernel. */
static bool sum_terms(const struct imf_kernel *k, enum order order, double allowed, double *rest,
                      struct imf_terms *t) {
    size_t n = (size_t)k->width * (size_t)k->height;
    struct imf_pivot top = largest(k, k->taps, -1, -1);
    double size = 0;
    memcpy(rest, k->taps, n * sizeof *rest);
    t->count = 0;
    do {
        struct imf_term *term = &t->term[t->count];
        struct imf_pivot p = choose_pivot(k, rest, order, top, t->count == 0);
        if (p.tap == 0)
            break;
        take_term(k, rest, p, ROUNDING * fabs(top.tap), term);
        double rows = 0, columns = 0;
        for (int j = 0; j < k->width; j++)
            rows += fabs(term->row[j]);
        for (int i = 0; i < k->height; i++)
            columns += fabs(term->column[i]);
        size += rows * columns;
        t->count++;
        t->residual = residual(k, t);
    } while (t->residual > allowed && t->count < IMF_TERMS_MAX);
    return t->count > 0 && t->residual <= allowed && size <= GROWTH * imf_kernel_abs_sum(k);
}

static int count_taps(const struct imf_terms *t) {
    int taps = 0;
    for (int r = 0; r < t->count; r++)
        taps += t->term[r].height + t->term[r].width;
    return taps;
}

bool imf_kernel_terms(const struct imf_kernel *k, double allowed, struct imf_terms *out) {
    *out = (struct imf_terms){0};
    if (k->width > IMF_TERMS_SIDE || k->height > IMF_TERMS_SIDE)
        return false;
    size_t w = (size_t)k->width, h = (size_t)k->height;
    double *rest = calloc(w * h, sizeof *rest);
    size_t missing = rest ? 0 : w * h * sizeof *rest;
    for (enum order o = LARGEST; o < ORDERS && !missing; o++) {
        struct imf_terms t = {.store = calloc(IMF_TERMS_MAX * (w + h), sizeof *t.store)};
        missing = t.store ? 0 : IMF_TERMS_MAX * (w + h) * sizeof *t.store;
        for (size_t r = 0; r < IMF_TERMS_MAX && t.store; r++) {
            t.term[r].column = t.store + r * (w + h);
            t.term[r].row = t.term[r].column + h;
        }
        bool better = t.store && sum_terms(k, o, allowed, rest, &t) &&
                      (!out->count || count_taps(&t) < count_taps(out));
        free(better ? out->store : t.store);
        if (better)
            *out = t;
    }
    free(rest);
    if (missing) {
        free(out->store);
        *out = (struct imf_terms){.missing = missing};
    }
    return out->count > 0;
}
