/*
 * table.h - every option: its name, its line of --help, and how its value is stored
 *
 * --help, abbreviations and completion in shells follow from this table.
 */
#ifndef CLI_OPTIONS_TABLE_H
#define CLI_OPTIONS_TABLE_H

#include "options/formats.h"
#include "options/settings.h"
#include "options/values.h"

/* ATTACHED: required as well, but never the next word. */
enum argument { ARGUMENT_NONE, ARGUMENT_REQUIRED, ARGUMENT_OPTIONAL, ARGUMENT_ATTACHED };

/* A row of the table; one without a name is a heading of --help. */
struct option_row {
    const char *name;
    char letter; /* or 0 */
    enum argument argument;
    const char *metavar; /* NULL: the formats */
    const char *help;
    /* Stores the value (NULL when none was given); false after it printed what is wrong. */
    bool (*set)(struct options *o, const struct option_row *row, const char *value);
    size_t offset;                /* of the member of struct options that is set */
    const struct choice *choices; /* words that the value may be, or NULL */
    int low, high;                /* the range of a number; low: the value that a switch stores */
};
extern const struct option_row option_rows[];
extern const size_t option_row_count;
/* What its value is called; text is for the formats. */
const char *option_value(const struct option_row *row, char text[FORMATS_TEXT]);

#endif
