/*
 * blocks.c - sliding cosine transforms of a plane, on vectors
 *
 * A lane of a vector is a block, the next lane the block two pixels to the right: nothing crosses lanes. Even and odd
 * pixels of a row are taken apart first, so that loads are contiguous.
 *
 * Blocks share their rows: a row is transformed once and then used by the four blocks above each other that contain it.
 * Going back, the blocks' columns are added up while they are coefficients of rows, and transformed
 * once. Of a block's 32 transforms of eight samples 20 are left: two rows, eight columns, and the same back.
 *
 * Sums are made in the same order wherever a grid begins, so that results do not depend on tiles.
 */
#include "solver/denoise/blocks.h"

#include "base/clones.h"

#define HALF (IMF_BLOCK / IMF_BLOCKS_STEP) /* blocks that share a row, or a column */

static size_t padded(int across) {
    return (size_t)(across + IMF_LANES - 1) / IMF_LANES * IMF_LANES;
}

size_t imf_blocks_pitch(int across) {
    return 2 * (padded(across) + IMF_LANES);
}

/* Rings of eight rows of the image's and the first estimate's coefficients and of sums, each of eight coefficients;
 * a ring of weights; a row of each of the eight pixels of blocks; a row apart. */
size_t imf_blocks_scratch(int across) {
    return padded(across) * (3 * IMF_BLOCK_AREA + 2 * IMF_BLOCK) + 2 * (padded(across) + IMF_LANES);
}

struct work {
    const struct imf_blocks *b;
    size_t n; /* blocks of a row, padded */
    float *image, *first, *sum, *weight, *pixels, *apart;
};

static float *ring_row(const struct work *w, float *ring, int y) {
    return ring + (size_t)(y % IMF_BLOCK) * IMF_BLOCK * w->n;
}

/* The coefficients of blocks' row y. */
IMF_INLINE void forward_row(const struct work *w, float *to, const float *row) {
    size_t n = w->n, half = n + IMF_LANES;
    float *restrict even = w->apart, *restrict odd = w->apart + half;
    for (size_t i = 0; i < half; i++) {
        even[i] = row[2 * i];
        odd[i] = row[2 * i + 1];
    }
    for (size_t i = 0; i < n; i += IMF_LANES) {
        imf_lanes x[IMF_BLOCK];
        for (int k = 0; k < IMF_BLOCK; k++)
            x[k] = imf_lanes_load((k % 2 ? odd : even) + i + k / 2);
        imf_cosine(x);
        for (int k = 0; k < IMF_BLOCK; k++)
            imf_lanes_store(to + (size_t)k * n + i, x[k]);
    }
}

/* The coefficients c[v][u] of the blocks from lane i on whose first row is y. */
IMF_INLINE void forward_columns(const struct work *w, imf_lanes c[IMF_BLOCK][IMF_BLOCK],
                                float *ring, int y, size_t i) {
    for (int u = 0; u < IMF_BLOCK; u++) {
        imf_lanes x[IMF_BLOCK];
        for (int k = 0; k < IMF_BLOCK; k++)
            x[k] = imf_lanes_load(ring_row(w, ring, y + k) + (size_t)u * w->n + i);
        imf_cosine(x);
        for (int k = 0; k < IMF_BLOCK; k++)
            c[k][u] = x[k];
    }
}

/* Estimate blocks and add them to the sums. */
IMF_INLINE void estimate_blocks(const struct work *w, int y, size_t i, bool again) {
    imf_lanes c[IMF_BLOCK][IMF_BLOCK], first[IMF_BLOCK][IMF_BLOCK], weight = {0};
    const struct imf_shrink *shrink = &w->b->shrink;
    forward_columns(w, c, w->image, y, i);
    if (again)
        forward_columns(w, first, w->first, y, i);
    weight += 1; /* of the mean, which is kept */
    for (int k = 1; k < IMF_BLOCK_AREA; k++) {
        imf_lanes *x = &c[k / IMF_BLOCK][k % IMF_BLOCK];
        imf_lanes part = again ? imf_keep_wiener(first[k / IMF_BLOCK][k % IMF_BLOCK], shrink)
                               : imf_keep_large(*x, shrink);
        *x *= part;
        weight += part * part;
    }
    weight = 1 / weight;
    for (int u = 0; u < IMF_BLOCK; u++) {
        imf_lanes x[IMF_BLOCK];
        for (int k = 0; k < IMF_BLOCK; k++)
            x[k] = c[k][u] * weight;
        imf_cosine_back(x);
        for (int k = 0; k < IMF_BLOCK; k++) {
            float *sum = ring_row(w, w->sum, y + k) + (size_t)u * w->n + i;
            imf_lanes_store(sum, imf_lanes_load(sum) + x[k]);
        }
    }
    for (int k = 0; k < IMF_BLOCK; k++) {
        float *sum = w->weight + (size_t)((y + k) % IMF_BLOCK) * w->n + i;
        imf_lanes_store(sum, imf_lanes_load(sum) + weight);
    }
}

/* Row y of the estimate, which no later block covers, and clear its sums. */
IMF_INLINE void back_row(const struct work *w, float *restrict to, int y) {
    float *restrict sum = ring_row(w, w->sum, y), *restrict pixels = w->pixels;
    float *restrict weight = w->weight + (size_t)(y % IMF_BLOCK) * w->n;
    size_t n = w->n, end = (size_t)w->b->across;
    for (size_t i = 0; i < n; i += IMF_LANES) {
        imf_lanes x[IMF_BLOCK];
        for (int k = 0; k < IMF_BLOCK; k++)
            x[k] = imf_lanes_load(sum + (size_t)k * n + i);
        imf_cosine_back(x);
        for (int k = 0; k < IMF_BLOCK; k++)
            imf_lanes_store(pixels + (size_t)k * n + i, x[k]);
    }
    /* Pixels 2 i and 2 i + 1 of the row are the pixels 2 k and 2 k + 1 of block i - k. */
    for (size_t i = HALF - 1; i < end; i++) {
        float even = 0, odd = 0, all = 0;
        for (size_t k = 0; k < HALF; k++) {
            even += pixels[2 * k * n + i - k];
            odd += pixels[(2 * k + 1) * n + i - k];
            all += weight[i - k];
        }
        to[2 * i] = even / all;
        to[2 * i + 1] = odd / all;
    }
    memset(sum, 0, IMF_BLOCK * n * sizeof *sum);
    memset(weight, 0, n * sizeof *weight);
}

IMF_INLINE void estimate(const struct work *w, float *to, const float *image, const float *first,
                         bool again) {
    size_t pitch = w->b->pitch;
    int ready = 0;
    for (int y = 0; y < 2 * w->b->down; y += IMF_BLOCKS_STEP) {
        for (; ready < y + IMF_BLOCK; ready++) {
            forward_row(w, ring_row(w, w->image, ready), image + (size_t)ready * pitch);
            if (again)
                forward_row(w, ring_row(w, w->first, ready), first + (size_t)ready * pitch);
        }
        for (size_t i = 0; i < w->n; i += IMF_LANES)
            estimate_blocks(w, y, i, again);
        for (int k = 0; k < IMF_BLOCKS_STEP; k++)
            back_row(w, to + (size_t)(y + k) * pitch, y + k);
    }
}

IMF_CLONES static void blocks_first(const struct work *w, float *to, const float *image) {
    estimate(w, to, image, NULL, false);
}

IMF_CLONES static void blocks_again(const struct work *w, float *to, const float *image,
                                    const float *first) {
    estimate(w, to, image, first, true);
}

void imf_blocks_estimate(const struct imf_blocks *b, float *to, const float *image,
                         const float *first) {
    size_t n = padded(b->across);
    struct work w = {.b = b, .n = n, .image = b->scratch};
    w.first = w.image + IMF_BLOCK_AREA * n;
    w.sum = w.first + IMF_BLOCK_AREA * n;
    w.pixels = w.sum + IMF_BLOCK_AREA * n;
    w.weight = w.pixels + IMF_BLOCK * n;
    w.apart = w.weight + IMF_BLOCK * n;
    memset(w.sum, 0, IMF_BLOCK_AREA * n * sizeof *w.sum);
    memset(w.weight, 0, IMF_BLOCK * n * sizeof *w.weight);
    if (first)
        blocks_again(&w, to, image, first);
    else
        blocks_first(&w, to, image);
}
