/*
 * curve.h - how samples stand for light, on 0..1: the sRGB curve (IEC 61966-2-1, NULL) or tables
 *
 * A table has the light of each 16-bit sample, and between them a curve is straight. It rises
 * everywhere, by IMF_CURVE_RISE at least, so that every light is that of one sample: a stretch in
 * which the source is flat, or starts like a power, comes back as it was.
 */
#ifndef IMF_BASE_IMAGE_CURVE_H
#define IMF_BASE_IMAGE_CURVE_H

#include "imfilter.h"

#define IMF_CURVE_POINTS 65536
#define IMF_CURVE_RISE 1e-4 /* least rise of light from the first sample to the last */

struct imf_curve;

/* Of 1 or 3 channels, to be filled, or of 0: sRGB's formula. NULL without memory. */
struct imf_curve *imf_curve_make(int channels);
double *imf_curve_points(struct imf_curve *curve, int channel); /* IMF_CURVE_POINTS of them */
/* Samples that are light. NULL without memory. */
struct imf_curve *imf_curve_make_light(void);
/* Make it rise, and note what is asked below; equal channels become one. false: it falls, or is
 * constant, and cannot be used. */
bool imf_curve_settle(struct imf_curve *curve);
/* Add a reference, which the new owner drops with imf_curve_free(); NULL for NULL. */
struct imf_curve *imf_curve_keep(struct imf_curve *curve);

/* The weights of red, green and blue in luminance: Rec. 709's unless they were set. */
void imf_curve_set_luma(struct imf_curve *curve, const double luma[3]);
const double *imf_curve_luma(const struct imf_curve *curve);

/* How many tables it has; 0: sRGB's formula. */
int imf_curve_tables(const struct imf_curve *curve);
/* The number of curves, 1 or 3, and the index of the curve of channel `color` of `colors`: gray
 * converted from RGB takes green's. */
int imf_curve_count(const struct imf_curve *curve);
int imf_curve_of(const struct imf_curve *curve, int color, int colors);
/* Value to light, and light to value. Beyond 0..1 a table clamps; sRGB's formula continues. */
double imf_curve_to_light(const struct imf_curve *curve, int which, double v);
double imf_curve_from_light(const struct imf_curve *curve, int which, double light);
/* The same of floats, for which the last lines of a table continue, too. */
double imf_curve_any_light(const struct imf_curve *curve, int which, double v);
double imf_curve_of_any_light(const struct imf_curve *curve, int which, double light);
const double *imf_curve_table(const struct imf_curve *curve, int which); /* not of sRGB's */

/* Are samples light already, and luma Rec. 709's? */
bool imf_curve_is_light(const struct imf_curve *curve);
/* Does it map 0 to 0 and 1 to 1? */
bool imf_curve_spans(const struct imf_curve *curve);
/* How the way back magnifies errors of light, at most, for results in bytes or in words: as they
 * are, and errors in proportion to the light. */
double imf_curve_steepest(const struct imf_curve *curve, bool bytes);
double imf_curve_log_slope(const struct imf_curve *curve, bool bytes);

#endif
