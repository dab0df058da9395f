/*
 * escape.h - names in messages: one line, and nothing that a terminal obeys
 */
#ifndef CLI_REPORT_ESCAPE_H
#define CLI_REPORT_ESCAPE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Length of the valid UTF-8 sequence at s, or 0: no overlong forms, surrogates or values past
 * U+10FFFF (Unicode 15, table 3-7). */
size_t utf8_length(const char *s);
/* The code point of a valid sequence. */
uint32_t utf8_code_point(const char *s, size_t length);

/* Print text with newlines as \n, and with every byte of controls, of what turns the direction of
 * writing, and of what is no UTF-8, as \ooo. */
void escape_print(FILE *out, const char *text);

#endif
