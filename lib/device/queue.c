/* queue.c - work for a device, done in the order in which it was given */
#include "device/opencl.h"

#include <stdlib.h>

enum imf_status imf_queue_open(struct imf_queue **out, struct imf_runtime *rt,
                               struct imf_error *err) {
    struct imf_queue *q = *out = calloc(1, sizeof *q);
    if (!q)
        return imf_fail_memory(err, sizeof *q);
    cl_int code;
    q->rt = rt;
    q->handle = clCreateCommandQueue(rt->context, rt->id, 0, &code);
    if (code == CL_SUCCESS)
        return IMF_OK;
    free(q);
    *out = NULL;
    return imf_cl_fail(err, code, "cannot make a command queue");
}

void imf_queue_close(struct imf_queue **queue) {
    struct imf_queue *q = *queue;
    *queue = NULL;
    if (!q)
        return;
    clFinish(q->handle);
    clReleaseCommandQueue(q->handle);
    free(q);
}

enum imf_status imf_queue_finish(struct imf_queue *queue, struct imf_error *err) {
    cl_int code = clFinish(queue->handle);
    return code == CL_SUCCESS ? IMF_OK : imf_cl_fail(err, code, "the device failed");
}

const struct imf_device *imf_queue_device(const struct imf_queue *queue) {
    return &queue->rt->device;
}
