/* formats.c - lists of the library's formats, for messages */
#include "options/formats.h"

#include <stdio.h>
#include <string.h>

#define FIRST next(IMF_FORMAT_NONE)

/* After the last it is one of which there is no doc. */
static enum imf_format next(enum imf_format format) {
    do
        format = (enum imf_format)(format + 1);
    while (format <= IMF_FORMAT_LAST && !imf_format_doc(format));
    return format;
}

static bool has(enum imf_format format, const char *option) {
    for (const char *const *o = imf_format_doc(format)->options; *o; o++)
        if (strcmp(*o, option) == 0)
            return true;
    return false;
}

void list_word(char *text, size_t size, const char *word, const char *between) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? between : "", word);
}

/* The next one that can be written. */
static enum imf_format next_written(enum imf_format format) {
    do
        format = next(format);
    while (imf_format_doc(format) && !imf_format_is_written(format));
    return format;
}

const char *formats_names(char text[FORMATS_TEXT], const char *between) {
    *text = '\0';
    for (enum imf_format f = FIRST; imf_format_doc(f); f = next_written(f))
        list_word(text, FORMATS_TEXT, imf_format_doc(f)->name,
                  between                           ? between
                  : imf_format_doc(next_written(f)) ? ", "
                                                    : " or ");
    return text;
}

const char *formats_read(char text[FORMATS_TEXT]) {
    formats_names(text, ", ");
    for (enum imf_format f = FIRST; imf_format_doc(f); f = next(f))
        if (!imf_format_is_written(f)) {
            list_word(text, FORMATS_TEXT, imf_format_doc(f)->name, ", ");
            list_word(text, FORMATS_TEXT, "(only read)", " ");
        }
    return text;
}

const char *formats_extensions(char text[FORMATS_TEXT]) {
    *text = '\0';
    for (enum imf_format f = FIRST; imf_format_doc(f); f = next_written(f))
        for (const char *const *e = imf_format_doc(f)->extensions; *e; e++)
            list_word(text, FORMATS_TEXT, *e,
                      e[1] || imf_format_doc(next_written(f)) ? ", " : " or ");
    return text;
}

bool formats_use(unsigned set, const char *option, char titles[FORMATS_TEXT]) {
    bool used = false;
    *titles = '\0';
    for (enum imf_format f = FIRST; imf_format_doc(f); f = next(f))
        if (has(f, option)) {
            list_word(titles, FORMATS_TEXT, imf_format_doc(f)->title, " or ");
            used = used || (set & 1u << f);
        }
    return used;
}
