/* fft_vkfft.c - VkFFT on the library's device for the transform benchmark (fft_bench.h) */
#define VKFFT_BACKEND 3 /* OpenCL */
#include "device/opencl.h"
#include "fft_bench.h"

#if __has_include(<vkFFT.h>)
#include <vkFFT.h>

struct job {
    VkFFTApplication app;
    cl_command_queue queue;
    cl_mem data;
};

static void run(void *user) {
    struct job *j = user;
    VkFFTLaunchParams launch = {.commandQueue = &j->queue};
    if (VkFFTAppend(&j->app, -1, &launch) != VKFFT_SUCCESS)
        bench_die("VkFFT does not run");
    clFinish(j->queue);
}

int main(int argc, char **argv) {
    struct bench b = bench_arguments(argc, argv);
    struct imf_context_options options = {.device = IMF_DEVICE_AUTO};
    struct imf_runtime *rt;
    struct imf_queue *queue;
    struct imf_buffer *buffer;
    struct imf_error err;
    if (imf_runtime_open(&rt, &options, NULL, &err) || imf_queue_open(&queue, rt, &err))
        bench_die(err.text);
    struct job j = {.queue = queue->handle};
    cl_context context = rt->context;
    cl_device_id device;
    clGetCommandQueueInfo(j.queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    uint64_t bytes = b.bytes;
    float *data = malloc(b.bytes);
    if (!data || imf_buffer_make(&buffer, queue, IMF_BUFFER_WORK, b.bytes, &err) != IMF_OK)
        bench_die("out of memory");
    j.data = buffer->handle;
    VkFFTConfiguration c = {.FFTdim = b.ny > 1 ? 2 : 1,
                            .size = {(uint64_t)b.nx, (uint64_t)b.ny, 1},
                            .numberBatches = (uint64_t)b.batch,
                            .device = &device,
                            .context = &context,
                            .buffer = &j.data,
                            .bufferSize = &bytes};
    if (initializeVkFFT(&j.app, c) != VKFFT_SUCCESS)
        bench_die("VkFFT does not plan this");
    bench_fill(&b, data);
    clEnqueueWriteBuffer(j.queue, j.data, CL_TRUE, 0, b.bytes, data, 0, NULL, NULL);
    run(&j);
    clEnqueueReadBuffer(j.queue, j.data, CL_TRUE, 0, b.bytes, data, 0, NULL, NULL);
    double error = bench_error(&b, data);
    bench_fill(&b, data);
    clEnqueueWriteBuffer(j.queue, j.data, CL_TRUE, 0, b.bytes, data, 0, NULL, NULL);
    bench_print(&b, bench_time(&b, run, &j), error);
    deleteVkFFT(&j.app);
    imf_buffer_free(&buffer);
    imf_queue_close(&queue);
    imf_runtime_close(&rt);
    free(data);
    return 0;
}
#else
int main(void) {
    bench_die("VkFFT is not installed (libvkfft-dev)");
}
#endif
