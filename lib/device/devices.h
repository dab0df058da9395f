/* devices.h - finding an OpenCL device */
#ifndef IMF_DEVICE_DEVICES_H
#define IMF_DEVICE_DEVICES_H

#include "device/runtime.h"

struct imf_cl_device {
    cl_platform_id platform;
    cl_device_id device;
    struct imf_device_info info;
    bool unified;
};

/* The device that `select` asks for. Loads the OpenCL platforms, creates nothing on them. */
enum imf_status imf_cl_select(struct imf_cl_device *out, const struct imf_context_options *select,
                              struct imf_error *err);

#endif
