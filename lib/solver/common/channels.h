/* channels.h - for solvers that work on one channel at a time */
#ifndef IMF_SOLVER_COMMON_CHANNELS_H
#define IMF_SOLVER_COMMON_CHANNELS_H

#include "base/thread_pool.h"
#include "solver/problem.h"

/* Samples x..x + count - 1 of a channel in row y. */
void imf_channel_read(double *restrict to, const struct imf_surface *s, int channel, int y, int x,
                      int count);
/* Write them, after the epilogue if it is a colour: `v` is overwritten. */
void imf_channel_finish(const struct imf_problem *p, const struct imf_surface *s, int channel,
                        int y, int x, double *v, int count);
/* Copy the channels from `first` on; colours, if the picture stays as it is, are finished. */
void imf_channels_copy(const struct imf_problem *p, const struct imf_surface *in,
                       const struct imf_surface *out, int first, struct imf_pool *pool);

#endif
