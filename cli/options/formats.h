/* formats.h - the library's formats in words */
#ifndef CLI_OPTIONS_FORMATS_H
#define CLI_OPTIONS_FORMATS_H

#include "imfilter.h"

enum { FORMATS_TEXT = 256 };

/* Put a word behind those of text, with `between` before it unless it is the first. */
void list_word(char *text, size_t size, const char *word, const char *between);

/* What --format takes: "png, jpeg or pnm", or with `between` before each but the first. */
const char *formats_names(char text[FORMATS_TEXT], const char *between);
/* The extensions that are known, likewise. */
const char *formats_extensions(char text[FORMATS_TEXT]);

/* Has one of the set (1 << format) this member of struct imf_encode? */
bool formats_have(unsigned set, const char *option);
/* "JPEG": those that have. */
const char *formats_of_option(char text[FORMATS_TEXT], const char *option);

#endif
