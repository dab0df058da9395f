/*
 * scripts.h - the completion scripts for shells
 */
#ifndef CLI_COMPLETION_SCRIPTS_H
#define CLI_COMPLETION_SCRIPTS_H

#include <stdio.h>

#include "options/settings.h"

/* The option, in argv[1], by which the scripts ask for candidates. */
#define COMPLETION_QUERY "--complete"

void completion_print(FILE *out, enum shell shell);

#endif
