/*
 * progress.h - how far a batch is: a line on a terminal, or lines of a log
 *
 * On a terminal it is drawn as soon as a batch takes a moment, ten times a second at most, and erased
 * at the end. Any thread may call these, and each takes NULL: there is nothing to be shown.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "report.h"

struct progress;

/* NULL: not wanted, not of use, or no memory. */
struct progress *progress_begin(const struct reporter *r, size_t total);
void progress_started(struct progress *p, const char *input); /* borrowed until the end */
/* One more has been dealt with; a failed one counts as such, a skipped one took no time. */
enum progress_kind { PROGRESS_FILTERED, PROGRESS_SKIPPED, PROGRESS_FAILED };
void progress_finished(struct progress *p, enum progress_kind kind, uint64_t pixels);
/* Erase it. True when something had been shown. */
bool progress_end(struct progress **p);

#endif
