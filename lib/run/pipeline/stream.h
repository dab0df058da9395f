/*
 * stream.h - an image from its source to its destination: rows are read, filtered and written at
 * the same time
 */
#ifndef IMF_RUN_PIPELINE_STREAM_H
#define IMF_RUN_PIPELINE_STREAM_H

#include "run/pipeline/pixel_io.h"

struct imf_stream_run {
    struct imf_exec *exec;
    const struct imf_chain *chain; /* the one that exec runs */
    const struct imf_path *host;   /* which takes over if the device fails */
    struct imf_pixel_io *pixels;   /* read and written on threads of their own */
    /* NULL, or called with the result of an image that is held whole, made by exec, before it is
     * written; it may be made again at another address. */
    enum imf_status (*inspect)(void *data, struct imf_exec *exec, struct imf_rows *result,
                               struct imf_error *err);
    /* Called on the calling thread, before each band and at the end, with the rows of the result
     * that are filtered. A failure ends the run. */
    enum imf_status (*progress)(void *data, int filtered, struct imf_error *err);
    /* NULL, or asked when the device fails: may the host take over? */
    bool (*fall_back)(void *data, const struct imf_error *failure);
    void *data;
    struct imf_pool *pool; /* whose threads compute */
    bool single_thread;    /* use the calling thread alone */
    bool spent;            /* set by imf_stream(): the executor cannot be used again */
};

/* Fills what the report says of the stages. Its threads have ended when it returns. */
enum imf_status imf_stream(struct imf_stream_run *run, struct imf_report *report,
                           struct imf_error *err);

#endif
