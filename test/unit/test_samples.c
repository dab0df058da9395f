/* test_samples.c - samples as float64 and back: limits, ties, offsets, and one as many */
#include "base/image/samples.h"
#include "check.h"

#include <string.h>

static const double values[] = {-3,    -0.5,  0,       0.5,   1.5,   2.5,     127.5, 254.5,
                                255.4, 255.6, 65534.5, 65535, 70000, -1e-300, 1e30,  12345.678};
enum { COUNT = sizeof values / sizeof values[0] };

/* Nearest, ties to even, within the range. */
static double expected(enum imf_sample sample, double v) {
    if (sample == IMF_F64)
        return v;
    if (sample == IMF_F32)
        return (double)(float)v;
    double max = sample == IMF_U8 ? 255 : 65535, below = floor(v);
    if (v <= 0 || v >= max)
        return v <= 0 ? 0 : max;
    int up = v - below > 0.5 || (v - below == 0.5 && fmod(below, 2) == 1);
    return below + up;
}

static void test_type(enum imf_sample sample) {
    _Alignas(double) unsigned char row[(COUNT + 2) * sizeof(double)], one[sizeof row];
    double back[COUNT];
    size_t size = imf_sample_size(sample), bytes = (COUNT + 2) * size;
    memset(row, 0x5a, sizeof row);
    memset(one, 0x5a, sizeof one);
    imf_samples_narrow(row + size, sample, values, COUNT);
    for (int i = 0; i < COUNT; i++)
        imf_sample_put(one + size, sample, i, values[i]);
    CHECK(memcmp(row, one, bytes) == 0, "type %d: put and narrow differ", sample);
    for (size_t i = 0; i < size; i++)
        CHECK(row[i] == 0x5a && row[bytes - 1 - i] == 0x5a, "type %d: beyond the row", sample);
    imf_samples_widen(back, row + 3 * size, sample, -2, COUNT);
    for (int i = 0; i < COUNT; i++) {
        double want = expected(sample, values[i]);
        CHECK(back[i] == want, "type %d: %g became %g", sample, values[i], back[i]);
        double got = imf_sample_get(row + 3 * size, sample, i - 2);
        CHECK(got == want, "type %d: %g is got as %g", sample, values[i], got);
    }
}

int main(void) {
    for (int sample = IMF_U8; sample <= IMF_F64; sample++)
        test_type((enum imf_sample)sample);
    return check_done("test_samples");
}
