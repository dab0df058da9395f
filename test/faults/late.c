/*
 * late.c - a shared object to preload under which a copy between buffers begins LATE_US late
 *
 * A device may run what it was given at any later time. Copies begin LATE_US microseconds after they
 * were enqueued, while the program goes on.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *release(void *event) {
    const char *wait = getenv("LATE_US");
    usleep(wait ? (useconds_t)strtoul(wait, NULL, 10) : 0);
    clSetUserEventStatus(event, CL_COMPLETE);
    clReleaseEvent(event);
    return NULL;
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t source,
                           size_t target, size_t size, cl_uint count, const cl_event *list,
                           cl_event *event) {
    cl_int (*next)(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint,
                   const cl_event *, cl_event *);
    *(void **)&next = dlsym(RTLD_NEXT, "clEnqueueCopyBuffer");
    cl_context context;
    pthread_t thread;
    if (count || clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL))
        return next(queue, from, to, source, target, size, count, list, event);
    cl_int status = CL_SUCCESS;
    cl_event begin = clCreateUserEvent(context, &status);
    if (status)
        return status;
    status = next(queue, from, to, source, target, size, 1, &begin, event);
    clRetainEvent(begin);
    if (pthread_create(&thread, NULL, release, begin) == 0)
        pthread_detach(thread);
    else
        release(begin);
    clReleaseEvent(begin);
    return status;
}
