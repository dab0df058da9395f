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
    const struct imf_filter *filter; /* borrowed; NULL: the spectrum is all that is asked for */
    struct device_pool *pool;
    bool alone; /* the only image */
    bool make_directories;
    bool noted;          /* the plan's note has been printed */
    atomic_uint formats; /* written so far, a bit for each enum imf_format */
};

enum result {
    RESULT_DONE,
    RESULT_SKIPPED,
    RESULT_FAILED,   /* this image; the next may do better */
    RESULT_HOPELESS, /* ... which is not likely: the options ask for what cannot be had */
    RESULT_NO_DEVICE,
    RESULT_UNFINISHED /* its output waits for its name */
};

enum { PROCESS_TOGETHER = 64 }; /* outputs that are named together, at most */

/* An image that was filtered, and lacks its output's name. */
struct unfinished {
    const struct job *job;
    struct message_buffer *messages;
    struct message_buffer done; /* what is said of it if it gets that name */
    struct output output;
};

/* Filter one image and report it to the record. With `later`, its output may be left to be named
 * with others': RESULT_UNFINISHED. */
enum result process_image(struct session *s, const struct job *job, struct message_buffer *messages,
                          struct unfinished *later);
/* What becomes of those. */
void process_finish(struct session *s, struct unfinished *list, enum result *results, size_t count);

#endif
