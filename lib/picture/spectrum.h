/*
 * spectrum.h - power spectra of images, as numbers
 *
 * Powers are relative to a cosine that spans black to white.
 */
#ifndef IMF_PICTURE_SPECTRUM_H
#define IMF_PICTURE_SPECTRUM_H

#include "base/error.h"
#include "fourier/half_plane.h"
#include "imfilter_program.h"

#define IMF_RINGS 128 /* rings of equal width from frequency 0 to 0.5 */

struct imf_spectrum {
    int side;      /* even; the frequency (k - side / 2) / side is at k, in both directions */
    double *power; /* owned: side rows (v) of side (u) */
    double ring[IMF_RINGS]; /* mean over frequencies of about the same magnitude */
    struct imf_peaks peaks;
};

/* The spectrum of luma, averaged down to at most `most` (>= 256, even) values each way. */
enum imf_status imf_spectrum_make(struct imf_spectrum *out, const struct imf_pixels *pixels,
                                  int most, struct imf_error *err);
void imf_spectrum_free(struct imf_spectrum *s);

/* Find the peaks of the transform of a width x height image under a Hann window. The transform is
 * at least as large as the image; unit times a squared magnitude is a power. */
enum imf_status imf_spectrum_peaks(struct imf_peaks *out, const struct imf_half_plane *plane,
                                   int width, int height, double unit, struct imf_error *err);

#endif
