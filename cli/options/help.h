/* help.h - what --help, --version and the --list options print */
#ifndef CLI_OPTIONS_HELP_H
#define CLI_OPTIONS_HELP_H

#include <stdbool.h>
#include <stdio.h>

void help_short_usage(FILE *out);
void help_print(FILE *out);
void help_version(FILE *out);
bool help_list_filters(FILE *out, bool json);
/* What --list-filters says of one filter, and its parameters. False after a message. */
bool help_filter(FILE *out, const char *name);

#endif
