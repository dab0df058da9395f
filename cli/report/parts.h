/*
 * parts.h - the parts of an image's file, as a table and for programs
 */
#ifndef CLI_REPORT_PARTS_H
#define CLI_REPORT_PARTS_H

#include "imfilter_program.h"
#include "report/json.h"

/* page: above 1, of which these are the parts; else those of the file. */
void parts_print(FILE *out, const char *input, int page, const struct imf_parts *parts);
/* What becomes of the parts of each format in each; false: no memory. */
bool parts_list(FILE *out, bool json);
/* "parts":[...], in the order of the file */
void parts_json(struct json *j, const struct imf_parts *parts);
/* "lost":[...] of those that are */
void parts_json_lost(struct json *j, const struct imf_parts *parts);

#endif
