/* solver_host.h - what the parts of the host solver share */
#ifndef IMF_SOLVER_HOST_H
#define IMF_SOLVER_HOST_H

#include "solver.h"

/* Widen `count` samples from index `first` (may be negative) of a row. */
void imf_host_widen(double *restrict to, const void *row, enum imf_sample sample, ptrdiff_t first,
                    size_t count);
/* Round and saturate to integers; floats as they are. */
void imf_host_narrow(void *row, enum imf_sample sample, const double *v, size_t count);

/* Problems with a transfer function: run, cost and print of the host solver. */
enum imf_status imf_host_transfer(const struct imf_problem *p, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err);
double imf_host_transfer_cost(const struct imf_problem *p);
void imf_host_transfer_print(const struct imf_problem *p, char *text, size_t size);

#endif
