/*
 * arguments.c - a spec's arguments, read as the filter's parameters (builtin/table.h)
 */
#include "filter/spec/arguments.h"

#include "filter/builtin/element.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

/* Take the argument that begins with the colon at *cursor; false at the end of the spec. */
bool imf_argument_next(const char **cursor, struct imf_argument *a) {
    if (**cursor != ':')
        return false;
    const char *start = *cursor + 1;
    size_t length = strcspn(start, ":"), key = 0;
    while (key < length && ((lower(start[key]) >= 'a' && lower(start[key]) <= 'z') ||
                            (key > 0 && start[key] >= '0' && start[key] <= '9')))
        key++;
    bool keyed = key > 0 && key < length && start[key] == '=';
    a->key = (struct imf_span){start, keyed ? key : 0};
    a->value = keyed ? (struct imf_span){start + key + 1, length - key - 1}
                     : (struct imf_span){start, length};
    *cursor = start + length;
    return true;
}

bool imf_argument_key_is(struct imf_span key, const char *name) {
    size_t i = 0;
    while (i < key.length && name[i] && lower(key.text[i]) == lower(name[i]))
        i++;
    return i == key.length && !name[i];
}

size_t imf_parameter_count(const struct imf_builtin *b) {
    size_t n = 0;
    while (n < IMF_PARAMETERS && b->parameter[n].name)
        n++;
    return n;
}

enum imf_status imf_argument_fail_key(const struct imf_spec *s, struct imf_span key) {
    char list[96] = "none", quote[IMF_QUOTE];
    size_t used = 0;
    for (size_t i = 0, n = imf_parameter_count(s->builtin); i < n; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s", i ? ", " : "");
        for (const char *p = s->builtin->parameter[i].name; *p; p++)
            list[used++] = lower(*p);
        list[used] = '\0';
    }
    return imf_spec_fail(s, key.text, NULL, "unknown key \"%s\" at column %zu; keys: %s",
                         imf_span_quote(quote, key), imf_span_column(s->text, key.text), list);
}

/* A radius, a size, or a mask. */
static enum imf_status read_window(const struct imf_spec *s, const struct imf_parameter *p,
                                   struct imf_span value, struct imf_window *out) {
    struct imf_flt flt = {0};
    if (value.text[0] != '@') {
        const char *wrong = imf_window_read(out, value);
        return wrong ? imf_spec_fail_value(s, value, p->meaning, wrong) : IMF_OK;
    }
    enum imf_status status = imf_spec_load(s, value, &flt);
    const char *wrong = status ? NULL : imf_window_mask(out, &flt);
    imf_flt_free(&flt);
    return wrong ? imf_spec_fail_value(s, value, NULL, wrong) : status;
}

static enum imf_status read_value(const struct imf_spec *s, const struct imf_parameter *p,
                                  struct imf_span value, double *out) {
    if (value.length == 0)
        return imf_spec_fail(s, value.text, p->meaning, "the value at column %zu is empty",
                             imf_span_column(s->text, value.text));
    if (p->words) {
        for (int i = 0; p->words[i]; i++)
            if (imf_span_is(value, p->words[i])) {
                *out = p->low < p->high ? p->low - 1 - i : i;
                return IMF_OK;
            }
        if (p->low >= p->high)
            return imf_spec_fail_value(s, value, p->meaning, "is not one of the choices");
    }
    const char *wrong = p->size ? imf_size_read(out, value, p->low, p->high)
                                : (p->fraction ? imf_fraction_parse : imf_number_parse)(value, out);
    if (wrong)
        return imf_spec_fail_value(s, value, p->meaning, wrong);
    if (p->size)
        return IMF_OK;
    if (*out < p->low || *out > p->high || (p->above && *out == p->low))
        return imf_spec_fail_value(s, value, p->meaning, "is out of range");
    if (p->whole && *out != rint(*out))
        return imf_spec_fail_value(s, value, p->meaning, "is not a whole number");
    return IMF_OK;
}

/* The parameter that an argument is for: its index, or `count` when there is none. */
static size_t parameter_of(const struct imf_builtin *b, const struct imf_argument *a,
                           const struct imf_values *v, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *name = b->parameter[i].name;
        if (a->key.length > 0 ? imf_argument_key_is(a->key, name) : is_upper(name[0]) && !v->at[i])
            return i;
    }
    return count;
}

/* Append an argument to the spec that is a value. */
static void nest(char *nested, const struct imf_argument *a) {
    const char *end = a->value.text + a->value.length;
    if (*nested)
        strcat(nested, ":");
    strncat(nested, a->key.text, (size_t)(end - a->key.text));
}

enum imf_status imf_arguments_read(const struct imf_spec *s, const char *cursor,
                                   struct imf_values *v) {
    const struct imf_builtin *b = s->builtin;
    size_t count = imf_parameter_count(b), i;
    struct imf_argument a = {.value = {cursor, 0}};
    *v = (struct imf_values){0};
    if (count > 0 && b->parameter[0].nested &&
        !(v->nested = calloc(strlen(cursor) + 1, sizeof *v->nested)))
        return imf_fail_memory(s->err, strlen(cursor) + 1);
    for (i = 0; i < count; i++)
        v->value[i] = b->parameter[i].fallback;
    while (imf_argument_next(&cursor, &a)) {
        i = parameter_of(b, &a, v, count);
        if (v->nested && (i == 0 || i == count)) {
            v->at[0] = v->at[0] ? v->at[0] : a.key.text;
            v->value[0] = 0;
            nest(v->nested, &a);
            continue;
        }
        if (i == count && a.key.length > 0)
            return imf_argument_fail_key(s, a.key);
        if (i == count)
            return imf_spec_fail_value(s, a.value, NULL,
                                       count > 0 && !is_upper(b->parameter[0].name[0])
                                           ? "needs its key before it"
                                           : "is one argument too many");
        if (v->at[i])
            return imf_spec_fail_value(s, a.key, NULL, "is given twice");
        bool window = b->parameter[i].window && a.value.length > 0;
        bool mask = b->parameter[i].mask && a.value.length > 0 && a.value.text[0] == '@';
        enum imf_status status = window ? read_window(s, &b->parameter[i], a.value, &v->window)
                                 : mask ? imf_spec_load_mask(s, a.value, &v->mask)
                                        : read_value(s, &b->parameter[i], a.value, &v->value[i]);
        if (status != IMF_OK)
            return status;
        if (window)
            v->value[i] = 0;
        v->at[i] = a.value.text;
    }
    for (i = 0; i < count; i++)
        if (isnan(v->value[i]))
            return imf_spec_fail(s, cursor, b->parameter[i].meaning, "%s is missing at column %zu",
                                 b->parameter[i].name, imf_span_column(s->text, cursor));
    const char *wrong = b->check ? b->check(v->value) : NULL;
    return wrong ? imf_spec_fail(s, a.value.text, NULL, "%s", wrong) : IMF_OK;
}
