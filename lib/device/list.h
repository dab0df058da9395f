/* list.h - descriptions of devices, put into a caller's list */
#ifndef IMF_DEVICE_LIST_H
#define IMF_DEVICE_LIST_H

#include "base/error.h"

/* The list's first element says the size of all. */
void imf_list_put(struct imf_device_info *list, size_t i, const struct imf_device_info *info);
/* imf_device_list(), with `tuned` of the rates in cache_dir, which may be NULL. */
size_t imf_list_opencl(struct imf_device_info *list, size_t capacity, const char *cache_dir);

#endif
