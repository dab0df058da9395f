/*
 * test_row_blocking.c - rows that a work-item of direct_gpu computes (solver/common/row_blocking.h)
 */
#include "check.h"
#include "solver/common/row_blocking.h"

static const struct imf_device h200 = {.gpu = true, .compute_units = 132};

/* Rows read one after the other, as the header of row_blocking.c has them. */
static size_t read_rows(int rows, int side, int height, size_t groups) {
    size_t all = groups * (size_t)((height + rows - 1) / rows);
    return (all + 4 * 132 - 1) / (4 * 132) * (size_t)(rows + side - 1);
}

static void test_model(int side, int height, size_t groups) {
    int rows = imf_row_blocking(side, height, groups, true, &h200);
    int plain = imf_row_blocking(side, height, groups, false, &h200);
    size_t read = read_rows(rows, side, height, groups);
    CHECK((rows + side - 1) % side == 0 && rows >= 1 && rows + side - 1 >= 20, "side %d: %d rows",
          side, rows);
    CHECK((plain + side - 1) % side == 0 && plain >= 1, "side %d: %d rows", side, plain);
    /* None is better, nor a shorter one as good. */
    int least = (20 + side - 1) / side;
    for (int rounds = least < 2 ? 2 : least; rounds < 40; rounds++) {
        int block = rounds * side - side + 1;
        size_t other = read_rows(block, side, height, groups);
        CHECK(read + (block < rows) <= other,
              "side %d, height %d, %zu groups: %d rows read %zu, %d rounds %zu", side, height,
              groups, rows, read, rounds, other);
    }
}

int main(void) {
    /* 4096x3072 RGB by groups of 64 work-items of 8 samples. As timed: 28 rows took 0.236 ms, 172
     * rows 0.193 and 145, one wave and the least that the model knows, 0.172. */
    int rows = imf_row_blocking(9, 3072, 24, false, &h200);
    CHECK(rows == 28, "%d", rows);
    rows = imf_row_blocking(3, 3072, 24, false, &h200);
    CHECK(rows == 22, "%d", rows);
    rows = imf_row_blocking(9, 3072, 24, true, &h200);
    CHECK(rows == 145, "%d", rows);
    /* A small image keeps the lowest block. */
    rows = imf_row_blocking(9, 768, 6, true, &h200);
    CHECK(rows == 19, "%d", rows);
    for (int side = 1; side <= 63; side += 2)
        for (int height = 1; height < 9000; height = height * 3 / 2 + 1)
            for (size_t groups = 1; groups < 80; groups += 13)
                test_model(side, height, groups);
    return check_done("test_row_blocking");
}
