/* help.c - what a built-in filter and its parameters are, as lines of text */
#include "filter/builtin/table.h"
#include "imfilter_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A meaning in lines of up to 80 characters. */
static void put_words(FILE *out, const char *words) {
    enum { INDENT = 6, MORE = 8, WIDE = 80 };
    int column = fprintf(out, "%*s", INDENT, "");
    for (const char *end; *words; words = end) {
        end = words + strcspn(words + 1, " ") + 1;
        if (column + (int)(end - words) > WIDE && *words == ' ')
            column = fprintf(out, "\n%*s", MORE, "") - 1 +
                     fprintf(out, "%.*s", (int)(end - words - 1), words + 1);
        else
            column += fprintf(out, "%.*s", (int)(end - words), words);
    }
}

static void put_parameter(FILE *out, const struct imf_parameter *p) {
    put_words(out, p->meaning);
    /* A value that is out of bounds is not the user's: one of the words, or what the meaning tells. */
    bool within = p->low <= p->fallback && p->fallback <= p->high;
    if (p->words && !isnan(p->fallback) && (p->low >= p->high || !within))
        fprintf(
            out, " (%s if not given)",
            p->words[(int)(within || p->low >= p->high ? p->fallback : p->low - 1 - p->fallback)]);
    else if (p->size)
        fprintf(out, " (%gx%g if not given)", floor(p->fallback / IMF_SIZE),
                fmod(p->fallback, IMF_SIZE));
    else if (within)
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

const char *const *imf_filter_words(const char *name) {
    char head[32]; /* of a whole spec */
    snprintf(head, sizeof head, "%.*s", (int)strcspn(name, ":"), name);
    const struct imf_builtin *b = imf_builtin_find(head);
    const char *first = b ? b->parameter[0].name : NULL;
    return first && first[0] >= 'A' && first[0] <= 'Z' ? b->parameter[0].words : NULL;
}

const struct imf_filter_doc *imf_filter_doc(size_t index) {
    const struct imf_builtin *b = imf_builtin_at(index);
    return b ? &b->doc : NULL;
}
