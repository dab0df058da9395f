/*
 * skip.c - whether an output that exists is kept: --no-clobber, --skip-existing
 */
#include "skip.h"

#include <string.h>
#include <sys/stat.h>

const char *skip_reason(const struct job *job, const struct options *o) {
    struct stat in, out;
    if (o->in_place || !job->output || strcmp(job->output, "-") == 0 ||
        stat(job->output, &out) != 0 || S_ISDIR(out.st_mode))
        return NULL;
    if (o->no_clobber)
        return "its output exists";
    if (!o->skip_existing || strcmp(job->input, "-") == 0 || stat(job->input, &in) != 0)
        return NULL;
    /* Equal times count as newer: the input was there first. */
    if (out.st_mtim.tv_sec != in.st_mtim.tv_sec)
        return out.st_mtim.tv_sec > in.st_mtim.tv_sec ? "its output is newer" : NULL;
    return out.st_mtim.tv_nsec >= in.st_mtim.tv_nsec ? "its output is newer" : NULL;
}
