/*
 * parse.h - argv turned into struct options
 */
#ifndef CLI_OPTIONS_PARSE_H
#define CLI_OPTIONS_PARSE_H

#include "options/settings.h"

/* Set all of *o; false after one line on standard error that says what is wrong. options_free() takes either. */
bool options_parse(struct options *o, int argc, char **argv);

#endif
