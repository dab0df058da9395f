/*
 * curve.h - how samples stand for light, on 0..1: the sRGB curve (IEC 61966-2-1, NULL) or tables
 *
 * A table has the light of each 16-bit sample, and between them a curve is straight. It rises
 * everywhere, by IMF_CURVE_RISE at least, so that every light is that of one sample: a stretch in
 * which the source is flat, or starts like a power, comes back as it was.
 */
#ifndef IMF_BASE_CURVE_H
#define IMF_BASE_CURVE_H

#include "imfilter.h"

#define IMF_CURVE_POINTS 65536
#define IMF_CURVE_RISE 1e-4 /* light from the first sample to the last, if no more */

struct imf_curve;

/* Of 1 or 3 channels, to be filled: NULL without memory. */
struct imf_curve *imf_curve_make(int channels);
double *imf_curve_points(struct imf_curve *curve, int channel); /* IMF_CURVE_POINTS of them */
/* Make it rise, and note what is asked below; equal channels become one. false: it falls, or is
 * constant, and cannot be used. */
bool imf_curve_settle(struct imf_curve *curve);
/* Another owner, who calls imf_curve_free(), too; NULL for NULL. */
struct imf_curve *imf_curve_keep(struct imf_curve *curve);

/* How many curves there are, 1 or 3, and which of them is that of a colour of so many: a gray that
 * was made of three has green's. */
int imf_curve_count(const struct imf_curve *curve);
int imf_curve_of(const struct imf_curve *curve, int color, int colors);
/* Light of the value, and the value of a light: beyond the ends those of the ends, but sRGB's formula
 * goes on. */
double imf_curve_to_light(const struct imf_curve *curve, int which, double v);
double imf_curve_from_light(const struct imf_curve *curve, int which, double light);
const double *imf_curve_table(const struct imf_curve *curve, int which); /* not of NULL */

/* From black to white: 0 and 1 stay what they are. */
bool imf_curve_spans(const struct imf_curve *curve);
/* How the way back magnifies errors of light, at most, for results in bytes or in words: as they
 * are, and errors in proportion to the light. */
double imf_curve_steepest(const struct imf_curve *curve, bool bytes);
double imf_curve_log_slope(const struct imf_curve *curve, bool bytes);

#endif
