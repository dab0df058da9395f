/*
 * number.c - decimal numbers from text
 *
 * The C library's strtod follows the process's locale and takes "nan", "inf", hexadecimal and
 * leading blanks; filters take none of that. So the grammar is checked here,
 *     [+-] digits [. digits] [e [+-] digits]     with at least one digit beside the exponent,
 * and the value is found in one of two ways, both correctly rounded:
 *   - at most 2^53 as digits and a power of ten up to 10^22: both are exact doubles, so their one
 *     product or quotient rounds once (Clinger, How to Read Floating Point Numbers Accurately,
 *     1990). That covers what people write, and makes large kernel files quick to read;
 *   - anything else: strtod_l in the "C" locale.
 */
#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_LONGEST 1200 /* characters; a double never needs more than 1100 to be exact */

/* The digits of a number as an integer times a power of ten. */
struct decimal {
    uint64_t digits;
    bool inexact; /* more digits than fit */
    int power;
    bool negative;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void add_digit(struct decimal *d, char c) {
    if (d->digits < UINT64_C(900000000000000000))
        d->digits = d->digits * 10 + (uint64_t)(c - '0');
    else
        d->inexact = true;
}

/* Check the grammar; false when s is not a number. */
static bool scan(struct imf_span s, struct decimal *d) {
    const char *p = s.text, *end = s.text + s.length;
    size_t digits = 0;
    *d = (struct decimal){0};
    if (p < end && (*p == '+' || *p == '-'))
        d->negative = *p++ == '-';
    for (; p < end && is_digit(*p); p++, digits++)
        add_digit(d, *p);
    if (p < end && *p == '.')
        for (p++; p < end && is_digit(*p); p++, digits++) {
            add_digit(d, *p);
            d->power--;
        }
    if (digits == 0)
        return false;
    if (p < end && (*p == 'e' || *p == 'E')) {
        int exponent = 0;
        bool negative = false;
        if (++p < end && (*p == '+' || *p == '-'))
            negative = *p++ == '-';
        if (p == end)
            return false;
        for (; p < end && is_digit(*p); p++)
            exponent = exponent < 100000 ? exponent * 10 + (*p - '0') : exponent;
        d->power += negative ? -exponent : exponent;
    }
    return p == end;
}

static bool exact_value(const struct decimal *d, double *out) {
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (FLT_EVAL_METHOD != 0 || d->inexact || d->digits > UINT64_C(1) << 53 || d->power < -22 ||
        d->power > 22)
        return false;
    double value = (double)d->digits;
    value = d->power < 0 ? value / ten[-d->power] : value * ten[d->power];
    *out = d->negative ? -value : value;
    return true;
}

const char *imf_number_parse(struct imf_span s, double *out) {
    struct decimal d;
    char copy[NUMBER_LONGEST + 1];
    if (s.length == 0)
        return "is empty";
    if (s.length > NUMBER_LONGEST)
        return "has too many digits";
    if (!scan(s, &d))
        return "is not a number";
    if (exact_value(&d, out))
        return NULL;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c)
        return "cannot be read: out of memory";
    memcpy(copy, s.text, s.length);
    copy[s.length] = '\0';
    double value = strtod_l(copy, NULL, c);
    freelocale(c);
    if (!isfinite(value))
        return "is too large";
    *out = value;
    return NULL;
}

const char *imf_fraction_parse(struct imf_span s, double *out) {
    bool percent = s.length > 1 && s.text[s.length - 1] == '%';
    const char *wrong = imf_number_parse((struct imf_span){s.text, s.length - percent}, out);
    if (!wrong && percent)
        *out /= 100;
    return wrong;
}

bool imf_span_is(struct imf_span s, const char *word) {
    return strlen(word) == s.length && memcmp(s.text, word, s.length) == 0;
}

size_t imf_span_column(const char *start, const char *at) {
    size_t column = 1;
    for (; start < at; start++)
        column += ((unsigned char)*start & 0xC0) != 0x80; /* UTF-8 continuation bytes */
    return column;
}

const char *imf_span_quote(char buffer[IMF_QUOTE], struct imf_span s) {
    bool whole = s.length < IMF_QUOTE;
    size_t n = whole ? s.length : IMF_QUOTE - 4;
    while (!whole && n > 0 && ((unsigned char)s.text[n] & 0xC0) == 0x80)
        n--; /* cut between characters */
    for (size_t i = 0; i < n; i++)
        buffer[i] = (unsigned char)s.text[i] < 0x20 || s.text[i] == 0x7F ? '?' : s.text[i];
    strcpy(buffer + n, whole ? "" : "...");
    return buffer;
}
