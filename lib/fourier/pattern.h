/*
 * pattern.h - periodic patterns of an image or of a part: screens, moire, interference (no OpenCL)
 *
 * The quarters of the image, and of windows of it, are transformed apart. A wave belongs to a pattern if it stands out in three
 * of them and continues from one to the next.
 */
#ifndef IMF_FOURIER_PATTERN_H
#define IMF_FOURIER_PATTERN_H

#include "base/thread_pool.h"

#define IMF_PATTERN_WAVES 64 /* at most, the strongest ones */
#define IMF_PATTERN_CHANNELS 4
#define IMF_PATTERN_RINGS 64       /* of frequencies, from 0 to the corner of the plane */
#define IMF_PATTERN_DIRECTIONS 180 /* of half a turn */
#define IMF_PATTERN_APART 0.02     /* cycles per pixel: waves that are nearer are one that varies */

struct imf_pattern_wave {
    double u, v;      /* cycles per pixel, u >= 0; where u is 0, v > 0 */
    double amplitude; /* on the scale of the samples, the largest of any channel's; 0: a harmonic */
    double in[IMF_PATTERN_CHANNELS]; /* each channel's; 0: it does not stand out there */
};

/* The variance of a sample of white noise that is as strong as the picture is at a frequency: that of
 * its ring, times the excess of its direction, >= 1. */
struct imf_pattern_noise {
    double ring[IMF_PATTERN_RINGS], excess[IMF_PATTERN_DIRECTIONS];
};

struct imf_pattern {
    int count; /* of waves, the strongest first */
    struct imf_pattern_wave wave[IMF_PATTERN_WAVES];
    struct imf_pattern_noise noise[IMF_PATTERN_CHANNELS];
};

/* Samples x..x + count - 1 of row y of a channel. Called from several threads. */
typedef void imf_pattern_row(void *user, int channel, int y, int x, double *row, int count);

/* Planes, IMF_PATTERN_CHANNELS at most. */
struct imf_pattern_source {
    int width, height, channels;
    double full; /* samples go to this */
    imf_pattern_row *row;
    void *user;
};

/* Find the pattern of planes, on the threads of `pool` (NULL: of one made for the call). Too small an image has
 * none. */
enum imf_status imf_pattern_find(struct imf_pattern *out, const struct imf_pattern_source *source,
                                 struct imf_pool *pool, struct imf_error *err);
/* Bytes that this allocates, for a proposal. */
double imf_pattern_bytes(int width, int height);
/* Side of the windows that are searched beside the whole image, and how many there are along an axis;
 * 1: the whole axis. */
int imf_pattern_window(int size);
int imf_pattern_windows(int size);
/* Length of a quarter's transform along an axis of `size` samples; 0: the image has no pattern. */
int imf_pattern_quarter(int size);

/* Put each wave's harmonics behind it, as far as there is room: sums of up to 4 of it and of the
 * wave of about its length that is about perpendicular to it, which a screen of dots has. */
void imf_pattern_add_harmonics(struct imf_pattern *p);

double imf_pattern_noise_at(const struct imf_pattern_noise *noise,
                            const struct imf_pattern_wave *w);
/* A wave's values are real: both frequencies are 0 or 1/2. */
bool imf_pattern_is_real(const struct imf_pattern_wave *w);

/* For pattern.c: add waves of the peaks of a window's channels, in any order, which it sorts; step: of
 * frequencies. */
void imf_pattern_join(struct imf_pattern *out, struct imf_pattern_wave *peaks, size_t count,
                      double step);
/* Whether a wave may be the picture's own rows. */
bool imf_pattern_are_rows(double u, double v, double step);

#endif
