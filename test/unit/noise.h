/* noise.h - the unit tests' noise: the same from run to run */
#ifndef NOISE_H
#define NOISE_H

#include <stdint.h>

static uint32_t noise(void) {
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

#endif
