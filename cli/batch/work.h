/*
 * work.h - what one image needs while it is filtered, its input and its messages
 */
#ifndef CLI_BATCH_WORK_H
#define CLI_BATCH_WORK_H

#include "batch/session.h"
#include "input/job_list.h"
#include "output/file.h"
#include "report/message_buffer.h"

/* What one image needs while it is filtered. */
struct work {
    const struct job *job;
    struct message_buffer *messages;
    struct imf_lease lease;
    FILE *input;
    char *buffer;        /* of the input's stream */
    struct file_ref ref; /* in place: the file to replace */
    struct imf_reader *reader;
    struct imf_curve *curve; /* with --linear; NULL: sRGB's */
    double full;             /* as settings have it, */
    bool missing;            /* this, too */
    struct imf_writer *writer;
    struct output output;
    struct imf_encode encode; /* from the options, for this output */
    struct imf_picture *spectrum;
    struct outcome outcome;
    char warning[1400]; /* of the curve, the reader, the writer and the plan */
    char warned[1400];  /* the last that was printed: pages have the same, as a rule */
    struct imf_error error;
    double start;                /* of the image, or of its page */
    struct message_buffer pages; /* with several pages: the success of those so far */
    bool split;                  /* each page has an output of its own */
    bool reported;               /* all that was done is */
    bool measures;               /* samples may be missing: all are read once before */
    bool retry;                  /* the device failed, or samples are missing: begin again */
};

/* Report a failure that is about `file`. */
enum result work_fail(const struct work *w, const char *file, const char *text);
/* Report w->error, of the library. */
enum result work_fail_input(const struct work *w);
enum result work_fail_output(const struct work *w);
enum result work_skip(const struct work *w, const char *why);
/* The output's name for people. */
const char *work_output_name(const struct work *w);

/* Open the job's input. */
enum result work_open_input(struct session *s, struct work *w);
/* Of an output that was committed, or not. */
enum result work_commit_result(const struct session *s, const struct work *w,
                               const struct output *output, enum output_result committed);

/* Add to what the JSON object has as the warning. */
void work_add_warning(struct work *w, const char *text);
/* Print the warnings of the image, or of its page unless the page before it had the same, and keep them for the JSON
 * object, with the plan's note, which may be NULL. */
void work_collect_warnings(struct work *w, const char *note);

#endif
