/*
 * candidates.h - what the last word of a command line may become, from the tables of options and filters
 */
#ifndef CLI_COMPLETION_CANDIDATES_H
#define CLI_COMPLETION_CANDIDATES_H

/*
 * Print the answer to a completion script. words: those behind the program's name; the last is to be
 * completed. Either one line "file:LEAD", where a file's name follows LEAD in the word, or "words:" and
 * a line for each candidate: the whole word, a tab and its description. A candidate that ends in ':',
 * '=' or '@' goes on without a space.
 */
void completion_candidates(char *const *words, int count);

#endif
