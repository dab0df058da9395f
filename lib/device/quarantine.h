/* quarantine.h - programs that a driver was seen to crash in */
#ifndef IMF_DEVICE_QUARANTINE_H
#define IMF_DEVICE_QUARANTINE_H

#include "device/runtime.h"

#include <stddef.h>

/* What happens when this driver gets the program, a file of cl/ without its ending; NULL: nothing is known
 * against it. */
const char *imf_quarantine(const struct imf_device *d, const char *program);
/* Those programs, each with what happens: "fft.cl (the driver crashes), ..."; "" if there are none. */
void imf_quarantine_list(const struct imf_device *d, char *text, size_t size);

#endif
