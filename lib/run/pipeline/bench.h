/* bench.h - time an executor's steps over and over */
#ifndef IMF_RUN_PIPELINE_BENCH_H
#define IMF_RUN_PIPELINE_BENCH_H

#include "run/executor/bands.h"

/* Filter an image that is held whole n times, after a first one that the caller did; fills the
 * report's bench fields. *result, which is the host's to read, is made again. */
enum imf_status imf_bench(struct imf_exec *exec, unsigned n, struct imf_rows *result,
                          struct imf_report *report, struct imf_error *err);

#endif
