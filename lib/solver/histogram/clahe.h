/*
 * clahe.h - contrast-limited adaptive histogram equalization: its tiles, maps and colours
 *
 * K. Zuiderveld, "Contrast limited adaptive histogram equalization", Graphics Gems IV, 1994, in the
 * integers and floats of OpenCV's createCLAHE(), whose bytes it gives for gray:
 *
 * 1. The image is cut into tiles of equal size. Unless their numbers divide its width and height, each
 *    tile gets one column and one row more than whole ones would have, and the image is continued at
 *    its end by mirroring, without repeating the last sample.
 * 2. A tile's samples are counted in 256 bins: those of 8 bits by value, those of 16 bits by the nearest
 *    multiple of 257, so that a limit means the same at both depths. (OpenCV has 65,536 bins at 16 bits: nearly
 *    all of a tile's pixels are alone in theirs, and no limit cuts any.) Counts above `limit` times the mean
 *    count, rounded down but 1 at least, are cut, and what was cut is dealt out evenly: the same to all, and
 *    one more to bins at equal distances from 0 on. The cumulative count times full scale over the tile's
 *    pixels is what the tile's map makes of a bin's centre, rounded to nearest, ties to even. Between two
 *    centres the map is a straight line, rounded to nearest.
 *    Where pixels are weighed by alpha, those under alpha 0 are not counted, and the counts of the others are
 *    magnified to the tile's pixels first, cumulative ones rounded down, so that a limit means the same; a tile
 *    with none has the same count in all bins.
 * 3. A sample becomes the bilinear mean of what the maps of the four nearest tiles make of it, by the
 *    distances from their centres; likewise rounded.
 *
 * Of colours the luma, rounded to a sample, is counted and mapped, and its change is added to all of them.
 * Where one would leave the range, the differences from luma shrink by what makes it fit: the luma is
 * the new one, and the hue stays.
 */
#ifndef IMF_SOLVER_HISTOGRAM_CLAHE_H
#define IMF_SOLVER_HISTOGRAM_CLAHE_H

#include "solver/solver.h"

#define IMF_CLAHE_STEP 257 /* 16-bit samples have so many times the value of the same in 8 bits */

struct imf_clahe_grid {
    int across, down;  /* numbers of tiles */
    int width, height; /* of a tile */
    int full;          /* largest value */
    int bins, step;    /* bins of a tile; values from one to the next, 1 or IMF_CLAHE_STEP */
    int clip;          /* largest count; 0: there is no limit */
    float scale;       /* of a cumulative count */
};

void imf_clahe_grid_make(struct imf_clahe_grid *g, const struct imf_problem *p);

/* ---- what the solvers share: `own` begins with the grid ---- */

/* Buffers, on the device or in the host's memory: the 32-bit counts of each tile's bins, and the 16-bit samples
 * of its map. */
enum { IMF_CLAHE_COUNTS, IMF_CLAHE_MAPS, IMF_CLAHE_BUFFERS };
bool imf_clahe_sizes(const struct imf_problem *p, const void *shape, size_t bytes[]);
enum imf_status imf_clahe_prepare(struct imf_job *job, struct imf_error *err);
/* Make the grid and accept the problem, or refuse. The caller sets the time. */
bool imf_clahe_accept(struct imf_proposal *out, const struct imf_problem *p,
                      struct imf_clahe_grid *g);
/* The map of the tile in this column and row, on the host. */
static inline uint16_t *imf_clahe_map_of(const struct imf_job *job, int column, int row) {
    const struct imf_clahe_grid *g = job->own;
    return (uint16_t *)job->memory[IMF_CLAHE_MAPS] +
           (size_t)(row * g->across + column) * (size_t)g->bins;
}
/* Bytes of all maps. */
double imf_clahe_map_bytes(const struct imf_clahe_grid *g);

/* Make a tile's map of its counts, which are overwritten; they may be of a part of its pixels. */
void imf_clahe_map(const struct imf_clahe_grid *g, uint32_t *counts, uint16_t *map);

/* The bin that a value is counted in: that of the nearest centre. */
static inline int imf_clahe_bin(int v, int step) {
    return (v + step / 2) / step;
}

/* What a map makes of a value `rest` behind a bin's centre, of what it makes of that one and the next. */
static inline int imf_clahe_between(int below, int above, int rest, int step) {
    return (below * (step - rest) + above * rest + step / 2) / step;
}

/* Where coordinate i lies between the centres of tiles of so many pixels. */
struct imf_clahe_place {
    int before, behind; /* the tiles */
    float weight;       /* of the latter */
};
struct imf_clahe_place imf_clahe_place(int i, int size, int tiles);

/* A coordinate of the image (0..n-1) counted from where tiles begin; first: 1, or -1 for its end. */
static inline int imf_clahe_from(int i, int n, int first) {
    return first > 0 ? i : n - 1 - i;
}

/* The mean of what the maps above, before and behind, and those below make of a sample: first along
 * the rows of the upright picture. */
static inline int imf_clahe_mix(const float v[4], float x, float y, bool turned, int full) {
    float first = turned ? y : x, second = turned ? x : y;
    float near = v[0] * (1 - first) + v[turned ? 2 : 1] * first;
    float far = v[turned ? 1 : 2] * (1 - first) + v[3] * first;
    float mean = near * (1 - second) + far * second;
    mean = mean < (float)full ? mean : (float)full;
    return (int)(mean + 0x1.8p23f - 0x1.8p23f); /* floats of that size have no fraction */
}

/* Rec. 709 luma, rounded to nearest, halves up. */
static inline int imf_clahe_luma(int r, int g, int b) {
    return (2126 * r + 7152 * g + 722 * b + 5000) / 10000;
}

/* By how much differences from luma shrink, over / under, so that those from -below to above stay in
 * range when the luma becomes `to`. */
static inline void imf_clahe_shrink(int above, int below, int to, int full, int64_t *over,
                                    int64_t *under) {
    int64_t up = full - to, down = to;
    bool high = up * below < down * above;
    *over = high ? up : down;
    *under = high ? above : below;
    if (*over >= *under)
        *over = *under = 1;
}

/* The new colour of one that is off luma by `off`, rounded to nearest, halves up. */
static inline int imf_clahe_color(int off, int to, int64_t over, int64_t under) {
    return (int)((2 * (to * under + off * over) + under) / (2 * under));
}

#endif
