/*
 * kernel_rank.c - is a kernel the product of a column and a row?
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
 */
#include "kernel.h"

#include <math.h>
#include <string.h>

#define RANK_TOLERANCE 1e-13

struct pivot {
    int x, y;
    double tap;
    bool integer; /* every tap is an integer below 2^31 */
};

static const double *kernel_row(const struct imf_kernel *k, int y) {
    return k->taps + (size_t)y * (size_t)k->width;
}

static struct pivot find_pivot(const struct imf_kernel *k) {
    struct pivot p = {.integer = true};
    for (int y = 0; y < k->height; y++) {
        const double *taps = kernel_row(k, y);
        for (int x = 0; x < k->width; x++) {
            if (fabs(taps[x]) > fabs(p.tap))
                p = (struct pivot){x, y, taps[x], p.integer};
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

static bool separate_integer(const struct imf_kernel *k, struct pivot p, double *column,
                             double *row) {
    const double *pivot_row = kernel_row(k, p.y);
    int64_t tap = (int64_t)p.tap, divisor = 0;
    for (int y = 0; y < k->height; y++) {
        const double *taps = kernel_row(k, y);
        int64_t factor = (int64_t)taps[p.x];
        for (int x = 0; x < k->width; x++)
            if (tap * (int64_t)taps[x] != factor * (int64_t)pivot_row[x])
                return false;
    }
    for (int x = 0; x < k->width; x++)
        divisor = common_divisor(divisor, (int64_t)pivot_row[x]);
    for (int x = 0; x < k->width; x++)
        row[x] = (double)((int64_t)pivot_row[x] / divisor);
    for (int y = 0; y < k->height; y++)
        column[y] = (double)((int64_t)kernel_row(k, y)[p.x] / (int64_t)row[p.x]);
    return true;
}

/* Everything is divided by the pivot first, so that no square overflows. */
static bool separate_real(const struct imf_kernel *k, struct pivot p, double *column, double *row) {
    double row_square = 0, column_square = 0, error_square = 0;
    for (int x = 0; x < k->width; x++) {
        row[x] = kernel_row(k, p.y)[x] / p.tap;
        row_square += row[x] * row[x];
    }
    for (int y = 0; y < k->height; y++) {
        column[y] = kernel_row(k, y)[p.x] / p.tap;
        column_square += column[y] * column[y];
    }
    double allowed = RANK_TOLERANCE * RANK_TOLERANCE * row_square * column_square;
    for (int y = 0; y < k->height; y++) {
        const double *taps = kernel_row(k, y);
        for (int x = 0; x < k->width; x++) {
            double error = taps[x] / p.tap - column[y] * row[x];
            error_square += error * error;
        }
        if (error_square > allowed)
            return false;
    }
    /* Share the pivot's size, so that a kernel that equals its transpose has equal factors. */
    double root = sqrt(fabs(p.tap));
    for (int x = 0; x < k->width; x++)
        row[x] *= root;
    for (int y = 0; y < k->height; y++)
        column[y] *= copysign(root, p.tap);
    return true;
}

bool imf_kernel_separate(const struct imf_kernel *k, double *column, double *row) {
    struct pivot p = find_pivot(k);
    if (p.tap == 0) {
        memset(column, 0, (size_t)k->height * sizeof *column);
        memset(row, 0, (size_t)k->width * sizeof *row);
        return true;
    }
    return p.integer ? separate_integer(k, p, column, row) : separate_real(k, p, column, row);
}
