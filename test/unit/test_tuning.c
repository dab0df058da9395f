/* test_tuning.c - rates of devices: as shipped, scaled to what a device says of itself */
#include "check.h"
#include "device/tuning.h"

#include <math.h>

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static struct imf_device gpu(unsigned units, unsigned mhz, uint64_t memory) {
    return (struct imf_device){
        .gpu = true, .compute_units = units, .clock_mhz = mhz, .global_memory = memory};
}

/* The shipped rates are those of 132 units at 1980 MHz. */
static void test_scaling(void) {
    const uint64_t gib = (uint64_t)1 << 30;
    struct imf_device rated = gpu(132, 1980, 139 * gib), half = gpu(132, 990, 139 * gib);
    struct imf_device small = gpu(20, 1485, 8 * gib), silent = gpu(20, 0, 8 * gib);
    CHECK(near(imf_tuning_units(&rated), 132), "as rated");
    CHECK(near(imf_tuning_units(&half), 66), "half the clock");
    CHECK(near(imf_tuning_units(&small), 15), "20 units of three quarters of the clock");
    CHECK(near(imf_tuning_units(&silent), 20), "a clock that is not told");
    CHECK(near(imf_tuning_bandwidth(&rated, 1000), 1000), "memory as rated");
    CHECK(near(imf_tuning_bandwidth(&half, 1000), 500), "memory keeps up with the clock");
    CHECK(near(imf_tuning_bandwidth(&small, 1000), 1000 * 15 / 132.0 / 2), "memory not stacked");
    struct imf_tuning own = *imf_tuning(&small);
    small.tuning = &own;
    CHECK(near(imf_tuning_bandwidth(&small, 1000), 1000), "a measured device's is its own");
    struct imf_device cpu = {.compute_units = 2, .clock_mhz = 4000};
    CHECK(near(imf_tuning_units(&cpu), 2), "processors count as they are");
    cpu.compute_units = 0;
    CHECK(near(imf_tuning_units(&cpu), 1), "a device that tells of no units");
}

int main(void) {
    test_scaling();
    return check_done("tuning");
}
