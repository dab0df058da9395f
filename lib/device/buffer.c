/* buffer.c - memory that a device's programs work on */
#include "base/pages.h"
#include "device/opencl.h"

#include <stdlib.h>

/* A CPU device's memory is the process's. */
static void use_large_pages(struct imf_queue *q, cl_mem mem, size_t bytes) {
    char *p = clEnqueueMapBuffer(q->handle, mem, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes,
                                 0, NULL, NULL, NULL);
    if (!p)
        return;
    imf_use_large_pages(p, bytes);
    (void)clEnqueueUnmapMemObject(q->handle, mem, p, 0, NULL, NULL);
}

static enum imf_status make(struct imf_buffer **out, struct imf_queue *q, cl_mem_flags flags,
                            size_t bytes, void *memory, struct imf_error *err) {
    const struct imf_device *d = &q->rt->device;
    cl_int code;
    *out = NULL;
    if (bytes > d->max_alloc && d->max_alloc > 0)
        return imf_fail(err, IMF_ERR_MEMORY,
                        "a buffer of %zu bytes is over the device's limit of %llu", bytes,
                        (unsigned long long)d->max_alloc);
    struct imf_buffer *b = malloc(sizeof *b);
    if (!b)
        return imf_fail_memory(err, sizeof *b);
    b->handle = clCreateBuffer(q->rt->context, flags, bytes ? bytes : 1, memory, &code);
    if (code != CL_SUCCESS) {
        char what[64];
        free(b);
        snprintf(what, sizeof what, "cannot make a buffer of %zu bytes", bytes);
        return imf_cl_fail(err, code, what);
    }
    if (d->unified && !d->gpu)
        use_large_pages(q, b->handle, bytes);
    *out = b;
    return IMF_OK;
}

enum imf_status imf_buffer_make(struct imf_buffer **out, struct imf_queue *queue,
                                enum imf_buffer_use use, size_t bytes, struct imf_error *err) {
    static const cl_mem_flags flags[] = {
        [IMF_BUFFER_TABLE] = CL_MEM_READ_ONLY,
        [IMF_BUFFER_WORK] = CL_MEM_READ_WRITE,
        [IMF_BUFFER_MAPPED] = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
    };
    return make(out, queue, flags[use], bytes, NULL, err);
}

enum imf_status imf_buffer_table(struct imf_buffer **out, struct imf_queue *queue, const void *data,
                                 size_t bytes, struct imf_error *err) {
    enum imf_status st = imf_buffer_make(out, queue, IMF_BUFFER_TABLE, bytes, err);
    if (!st)
        st = imf_buffer_upload(queue, *out, 0, data, bytes, err);
    if (st)
        imf_buffer_free(out);
    return st;
}

/* Work that was given to the device may outlive our last use of a buffer when something fails. */
static void CL_CALLBACK free_memory(cl_mem mem, void *memory) {
    (void)mem;
    free(memory);
}

enum imf_status imf_buffer_over(struct imf_buffer **out, struct imf_queue *queue, void *memory,
                                size_t bytes, struct imf_error *err) {
    enum imf_status st =
        make(out, queue, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory, err);
    if (st) {
        free(memory);
        return st;
    }
    cl_int code = clSetMemObjectDestructorCallback((*out)->handle, free_memory, memory);
    if (code == CL_SUCCESS)
        return IMF_OK;
    imf_buffer_free(out);
    /* An unmap of it may be queued. Memory that a failed device may still write to is not freed. */
    if (clFinish(queue->handle) == CL_SUCCESS)
        free(memory);
    return imf_cl_fail(err, code, "cannot keep a buffer in the host's memory");
}

void imf_buffer_free(struct imf_buffer **buffer) {
    if (!*buffer)
        return;
    clReleaseMemObject((*buffer)->handle);
    free(*buffer);
    *buffer = NULL;
}

static enum imf_status told(cl_int code, const char *what, struct imf_error *err) {
    return code == CL_SUCCESS ? IMF_OK : imf_cl_fail(err, code, what);
}

static enum imf_status write_to(struct imf_queue *queue, struct imf_buffer *buffer, size_t to,
                                const void *data, size_t bytes, cl_bool wait,
                                struct imf_error *err) {
    if (bytes == 0)
        return IMF_OK;
    return told(
        clEnqueueWriteBuffer(queue->handle, buffer->handle, wait, to, bytes, data, 0, NULL, NULL),
        "cannot write to the device's memory", err);
}

static enum imf_status read_from(struct imf_queue *queue, const struct imf_buffer *buffer,
                                 size_t from, void *data, size_t bytes, cl_bool wait,
                                 struct imf_error *err) {
    if (bytes == 0)
        return IMF_OK;
    return told(
        clEnqueueReadBuffer(queue->handle, buffer->handle, wait, from, bytes, data, 0, NULL, NULL),
        "cannot read the device's memory", err);
}

enum imf_status imf_buffer_upload(struct imf_queue *queue, struct imf_buffer *buffer, size_t to,
                                  const void *data, size_t bytes, struct imf_error *err) {
    return write_to(queue, buffer, to, data, bytes, CL_TRUE, err);
}

enum imf_status imf_buffer_download(struct imf_queue *queue, const struct imf_buffer *buffer,
                                    size_t from, void *data, size_t bytes, struct imf_error *err) {
    return read_from(queue, buffer, from, data, bytes, CL_TRUE, err);
}

enum imf_status imf_buffer_send(struct imf_queue *queue, struct imf_buffer *buffer, size_t to,
                                const void *data, size_t bytes, struct imf_error *err) {
    return write_to(queue, buffer, to, data, bytes, CL_FALSE, err);
}

enum imf_status imf_buffer_fetch(struct imf_queue *queue, const struct imf_buffer *buffer,
                                 size_t from, void *data, size_t bytes, struct imf_error *err) {
    return read_from(queue, buffer, from, data, bytes, CL_FALSE, err);
}

enum imf_status imf_buffer_clear(struct imf_queue *queue, struct imf_buffer *buffer, size_t from,
                                 size_t bytes, struct imf_error *err) {
    const cl_int zero = 0;
    return told(clEnqueueFillBuffer(queue->handle, buffer->handle, &zero, sizeof zero, from, bytes,
                                    0, NULL, NULL),
                "cannot clear the device's memory", err);
}

enum imf_status imf_buffer_copy(struct imf_queue *queue, struct imf_buffer *target, size_t to,
                                const struct imf_buffer *source, size_t from, size_t bytes,
                                struct imf_error *err) {
    return told(clEnqueueCopyBuffer(queue->handle, source->handle, target->handle, from, to, bytes,
                                    0, NULL, NULL),
                "cannot copy within the device's memory", err);
}

void *imf_buffer_map(struct imf_queue *queue, struct imf_buffer *buffer, enum imf_access access,
                     size_t from, size_t bytes, struct imf_error *err) {
    cl_map_flags flags = (access & IMF_ACCESS_READ ? CL_MAP_READ : 0) |
                         (access & IMF_ACCESS_WRITE ? CL_MAP_WRITE : 0);
    cl_int code;
    void *mapped = clEnqueueMapBuffer(queue->handle, buffer->handle, CL_TRUE, flags, from, bytes, 0,
                                      NULL, NULL, &code);
    if (!mapped)
        imf_cl_fail(err, code, "cannot map the device's memory");
    return mapped;
}

enum imf_status imf_buffer_unmap(struct imf_queue *queue, struct imf_buffer *buffer, void *mapped,
                                 struct imf_error *err) {
    return told(clEnqueueUnmapMemObject(queue->handle, buffer->handle, mapped, 0, NULL, NULL),
                "cannot unmap the device's memory", err);
}
