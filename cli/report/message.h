/*
 * message.h - one-line messages on standard error
 */
#ifndef CLI_REPORT_MESSAGE_H
#define CLI_REPORT_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* "imfilter: TEXT" on standard error. The text is escaped, so that it stays one line. Returns false, for
 * callers that fail. */
bool complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "imfilter: FILE: TEXT" */
bool complain_about(const char *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same on any stream; file may be NULL. */
void message_print(FILE *err, const char *file, const char *format, va_list args);

#endif
