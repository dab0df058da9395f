/*
 * shells.h - completion in shells: the scripts, and the answers to what they ask
 */
#ifndef CLI_COMPLETION_SHELLS_H
#define CLI_COMPLETION_SHELLS_H

#include <stdio.h>

#include "options/settings.h"

void completion_print(FILE *out, enum shell shell);

/* The option, in argv[1], by which the scripts ask for candidates. */
#define COMPLETION_QUERY "--complete"

/*
 * Print the answer to a completion script. words: those behind the program's name; the last is to be
 * completed. Either one line "file:LEAD", where a file's name follows LEAD in the word, or "words:" and
 * a line for each candidate: the whole word, a tab and its description. A candidate that ends in ':',
 * '=' or '@' goes on without a space.
 */
void completion_candidates(char *const *words, int count);

#endif
