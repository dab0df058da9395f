/* pass_run.h - the passes of a transform at work on a device */
#ifndef IMF_FOURIER_PASS_RUN_H
#define IMF_FOURIER_PASS_RUN_H

#include "fourier/pass.h"

struct imf_fft_pass_run {
    struct imf_queue *queue; /* not owned */
    struct imf_fft_passes passes;
    bool wide;            /* work is done in float64, as convolutions double the error */
    bool alone;           /* each work-item does whole transforms */
    int chunk;            /* transforms that are done before the next are begun */
    size_t groups, bytes; /* bytes: of data */
    struct imf_program *program;
    struct imf_buffer *data, *temp, *scratch, *twiddles, *orders, *counters; /* owned */
};

/* wide: in float64 where the device can. Free it on failure, too. */
enum imf_status imf_fft_pass_run_make(struct imf_fft_pass_run *out, struct imf_queue *queue,
                                      const struct imf_fft_shape_passes *shape, bool wide,
                                      struct imf_error *err);
void imf_fft_pass_run_free(struct imf_fft_pass_run *r);
/* Transform `data` in place, in the queue's order; backwards: the inverse. */
enum imf_status imf_fft_pass_run(struct imf_fft_pass_run *r, bool backwards, struct imf_error *err);

#endif
