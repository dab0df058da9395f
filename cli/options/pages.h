/*
 * pages.h - which pages of a file are taken
 */
#ifndef CLI_OPTIONS_PAGES_H
#define CLI_OPTIONS_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Is it a list such as "1,3-5,-1"? -1 is the last page, -2 the one before it. */
bool pages_valid(const char *list);

enum { PAGES_WHY = 120 };
/* The pages that the list, or NULL, for all of them, takes of a file that has `count`, in its order; freed with free(). count
 * 0: that is not known yet, and of all of them it is the first. NULL: it has not all of them, or no memory, with the reason. */
int *pages_take(const char *list, int count, size_t *taken, char why[PAGES_WHY]);
/* Is a page among them twice? */
bool pages_repeat(const int *pages, size_t count);

#endif
