/*
 * devices.h - --list-devices and --tune: what the machine has, and the rates that plans go by
 */
#ifndef CLI_OPTIONS_DEVICES_H
#define CLI_OPTIONS_DEVICES_H

#include "options/settings.h"

/* A context as the options ask for it, with what they say of drivers. */
enum imf_status devices_context(struct imf_context **out, const struct options *o,
                                struct imf_error *err);
/* Each returns the exit status. */
int devices_list(const struct options *o);
int devices_tune(const struct options *o); /* ACTION_TUNE: measures; ACTION_SHOW_RATES: prints */

#endif
