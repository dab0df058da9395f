/*
 * probe.h - trying drivers in a child process before they are loaded
 *
 * A driver may abort, hang or crash the process; PoCL aborts where it finds no linker or no /sys. So
 * the device is tried in a child process first, once for each set of drivers and environment.
 */
#ifndef IMF_DEVICE_OPEN_PROBE_H
#define IMF_DEVICE_OPEN_PROBE_H

#include "base/error.h"
#include "device/cache.h"
#include "imfilter_program.h"

/* Which drivers: they decide what a result depends on, and the text of a failure. */
enum imf_probe_of { IMF_PROBE_OPENCL, IMF_PROBE_GLES };

/*
 * Run argv[0] with argv, unless the result of an earlier run is known. IMF_OK when it ended
 * by itself with a status other than IMF_PROBE_WRONG, or could not be run; else IMF_ERR_NO_DEVICE,
 * also when it took over `seconds`. cache_dir, where results are kept, may be NULL.
 */
enum imf_status imf_probe(const char *cache_dir, enum imf_probe_of of, const char *const *argv,
                          unsigned seconds, struct imf_error *err);

/* A run crashed in it: the next one tries it again or, with `refuse`, none does for an hour. */
void imf_probe_crashed(const char *cache_dir, enum imf_probe_of of, const char *const *argv,
                       bool refuse);

/* The key of what is known of these drivers on this machine: of the files that name them, the
 * variables that they read, and argv[1] and what follows. */
void imf_drivers_key(struct imf_cache_key *key, enum imf_probe_of of, const char *const *argv);

/*
 * PoCL's own cache (pocl.c): a directory within cache_dir or, where that cannot be used, a
 * temporary one. Sets POCL_CACHE_DIR unless it is set.
 */
struct imf_pocl_cache {
    char *path;     /* or NULL: PoCL's own choice, or the user's */
    bool temporary; /* removed when closed */
    int lock;       /* ... and locked until then */
};
void imf_pocl_cache_open(struct imf_pocl_cache *cache, const char *cache_dir);
/* Rename the one in cache_dir, so that PoCL begins anew: its new path, which the caller frees. NULL: there is
 * none, or it is not in cache_dir. */
char *imf_pocl_cache_set_aside(const char *cache_dir);
/* `grown`: entries may have been added, so that it is pruned. */
void imf_pocl_cache_close(struct imf_pocl_cache *cache, bool grown);

/*
 * A new directory of mode 0700 where PoCL's cache will be, or else in $TMPDIR or /tmp; NULL: there
 * is none. While *lock is open other processes leave it alone; those that killed processes left are removed.
 */
char *imf_temporary_directory(const char *cache_dir, int *lock);
void imf_temporary_remove(char *path, int lock); /* with all that is in it; frees path */

#endif
