/* formats.h - lists of the library's formats, for messages */
#ifndef CLI_OPTIONS_FORMATS_H
#define CLI_OPTIONS_FORMATS_H

#include "imfilter.h"

enum { FORMATS_TEXT = 256 };

/* Append a word to text, after `between` unless it is the first. */
void list_word(char *text, size_t size, const char *word, const char *between);

/* What --format takes: "png, jpeg or pnm", or with `between` before each but the first. */
const char *formats_names(char text[FORMATS_TEXT], const char *between);
/* Those that can be read, too: "png, jpeg, pnm, heif (only read)". */
const char *formats_read(char text[FORMATS_TEXT]);
/* All extensions of what can be written, likewise. */
const char *formats_extensions(char text[FORMATS_TEXT]);

/* Does a format of the set (1 << format) use this member of struct imf_encode? titles: of all formats
 * that do, "JPEG". */
bool formats_use(unsigned set, const char *option, char titles[FORMATS_TEXT]);

#endif
