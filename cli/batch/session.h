/*
 * session.h - what the images of one run share, and what becomes of each
 */
#ifndef CLI_BATCH_SESSION_H
#define CLI_BATCH_SESSION_H

#include <stdatomic.h>

#include "batch/device_pool.h"

/* What the images of one run share. */
struct session {
    const struct options *options;
    struct reporter reporter;
    const struct imf_filter *filter; /* borrowed; NULL: only a spectrum is drawn */
    struct device_pool devices;
    struct imf_plan_cache *plans;
    struct claims *claims; /* where not all outputs are known beforehand */
    bool make_directories;
    bool streams;        /* inputs come one by one */
    atomic_uint formats; /* written so far, a bit for each enum imf_format */
};

enum result {
    RESULT_DONE,
    RESULT_SKIPPED,
    RESULT_FAILED,    /* for a reason of this image */
    RESULT_BAD_USAGE, /* the options are impossible for this image, and so probably for all */
    RESULT_NO_DEVICE,
    RESULT_UNFINISHED /* done but for flushing and renaming the output */
};

#endif
