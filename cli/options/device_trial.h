/*
 * device_trial.h - the device, kept from harming the run
 */
#ifndef CLI_OPTIONS_DEVICE_TRIAL_H
#define CLI_OPTIONS_DEVICE_TRIAL_H

#include "options/settings.h"

/* Complete o->context: trials of devices in child processes, the environment of drivers. Before there
 * are threads. */
void device_guard(struct options *o);

/* This process is such a child: use the device, or OpenGL ES, and return the exit status. */
#define DEVICE_TRIAL "--try-device"
int device_try(const char *device);
#define GLES_TRIAL "--try-gles"
int device_try_gles(void);

#endif
