/*
 * input.h - an image's memory on a device, such that the image outlives the device's failure
 */
#ifndef IMF_RUN_EXECUTOR_INPUT_H
#define IMF_RUN_EXECUTOR_INPUT_H

#include "base/surface.h"
#include "device/buffer.h"

struct imf_exec_input {
    void *host; /* holds the image whatever becomes of the device, or NULL: it has to be mapped */
    struct imf_buffer *pinned; /* what `host` is a mapping of, or NULL: it is s->mem's memory */
};

/* Make s->mem, whose host's copy outlives the device's failure. apart: rows are sent as to a GPU. On
 * failure imf_exec_input_free() is still due. */
enum imf_status imf_exec_input_make(struct imf_exec_input *in, struct imf_queue *queue,
                                    struct imf_surface *s, bool apart, struct imf_error *err);
void imf_exec_input_free(struct imf_exec_input *in, struct imf_queue *queue);

#endif
