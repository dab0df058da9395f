/*
 * names.h - what each output is called, and whether one that exists is kept
 */
#ifndef CLI_OUTPUT_NAMES_H
#define CLI_OUTPUT_NAMES_H

#include "input/job_list.h"
#include "options/settings.h"

/* Fill in every job's output; false after a message. */
bool names_derive(struct job_list *b, const struct options *o);
/* The name of a page's output, where the job's has a place for its number; the caller frees it. NULL after a
 * message without memory. */
char *names_of_page(const struct job *job, int page);
/* The end of the output's name that comes from the job's name, and not from the user. */
const char *names_below(const struct job *job);

/* Why the image is skipped (--no-clobber, --skip-existing), in static storage; NULL: it is not. */
const char *names_skip_reason(const struct job *job, const struct options *o);

/* Does an output's name say another format than --format? Then text says so. */
#define NAME_MISMATCH 160
bool names_mismatch(const struct job_list *b, const struct options *o, char text[NAME_MISMATCH]);

/* The output's format: as --format says, else as the extension does, else the input's. */
enum imf_format names_format(const struct options *o, const struct job *job, enum imf_format input);
/* Which PNM, likewise. In place a wrong extension is ignored, but a bitmap stays a bitmap. */
enum imf_pnm names_pnm(const struct options *o, const struct job *job, int bits);

#endif
