/*
 * devices.h - --list-devices and --tune: what the machine has, and the rates that plans go by
 */
#ifndef CLI_OPTIONS_DEVICES_H
#define CLI_OPTIONS_DEVICES_H

#include "options/settings.h"

/* Each returns the exit status. */
int devices_list(const struct options *o);
int devices_tune(const struct options *o); /* ACTION_TUNE: measures; ACTION_SHOW_RATES: prints */

#endif
