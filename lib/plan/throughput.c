/* throughput.c - what a picture costs as one of many */
#include "plan/throughput.h"

#include "base/image/surface.h"
#include "base/thread_pool.h"

#include <math.h>

/* Nanoseconds of a core to read and write a sample, of 8 bits and of more: processor time of 12 megapixels of RGB by
 * a filter that does nothing. What is read and not written becomes a JPEG; without a format as a JPEG. */
static const struct {
    double narrow, wide;
} coding_ns[] = {
    [IMF_FORMAT_NONE] = {4, 4},   [IMF_FORMAT_PNG] = {10, 240},  [IMF_FORMAT_JPEG] = {4, 4},
    [IMF_FORMAT_PNM] = {1.7, 7},  [IMF_FORMAT_TIFF] = {11, 225}, [IMF_FORMAT_WEBP] = {60, 60},
    [IMF_FORMAT_HEIF] = {25, 25}, [IMF_FORMAT_AVIF] = {150, 150}};
_Static_assert(sizeof coding_ns / sizeof *coding_ns == IMF_FORMAT_AVIF + 1, "of each format");

struct imf_throughput imf_throughput_of(const struct imf_settings *settings,
                                        const struct imf_info *input) {
    struct imf_throughput t = {.pictures = imf_max(settings->pictures, 1)};
    t.workers = imf_max(imf_min(settings->workers, t.pictures), 1);
    size_t format = (size_t)input->format < sizeof coding_ns / sizeof *coding_ns
                        ? (size_t)input->format
                        : IMF_FORMAT_NONE;
    double ns = input->depth > 8 ? coding_ns[format].wide : coding_ns[format].narrow;
    t.coding_ms = (double)input->width * input->height * input->channels * ns * 1e-6 /
                  imf_min(t.workers, imf_cores());
    return t;
}

bool imf_throughput_overlaps(const struct imf_throughput *t, const struct imf_device *d) {
    return t->workers > 1 && d && !d->unified;
}

double imf_throughput_share(const struct imf_throughput *t, double ms) {
    return ms / imf_max(t->pictures, 1);
}

/* Of several pictures, copies to the device, from it and kernels overlap: with two H200 and 32 cores a picture took what its
 * kernels do and 0.65 to 0.96 of its copies. */
#define COPIES 0.67

double imf_throughput_ms(const struct imf_throughput *t, const struct imf_device *d,
                         const struct imf_spent *spent) {
    double shared = imf_throughput_share(t, spent->start_ms);
    double host_ms = spent->host_ms + (t->pictures > 1 ? t->coding_ms : 0);
    return shared + (imf_throughput_overlaps(t, d)
                         ? fmax(host_ms, spent->kernels_ms + COPIES * spent->copies_ms)
                         : host_ms + spent->kernels_ms + spent->copies_ms);
}
