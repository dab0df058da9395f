/* waves.h - the pixels of a large test picture: waves of several scales with noise, so that there
 * is every gradient and no flat ground */
#ifndef BENCH_WAVES_H
#define BENCH_WAVES_H

#include <stdint.h>

/* A sample of 16 bits; *state is 42 at first, and samples are asked for in order. */
static inline unsigned wave(uint64_t *state, int x, int y, int channel) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint32_t noise = (uint32_t)(*state >> 40) & 0x1fff;
    uint32_t waves = (uint32_t)((x * (channel + 3)) ^ (y * 5)) * 96u;
    return (waves + noise * 3u + (uint32_t)(x + y) * 8u) & 0xffff;
}

#endif
