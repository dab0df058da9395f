/* bench.h - time an executor's steps over and over */
#ifndef IMF_RUN_BENCH_H
#define IMF_RUN_BENCH_H

#include "run/exec.h"

/* Filter n times, after a first one that the caller did; fills the report's bench fields. */
enum imf_status imf_bench(struct imf_exec *exec, unsigned n, struct imf_report *report,
                          struct imf_error *err);

#endif
