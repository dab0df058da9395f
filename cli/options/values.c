/* values.c - parsing the values of options: words and numbers */
#include "options/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options/formats.h"
#include "report/message.h"

bool bad_value(const char *option, const char *value, const char *valid) {
    return complain("--%s: \"%s\" is not valid (%s)", option, value, valid);
}

bool find_choice(const char *value, const struct choice *choices, int *out) {
    for (const struct choice *c = choices; c->name; c++) {
        if (strcmp(value, c->name) == 0) {
            *out = c->value;
            return true;
        }
    }
    return false;
}

bool choose(const char *option, const char *value, const struct choice *choices, int *out) {
    char valid[160] = "";
    if (find_choice(value, choices, out))
        return true;
    for (const struct choice *c = choices; c->name; c++)
        list_word(valid, sizeof valid, c->name, c[1].name ? ", " : " or ");
    return bad_value(option, value, valid);
}

bool bad_number(const char *option, const char *value, const struct choice *choices, int low,
                int high) {
    char valid[160] = "", range[32];
    for (const struct choice *c = choices; c && c->name; c++)
        list_word(valid, sizeof valid, c->name, ", ");
    snprintf(range, sizeof range, "%d..%d", low, high);
    list_word(valid, sizeof valid, range, " or ");
    return bad_value(option, value, valid);
}

bool parse_count(const char *text, uint64_t unit, uint64_t max, uint64_t *out) {
    static const char suffixes[] = "KMG";
    char *c;
    errno = 0;
    uint64_t value = strtoull(text, &c, 10);
    if (*text < '0' || *text > '9' || errno)
        return false;
    const char *suffix = *c && unit ? strchr(suffixes, *c >= 'a' ? *c - 32 : *c) : NULL;
    if (suffix) {
        for (const char *s = suffixes; s <= suffix; s++) {
            if (value > UINT64_MAX / unit)
                return false;
            value *= unit;
        }
        c++;
    }
    if (*c || value > max)
        return false;
    *out = value;
    return true;
}

bool parse_fraction(const char *text, double high, double *out) {
    char *end;
    size_t number = strspn(text, "0123456789.eE+-");
    bool percent = text[number] == '%';
    if (!number || text[number + percent])
        return false;
    errno = 0;
    *out = strtod(text, &end);
    if (percent)
        *out /= 100;
    return end == text + number && *out >= 0 && *out <= high;
}
