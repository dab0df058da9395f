/*
 * lanes.h - the parts of one image, each made by whichever of several executors is free for it
 */
#ifndef IMF_RUN_LANES_H
#define IMF_RUN_LANES_H

#include "run/exec_stream.h"

/* An executor of parts (struct imf_bands_form), the same rows in all lanes. */
struct imf_lane {
    struct imf_exec *exec;
    const struct imf_chain *plain; /* as for imf_exec_band() */
    /* Afterwards. */
    int parts;                /* that it made */
    struct imf_error failure; /* if it has a status: the executor cannot be used again */
};

struct imf_lanes_run {
    struct imf_lane *lane;
    int count;
    /* Called on threads of their own, for neighbouring rows in order; a write of the last ones
     * finishes the result. */
    enum imf_status (*read)(void *ends, const struct imf_rows *rows, struct imf_error *err);
    enum imf_status (*write)(void *ends, const struct imf_rows *rows, bool last,
                             struct imf_error *err);
    void *ends;
};

/* Fails if reading or writing does, or else as the lane that failed last when all have. Fills what
 * the report says of the stages, the lanes' times added. When it returns, its threads have ended. */
enum imf_status imf_lanes(const struct imf_lanes_run *run, struct imf_report *report,
                          struct imf_error *err);
/* Bytes of the rows that are read ahead of the lanes, and kept until they can be written. */
enum imf_status imf_lanes_bytes(const struct imf_lanes_run *run, double *bytes,
                                struct imf_error *err);

#endif
