/*
 * device_trial.h - trying devices in a child process before they are used
 */
#ifndef CLI_OPTIONS_DEVICE_TRIAL_H
#define CLI_OPTIONS_DEVICE_TRIAL_H

#include "options/settings.h"

/* Set the environment of drivers, and the trial commands in o->guard. Call before there are threads. */
void device_guard(struct options *o);

/* Tell the next run that a driver may have ended this one, if one is in use; safe in any state. */
void device_mark_crash(void);

/* In the child process: use the device, or OpenGL ES, and return the exit status. */
#define DEVICE_TRIAL "--try-device"
int device_try(const char *device);
#define GLES_TRIAL "--try-gles"
int device_try_gles(void);

#endif
