/*
 * device.h - the device, kept from harming the run
 */
#ifndef CLI_DEVICE_H
#define CLI_DEVICE_H

#include "options.h"

/* Complete o->context: a trial of the device in a child process, PoCL's environment. argv are this
 * process's. */
void device_guard(struct options *o);

/* This process is such a child: use the device and return the exit status. */
#define DEVICE_TRIAL "--try-device"
int device_try(const char *device);

#endif
