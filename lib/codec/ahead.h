/* ahead.h - rows that a reader decodes before it is asked for them */
#ifndef IMF_CODEC_AHEAD_H
#define IMF_CODEC_AHEAD_H

#include "base/error.h"

struct imf_ahead;

/* Let the thread end, and copy up to `rows` rows of what it decoded; *got says how many. Fails as it
 * did once its rows are gone. */
enum imf_status imf_ahead_rows(struct imf_ahead *ahead, unsigned char *dst, size_t stride, int rows,
                               int *got, struct imf_error *err);
/* Milliseconds that it was at work, once it has ended; 0 of NULL. */
double imf_ahead_ms(const struct imf_ahead *ahead);
void imf_ahead_close(struct imf_ahead **ahead);

#endif
