/*
 * number.h - pieces of text, and decimal numbers in them
 */
#ifndef IMF_BASE_NUMBER_H
#define IMF_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* A piece of a longer text, not NUL-terminated. */
struct imf_span {
    const char *text;
    size_t length;
};

bool imf_span_is(struct imf_span s, const char *word);

/* 1-based column of `at` in the line that begins at `start`, counted in UTF-8 characters. */
size_t imf_span_column(const char *start, const char *at);

/* The span for a message: shortened, control characters as '?'. Returns buffer. */
#define IMF_QUOTE 64
const char *imf_span_quote(char buffer[IMF_QUOTE], struct imf_span s);

/* A finite decimal number, correctly rounded, '.' as decimal point whatever the locale. Returns
 * NULL, or else a phrase that follows the quoted piece in a message: "is not a number". */
const char *imf_number_parse(struct imf_span s, double *out);

/* The same, or a percentage: "5%" is 0.05. */
const char *imf_fraction_parse(struct imf_span s, double *out);

#endif
