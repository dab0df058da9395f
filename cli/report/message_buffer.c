/*
 * message_buffer.c - the messages of one image, kept in memory until they are printed in order
 */
#include "report/message_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "report/terminal.h"

bool message_buffer_open(struct message_buffer *m, const struct reporter *to) {
    *m = (struct message_buffer){.reporter = *to};
    m->reporter.out = open_memstream(&m->out, &m->out_size);
    /* Where both streams are one, lines keep their order. */
    bool one = to->out == to->err;
    m->reporter.err = one ? m->reporter.out : open_memstream(&m->err, &m->err_size);
    if (m->reporter.out && m->reporter.err)
        return true;
    message_buffer_free(m);
    return false;
}

void message_buffer_note(struct message_buffer *m, const char *note) {
    if (!m->note)
        m->note = strdup(note);
}

/* Flushing takes no memory, as closing the streams does: an image that fails without memory keeps its
 * message. */
void message_buffer_close(struct message_buffer *m) {
    if (m->reporter.out)
        fflush(m->reporter.out);
    if (m->reporter.err)
        fflush(m->reporter.err);
}

void message_buffer_mark(struct message_buffer *m) {
    m->out_mark = ftell(m->reporter.out);
    m->err_mark = ftell(m->reporter.err);
}

/* A memory stream ends where it is written to. */
void message_buffer_drop(struct message_buffer *m) {
    fseek(m->reporter.out, m->out_mark, SEEK_SET);
    fseek(m->reporter.err, m->err_mark, SEEK_SET);
}

static void put(FILE *to, const char *text, size_t size) {
    if (size)
        fwrite(text, 1, size, to);
}

void message_buffer_append(struct message_buffer *m, struct message_buffer *to) {
    message_buffer_close(m);
    put(to->reporter.err, m->err, m->err_size);
    put(to->reporter.out, m->out, m->out_size);
    message_buffer_free(m);
}

void message_buffer_print(struct message_buffer *m, const struct reporter *to, bool *noted) {
    if (m->note && !*noted) {
        report_warning(to, NULL, m->note);
        *noted = true;
    }
    if (m->err_size || m->out_size) {
        terminal_pause();
        put(to->err, m->err, m->err_size);
        put(to->out, m->out, m->out_size);
        if (m->out_size)
            fflush(to->out);
        terminal_resume();
    }
    message_buffer_free(m);
}

void message_buffer_free(struct message_buffer *m) {
    if (m->reporter.err && m->reporter.err != m->reporter.out)
        fclose(m->reporter.err);
    if (m->reporter.out)
        fclose(m->reporter.out);
    m->reporter.out = m->reporter.err = NULL;
    free(m->note);
    free(m->out);
    free(m->err);
    m->note = m->out = m->err = NULL;
    m->out_size = m->err_size = 0;
}
