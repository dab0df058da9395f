/* sorted_regions.h - ranks of any samples in any element, region by region (solver/rank/vector.c) */
#ifndef IMF_SOLVER_RANK_SORTED_REGIONS_H
#define IMF_SOLVER_RANK_SORTED_REGIONS_H

#include "solver/common/window.h"
#include "solver/strips.h"

struct imf_regions {
    enum imf_sample sample;     /* not, in a rectangle, IMF_U8 */
    const struct imf_run *runs; /* borrowed */
    int run_count, count, rank;
    int width, height; /* of the runs' bounding box */
    bool box;
};

/* Nanoseconds of a core for a sample of rows of so many pixels. */
double imf_regions_price(const struct imf_regions *r, int pixels);

/* Pixels of a strip, at most; rows that it should have. */
int imf_regions_strip(const struct imf_regions *r);
int imf_regions_rows(int height);

/* Bytes to work in for a strip of so many pixels, aligned to 64; imf_regions_run() takes any. */
size_t imf_regions_bytes(const struct imf_regions *r, int channels, int pixels);
void imf_regions_run(const struct imf_regions *r, const struct imf_piece *strip, void *store);

#endif
