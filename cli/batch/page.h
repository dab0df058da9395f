/*
 * page.h - one page, or the only picture of a file, from its reader to its output
 */
#ifndef CLI_BATCH_PAGE_H
#define CLI_BATCH_PAGE_H

#include "batch/work.h"

/* Of the work's output. */
enum imf_format page_format(const struct session *s, const struct work *w);
/* Is only the plan wanted? */
bool page_is_planned(const struct session *s, const struct work *w);
/* Filter the reader's page, which becomes number i from 0 on of `count` in the output, 0: as many as the reader will have; that
 * is opened unless it is. */
enum result page_filter(struct session *s, struct work *w, size_t i, size_t count);
/* Go to another page. */
enum result page_turn(struct session *s, struct work *w, int page);
/* The page is done. */
void page_report(const struct session *s, const struct reporter *r, struct work *w);

#endif
