/* fft_fftw.c - FFTW for the transform benchmark (fft_bench.h): measured plans, two threads
 *
 * In place like the others, or out of place where that is faster. */
#include "fft_bench.h"

#include <fftw3.h>

static void run(void *plan) {
    fftwf_execute(plan);
}

static fftwf_plan make(const struct bench *b, fftwf_complex *in, fftwf_complex *out) {
    const int n[] = {b->ny, b->nx}, dims = b->ny > 1 ? 2 : 1, size = (int)b->size;
    return fftwf_plan_many_dft(dims, n + 2 - dims, b->batch, in, NULL, 1, size, out, NULL, 1, size,
                               FFTW_FORWARD, FFTW_MEASURE);
}

int main(int argc, char **argv) {
    struct bench b = bench_arguments(argc, argv);
    fftwf_complex *in = fftwf_malloc(b.bytes), *out = fftwf_malloc(b.bytes);
    if (!in || !out || !fftwf_init_threads())
        bench_die("FFTW does not start");
    fftwf_plan_with_nthreads(2);
    double least = INFINITY, error = 0;
    for (int apart = 0; apart < 2; apart++) {
        fftwf_plan plan = make(&b, in, apart ? out : in);
        bench_fill(&b, (float *)in);
        run(plan);
        error = bench_error(&b, (const float *)(apart ? out : in));
        bench_fill(&b, (float *)in);
        double ms = bench_time(&b, run, plan);
        if (ms < least)
            least = ms;
        fftwf_destroy_plan(plan);
    }
    bench_print(&b, least, error);
    fftwf_free(in);
    fftwf_free(out);
    return 0;
}
