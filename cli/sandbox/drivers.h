/*
 * drivers.h - what OpenCL drivers need of a sandbox
 */
#ifndef CLI_SANDBOX_DRIVERS_H
#define CLI_SANDBOX_DRIVERS_H

#include "options/settings.h"

/* May images be filtered by a driver? */
bool drivers_used(const struct options *o);
/* Why a sandbox might be too narrow for the drivers that would be loaded, in `why`; NULL: it is not. */
#define DRIVERS_WHY 320
const char *drivers_why_not(const struct options *o, char why[DRIVERS_WHY]);
/* Allow what drivers read, write and run, and make the cache directory; false with errno. */
bool drivers_allow(int rules, const struct options *o);
/* Without drivers: what the cache says of the machine is read. */
bool drivers_allow_cache(int rules, const struct options *o);

#endif
