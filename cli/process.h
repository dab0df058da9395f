/*
 * process.h - one image from its input to its output
 */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include "batch.h"
#include "report.h"

/* What the images of one run share. */
struct session {
    const struct options *options;
    struct reporter reporter;
    const struct imf_filter *filter; /* borrowed; NULL: the spectrum is all that is asked for */
    struct imf_context *context;     /* borrowed */
    /* Of the last image; they serve the next if its shape is the same. */
    struct imf_plan *plan;
    struct imf_workspace *workspace;
    struct imf_info plan_input;
    uint64_t plan_held; /* by the reader that it was made for */
    bool plan_whole;
    bool make_directories;
    bool noted;       /* the plan's note has been printed */
    unsigned formats; /* written so far, a bit for each enum imf_format */
};

enum result {
    RESULT_DONE,
    RESULT_SKIPPED,
    RESULT_FAILED,   /* this image; the next may do better */
    RESULT_HOPELESS, /* ... which is not likely: the options ask for what cannot be had */
    RESULT_NO_DEVICE
};

/* Filter one image and report it. */
enum result process_image(struct session *s, const struct job *job);

#endif
