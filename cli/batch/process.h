/*
 * process.h - one image from its input to its output
 */
#ifndef CLI_BATCH_PROCESS_H
#define CLI_BATCH_PROCESS_H

#include "batch/session.h"
#include "input/job_list.h"
#include "output/file.h"
#include "report/message_buffer.h"

enum { PROCESS_TOGETHER = 64 }; /* outputs that are committed together, at most */

/* A filtered image whose output is complete under its temporary name. */
struct unfinished {
    const struct job *job;
    size_t place;                    /* of the job, among those that the caller works on */
    struct message_buffer *messages; /* of success, behind the mark */
    struct output output;
};

/* Filter one image, with its messages. With `later` the output may be left for process_finish():
 * RESULT_UNFINISHED. */
enum result process_image(struct session *s, const struct job *job, struct message_buffer *messages,
                          struct unfinished *later);
/* The image failed: where inputs come one by one, it may come again. */
void process_forget(const struct session *s, const struct job *job);
/* Flush and rename outputs, together. */
void process_finish(struct session *s, struct unfinished *list, enum result *results, size_t count);

#endif
