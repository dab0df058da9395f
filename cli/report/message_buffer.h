/*
 * message_buffer.h - what is said of one image: at once, or when it is its turn to be printed
 */
#ifndef CLI_REPORT_MESSAGE_BUFFER_H
#define CLI_REPORT_MESSAGE_BUFFER_H

#include "report/outcome.h"

struct message_buffer {
    struct reporter reporter; /* what is said of the image goes through this */
    bool kept;                /* in memory, until it is printed */
    bool *noted;              /* of the batch: the plan's note has been printed */
    uint64_t pixels;          /* of the image, once they are known */
    char *note;               /* the plan's, if it is to be printed first; owned */
    char *out, *err;          /* what was said; owned */
    size_t out_size, err_size;
};

/* A record of what is said where `to` would say it, kept or not; false without memory. */
bool message_buffer_open(struct message_buffer *messages, const struct reporter *to, bool *noted,
                         bool keep);
/* The plan's remark, which concerns the whole batch, and is printed once. */
void message_buffer_note(struct message_buffer *messages, const char *note);
/* Nothing more will be said; frees what is not needed for printing. */
void message_buffer_close(struct message_buffer *messages);
/* Say what a closed record says, too. */
void message_buffer_add(struct message_buffer *messages, const struct message_buffer *said);
/* Print a closed record where `to` says it, and free it. */
void message_buffer_print(struct message_buffer *messages, const struct reporter *to);
void message_buffer_free(struct message_buffer *messages);

#endif
