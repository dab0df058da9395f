/*
 * foreign.h - kernels as other programs write them
 */
#ifndef IMF_FILTER_FLT_FOREIGN_H
#define IMF_FILTER_FLT_FOREIGN_H

#include "filter/flt/coefficients.h"

/* Is this text a kernel in the syntax of ImageMagick, MATLAB or NumPy? Then `why` says how it is
 * written here, as a phrase that follows the quoted text. s may contain colons. */
#define IMF_FOREIGN_WHY 280
bool imf_foreign_matrix(struct imf_span s, char why[IMF_FOREIGN_WHY]);
/* The same of a kernel given instead of a filter's name. */
bool imf_foreign_bare(const char *name, char why[IMF_FOREIGN_WHY]);

/* May the first of the rows be a vips matrix's line of width, height, scale and offset? */
bool imf_foreign_header(const struct imf_rows *r);

#endif
