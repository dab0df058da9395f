/*
 * account.h - what becomes of the parts of an image's file
 */
#ifndef CLI_BATCH_ACCOUNT_H
#define CLI_BATCH_ACCOUNT_H

#include "options/settings.h"

enum { ACCOUNT_TEXT = 800 };

/* Set the parts, anew, as far as they are known. NULL, or why the image may not be replaced: in place no
 * part may be lost. */
const char *account_check(const struct options *o, struct imf_parts *parts,
                          const struct imf_reader *reader, const struct imf_writer *writer,
                          char text[ACCOUNT_TEXT]);

#endif
