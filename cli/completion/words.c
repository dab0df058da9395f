/* words.c - the tables of options and filters as words that a shell completes */
#include "completion/words.h"

#include <string.h>

static void add(char *text, const char *word) {
    list_word(text, COMPLETION_WORDS, word, " ");
}

/* ---- options and their values --------------------------------------------------------------- */

void completion_each_option(FILE *out, void (*print)(FILE *out, const struct option_row *row)) {
    for (size_t i = 0; i < option_row_count; i++)
        if (option_rows[i].name)
            print(out, &option_rows[i]);
}

enum completion completion_kind(const struct option_row *row) {
    if (!row->metavar || row->choices)
        return row->argument == ARGUMENT_NONE ? COMPLETION_NONE : COMPLETION_WORD;
    if (strncmp(row->metavar, "FILE", 4) == 0)
        return COMPLETION_FILE;
    return strcmp(row->metavar, "SPEC") == 0 ? COMPLETION_SPEC : COMPLETION_NONE;
}

const char *completion_values(const struct option_row *row, char text[COMPLETION_WORDS]) {
    *text = '\0';
    for (const struct choice *c = row->choices; c && c->name; c++) {
        const char *word = c->name;
        /* "constant[:VALUE]" alone, or going on. */
        char whole[64];
        size_t length = strcspn(word, "[");
        snprintf(whole, sizeof whole, "%.*s", (int)length, word);
        add(text, whole);
        if (word[length]) {
            snprintf(whole, sizeof whole, "%.*s%c", (int)length, word, word[length + 1]);
            add(text, whole);
        }
    }
    if (!row->metavar && row->argument != ARGUMENT_NONE) {
        char formats[FORMATS_TEXT];
        snprintf(text, COMPLETION_WORDS, "%s", option_value(row, formats));
        for (char *c = text; (c = strchr(c, '|'));)
            *c = ' ';
    }
    return text;
}

/* ---- filters ---------------------------------------------------------------------------------- */

static size_t name_length(const char *usage) {
    return strcspn(usage, ":[");
}

static bool same_name(size_t a, size_t b) {
    const char *x = imf_filter_doc(a)->usage, *y = imf_filter_doc(b)->usage;
    size_t length = name_length(x);
    return length == name_length(y) && strncmp(x, y, length) == 0;
}

/* The first row for which a filter's name stands in the list: "kernel" has two. */
static bool is_first(size_t doc) {
    for (size_t i = 0; i < doc; i++)
        if (same_name(i, doc))
            return false;
    return true;
}

void completion_each_filter(FILE *out,
                            void (*print)(FILE *out, const char *word, const char *summary)) {
    const struct imf_filter_doc *doc;
    char word[COMPLETION_WORDS];
    for (size_t i = 0; (doc = imf_filter_doc(i)); i++) {
        size_t length = name_length(doc->usage);
        if (!is_first(i))
            continue;
        snprintf(word, sizeof word, "%.*s", (int)length, doc->usage);
        if (doc->usage[length] != ':')
            print(out, word, doc->summary);
        if (!doc->usage[length])
            continue;
        list_word(word, sizeof word, ":", "");
        print(out, word, doc->summary);
    }
}

static bool is_of(const char *word, const char *characters) {
    return *word && !word[strspn(word, characters)];
}

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGIT "0123456789"

/*
 * One alternative of a segment, "gaussian" of "type=gaussian|ideal": small letters stand for
 * themselves, capitals for a value, which without a key goes by its own name: "SIGMA", "sigma=".
 */
static void add_alternative(char *text, const char *key, const char *value) {
    char word[80];
    bool literal = (*value < '0' || *value > '9') && is_of(value, LOWER DIGIT "-");
    if (*value == '@')
        snprintf(word, sizeof word, "%s@", key);
    else if (literal)
        snprintf(word, sizeof word, "%s%s", key, value);
    else if (*key)
        snprintf(word, sizeof word, "%s", key);
    else if (is_of(value, UPPER DIGIT))
        snprintf(word, sizeof word, "%s=", value);
    else
        return;
    for (char *c = word; !literal && *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    char padded[COMPLETION_WORDS + 2], sought[sizeof word + 2];
    snprintf(padded, sizeof padded, " %s ", text);
    snprintf(sought, sizeof sought, " %s ", word);
    if (!strstr(padded, sought))
        add(text, word);
}

/* "sigma=1", "type=gaussian|ideal", "RADIUS", "T|otsu", "flip" or "A,B,C/D,E,F/G,H,I". */
static void add_segment(char *text, const char *segment, size_t length) {
    char copy[128], key[64] = "", *rest = copy;
    snprintf(copy, sizeof copy, "%.*s", (int)length, segment);
    char *equals = strchr(copy, '=');
    if (equals) {
        snprintf(key, sizeof key, "%.*s", (int)(equals + 1 - copy), copy);
        rest = equals + 1;
    }
    for (char *value; (value = strsep(&rest, "|"));)
        add_alternative(text, key, value);
}

static void find_keys(size_t doc, char text[COMPLETION_WORDS]) {
    *text = '\0';
    for (size_t i = doc; imf_filter_doc(i); i++) {
        if (!same_name(doc, i))
            continue;
        const char *c = imf_filter_doc(i)->usage;
        for (c += name_length(c); *c;) {
            c += strspn(c, ":[]");
            size_t length = strcspn(c, ":[]");
            add_segment(text, c, length);
            c += length;
        }
    }
}

void completion_print_keys(FILE *out, const char *before, const char *between, const char *after) {
    const struct imf_filter_doc *doc;
    for (size_t i = 0; (doc = imf_filter_doc(i)); i++) {
        char words[COMPLETION_WORDS];
        find_keys(i, words);
        if (is_first(i) && *words)
            fprintf(out, "%s%.*s%s%s%s\n", before, (int)name_length(doc->usage), doc->usage,
                    between, words, after);
    }
}

void completion_print(FILE *out, enum shell shell) {
    static void (*const print[])(FILE *) = {[SHELL_BASH] = completion_bash,
                                            [SHELL_ZSH] = completion_zsh,
                                            [SHELL_FISH] = completion_fish};
    print[shell](out);
}
