/* quarantine.h - programs that a driver was seen to crash in */
#ifndef IMF_DEVICE_QUARANTINE_H
#define IMF_DEVICE_QUARANTINE_H

#include "device/runtime.h"

#include <stddef.h>

/* How this driver fails with a program, a file of cl/ without its suffix; NULL: no failure is known. */
const char *imf_quarantine(const struct imf_device *d, const char *program);
/* All known failures of this driver: "fft.cl (the driver crashes), ..."; "" if there are none. */
void imf_quarantine_list(const struct imf_device *d, char *text, size_t size);

#endif
