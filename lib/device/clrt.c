/* clrt.c - OpenCL as it was called before buffers and programs hid it */
#include "device/clrt.h"

enum imf_status imf_clrt_kernel(struct imf_queue *queue, const char *file,
                                const struct imf_defines *defines, const char *kernel,
                                cl_kernel *out, struct imf_error *err) {
    static const char *const parts[] = {"common.cl", NULL};
    const struct imf_program_source source = {file, parts, defines};
    struct imf_program *p;
    enum imf_status st = imf_program_make(&p, queue, &source, kernel, err);
    *out = NULL;
    if (st)
        return st;
    *out = imf_program_cl(p);
    clRetainKernel(*out);
    imf_program_free(&p);
    return IMF_OK;
}

enum imf_status imf_clrt_buffer(struct imf_queue *queue, cl_mem_flags flags, size_t bytes,
                                cl_mem *out, struct imf_error *err) {
    struct imf_buffer *b;
    enum imf_status st = imf_buffer_make(&b, queue,
                                         flags & CL_MEM_ALLOC_HOST_PTR ? IMF_BUFFER_MAPPED
                                         : flags & CL_MEM_READ_ONLY    ? IMF_BUFFER_TABLE
                                                                       : IMF_BUFFER_WORK,
                                         bytes, err);
    *out = NULL;
    if (st)
        return st;
    *out = b->handle;
    clRetainMemObject(*out);
    imf_buffer_free(&b);
    return IMF_OK;
}

enum imf_status imf_clrt_launch(struct imf_queue *queue, cl_kernel kernel,
                                const struct imf_clrt_arg *args, unsigned count, unsigned dims,
                                const size_t *global, const size_t *local, struct imf_error *err) {
    for (unsigned i = 0; i < count; i++) {
        cl_int code = clSetKernelArg(kernel, i, args[i].size, args[i].value);
        if (code != CL_SUCCESS) {
            char what[64];
            snprintf(what, sizeof what, "kernel argument %u", i);
            return imf_cl_fail(err, code, what);
        }
    }
    cl_int code =
        clEnqueueNDRangeKernel(queue->handle, kernel, dims, NULL, global, local, 0, NULL, NULL);
    return code == CL_SUCCESS ? IMF_OK : imf_cl_fail(err, code, "cannot start a kernel");
}
