/* bench.h - what the benchmarks share */
#ifndef BENCH_H
#define BENCH_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void die(const char *text) {
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
    exit(1);
}

static double now_ms(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

#endif
