/* fft_util.h - for tests of transforms: noise, and lengths */
#ifndef FFT_UTIL_H
#define FFT_UTIL_H

#include <stdbool.h>

static unsigned long long state = 88172645463325252ull;

/* From -1 to 1. */
static float noise(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (float)((double)(state >> 40) / (1 << 23) - 1.0);
}

static inline bool smooth(int n) {
    static const int primes[] = {2, 3, 5, 7};
    for (int i = 0; i < 4; i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

#endif
