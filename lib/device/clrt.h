/* clrt.h - OpenCL as it was called before buffers and programs hid it */
#ifndef IMF_DEVICE_CLRT_H
#define IMF_DEVICE_CLRT_H

#include "device/opencl.h"

enum imf_status imf_clrt_kernel(struct imf_queue *queue, const char *file,
                                const struct imf_defines *defines, const char *kernel,
                                cl_kernel *out, struct imf_error *err);
enum imf_status imf_clrt_buffer(struct imf_queue *queue, cl_mem_flags flags, size_t bytes,
                                cl_mem *out, struct imf_error *err);
struct imf_clrt_arg {
    size_t size;
    const void *value;
};
enum imf_status imf_clrt_launch(struct imf_queue *queue, cl_kernel kernel,
                                const struct imf_clrt_arg *args, unsigned count, unsigned dims,
                                const size_t *global, const size_t *local, struct imf_error *err);

#endif
