/*
 * words.h - words for the completion scripts of shells, from the tables of options and filters
 *
 * All shells use the same words. One that ends in ':', '=' or '@' goes on without a space.
 */
#ifndef CLI_COMPLETION_WORDS_H
#define CLI_COMPLETION_WORDS_H

#include "options/table.h"

enum { COMPLETION_WORDS = 512 };

enum completion { COMPLETION_NONE, COMPLETION_FILE, COMPLETION_SPEC, COMPLETION_WORD };

/* How an option's value is completed. */
enum completion completion_kind(const struct option_row *row);
/* The words of COMPLETION_WORD, with spaces between. */
const char *completion_values(const struct option_row *row, char text[COMPLETION_WORDS]);

/* For each option that has a long name. */
void completion_each_option(FILE *out, void (*print)(FILE *out, const struct option_row *row));
/* For each word that begins a spec: "blur:", which goes on, "sharpen" and "sharpen:", which may, or
 * "gray". */
void completion_each_filter(FILE *out,
                            void (*print)(FILE *out, const char *word, const char *summary));
/* For each filter that has any, print what may stand behind a colon: `before`, the filter's name,
 * `between`, "sigma= type=ideal flip @" (the last for a file), `after`. */
void completion_print_keys(FILE *out, const char *before, const char *between, const char *after);

/* Print a shell's script: completion_bash.c and so on. */
void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);
void completion_print(FILE *out, enum shell shell);

#endif
