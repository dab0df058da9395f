/*
 * coefficients.h - a kernel from rows of coefficients as text
 */
#ifndef IMF_FILTER_FLT_COEFFICIENTS_H
#define IMF_FILTER_FLT_COEFFICIENTS_H

#include "base/number.h"
#include "filter/kernel/taps.h"

/* The rows read so far. Zero-initialise; free with imf_rows_free. */
struct imf_rows {
    double *taps; /* owned */
    size_t count, capacity;
    size_t width, height; /* of the rows that are complete */
    size_t cells;         /* of the row being read */
    bool fractions;       /* they may be percentages */
};

/* Add one coefficient to the row being read. Returns NULL, or else a phrase that follows the quoted
 * piece in a message; *memory is set when an allocation failed. */
const char *imf_rows_add(struct imf_rows *r, struct imf_span s, bool *memory);

/* End the row being read. On failure writes a whole sentence to why and returns false. */
#define IMF_ROWS_WHY 96
bool imf_rows_end(struct imf_rows *r, char why[IMF_ROWS_WHY]);

/* A kernel of the rows read (at least one). */
enum imf_status imf_rows_kernel(const struct imf_rows *r, struct imf_kernel **out,
                                struct imf_error *err);
void imf_rows_free(struct imf_rows *r);

#endif
