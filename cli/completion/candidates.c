/*
 * candidates.c - what the last word of a command line may become, from the tables of options and filters
 */
#include "completion/shells.h"

#include <stdio.h>
#include <string.h>

#include "options/table.h"

/* The word to complete: `lead` characters that stay, then the value. */
struct word {
    const char *text, *value;
};

static void begin_words(void) {
    puts("words:");
}

/* A candidate for the value, if it begins as the value does. suffix: "", or a character to go on with. */
static void offer(const struct word *w, const char *candidate, size_t length, const char *suffix,
                  const char *description) {
    size_t typed = strlen(w->value), suffixed = length + strlen(suffix);
    if (typed <= suffixed && strncmp(candidate, w->value, typed < length ? typed : length) == 0 &&
        (typed <= length || w->value[length] == *suffix))
        printf("%.*s%.*s%s\t%s\n", (int)(w->value - w->text), w->text, (int)length, candidate,
               suffix, description);
}

static void offer_files(const struct word *w) {
    printf("file:%.*s\n", (int)(w->value - w->text), w->text);
}

/* ---- filters ---------------------------------------------------------------------------------- */

static size_t name_length(const char *usage) {
    return strcspn(usage, ":[");
}

/* A filter may have several rows, as "kernel" has. */
static bool same_name(const char *a, const char *b) {
    size_t length = name_length(a);
    return length == name_length(b) && strncmp(a, b, length) == 0;
}

static bool is_first(size_t row) {
    for (size_t i = 0; i < row; i++)
        if (same_name(imf_filter_doc(i)->usage, imf_filter_doc(row)->usage))
            return false;
    return true;
}

/* "blur:" needs an argument, "sharpen" may have one, "gray" has none. */
static void offer_filters(const struct word *w) {
    const struct imf_filter_doc *doc;
    struct imf_filter_doc *own;
    size_t count;
    begin_words();
    for (size_t i = 0; (doc = imf_filter_doc(i)); i++) {
        size_t length = name_length(doc->usage);
        if (!is_first(i))
            continue;
        if (doc->usage[length] != ':')
            offer(w, doc->usage, length, "", doc->summary);
        if (doc->usage[length])
            offer(w, doc->usage, length, ":", doc->summary);
    }
    if (imf_filter_docs_own(&own, &count, NULL) != IMF_OK)
        return;
    for (size_t i = 0; i < count; i++)
        offer(w, own[i].usage, strlen(own[i].usage), "", own[i].summary);
    imf_filter_docs_free(&own, count);
}

/* ---- arguments of filters --------------------------------------------------------------------- */

enum { WORDS_TEXT = 512 };
#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGIT "0123456789"

static bool consists_of(const char *word, const char *characters) {
    return *word && !word[strspn(word, characters)];
}

/*
 * One alternative of an argument, "gaussian" of "type=gaussian|ideal". Small letters stand for
 * themselves, capitals for a value; without a key they are the key: "SIGMA" gives "sigma=".
 */
static void add_alternative(char *text, const char *key, const char *value) {
    char word[80], padded[WORDS_TEXT + 2], sought[sizeof word + 2];
    bool literal = (*value < '0' || *value > '9') && consists_of(value, LOWER DIGIT "-");
    if (*value == '@')
        snprintf(word, sizeof word, "%s@", key);
    else if (literal)
        snprintf(word, sizeof word, "%s%s", key, value);
    else if (*key)
        snprintf(word, sizeof word, "%s", key);
    else if (consists_of(value, UPPER DIGIT))
        snprintf(word, sizeof word, "%s=", value);
    else
        return;
    for (char *c = word; !literal && *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    snprintf(padded, sizeof padded, " %s ", text);
    snprintf(sought, sizeof sought, " %s ", word);
    if (!strstr(padded, sought))
        list_word(text, WORDS_TEXT, word, " ");
}

/* "sigma=1", "type=gaussian|ideal", "RADIUS", "T|otsu", "flip" or "A,B,C/D,E,F/G,H,I". */
static void add_argument(char *text, const char *argument, size_t length) {
    char copy[128], key[64] = "", *rest = copy;
    snprintf(copy, sizeof copy, "%.*s", (int)length, argument);
    char *equals = strchr(copy, '=');
    if (equals) {
        snprintf(key, sizeof key, "%.*s", (int)(equals + 1 - copy), copy);
        rest = equals + 1;
    }
    for (char *value; (value = strsep(&rest, "|"));)
        add_alternative(text, key, value);
}

/* A key that is in the spec before the word: each is given once. */
static bool is_given(const char *spec, const char *end, const char *word) {
    size_t key = strcspn(word, "=") + 1;
    if (key > strlen(word))
        return false;
    for (const char *at = spec; (at = memchr(at, ':', (size_t)(end - at))); at++)
        if ((size_t)(end - at) > key && strncmp(at + 1, word, key) == 0)
            return true;
    return false;
}

/* Of "threshold:local:R:OFFSET" the length of "threshold:local": a row for specs that begin so. 0: the
 * first argument may be anything, or missing. */
static size_t variant_length(const char *usage) {
    size_t name = name_length(usage), length = name + 1;
    if (usage[name] != ':')
        return 0;
    length += strspn(usage + length, LOWER);
    return length > name + 1 && (!usage[length] || strchr(":[", usage[length])) ? length : 0;
}

static bool is_variant(const char *usage, const char *spec) {
    size_t length = variant_length(usage);
    return length && strncmp(usage, spec, length) == 0 && spec[length] == ':';
}

/* Add the arguments of a row: all behind `from`, or the first one. */
static void add_arguments(char *text, const char *from, bool first) {
    for (const char *c = from; *c && !(first && c > from);) {
        c += strspn(c, ":[]");
        size_t length = strcspn(c, ":[]");
        add_argument(text, c, length);
        c += length;
    }
}

/* value: the spec so far, with a ':'. */
static void offer_arguments(const struct word *w) {
    const struct imf_filter_doc *doc;
    char text[WORDS_TEXT] = "", *rest = text;
    bool begun = strchr(w->value, ':') != strrchr(w->value, ':'), chosen = false;
    for (size_t i = 0; (doc = imf_filter_doc(i)); i++)
        chosen = chosen || is_variant(doc->usage, w->value);
    for (size_t i = 0; (doc = imf_filter_doc(i)); i++) {
        size_t variant = variant_length(doc->usage);
        if (!same_name(doc->usage, w->value) || is_variant(doc->usage, w->value) != chosen)
            continue;
        if (chosen)
            add_arguments(text, doc->usage + variant, false);
        else if (!variant || !begun)
            add_arguments(text, doc->usage + name_length(doc->usage), variant > 0);
    }
    struct word last = {w->text, strrchr(w->value, ':') + 1};
    const char *const *words = imf_filter_words(w->value);
    bool first = strchr(w->value, ':') + 1 == last.value;
    for (; words && *words && first; words++)
        add_alternative(text, "", *words);
    const char *at = strchr(last.value, '@');
    for (char *word; (word = strsep(&rest, " "));) {
        size_t length = strlen(word);
        if (at && length && word[length - 1] == '@' && strncmp(last.value, word, length) == 0) {
            last.value += length;
            offer_files(&last);
            return;
        }
    }
    begin_words();
    /* strsep() has put a NUL behind each word. */
    for (const char *word = text; *word; word += strlen(word) + 1)
        if (!is_given(w->value, last.value, word))
            offer(&last, word, strlen(word), "", "");
}

/* ---- options ---------------------------------------------------------------------------------- */

static void offer_options(const struct word *w) {
    begin_words();
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        char name[64];
        if (!row->name)
            continue;
        int length = snprintf(name, sizeof name, "--%s", row->name);
        if (row->argument == ARGUMENT_NONE || row->argument == ARGUMENT_OPTIONAL)
            offer(w, name, (size_t)length, "", row->help);
        if (row->argument != ARGUMENT_NONE)
            offer(w, name, (size_t)length, "=", row->help);
    }
}

static void offer_values(const struct word *w, const struct option_row *row) {
    char formats[FORMATS_TEXT], *rest = formats;
    if (row->metavar && strncmp(row->metavar, "FILE", 4) == 0) {
        offer_files(w);
        return;
    }
    if (row->metavar && strcmp(row->metavar, "SPEC") == 0) {
        (strchr(w->value, ':') ? offer_arguments : offer_filters)(w);
        return;
    }
    begin_words();
    for (const struct choice *c = row->choices; c && c->name; c++) {
        /* "constant[:VALUE]" alone, or going on. */
        size_t length = strcspn(c->name, "[");
        char more[2] = {c->name[length] ? c->name[length + 1] : '\0', '\0'};
        offer(w, c->name, length, "", "");
        if (*more)
            offer(w, c->name, length, more, "");
    }
    if (row->metavar)
        return;
    formats_names(formats, "|");
    for (char *name; (name = strsep(&rest, "|"));)
        offer(w, name, strlen(name), "", "");
}

/* The option of a word that takes a value, or NULL; *value: the value in the same word, or NULL. Of
 * letters it is the first one that takes a value. */
static const struct option_row *find_option(const char *word, const char **value) {
    bool is_long = strncmp(word, "--", 2) == 0;
    size_t length = is_long ? strcspn(word + 2, "=") : 0;
    *value = NULL;
    if (*word != '-')
        return NULL;
    for (const char *letter = word + 1; *letter; letter++) {
        for (size_t i = 0; i < option_row_count; i++) {
            const struct option_row *row = &option_rows[i];
            bool same = row->name && (is_long ? strlen(row->name) == length &&
                                                    strncmp(row->name, word + 2, length) == 0
                                              : row->letter == *letter);
            if (!same || row->argument == ARGUMENT_NONE)
                continue;
            const char *end = is_long ? word + 2 + length : letter;
            bool has_value = is_long ? *end == '=' : letter[1];
            *value = has_value ? end + 1 : NULL;
            return row;
        }
        if (is_long)
            break;
    }
    return NULL;
}

void completion_candidates(char *const *words, int count) {
    struct word w = {count ? words[count - 1] : "", NULL};
    const char *value;
    const struct option_row *row = NULL;
    bool only_files = false;
    for (int i = 0; i + 1 < count; i++)
        only_files = only_files || strcmp(words[i], "--") == 0;
    w.value = w.text;
    if (!only_files && count > 1)
        row = find_option(words[count - 2], &value);
    if (row && !value && row->argument == ARGUMENT_REQUIRED) {
        offer_values(&w, row);
        return;
    }
    row = only_files ? NULL : find_option(w.text, &value);
    if (row && value) {
        w.value = value;
        offer_values(&w, row);
    } else if (*w.text == '-' && !only_files) {
        offer_options(&w);
    } else {
        offer_files(&w);
    }
}
