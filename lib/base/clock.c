/* clock.c - time that only goes forward */
#include "base/clock.h"

#include <time.h>

uint64_t imf_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

double imf_processor_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

double imf_now_ms(void) {
    return (double)imf_now_ns() * 1e-6;
}
