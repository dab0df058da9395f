/*
 * message_buffer.c - what is said of one image: at once, or when it is its turn to be printed
 */
#include "report/message_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "report/terminal.h"

bool message_buffer_open(struct message_buffer *r, const struct reporter *to, bool *noted,
                         bool keep) {
    *r = (struct message_buffer){.reporter = *to, .kept = keep, .noted = noted};
    if (!keep)
        return true;
    r->reporter.out = open_memstream(&r->out, &r->out_size);
    bool one = to->out == to->err;
    r->reporter.err = one ? r->reporter.out : open_memstream(&r->err, &r->err_size);
    if (r->reporter.out && r->reporter.err)
        return true;
    message_buffer_free(r);
    return false;
}

void message_buffer_note(struct message_buffer *r, const char *note) {
    if (r->kept && !r->note) {
        r->note = strdup(note);
    } else if (!r->kept && !*r->noted) {
        report_warning(&r->reporter, NULL, note);
        *r->noted = true;
    }
}

void message_buffer_close(struct message_buffer *r) {
    if (r->kept && r->reporter.err && r->reporter.err != r->reporter.out)
        fclose(r->reporter.err);
    if (r->kept && r->reporter.out)
        fclose(r->reporter.out);
    r->reporter.out = r->reporter.err = NULL;
}

static void put(FILE *to, const char *text, size_t size) {
    if (size)
        fwrite(text, 1, size, to);
}

void message_buffer_add(struct message_buffer *r, const struct message_buffer *said) {
    put(r->reporter.err, said->err, said->err_size);
    put(r->reporter.out, said->out, said->out_size);
}

void message_buffer_print(struct message_buffer *r, const struct reporter *to) {
    if (r->note && !*r->noted) {
        report_warning(to, NULL, r->note);
        *r->noted = true;
    }
    if (r->err_size || r->out_size) {
        terminal_pause();
        put(to->err, r->err, r->err_size);
        put(to->out, r->out, r->out_size);
        if (r->out_size)
            fflush(to->out);
        terminal_resume();
    }
    message_buffer_free(r);
}

void message_buffer_free(struct message_buffer *r) {
    message_buffer_close(r);
    free(r->note);
    free(r->out);
    free(r->err);
    r->note = r->out = r->err = NULL;
    r->out_size = r->err_size = 0;
}
