/*
 * host_pass.h - what a pass needs of the host besides its solver, on surfaces at host addresses
 */
#ifndef IMF_RUN_EXECUTOR_HOST_PASS_H
#define IMF_RUN_EXECUTOR_HOST_PASS_H

#include "run/executor/ops.h"

/* Fill the margins that pass i reads around `in`, whose row 0 is row `row` of the image. */
void imf_exec_fill_host(const struct imf_exec *x, int i, const struct imf_surface *in, int row);
/* Make the step of point pass i: a job for the host's vectors, or nothing for plain C. */
enum imf_status imf_exec_make_host_point(struct imf_exec *x, int i,
                                         const struct imf_proposal *chosen, struct imf_error *err);
/* Run it. */
void imf_exec_point_host(const struct imf_exec *x, int i, const struct imf_point_io *io);

#endif
