/*
 * row_blocking.c - see row_blocking.h
 *
 * The first side - 1 input rows of a block give no output: high blocks waste less, low blocks give
 * more work-groups and keep every unit busy. If few registers are in use, many groups share a unit,
 * and some groups for each are enough. If sums fill the registers, four groups share a unit and the
 * device runs in waves. A wave takes as long as one block, so that the time is the number of rows
 * that are read one after the other: on an H200 a real 9x9 kernel takes 1.07 us for each, with one
 * group a unit or with four.
 */
#include "solver/common/row_blocking.h"

#include <stdint.h>

#define LEAST_ROWS 20     /* input rows of a block, about */
#define WASTED 0.1        /* share of a block's rows without output that is accepted */
#define GROUPS_A_UNIT 16  /* work-groups that keep a unit busy */
#define RESIDENT_GROUPS 4 /* of a unit when sums fill the registers */

/* Output rows of a block whose input rows are `rounds` times the kernel's rows. */
static int rows_of(int rounds, int side) {
    return rounds * side - (side - 1);
}

static int busy(int least, int side, int height, size_t groups, size_t units) {
    for (int rounds = least;; rounds++)
        if (side - 1 <= WASTED * rows_of(rounds, side) ||
            groups * (size_t)(height / rows_of(rounds + 1, side)) < GROUPS_A_UNIT * units)
            return rows_of(rounds, side);
}

static int waves(int least, int side, int height, size_t groups, size_t units) {
    size_t best = SIZE_MAX;
    int found = least;
    for (int rounds = least;; rounds++) {
        int rows = rows_of(rounds, side);
        size_t all = groups * (((size_t)height + (size_t)rows - 1) / (size_t)rows);
        size_t read =
            (all + RESIDENT_GROUPS * units - 1) / (RESIDENT_GROUPS * units) * (size_t)rounds;
        if (read < best) {
            best = read;
            found = rounds;
        }
        if (rows >= height)
            return rows_of(found, side);
    }
}

int imf_row_blocking(int side, int height, size_t groups, bool filled, const struct imf_device *d) {
    int least = (LEAST_ROWS + side - 1) / side;
    return (filled ? waves : busy)(least < 2 ? 2 : least, side, height, groups, d->compute_units);
}
