/*
 * message_buffer.h - the messages of one image, kept in memory until they are printed in order
 */
#ifndef CLI_REPORT_MESSAGE_BUFFER_H
#define CLI_REPORT_MESSAGE_BUFFER_H

#include "report/outcome.h"

struct message_buffer {
    struct reporter reporter; /* writes into this buffer */
    uint64_t pixels;          /* of the image, once they are known */
    char *note;               /* the plan's remark on the whole batch; owned, or NULL */
    char *out, *err;          /* what was printed; owned */
    size_t out_size, err_size;
    long out_mark, err_mark; /* positions in them */
};

/* A buffer for what would go to the streams of `to`; false without memory. It must not be moved. */
bool message_buffer_open(struct message_buffer *messages, const struct reporter *to);
void message_buffer_note(struct message_buffer *messages, const char *note);
/* Nothing more is written: out and err are complete. */
void message_buffer_close(struct message_buffer *messages);
/* What is written from now on holds only if message_buffer_drop(), which takes it back, is not called. */
void message_buffer_mark(struct message_buffer *messages);
void message_buffer_drop(struct message_buffer *messages);
/* Put the messages behind those of another buffer, and free this one. */
void message_buffer_append(struct message_buffer *messages, struct message_buffer *to);
/* Print a closed buffer, and free it. The note is printed unless *noted, which is set then. */
void message_buffer_print(struct message_buffer *messages, const struct reporter *to, bool *noted);
void message_buffer_free(struct message_buffer *messages);

#endif
