/*
 * walk.c - see walk.h
 *
 * Long walks read few rows in vain, short ones keep every unit busy. With few registers a sample
 * many groups share a unit, and it is enough that there are some for each. Where only four do, all
 * units work in waves of as many groups, a wave takes as long as a walk, and what counts is how
 * many rows are read one after the other: on an H200 a real 9x9 kernel takes 1.07 us for each of
 * them, be there one group a unit or four.
 */
#include "solver/walk.h"

#include <stdint.h>

/* Input rows that a work-item walks over at least, about, and work-groups that keep a unit busy. */
#define WALK 20
#define WASTED 0.1 /* of them, where there are enough, give nothing */
#define GROUPS_A_UNIT 16
#define RESIDENT 4

static int rows_of(int turns, int side) {
    return turns * side - (side - 1);
}

static int busy(int least, int side, int height, size_t groups, size_t units) {
    for (int turns = least;; turns++)
        if (side - 1 <= WASTED * rows_of(turns, side) ||
            groups * (size_t)(height / rows_of(turns + 1, side)) < GROUPS_A_UNIT * units)
            return rows_of(turns, side);
}

static int waves(int least, int side, int height, size_t groups, size_t units) {
    size_t best = SIZE_MAX;
    int found = least;
    for (int turns = least;; turns++) {
        int rows = rows_of(turns, side);
        size_t all = groups * (((size_t)height + (size_t)rows - 1) / (size_t)rows);
        size_t read = (all + RESIDENT * units - 1) / (RESIDENT * units) * (size_t)turns;
        if (read < best) {
            best = read;
            found = turns;
        }
        if (rows >= height)
            return rows_of(found, side);
    }
}

int imf_walk_rows(int side, int height, size_t groups, bool filled, const struct imf_device *d) {
    int least = (WALK + side - 1) / side;
    return (filled ? waves : busy)(least < 2 ? 2 : least, side, height, groups, d->compute_units);
}
