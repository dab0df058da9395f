/* fft_bound.c - what tiles cost if nothing but their transforms had to be done
 *
 *   fft_bound NX NY COUNT REPEATS        prints: milliseconds GFLOP/s
 *
 * COUNT complex tiles, each forward and back in place by FFTW with measured plans, spread over two
 * threads. A thread takes one tile after the other in the same memory, as the solver does, so that
 * tiles stay in its cache. They are 0 throughout: values would grow with each round.
 */
#include "fft_bench.h"

#include <fftw3.h>
#include <pthread.h>
#include <string.h>

#define THREADS 2

struct share {
    fftwf_complex *tile;
    fftwf_plan forward, back;
    int count;
};

static void *do_share(void *user) {
    struct share *s = user;
    for (int i = 0; i < s->count; i++) {
        fftwf_execute(s->forward);
        fftwf_execute(s->back);
    }
    return NULL;
}

static void run(void *user) {
    struct share *s = user;
    pthread_t other[THREADS - 1];
    for (int i = 1; i < THREADS; i++)
        if (pthread_create(other + i - 1, NULL, do_share, s + i) != 0)
            bench_die("a thread does not start");
    do_share(s);
    for (int i = 1; i < THREADS; i++)
        pthread_join(other[i - 1], NULL);
}

int main(int argc, char **argv) {
    struct bench b = bench_arguments(argc, argv);
    struct share s[THREADS];
    size_t bytes = b.size * sizeof(fftwf_complex);
    for (int i = 0; i < THREADS; i++) {
        s[i].tile = fftwf_malloc(bytes);
        if (!s[i].tile)
            bench_die("out of memory");
        s[i].forward =
            fftwf_plan_dft_2d(b.ny, b.nx, s[i].tile, s[i].tile, FFTW_FORWARD, FFTW_MEASURE);
        s[i].back =
            fftwf_plan_dft_2d(b.ny, b.nx, s[i].tile, s[i].tile, FFTW_BACKWARD, FFTW_MEASURE);
        s[i].count = (b.batch + i) / THREADS;
        memset(s[i].tile, 0, bytes); /* planning wrote to it */
    }
    run(s);
    double ms = bench_time(&b, run, s);
    printf("%.3f %.2f\n", ms, 10.0 * (double)b.size * log2((double)b.size) * b.batch / ms * 1e-6);
    for (int i = 0; i < THREADS; i++) {
        fftwf_destroy_plan(s[i].forward);
        fftwf_destroy_plan(s[i].back);
        fftwf_free(s[i].tile);
    }
    return 0;
}
