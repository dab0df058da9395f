/* sized.c - structs that say their size, so that a later version may append members */
#include "base/sized.h"

#include <string.h>

/* Bytes that the caller and the library both know. */
static size_t common(const void *callers, size_t size) {
    size_t said;
    memcpy(&said, callers, sizeof said);
    return said && said < size ? said : size;
}

void imf_sized_read(void *to, size_t size, const void *from) {
    memset(to, 0, size);
    if (from)
        memcpy(to, from, common(from, size));
}

void imf_sized_write(void *to, const void *from, size_t size) {
    if (!to)
        return;
    size_t bytes = common(to, size), head = sizeof(size_t);
    if (bytes > head)
        memcpy((char *)to + head, (const char *)from + head, bytes - head);
}
