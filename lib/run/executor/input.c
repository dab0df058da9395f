/*
 * input.c - an image's memory on a device, such that the image outlives the device's failure
 *
 * An image can be read only once, so that its host's copy must stay until the output is there, at
 * no cost where nothing fails. A CPU works on memory of ours. A GPU is sent what lies in a buffer
 * that stays mapped: drivers pin such memory, and the transfer takes as long as that of unmapping.
 */
#include "run/executor/input.h"

#include <stdlib.h>

static enum imf_status make_pinned(struct imf_exec_input *in, struct imf_queue *queue, size_t bytes,
                                   struct imf_error *err) {
    enum imf_status st = imf_buffer_make(&in->pinned, queue, IMF_BUFFER_MAPPED, bytes, err);
    if (st)
        return st;
    in->host = imf_buffer_map(queue, in->pinned, IMF_ACCESS_BOTH, 0, bytes, err);
    return in->host ? IMF_OK : IMF_ERR_DEVICE;
}

static enum imf_status make_over(struct imf_exec_input *in, struct imf_queue *queue,
                                 struct imf_surface *s, struct imf_error *err) {
    enum imf_status st = imf_surface_alloc(s, err);
    if (st)
        return st;
    void *memory = s->host;
    s->host = NULL;
    st = imf_buffer_over(&s->mem, queue, memory, imf_surface_bytes(s), err);
    in->host = st ? NULL : memory;
    return st;
}

static enum imf_status make_sent(struct imf_exec_input *in, struct imf_queue *queue,
                                 struct imf_surface *s, struct imf_error *err) {
    size_t bytes = imf_surface_bytes(s);
    enum imf_status st = imf_buffer_make(&s->mem, queue, IMF_BUFFER_WORK, bytes, err);
    return st ? st : make_pinned(in, queue, bytes, err);
}

enum imf_status imf_exec_input_make(struct imf_exec_input *in, struct imf_queue *queue,
                                    struct imf_surface *s, bool apart, struct imf_error *err) {
    bool sent = apart || imf_queue_device(queue)->gpu;
    return sent ? make_sent(in, queue, s, err) : make_over(in, queue, s, err);
}

void imf_exec_input_free(struct imf_exec_input *in, struct imf_queue *queue) {
    if (in->pinned && in->host)
        (void)imf_buffer_unmap(queue, in->pinned, in->host, NULL);
    imf_buffer_free(&in->pinned);
    *in = (struct imf_exec_input){0};
}
