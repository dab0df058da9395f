/*
 * exec.h - running a chain: its surfaces, its solvers' jobs, in order
 *
 * What follows is for images that are whole; exec_stream.h for those whose rows come and go.
 * The input surface is written by the host between map and unmap, the output read likewise. Between
 * them the chain is run band by band (bands.h), on the host or on a device (executor.h). The input
 * outlives a failure of the device.
 */
#ifndef IMF_RUN_EXECUTOR_EXEC_H
#define IMF_RUN_EXECUTOR_EXEC_H

#include "plan/path.h"

struct imf_exec;

/* Everything by the reference. out_sample: the chain's own, or IMF_F64 for
 * results that are neither rounded nor clamped. The chain must outlive the executor. */
enum imf_status imf_exec_make_host(struct imf_exec **out, const struct imf_chain *chain,
                                   enum imf_sample out_sample, struct imf_error *err);
/* The same in bands, by a path that needs no device. */
enum imf_status imf_exec_make_host_bands(struct imf_exec **out, const struct imf_chain *chain,
                                         const struct imf_path *path, struct imf_bands_form form,
                                         struct imf_error *err);
/* On a device, but for the passes whose place is the host; taken[i] is how pass i is done, proposed
 * for the height of the bands (imf_proposals_band). */
enum imf_status imf_exec_make_device(struct imf_exec **out, const struct imf_chain *chain,
                                     const struct imf_proposal *taken, struct imf_bands_form form,
                                     struct imf_runtime *rt, struct imf_error *err);
void imf_exec_free(struct imf_exec **exec);

/* The input surface, its host pointer valid until unmap; margins are the executor's business. */
const struct imf_surface *imf_exec_map_input(struct imf_exec *exec, struct imf_error *err);
enum imf_status imf_exec_unmap_input(struct imf_exec *exec, struct imf_error *err);
/* Let runs take so many threads; 0: as many as cores. */
void imf_exec_limit(struct imf_exec *exec, int threads);
/* Filter; returns when the output is finished. */
enum imf_status imf_exec_run(struct imf_exec *exec, struct imf_error *err);
/* The output surface, its host pointer valid until unmap. */
const struct imf_surface *imf_exec_map_output(struct imf_exec *exec, struct imf_error *err);
enum imf_status imf_exec_unmap_output(struct imf_exec *exec, struct imf_error *err);

#endif
