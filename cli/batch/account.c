/*
 * account.c - what becomes of the parts of an image's file
 */
#include "batch/account.h"

#include <stdio.h>

const char *account_check(const struct options *o, struct imf_parts *parts,
                          const struct imf_reader *reader, const struct imf_writer *writer,
                          char text[ACCOUNT_TEXT]) {
    char lost[ACCOUNT_TEXT - 120];
    imf_parts_free(parts);
    if (!imf_parts_of(parts, reader, writer))
        return "out of memory";
    if (!o->in_place || o->allow_loss || !imf_parts_lost(parts, lost, sizeof lost))
        return NULL;
    snprintf(text, ACCOUNT_TEXT,
             "in place, these would be lost: %s (allow it with --allow-loss, or write to another "
             "file with -o)",
             lost);
    return text;
}
