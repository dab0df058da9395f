/*
 * summary.h - what became of a batch
 */
#ifndef CLI_BATCH_SUMMARY_H
#define CLI_BATCH_SUMMARY_H

#include "input/file_type.h"
#include "options/settings.h"
#include "report/outcome.h"

/* How a batch stands. */
struct tally {
    size_t count, done, failed, skipped, bad_usage;
    const char *failure[10]; /* the first inputs that failed */
    uint64_t pixels;         /* of those that were filtered */
    double begun;            /* now_ms() then */
    bool watched;            /* somebody was shown how far it came */
};

/* It is over; others: images that were met and cannot be read. */
void summary_report(const struct reporter *r, const struct options *o, const struct tally *t,
                    const struct file_type_counts *others);
/* A signal ends it. */
void summary_interrupted(const struct reporter *r, const struct options *o, const struct tally *t,
                         const struct file_type_counts *others);
/* It ends before all images were tried, for a reason that people have been told. */
void summary_abandoned(const struct reporter *r, const struct options *o, const struct tally *t,
                       const struct file_type_counts *others);

#endif
