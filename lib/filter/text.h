/*
 * text.h - what the spec and the .flt parser share: pieces of text, numbers, rows of coefficients
 *
 * Functions that return `const char *` return NULL when all is well, or else a phrase that follows
 * the quoted piece in a message: "is not a number".
 */
#ifndef IMF_FILTER_TEXT_H
#define IMF_FILTER_TEXT_H

#include "filter/kernel.h"

/* A piece of a longer text, not NUL-terminated. */
struct imf_span {
    const char *text;
    size_t length;
};

bool imf_span_is(struct imf_span s, const char *word);

/* 1-based column of `at` in the line that begins at `start`, counted in UTF-8 characters. */
size_t imf_text_column(const char *start, const char *at);

/* The span for a message: shortened, control characters as '?'. Returns buffer. */
#define IMF_QUOTE 64
const char *imf_text_quote(char buffer[IMF_QUOTE], struct imf_span s);

/* A finite decimal number, correctly rounded, '.' as decimal point whatever the locale. */
const char *imf_number_parse(struct imf_span s, double *out);

/* How a response is scaled: scale, bias and flip as text gives them. */
struct imf_tuning {
    bool scale_given, scale_auto, bias_given, flip;
    double scale, bias;
};
const char *imf_tuning_scale(struct imf_tuning *t, struct imf_span s);
const char *imf_tuning_bias(struct imf_tuning *t, struct imf_span s);
/* Put scale, bias and flip into a kernel that has neither. Returns a whole sentence on failure. */
const char *imf_tuning_apply(const struct imf_tuning *t, struct imf_kernel *k);

/* Rows of coefficients, as they are read. Zero-initialise; free with imf_rows_free. */
struct imf_rows {
    double *taps; /* owned */
    size_t count, capacity;
    size_t width, height; /* of the rows that are complete */
    size_t cells;         /* of the row being read */
};
/* Add one coefficient to the row being read. *memory is set when an allocation failed. */
const char *imf_rows_add(struct imf_rows *r, struct imf_span s, bool *memory);
/* End the row being read. On failure writes a whole sentence to why and returns false. */
#define IMF_ROWS_WHY 96
bool imf_rows_end(struct imf_rows *r, char why[IMF_ROWS_WHY]);
/* A kernel of the rows read (at least one). */
enum imf_status imf_rows_kernel(const struct imf_rows *r, struct imf_kernel **out,
                                struct imf_error *err);
void imf_rows_free(struct imf_rows *r);

/* Is this text a kernel as ImageMagick or MATLAB write it? Then a phrase says how it is written
 * here. s may hold colons. */
#define IMF_FOREIGN_WHY 280
bool imf_foreign_matrix(struct imf_span s, char why[IMF_FOREIGN_WHY]);
/* May the first of the rows be a vips matrix's line of width, height, scale and offset? */
bool imf_foreign_header(const struct imf_rows *r);

#endif
