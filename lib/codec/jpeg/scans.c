/*
 * scans.c - limits on the scans of an image
 *
 * A scan takes a pass over the coefficients of its components. --max-scans limits their number, and a
 * multiple of --max-pixels the samples of all: the usual ten scans of a progressive image are as many
 * passes over one to three components, 14 samples a pixel at most.
 */
#include "codec/jpeg/state.h"

#include <inttypes.h>

#define SAMPLES_PER_PIXEL 16

static uint64_t samples_max(const struct imf_jpeg *j) {
    uint64_t pixels = j->reader->limits.max_pixels, samples;
    return pixels && !__builtin_mul_overflow(pixels, SAMPLES_PER_PIXEL, &samples) ? samples
                                                                                  : UINT64_MAX;
}

static bool too_many(const struct imf_jpeg *j, int scans) {
    return j->reader->limits.max_scans > 0 && scans > j->reader->limits.max_scans;
}

enum imf_status imf_jpeg_check_scans(const struct imf_jpeg *j, int scans, uint64_t samples,
                                     struct imf_error *err) {
    if (too_many(j, scans))
        return imf_fail(err, IMF_ERR_LIMIT,
                        "more than %d progressive scans (raise it with --max-scans)",
                        j->reader->limits.max_scans);
    if (samples > samples_max(j))
        return imf_fail(err, IMF_ERR_LIMIT,
                        "its scans hold more than %" PRIu64
                        " samples, %d times the limit of "
                        "pixels (raise it with --max-pixels)",
                        samples_max(j), SAMPLES_PER_PIXEL);
    return IMF_OK;
}

void imf_jpeg_on_progress(j_common_ptr common) {
    struct imf_jpeg *j = common->client_data;
    const struct jpeg_decompress_struct *c = &j->c;
    if (c->input_scan_number == j->scan)
        return;
    j->scan = c->input_scan_number;
    for (int i = 0; i < c->comps_in_scan; i++) {
        const jpeg_component_info *component = c->cur_comp_info[i];
        j->seen |= 1 << component->component_index;
        j->samples += (uint64_t)component->width_in_blocks * component->height_in_blocks * DCTSIZE2;
    }
    if (imf_jpeg_check_scans(j, j->scan, j->samples, &j->limit_error) != IMF_OK) {
        j->over_limit = true;
        longjmp(j->jump, 1);
    }
}
