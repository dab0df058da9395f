/*
 * summary.h - the end of a batch: how many images were filtered, skipped and failed
 */
#ifndef CLI_BATCH_SUMMARY_H
#define CLI_BATCH_SUMMARY_H

#include "input/file_type.h"
#include "options/settings.h"
#include "report/outcome.h"

/* Counts of images. */
struct tally {
    size_t count, done, failed, skipped, bad_usage;
    char *failure[10]; /* owned: the first inputs that failed */
    bool unread;       /* the list of inputs ended in an error */
    uint64_t pixels;   /* of those that were filtered */
    double begun;      /* now_ms() then */
    bool watched;      /* progress was shown */
};

void tally_free(struct tally *t);
/* At the end. others: files in formats that cannot be read. */
void summary_report(const struct reporter *r, const struct options *o, const struct tally *t,
                    const struct file_type_counts *others);
/* A signal ends the program. */
void summary_interrupted(const struct reporter *r, const struct options *o, const struct tally *t,
                         const struct file_type_counts *others);
/* The object for programs alone: the batch ended early, and a message has said why. It is printed where
 * the options allow several images, even if there was one. */
void summary_print_json(const struct reporter *r, const struct options *o, const struct tally *t,
                        const struct file_type_counts *others, bool interrupted);

#endif
