/*
 * escape.h - text from outside made safe to print: one line, no control characters
 */
#ifndef CLI_REPORT_ESCAPE_H
#define CLI_REPORT_ESCAPE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Length of the valid UTF-8 sequence at s, or 0: no overlong forms, surrogates or values past
 * U+10FFFF (Unicode 15, table 3-7). *value is its code point. */
size_t utf8_decode(const char *s, uint32_t *value);

/* Print text. Newlines become \n; control characters, characters that change the direction of
 * writing, and bytes that are not UTF-8 become \ooo. */
void escape_print(FILE *out, const char *text);

#endif
