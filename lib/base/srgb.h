/* srgb.h - the sRGB curve (IEC 61966-2-1) on 0..1, extended over all reals */
#ifndef IMF_BASE_SRGB_H
#define IMF_BASE_SRGB_H

double imf_srgb_to_linear(double v);
double imf_srgb_from_linear(double v);

#endif
