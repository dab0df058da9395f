/* arguments.h - the arguments of a spec, by position or as key=value */
#ifndef IMF_FILTER_SPEC_ARGUMENTS_H
#define IMF_FILTER_SPEC_ARGUMENTS_H

#include "filter/builtin/element.h"
#include "filter/spec/error.h"

struct imf_argument {
    struct imf_span key; /* empty: by place; it begins where the argument does */
    struct imf_span value;
};

/* Values of a filter's parameters. */
struct imf_values {
    double value[IMF_PARAMETERS];
    const char *at[IMF_PARAMETERS]; /* where it was given, or NULL */
    struct imf_window window;       /* of a filter that has one; its mask is the reader's to free */
    struct imf_mask *mask;          /* likewise */
    char *nested;                   /* the spec that is a value, or NULL; likewise */
};

/* Take the argument that begins with the colon at *cursor; false at the end of the spec. */
bool imf_argument_next(const char **cursor, struct imf_argument *a);
bool imf_argument_key_is(struct imf_span key, const char *name);
enum imf_status imf_argument_fail_key(const struct imf_spec *s, struct imf_span key);

size_t imf_parameter_count(const struct imf_builtin *b);
/* Read all arguments from a colon, or the spec's end, on. */
enum imf_status imf_arguments_read(const struct imf_spec *s, const char *cursor,
                                   struct imf_values *v);

#endif
