/* queue.c - work for a device, done in the order in which it was given */
#include "device/opencl.h"

#include <math.h>
#include <stdlib.h>

enum imf_status imf_queue_open(struct imf_queue **out, struct imf_runtime *rt,
                               struct imf_error *err) {
    struct imf_queue *q = *out = calloc(1, sizeof *q);
    if (!q)
        return imf_fail_memory(err, sizeof *q);
    cl_int code;
    q->rt = rt;
    q->spare = INFINITY;
    q->handle = clCreateCommandQueue(rt->context, rt->id, 0, &code);
    if (code == CL_SUCCESS)
        return IMF_OK;
    free(q);
    *out = NULL;
    return imf_cl_fail(err, code, "cannot make a command queue");
}

void imf_queue_limit(struct imf_queue *queue, double spare) {
    queue->spare = spare;
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

enum imf_status imf_queue_mark(struct imf_queue *queue, struct imf_event **out,
                               struct imf_error *err) {
    struct imf_event *e = *out = calloc(1, sizeof *e);
    if (!e)
        return imf_fail_memory(err, sizeof *e);
    cl_int code = clEnqueueMarkerWithWaitList(queue->handle, 0, NULL, &e->handle);
    if (code == CL_SUCCESS)
        code = clFlush(queue->handle);
    if (code == CL_SUCCESS)
        return IMF_OK;
    imf_event_free(out);
    return imf_cl_fail(err, code, "cannot mark work in a queue");
}

enum imf_status imf_queue_after(struct imf_queue *queue, const struct imf_event *event,
                                struct imf_error *err) {
    cl_int code = CL_SUCCESS;
    if (event)
        code = clEnqueueBarrierWithWaitList(queue->handle, 1, &event->handle, NULL);
    return code == CL_SUCCESS ? IMF_OK : imf_cl_fail(err, code, "cannot let a queue wait");
}

enum imf_status imf_event_wait(const struct imf_event *event, struct imf_error *err) {
    cl_int code = event ? clWaitForEvents(1, &event->handle) : CL_SUCCESS;
    return code == CL_SUCCESS ? IMF_OK : imf_cl_fail(err, code, "the device failed");
}

void imf_event_free(struct imf_event **event) {
    struct imf_event *e = *event;
    *event = NULL;
    if (e && e->handle)
        clReleaseEvent(e->handle);
    free(e);
}

const struct imf_device *imf_queue_device(const struct imf_queue *queue) {
    return &queue->rt->device;
}
