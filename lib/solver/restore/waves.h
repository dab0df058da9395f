/*
 * waves.h - waves whose amplitudes vary slowly, fitted to a plane by least squares
 *
 * A plane's rows are worked on eight at a time, one in each element of a vector.
 */
#ifndef IMF_SOLVER_RESTORE_WAVES_H
#define IMF_SOLVER_RESTORE_WAVES_H

#include "fourier/pattern.h"
#include "solver/restore/waves_axis.h"

#define IMF_WAVES_ROWS 8

/* A column of eight rows. */
typedef double imf_wave_rows __attribute__((vector_size(8 * IMF_WAVES_ROWS)));

struct imf_waves {
    struct imf_wave_axis x, y;
    int count;                           /* of waves; none are kept until one is chosen */
    const struct imf_pattern_wave *wave; /* borrowed */
    int kept, index[IMF_PATTERN_WAVES];  /* those that are subtracted */
    double *phase;   /* owned: of each wave, for each column, exp(-2 pi i u x) */
    double *sums;    /* owned: of each wave, for each node, a complex number, later its amplitude */
    double *scratch; /* owned */
    double even, varying; /* energy that those kept explain with one amplitude each, and with the
                             finest nodes beyond that */
};

/* Waves on nodes that are `spacing` samples apart, a multiple of IMF_WAVES_ROWS. On failure nothing is
 * owned. */
enum imf_status imf_waves_open(struct imf_waves *out, int width, int height, int spacing,
                               const struct imf_pattern_wave *wave, int count,
                               struct imf_error *err);
void imf_waves_free(struct imf_waves *w);
/* Bytes that this allocates. */
double imf_waves_bytes(int width, int height, int spacing, int count);
/* Elements of scratch memory for each thread that adds or subtracts, for nodes so far apart. */
size_t imf_waves_work(int width, int spacing);

/* Add a cell of rows, which begins with row `cell` * spacing - y.start of the plane, to the sums; `rows`
 * holds spacing / IMF_WAVES_ROWS groups of `width` columns, 0 outside the plane. Cells
 * next to each other share sums: threads take every other one. */
void imf_waves_add(struct imf_waves *w, int cell, const imf_wave_rows *rows, imf_wave_rows *work);
/* Once all cells are added: fit each amplitude, over as far as leaves the least error if the picture
 * itself has the variance `noise` there, times `caution`. Waves that explain no more than the picture
 * would are not kept. noise NULL: all are kept, as they are. Not for several threads. */
void imf_waves_fit(struct imf_waves *w, const double *noise, double caution);
/* Subtract the waves that are kept from the eight rows that begin with row y. */
void imf_waves_subtract(const struct imf_waves *w, int y, imf_wave_rows *rows, imf_wave_rows *work);

#endif
