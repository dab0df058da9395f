/* list_put.c - an element of a list of devices, whose size the caller says */
#include "base/sized.h"
#include "device/list.h"

#include <string.h>

void imf_list_put(struct imf_device_info *list, size_t i, const struct imf_device_info *info) {
    size_t size = list->size ? list->size : sizeof *list;
    char *at = (char *)list + i * size;
    memcpy(at, &size, sizeof size);
    imf_sized_write(at, info, sizeof *info);
}
