/*
 * pages.c - which pages of a file are taken
 */
#include "options/pages.h"

#include <stdio.h>
#include <stdlib.h>

/* No file has as many. */
#define PAGE_MAX 1000000000

static bool read_page(const char **at, int *page) {
    int sign = **at == '-' ? -1 : 1;
    const char *digits = *at + (sign < 0);
    char *end;
    long value = *digits >= '0' && *digits <= '9' ? strtol(digits, &end, 10) : 0;
    if (value < 1 || value > PAGE_MAX)
        return false;
    *page = sign * (int)value;
    *at = end;
    return true;
}

/* One page, or the first and the last of a range; then the list's end, or a comma. */
static bool read_range(const char **at, int *first, int *last) {
    if (!read_page(at, first))
        return false;
    *last = *first;
    if (**at == '-' && (++*at, !read_page(at, last)))
        return false;
    if (**at == ',' && (*at)[1])
        ++*at;
    else if (**at)
        return false;
    return true;
}

bool pages_valid(const char *list) {
    int first, last;
    while (*list)
        if (!read_range(&list, &first, &last) || ((first < 0) == (last < 0) && first > last))
            return false;
    return true;
}

bool pages_repeat(const int *pages, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (pages[i] == pages[k])
                return true;
    return false;
}

int *pages_take(const char *list, int count, size_t *taken, char why[PAGES_WHY]) {
    char all[16];
    int *pages = NULL;
    *taken = 0;
    snprintf(all, sizeof all, "1-%d", count ? count : 1);
    for (const char *at = list ? list : all; *at;) {
        int from = 0, to = 0;
        read_range(&at, &from, &to);
        int first = from < 0 ? from + count + 1 : from, last = to < 0 ? to + count + 1 : to;
        bool unknown = !count && (from < 0 || to < 0);
        if (first < 1 || last < first || (count && last > count)) {
            if (unknown)
                snprintf(why, PAGES_WHY,
                         "--pages cannot count from the end of a pipe (give the file by its name)");
            else if (from == to)
                snprintf(why, PAGES_WHY, "has no page %d of --pages (it has %d)", from, count);
            else
                snprintf(why, PAGES_WHY, "has no pages %d-%d of --pages (it has %d)", from, to,
                         count);
            free(pages);
            return NULL;
        }
        int *more = realloc(pages, (*taken + (size_t)(last - first + 1)) * sizeof *pages);
        if (!more) {
            snprintf(why, PAGES_WHY, "out of memory");
            free(pages);
            return NULL;
        }
        pages = more;
        for (int page = first; page <= last; page++)
            pages[(*taken)++] = page;
    }
    return pages;
}
