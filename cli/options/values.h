/* values.h - parsing the values of options: words and numbers */
#ifndef CLI_OPTIONS_VALUES_H
#define CLI_OPTIONS_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/* A word that a value may be; a row without a name ends a table of them. */
struct choice {
    const char *name;
    int value;
};

/* Say what is valid; false. */
bool bad_value(const char *option, const char *value, const char *valid);

/* Is the value one of the words? Says nothing if not. */
bool find_choice(const char *value, const struct choice *choices, int *out);
/* The same; false after a message that lists them. */
bool choose(const char *option, const char *value, const struct choice *choices, int *out);
/* Say that one of the words, if there are any, or a number of this range is valid; false. */
bool bad_number(const char *option, const char *value, const struct choice *choices, int low,
                int high);

/* Digits alone, or digits and one of K, M, G when unit (1000 or 1024) is not 0. */
bool parse_count(const char *text, uint64_t unit, uint64_t max, uint64_t *out);
/* A finite decimal number from 0 to `high`, or a percentage; the program runs in the C locale, so
 * '.' is decimal. */
bool parse_fraction(const char *text, double high, double *out);

#endif
