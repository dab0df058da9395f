/*
 * tuning.c - the table of devices' shapes and rates
 *
 * CPU: measured with PoCL 3.1 on two cores of a shared AMD EPYC (Zen 3, AVX2), CPU time for 36
 * million 8-bit samples (4000x3000 RGB) over two:
 *
 *   sharpen 3x3 (16-bit) 2.1 ms; Sobel magnitude 8.8; copy of the pixels 1.9
 *   disk 5x5 15 ms, 7x7 25, 9x9 38, 11x11 47 (15, 26, 39, 55 products and 3 to 6 operands a sample)
 *   disk 31x31 of 1000x750 with taps in memory 29 ms (961 products)
 *   separable, real: 9 + 9 taps 12.0 ms, 17 + 17 19.6, 41 + 41 45.5
 *   sums of products: 9 + 9 and a single tap 14.7 ms, 25 + 25 and a single tap 31.2, 17 + 17 and
 *   9 + 9 33.5, twice 21 + 21 60
 *   separable, 16-bit with a division: 3 + 3 13.5 ms, 5 + 5 14.4, 7 + 7 15.8
 *
 * Vectors are of 16 samples, two AVX2 registers of floats: wider strips halve the loads a product,
 * and 8 take over where the sums of 16 would not fit the 16 registers. A walk over h^2 output rows
 * of a kernel h rows high spends 1/h of its time on rows that its neighbour also reads; low kernels
 * are bound by memory and prefer short walks, which meet cache lines while they are warm.
 *
 * Bands: ms for 12 megapixels by megabytes between passes, on an AMD EPYC with 32 MB of last-level
 * cache, two cores; the last column is one band, of 144 MB a surface:
 *
 *                                  4     8    12    16    24    32    64   all
 *   --linear blur:2             48.0  45.6  45.3  44.0  44.1  45.5  46.9  46.6
 *   --linear unsharp:sigma=2    53.1  49.5  49.4  48.8  48.1  50.0  51.2  51.1
 *   blur:2, sobel               82.2  81.8  81.6  82.7  83.0  83.2  83.6  83.2
 *
 * GPU: measured on an NVIDIA H200 (132 units) for 4096x3072 RGB: sharpen 0.084 ms, Sobel magnitude
 * 0.10, disks 5x5 0.090 ms, 7x7 0.110, 11x11 0.177, 15x15 0.289; 31x31 with taps in memory 7.5;
 * separable 9 + 9 taps 0.50 ms, 17 + 17 0.56, 41 + 41 0.76. One sample a work-item, for neighbours'
 * loads join in one transaction whatever their alignment, while a vector at an odd address would be
 * split into bytes.
 */
#include "device/tuning.h"

#include <math.h>

static const struct imf_tuning table[] = {
    {.name = "CPU",
     .vec = {16, 16, 16, 8},
     .separable_vec = {16, 8, 8, 4},
     .registers = 6,
     .group = 64,
     .least_rows = 8,
     .rows = 512,
     .two_passes = false,
     .groups_per_unit = 4,
     .band_bytes = (size_t)16 << 20,
     .product = {100, 27, 10, 5},
     .operand = {40, 10, 10, 5},
     .row_product = {70, 33, 10, 4},
     .column_product = {90, 36, 10, 5},
     .term = 7,
     .term_product = 1.4,
     .middle = 1.5,
     .loop_product = 32,
     .finish = 20,
     .divide = 2,
     .root = 3,
     .bandwidth = 36,
     .launch_ms = 0.03,
     .driver_bytes = 73e6},
    {.name = "GPU",
     .vec = {1, 1, 1, 1},
     .separable_vec = {1, 1, 1, 1},
     .registers = 64,
     .group = 64,
     .least_rows = 8,
     .rows = 32,
     .two_passes = true,
     .groups_per_unit = 32,
     .band_bytes = 0,
     .product = {220, 220, 110, 5},
     .operand = {16, 16, 16, 3},
     .row_product = {53, 53, 30, 3},
     .column_product = {53, 53, 30, 3},
     .term = 7,
     .term_product = 1.4,
     .middle = 0.7,
     .loop_product = 36,
     .finish = 12,
     .divide = 5,
     .root = 16,
     .bandwidth = 2500,
     .launch_ms = 0.01,
     .driver_bytes = 200e6},
};

const struct imf_tuning *imf_tuning(const struct imf_device *d) {
    return &table[d->gpu];
}

size_t imf_tuning_group(const struct imf_device *d) {
    size_t group = (size_t)imf_tuning(d)->group;
    return group < d->max_group ? group : d->max_group;
}

int imf_tuning_vec(const struct imf_tuning *t, enum imf_width width, int sums) {
    int vec = t->vec[width];
    return sums > t->registers && width != IMF_WIDTH_16 && vec > 1 ? vec / 2 : vec;
}

int imf_tuning_rows(const struct imf_tuning *t, const struct imf_device *d, size_t groups,
                    int height, int reach) {
    double wanted = t->groups_per_unit * d->compute_units / (double)groups; /* top to bottom */
    double rows = wanted <= 1 ? height : height / wanted;
    rows = fmax(rows, reach); /* shorter walks spend most of their time on shared rows */
    rows = fmin(rows, fmax(t->least_rows, (double)reach * reach));
    return (int)fmax(1, fmin(rows, t->rows));
}

size_t imf_tuning_band_bytes(const struct imf_device *d) {
    size_t bytes = imf_tuning(d)->band_bytes;
    uint64_t most = d->max_alloc < d->global_memory / 4 ? d->max_alloc : d->global_memory / 4;
    return bytes && bytes < most ? bytes : (size_t)most;
}
