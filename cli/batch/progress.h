/*
 * progress.h - how far a batch is: a line on a terminal, or lines of a log
 *
 * On a terminal the line appears when a batch takes longer than a moment, is drawn at most ten times a
 * second, and is erased at the end. Any thread may call progress_finished().
 */
#ifndef CLI_BATCH_PROGRESS_H
#define CLI_BATCH_PROGRESS_H

#include "options/settings.h"
#include "report/outcome.h"

/* Once in a run; does nothing where no progress is asked for. */
void progress_begin(const struct reporter *r, const struct options *o, size_t total);
/* One more image is done. Skipped ones took no time. */
enum progress_kind { PROGRESS_FILTERED, PROGRESS_SKIPPED, PROGRESS_FAILED };
void progress_finished(enum progress_kind kind, uint64_t pixels);
/* Erase the line. True when something had been shown. */
bool progress_end(void);

#endif
