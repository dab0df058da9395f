/*
 * mark.h - files that tell later runs that a driver ended this one
 *
 * While a driver is in use, the cache directory has a file that this process has locked. It goes with the
 * use. One that is left unlocked is of a process that has ended: by a crash, if its owner may not write
 * it, which takes no room on a full disk; or by a kill, which says nothing of the driver.
 */
#ifndef IMF_DEVICE_OPEN_MARK_H
#define IMF_DEVICE_OPEN_MARK_H

#include <stdatomic.h>
#include <stdbool.h>

struct imf_driver_mark {
    int file, directory; /* -1: there is none */
    char name[40];
};

enum imf_crash {
    IMF_CRASH_NONE,
    IMF_CRASH_ONCE,
    IMF_CRASH_AGAIN, /* an hour before there was another */
};

/* What earlier runs left: each crash is told once. With `others` other runs use a driver now. */
enum imf_crash imf_mark_sweep(const char *cache_dir, bool *others);
/* Make one, unless the process has one, whose descriptor is in *held; what fails goes without. */
void imf_mark_open(struct imf_driver_mark *mark, const char *cache_dir, atomic_int *held);
void imf_mark_close(struct imf_driver_mark *mark, atomic_int *held);

#endif
