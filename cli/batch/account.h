/*
 * account.h - what becomes of the parts of an image's file
 */
#ifndef CLI_BATCH_ACCOUNT_H
#define CLI_BATCH_ACCOUNT_H

#include "input/job_list.h"
#include "options/settings.h"

enum { ACCOUNT_TEXT = 800 };

/* The limits of a job's reader, which also say whether blocks of a JPEG are to stay as they are. */
struct imf_limits account_limits(const struct options *o, const struct imf_filter *filter,
                                 const struct job *job);

/* Set the parts, anew, as far as they are known. NULL, or why the image may not be replaced: in place no
 * part may be lost. */
const char *account_check(const struct options *o, struct imf_parts *parts,
                          const struct imf_reader *reader, const struct imf_writer *writer,
                          char text[ACCOUNT_TEXT]);

/* Set the parts, of which the writer says what becomes: all rows are read, and as many black ones of
 * info's shape are written to nowhere. */
enum imf_status account_list(struct imf_parts *parts, struct imf_reader *reader,
                             const struct imf_info *info, const struct imf_encode *encode,
                             struct imf_error *err);

#endif
