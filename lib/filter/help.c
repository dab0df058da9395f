/* help.c - what a built-in filter and its parameters are, as lines of text */
#include "filter/builtin.h"
#include "imfilter_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_parameter(FILE *out, const struct imf_parameter *p) {
    fprintf(out, "      %s", p->meaning);
    if (p->words && p->low >= p->high)
        fprintf(out, " (%s if not given)", p->words[(int)p->fallback]);
    else if (!isnan(p->fallback))
        fprintf(out, " (%g if not given)", p->fallback);
    putc('\n', out);
}

char *imf_filter_help(const char *name) {
    char head[32]; /* of a whole spec */
    snprintf(head, sizeof head, "%.*s", (int)strcspn(name, ":"), name);
    const struct imf_builtin *b = imf_builtin_find(head);
    const char *between = "";
    char *text = NULL;
    size_t size;
    FILE *out = b ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    /* One that has several usages has a row for each. */
    name = b->name;
    for (size_t i = 0; (b = imf_builtin_at(i)); i++) {
        if (strcmp(b->name, name) != 0)
            continue;
        fprintf(out, "%s%s\n    %s\n", between, b->doc.usage, b->doc.summary);
        for (int p = 0; p < IMF_PARAMETERS && b->parameter[p].name; p++)
            put_parameter(out, &b->parameter[p]);
        between = "\n";
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
