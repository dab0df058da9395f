/*
 * process.h - one image from its input to its output
 */
#ifndef CLI_BATCH_PROCESS_H
#define CLI_BATCH_PROCESS_H

#include <stdatomic.h>

#include "batch/device_pool.h"
#include "input/job_list.h"
#include "output/file.h"
#include "report/message_buffer.h"

/* What the images of one run share. */
struct session {
    const struct options *options;
    struct reporter reporter;
    const struct imf_filter *filter; /* borrowed; NULL: only a spectrum is drawn */
    struct device_pool devices;
    struct imf_plan_cache *plans;
    bool make_directories;
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

enum { PROCESS_TOGETHER = 64 }; /* outputs that are committed together, at most */

/* A filtered image whose output is complete under its temporary name. */
struct unfinished {
    const struct job *job;
    struct message_buffer *messages; /* of success, behind the mark */
    struct output output;
};

/* Filter one image, with its messages. With `later` the output may be left for process_finish():
 * RESULT_UNFINISHED. */
enum result process_image(struct session *s, const struct job *job, struct message_buffer *messages,
                          struct unfinished *later);
/* Flush and rename outputs, together. */
void process_finish(struct session *s, struct unfinished *list, enum result *results, size_t count);

#endif
