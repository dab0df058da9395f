/*
 * exec_input.c - an image's memory on a device, such that the image outlives the device's failure
 *
 * An image can be read only once, so that its host's copy must stay until the output is there, at
 * no cost where nothing fails. A CPU works on memory of ours. A GPU with memory of its own is sent
 * what lies in a buffer that stays mapped: drivers pin such memory, and the transfer takes as long
 * as that of unmapping. A GPU that shares the host's memory wants it to be its own; that is mapped
 * again.
 */
#include "run/exec_input.h"

#include <stdlib.h>

static enum imf_status make_pinned(struct imf_exec_input *in, struct imf_clrt *rt, size_t bytes,
                                   struct imf_error *err) {
    enum imf_status st =
        imf_clrt_buffer(rt, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, &in->pinned, err);
    if (st)
        return st;
    cl_int code;
    in->host = clEnqueueMapBuffer(imf_clrt_queue(rt), in->pinned, CL_TRUE,
                                  CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
    return in->host ? IMF_OK : imf_clrt_fail(err, code, "mapping memory for an image");
}

enum imf_status imf_exec_input_make(struct imf_exec_input *in, struct imf_clrt *rt,
                                    struct imf_surface *s, struct imf_error *err) {
    const struct imf_device *d = imf_clrt_device(rt);
    size_t bytes = imf_surface_bytes(s);
    enum imf_status st;
    cl_mem mem = NULL;
    if (!d->gpu) {
        st = imf_surface_alloc(s, err);
        if (st)
            return st;
        void *memory = s->host;
        s->host = NULL;
        st = imf_clrt_buffer_over(rt, memory, bytes, &mem, err);
        in->host = st ? NULL : memory;
    } else {
        cl_mem_flags shared = d->unified ? CL_MEM_ALLOC_HOST_PTR : 0;
        st = imf_clrt_buffer(rt, CL_MEM_READ_WRITE | shared, bytes, &mem, err);
        if (!st && !d->unified)
            st = make_pinned(in, rt, bytes, err);
    }
    s->mem = mem;
    return st;
}

enum imf_status imf_exec_input_send(const struct imf_exec_input *in, struct imf_clrt *rt,
                                    const struct imf_surface *s, struct imf_error *err) {
    cl_int code = clEnqueueWriteBuffer(imf_clrt_queue(rt), s->mem, CL_TRUE, 0, imf_surface_bytes(s),
                                       in->host, 0, NULL, NULL);
    return code ? imf_clrt_fail(err, code, "sending an image to the device") : IMF_OK;
}

void imf_exec_input_free(struct imf_exec_input *in, struct imf_clrt *rt) {
    if (in->pinned) {
        if (in->host)
            clEnqueueUnmapMemObject(imf_clrt_queue(rt), in->pinned, in->host, 0, NULL, NULL);
        clReleaseMemObject(in->pinned);
    }
    *in = (struct imf_exec_input){0};
}
