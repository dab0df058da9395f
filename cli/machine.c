/*
 * machine.c - what this process may use of the machine
 *
 * A control group's limit stands in a file of its own, and in those of the groups above it: of
 * version 2 "memory.max" below /sys/fs/cgroup, of version 1 "memory.limit_in_bytes" below
 * /sys/fs/cgroup/memory. /proc/self/cgroup names the group: "0::/PATH", "7:memory:/PATH".
 */
#include "machine.h"

#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int machine_cores(void) {
    cpu_set_t set;
    long cores =
        sched_getaffinity(0, sizeof set, &set) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
    return cores < 1 ? 1 : cores > INT_MAX ? INT_MAX : (int)cores;
}

/* The number that a file begins with; anything else ("max") is no limit. */
static uint64_t read_limit(const char *path) {
    uint64_t limit;
    FILE *f = fopen(path, "re");
    if (!f)
        return UINT64_MAX;
    if (fscanf(f, "%" SCNu64, &limit) != 1)
        limit = UINT64_MAX;
    fclose(f);
    return limit;
}

/* The least limit of a group and those above it; shortens `group`. */
static uint64_t least_limit(const char *root, char *group, const char *file) {
    uint64_t least = UINT64_MAX;
    char path[PATH_MAX];
    for (;;) {
        if (snprintf(path, sizeof path, "%s%s/%s", root, group, file) < (int)sizeof path) {
            uint64_t limit = read_limit(path);
            least = limit < least ? limit : least;
        }
        char *slash = strrchr(group, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

static uint64_t group_limit(void) {
    uint64_t least = UINT64_MAX, limit;
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f && getline(&line, &room, f) > 0) {
        char *controllers = strchr(line, ':'),
             *group = controllers ? strchr(controllers + 1, ':') : 0;
        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (!controllers[1])
            limit = least_limit("/sys/fs/cgroup", group, "memory.max");
        else if (strstr(controllers, "memory"))
            limit = least_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
        else
            continue;
        least = limit < least ? limit : least;
    }
    free(line);
    if (f)
        fclose(f);
    return least;
}

uint64_t machine_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t memory = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
    uint64_t limit = group_limit();
    return limit < memory ? limit : memory;
}
