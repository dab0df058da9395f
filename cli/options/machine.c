/*
 * machine.c - the cores and the memory that this process may use
 *
 * Limits of control groups are in files of the group and of the groups above it: of
 * version 2 "memory.max" and "cpu.max" below /sys/fs/cgroup, of version 1 "memory.limit_in_bytes"
 * below /sys/fs/cgroup/memory and "cpu.cfs_quota_us" below /sys/fs/cgroup/cpu. /proc/self/cgroup
 * names the group: "0::/PATH", "7:memory:/PATH", "3:cpu,cpuacct:/PATH".
 */
#include "options/machine.h"

#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Read up to two numbers from the beginning of a file; returns how many. "max" and -1 are none. */
static int read_numbers(const char *directory, const char *name, uint64_t number[2]) {
    char path[PATH_MAX];
    int64_t value[2];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return 0;
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    int count = fscanf(f, "%" SCNd64 " %" SCNd64, &value[0], &value[1]);
    fclose(f);
    for (int i = 0; i < count; i++) {
        if (value[i] < 0)
            return i;
        number[i] = (uint64_t)value[i];
    }
    return count < 0 ? 0 : count;
}

/* A limited resource: a number, or a quotient of two. */
struct resource {
    const char *controller;
    const char *version1, *files1[2]; /* in version 1: the directory, and a file for each number */
    const char *file2;                /* in version 2: one file */
    bool quotient;
};
static const struct resource memory = {
    "memory", "/sys/fs/cgroup/memory", {"memory.limit_in_bytes"}, "memory.max", false};
/* Microseconds of processor time, and the period in which they may be used. */
static const struct resource cores = {
    "cpu", "/sys/fs/cgroup/cpu", {"cpu.cfs_quota_us", "cpu.cfs_period_us"}, "cpu.max", true};

/* Quotients are rounded up: rounded down, a part of the quota would stay unused. */
static uint64_t read_limit(const struct resource *r, const char *directory, bool version1) {
    uint64_t n[3];
    int count = 0, needed = r->quotient ? 2 : 1;
    if (!version1)
        count = read_numbers(directory, r->file2, n);
    for (int i = 0; version1 && i < needed && read_numbers(directory, r->files1[i], n + i); i++)
        count++;
    if (count < needed || (r->quotient && (!n[0] || !n[1])))
        return UINT64_MAX;
    return r->quotient ? (n[0] - 1) / n[1] + 1 : n[0];
}

/* The least limit of a group and of those above it. Shortens the text. */
static uint64_t least_limit(const struct resource *r, bool version1, char *group) {
    uint64_t least = UINT64_MAX;
    char path[PATH_MAX];
    for (;;) {
        const char *root = version1 ? r->version1 : "/sys/fs/cgroup";
        if (snprintf(path, sizeof path, "%s%s", root, group) < (int)sizeof path) {
            uint64_t limit = read_limit(r, path, version1);
            least = limit < least ? limit : least;
        }
        char *slash = strrchr(group, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

/* Is `name` one of a list with commas? */
static bool lists(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (!at[length] || at[length] == ','))
            return true;
    }
    return false;
}

static uint64_t group_limit(const struct resource *r) {
    uint64_t least = UINT64_MAX;
    char *line = NULL;
    size_t capacity = 0;
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f && getline(&line, &capacity, f) > 0) {
        char *controllers = strchr(line, ':'),
             *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        controllers++;
        if (*controllers && !lists(controllers, r->controller))
            continue;
        uint64_t limit = least_limit(r, *controllers, group);
        least = limit < least ? limit : least;
    }
    free(line);
    if (f)
        fclose(f);
    return least;
}

int machine_cores(void) {
    cpu_set_t set;
    long count =
        sched_getaffinity(0, sizeof set, &set) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
    uint64_t limit = group_limit(&cores);
    count = count < 1 ? 1 : count > INT_MAX ? INT_MAX : count;
    return limit < (uint64_t)count ? (int)limit : (int)count;
}

uint64_t machine_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t all = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
    uint64_t limit = group_limit(&memory);
    return limit < all ? limit : all;
}

/* glibc gives each thread a heap of its own, which keeps the memory that a driver's compiler used. */
void machine_share_heap(void) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 1 << 20); /* what is larger goes back when it is freed */
#endif
}
