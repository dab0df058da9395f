/* clock.h - milliseconds since some moment in the past, for measuring */
#ifndef CLI_REPORT_CLOCK_H
#define CLI_REPORT_CLOCK_H

#include <time.h>

static inline double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

#endif
