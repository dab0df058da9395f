/*
 * tune.h - --tune and --tune=show: the rates that plans go by
 */
#ifndef CLI_TUNE_H
#define CLI_TUNE_H

#include "options.h"

/* The exit status. */
int tune(const struct options *o);

#endif
