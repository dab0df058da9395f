/* pattern_util.h - for tests of periodic patterns: planes with and without waves */
#ifndef PATTERN_UTIL_H
#define PATTERN_UTIL_H

#include "noise.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* Nearly normal, of variance 1. */
static double normal(void) {
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (noise() % 65536 + 0.5) / 65536;
    return sum - 6;
}

struct image {
    int width, height, channels;
    double *v;
};

static struct image image_of(int width, int height) {
    struct image image = {width, height, 1, calloc((size_t)width * (size_t)height, sizeof(double))};
    if (!image.v)
        abort();
    return image;
}

static void add_wave(struct image *image, double u, double v, double amplitude) {
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++)
            image->v[y * image->width + x] += amplitude * cos(2 * PI * (u * x + v * y) + 0.7);
}

#endif
