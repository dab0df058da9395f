/*
 * sandbox.h - a run confined to its own files
 */
#ifndef CLI_SANDBOX_SANDBOX_H
#define CLI_SANDBOX_SANDBOX_H

#include "input/job_list.h"
#include "options/settings.h"

/* Confine the process to what these images, the filters and the drivers need, as the options ask for it.
 * Call it before any other thread and any driver starts and before any file of others is decoded. False,
 * after a message, where --sandbox is given and it cannot be. */
bool sandbox_enter(const struct options *o, const struct job_list *b);

#endif
