/* settings.c - what the command line asks for */
#include "options/settings.h"

#include <stdlib.h>

#include "report/message.h"

#define SPARE_MEMORY ((uint64_t)1 << 30)

void options_free(struct options *o) {
    free(o->specs);
    free(o->inputs);
    free(o->regions);
    o->specs = o->inputs = NULL;
    o->regions = NULL;
}

bool options_append(const char ***list, size_t *count, const char *text) {
    /* The capacity doubles at each power of two. */
    if ((*count & (*count - 1)) == 0) {
        size_t capacity = *count ? *count * 2 : 1;
        const char **grown = reallocarray(*list, capacity, sizeof *grown);
        if (!grown)
            return complain("out of memory");
        *list = grown;
    }
    (*list)[(*count)++] = text;
    return true;
}

void options_set_memory(struct options *o, uint64_t bytes) {
    o->settings.max_memory = o->encode.max_memory = o->limits.max_memory = bytes;
}

bool options_spare_memory(const struct options *o) {
    uint64_t most = o->settings.max_memory;
    return most == 0 || (!o->memory_given && most >= SPARE_MEMORY);
}
