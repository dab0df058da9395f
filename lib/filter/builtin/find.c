/* find.c - the row of the table that a name and its first argument mean */
#include "filter/builtin/table.h"

#include <string.h>

const struct imf_builtin *imf_builtin_find(const char *name) {
    const struct imf_builtin *b;
    for (size_t i = 0; (b = imf_builtin_at(i)); i++)
        if (strcmp(b->name, name) == 0 || (b->alias && strcmp(b->alias, name) == 0))
            return b;
    return NULL;
}

const struct imf_builtin *imf_builtin_variant(const struct imf_builtin *b, const char **cursor) {
    const char *first = *cursor + (**cursor == ':');
    const struct imf_span argument = {first, strcspn(first, ":")};
    const struct imf_builtin *other;
    for (size_t i = 0; (other = imf_builtin_at(i)); i++)
        if (other->variant && strcmp(other->name, b->name) == 0 &&
            imf_span_is(argument, other->variant)) {
            *cursor = first + argument.length;
            return other;
        }
    return b;
}
