/* grid.h - the cases of the grid, and what its program and its chart share */
#ifndef BENCH_GRID_H
#define BENCH_GRID_H

#include "imfilter.h"

enum { DIRECT, SEPARABLE, FFT, WAYS };
enum family { NEITHER, LOW_RANK, ONE_PRODUCT, FAMILIES };

struct grid_filter {
    int size; /* taps a side */
    enum family family;
    bool charted;
    const char *name, *spec; /* spec NULL: a kernel of `size` without structure */
};

struct grid_size {
    const char *name;
    int width, height;
};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const struct grid_size sizes[] = {{"256x256", 256, 256},
                                         {"640x480", 640, 480},
                                         {"2 MP", 1920, 1080},
                                         {"12 MP", 4000, 3000},
                                         {"24 MP", 6000, 4000}};

static const struct grid_filter filters[] = {
    {3, NEITHER, false, "sharpen", "sharpen"},
    {3, NEITHER, false, "sobel", "sobel"},
    {5, NEITHER, false, "unstructured 5x5", NULL},
    {9, NEITHER, false, "unstructured 9x9", NULL},
    {15, NEITHER, false, "unstructured 15x15", NULL},
    {31, NEITHER, false, "motion:31:30", "motion:31:30"},
    {3, NEITHER, true, "disk:1", "disk:1"},
    {5, NEITHER, true, "disk:2", "disk:2"},
    {7, NEITHER, true, "disk:3", "disk:3"},
    {9, NEITHER, true, "disk:4", "disk:4"},
    {11, NEITHER, true, "disk:5", "disk:5"},
    {15, NEITHER, true, "disk:7", "disk:7"},
    {21, NEITHER, true, "disk:10", "disk:10"},
    {33, NEITHER, true, "disk:16", "disk:16"},
    {49, NEITHER, true, "disk:24", "disk:24"},
    {101, NEITHER, true, "disk:50", "disk:50"},
    {201, NEITHER, true, "disk:100", "disk:100"},
    {9, LOW_RANK, true, "unsharp", "unsharp"},
    {17, LOW_RANK, true, "unsharp:sigma=2", "unsharp:sigma=2"},
    {33, LOW_RANK, true, "unsharp:sigma=4", "unsharp:sigma=4"},
    {49, LOW_RANK, true, "dog:3:6", "dog:3:6"},
    {81, LOW_RANK, true, "log:10", "log:10"},
    {201, LOW_RANK, true, "unsharp:sigma=25", "unsharp:sigma=25"},
    {3, ONE_PRODUCT, true, "box:3", "box:3"},
    {31, ONE_PRODUCT, false, "box:31", "box:31"},
    {9, ONE_PRODUCT, true, "blur:1", "blur:1"},
    {17, ONE_PRODUCT, true, "blur:2", "blur:2"},
    {25, ONE_PRODUCT, true, "blur:3", "blur:3"},
    {33, ONE_PRODUCT, true, "blur:4", "blur:4"},
    {49, ONE_PRODUCT, true, "blur:6", "blur:6"},
    {81, ONE_PRODUCT, true, "blur:10", "blur:10"},
    {129, ONE_PRODUCT, true, "blur:16", "blur:16"},
    {201, ONE_PRODUCT, true, "blur:25", "blur:25"},
};

/* What was measured of a filter on an image. */
struct grid_result {
    bool done;
    int filter, size, channels, depth;
    double estimate[WAYS], ms[WAYS]; /* 0: cannot, or was not measured */
    double chosen_ms;
    int best, chosen; /* WAYS: a mixture */
    char algorithm[128];
};

#endif
