/*
 * fuzz_pipeline.c - a drawn filter of a drawn image: the host's vectors do what the reference does
 *
 * The input's first bytes choose one or two filters, the image's shape and the settings, the rest are
 * samples, repeated. A difference beyond what the contract allows is a failure.
 */
#include "verified.h"

#include <stdlib.h>

#include "imfilter.h"

enum { HEADER = 8, LARGEST = 40 };

/* A filter that decides by thresholds may only follow one that is exact: it is alone, or first. */
static const char *const exact[] = {
    "sharpen",
    "emboss:30",
    "box:3",
    "kernel:1,2,1/2,4,2/1,2,1",
    "median:1",
    "median:3",
    "percentile:2:30",
    "erode:2",
    "dilate:1",
    "invert",
    "threshold:0.3",
    "equalize",
    "threshold:otsu",
    "open:1",
    "kernel:1,0,0/0,0,0/0,0,-1:bias=0.5",
};
static const char *const any[] = {
    "blur:1.5",     "unsharp:sigma=2", "disk:3",      "sobel",        "dog:1:2",
    "log:1.5",      "motion:7:30",     "lowpass:0.2", "highpass:0.1", "bilateral:2:0.2",
    "guided:2:0.1", "sharpen",         "median:2",
};
#define DRAW(list, byte) list[(byte) % (sizeof(list) / sizeof *(list))]

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < HEADER + 2)
        return -1;
    bool two = data[0] & 1;
    const char *specs[] = {DRAW(exact, data[1]), DRAW(any, data[2])};
    if (!two && data[0] & 2)
        specs[0] = specs[1];
    int channels = 1 + data[3] % 4;
    struct imf_info info = {.width = 1 + data[4] % LARGEST,
                            .height = 1 + data[5] % LARGEST,
                            .channels = channels,
                            .alpha = channels % 2 == 0,
                            .color = channels > 2 ? IMF_COLOR_RGB : IMF_COLOR_GRAY,
                            .depth = data[0] & 4 ? 16 : 8};
    struct imf_settings settings = {.size = sizeof settings,
                                    .edge = (enum imf_edge)(data[6] % (IMF_EDGE_CONSTANT + 1)),
                                    .backend = IMF_BACKEND_VECTOR};
    size_t bytes = (size_t)info.width * (size_t)info.height * (size_t)channels * 2;
    uint8_t *in = malloc(bytes), *out = malloc(bytes);
    for (size_t i = 0; in && i < bytes; i++)
        in[i] = data[HEADER + i % (size - HEADER)];
    struct imf_filter *filter = NULL;
    FUZZ_ASSERT(imf_filter_parse(&filter, specs, two ? 2 : 1, NULL) == IMF_OK);
    if (in && out)
        run_verified(filter, &info, &settings, in, out);
    imf_filter_free(&filter);
    free(in);
    free(out);
    return 0;
}
