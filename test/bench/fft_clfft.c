/* fft_clfft.c - clFFT on the library's device for the transform benchmark (fft_bench.h) */
#include "device/opencl.h"
#include "fft_bench.h"

#include <clFFT.h>

struct job {
    clfftPlanHandle plan;
    cl_command_queue queue;
    cl_mem data;
};

static void check(int code, const char *what) {
    if (code != 0)
        bench_die(what);
}

static void run(void *user) {
    struct job *j = user;
    check(clfftEnqueueTransform(j->plan, CLFFT_FORWARD, 1, &j->queue, 0, NULL, NULL, &j->data, NULL,
                                NULL),
          "clFFT does not run");
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
    clfftSetupData setup;
    size_t lengths[] = {(size_t)b.nx, (size_t)b.ny};
    float *data = malloc(b.bytes);
    if (!data || imf_buffer_make(&buffer, queue, IMF_BUFFER_WORK, b.bytes, &err) != IMF_OK)
        bench_die("out of memory");
    j.data = buffer->handle;
    check(
        clfftInitSetupData(&setup) || clfftSetup(&setup) ||
            clfftCreateDefaultPlan(&j.plan, rt->context, b.ny > 1 ? CLFFT_2D : CLFFT_1D, lengths) ||
            clfftSetPlanPrecision(j.plan, CLFFT_SINGLE) ||
            clfftSetLayout(j.plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED) ||
            clfftSetResultLocation(j.plan, CLFFT_INPLACE) ||
            clfftSetPlanBatchSize(j.plan, (size_t)b.batch) ||
            clfftBakePlan(j.plan, 1, &j.queue, NULL, NULL),
        "clFFT does not plan this");
    bench_fill(&b, data);
    clEnqueueWriteBuffer(j.queue, j.data, CL_TRUE, 0, b.bytes, data, 0, NULL, NULL);
    run(&j);
    clEnqueueReadBuffer(j.queue, j.data, CL_TRUE, 0, b.bytes, data, 0, NULL, NULL);
    double error = bench_error(&b, data);
    bench_fill(&b, data);
    clEnqueueWriteBuffer(j.queue, j.data, CL_TRUE, 0, b.bytes, data, 0, NULL, NULL);
    bench_print(&b, bench_time(&b, run, &j), error);
    clfftDestroyPlan(&j.plan);
    clfftTeardown();
    imf_buffer_free(&buffer);
    imf_queue_close(&queue);
    imf_runtime_close(&rt);
    free(data);
    return 0;
}
