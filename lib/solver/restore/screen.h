/*
 * screen.h - what a pattern takes of a plane, where it is not waves of even amplitude, and where it is at all
 */
#ifndef IMF_SOLVER_RESTORE_SCREEN_H
#define IMF_SOLVER_RESTORE_SCREEN_H

#include "fourier/pattern.h"

/* Row y of the plane. Called from several threads. */
typedef void imf_screen_row(void *user, int y, double *row);

/* Add to `taken`, width x height, what is removed of a plane whose dots follow its tones. share: of a
 * tone's changes that are found around the first wave. On failure `taken` is undefined. */
enum imf_status imf_screen_take(float *taken, int width, int height,
                                const struct imf_pattern_wave *wave, int count, double share,
                                imf_screen_row *source, void *user, struct imf_pool *pool,
                                struct imf_error *err);
/* Bytes that this allocates; 0: a side is too long to transform. */
double imf_screen_bytes(int width, int height);

/* Where a pattern is: the energy of what it takes of a plane, in cells of half a period. */
struct imf_screen_area {
    int cell, across, down;
    double *energy; /* owned: of each cell, smoothed */
    double least;   /* where there is less, there is no pattern */
};

/* On failure nothing is owned. */
enum imf_status imf_screen_area_make(struct imf_screen_area *out, const float *taken, int width,
                                     int height, double period, struct imf_pool *pool,
                                     struct imf_error *err);
void imf_screen_area_free(struct imf_screen_area *p);
/* Reduce what is taken of row y to 0 where there is no pattern. */
void imf_screen_area_confine(const struct imf_screen_area *p, int y, float *row, int width);

#endif
