/*
 * outcome.h - messages for people, and one JSON object an image for programs
 */
#ifndef CLI_REPORT_OUTCOME_H
#define CLI_REPORT_OUTCOME_H

#include <stdbool.h>
#include <stdio.h>

#include "imfilter_program.h"

/* What is reported, and how. */
struct report_options {
    int verbosity; /* -1 quiet, 0, 1 verbose */
    bool json, timing, explain;
    unsigned bench;       /* filter so many times; 0: once */
    const char *spectrum; /* the picture of --spectrum, or NULL */
};

/* What became of one image. */
struct outcome {
    const char *input, *output; /* names as given; output NULL: none */
    const char *filter;
    const char *warning;             /* what the image's reader or the plan said, or NULL */
    const struct imf_choice *choice; /* NULL: it was not planned */
    const char *limited;             /* imf_plan_limited(), or NULL */
    const char *steps;               /* imf_plan_steps(), or NULL */
    int page,
        pages; /* of the input: this one, and how many it has; -1: several, as far as is known */
    struct imf_info source, shape; /* of the input and of the output, if there is a plan */
    struct imf_report report;
    struct imf_peaks peaks; /* of the input, with --spectrum */
    struct imf_parts parts; /* of the input, where there is an output; owned by the image's work */
    bool ran;               /* the times of report hold */
};

/* Where results and messages go: standard output, or standard error when the image takes that, and
 * standard error; or memory, to be printed when it is their turn. */
struct reporter {
    FILE *out, *err;
    const struct report_options *options;
    bool json_alone; /* JSON owns standard error: no plain lines there */
};

void report_error(const struct reporter *r, const char *input, const char *file, const char *text);
void report_warning(const struct reporter *r, const char *file, const char *text);
void report_skipped(const struct reporter *r, const char *input, const char *output,
                    const char *why);
void report_parts(const struct reporter *r, const struct outcome *o);   /* --parts */
void report_planned(const struct reporter *r, const struct outcome *o); /* --dry-run */
void report_done(const struct reporter *r, const struct outcome *o);
/* The result of --verify was out of tolerance, so the output was dropped. */
void report_unverified(const struct reporter *r, const struct outcome *o);

#endif
