/*
 * stream.h - an image from one end to another, its rows read, filtered and written at the same time
 */
#ifndef IMF_RUN_PIPELINE_STREAM_H
#define IMF_RUN_PIPELINE_STREAM_H

#include "run/executor/bands.h"

struct imf_stream_run {
    struct imf_exec *exec;         /* of at least one band */
    const struct imf_chain *plain; /* the chain that exec runs */
    const struct imf_path *host;   /* which goes on after the device */
    /* Called on threads of their own, for neighbouring rows in order; a write of the last ones
     * finishes the result, and may be of no row. */
    enum imf_status (*read)(void *ends, const struct imf_rows *rows, struct imf_error *err);
    enum imf_status (*write)(void *ends, const struct imf_rows *rows, bool last,
                             struct imf_error *err);
    void *ends;
    /* Called when the result of an image that is held whole is there, before it is written, or NULL:
     * exec made it. *result may be made again. */
    enum imf_status (*look)(void *data, struct imf_exec *exec, struct imf_rows *result,
                            struct imf_error *err);
    /* Called on the calling thread, before each band and at the end, with the rows of the result that
     * are filtered. A failure ends the run. */
    enum imf_status (*tell)(void *data, int filtered, struct imf_error *err);
    /* Asked when the device fails: may the host go on? */
    bool (*fall_back)(void *data, const struct imf_error *failure);
    void *data;
    bool alone; /* no threads but the calling one */
    bool spent; /* afterwards: the executor cannot be used again */
};

/* Fills what the report says of the stages. When it returns, its threads have ended. */
enum imf_status imf_stream(struct imf_stream_run *run, struct imf_report *report,
                           struct imf_error *err);

#endif
