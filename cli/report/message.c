/*
 * message.c - one-line messages on standard error
 */
#include "report/message.h"

#include <string.h>

#include "report/escape.h"
#include "report/terminal.h"

void message_print(FILE *err, const char *file, const char *format, va_list args) {
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    terminal_pause();
    flockfile(err);
    fputs("imfilter: ", err);
    if (file) {
        escape_print(err, strcmp(file, "-") == 0 ? "standard input" : file);
        fputs(": ", err);
    }
    escape_print(err, text);
    putc('\n', err);
    funlockfile(err);
    terminal_resume();
}

bool complain(const char *format, ...) {
    va_list args;
    va_start(args, format);
    message_print(stderr, NULL, format, args);
    va_end(args);
    return false;
}

bool complain_about(const char *file, const char *format, ...) {
    va_list args;
    va_start(args, format);
    message_print(stderr, file, format, args);
    va_end(args);
    return false;
}
