/* fourier/transform.c - imf_fft_transform() for the transform benchmark (fft_bench.h) */
#include "fft_bench.h"

static void run(void *fft) {
    struct imf_error err;
    if (imf_fft_transform(fft, IMF_FFT_FORWARD, &err) != IMF_OK)
        bench_die(err.text);
}

int main(int argc, char **argv) {
    struct bench b = bench_arguments(argc, argv);
    struct imf_context *ctx;
    struct imf_fft *fft;
    struct imf_error err;
    float *data;
    const struct imf_fft_shape shape = {
        .nx = b.nx, .ny = b.ny, .batch = b.batch, .radices = b.radices};
    if (imf_context_create(&ctx, NULL, &err) != IMF_OK ||
        imf_fft_create(&fft, ctx, &shape, &err) != IMF_OK ||
        imf_fft_map(fft, &data, &err) != IMF_OK)
        bench_die(err.text);
    bench_fill(&b, data);
    imf_fft_unmap(fft, NULL);
    run(fft);
    if (imf_fft_map(fft, &data, &err) != IMF_OK)
        bench_die(err.text);
    double error = bench_error(&b, data);
    bench_fill(&b, data);
    imf_fft_unmap(fft, NULL);
    bench_print(&b, bench_time(&b, run, fft), error);
    imf_fft_free(&fft);
    imf_context_free(&ctx);
    return 0;
}
