/* bench.h - time an executor's steps over and over */
#ifndef IMF_RUN_PIPELINE_BENCH_H
#define IMF_RUN_PIPELINE_BENCH_H

#include "run/executor/exec.h"

/* Filter n times the image of an executor of one band, which has run once already; fills the
 * report's bench fields. *result is a mapped output before and after, at another address maybe. */
enum imf_status imf_bench(struct imf_exec *exec, unsigned n, struct imf_rows *result,
                          struct imf_report *report, struct imf_error *err);

#endif
