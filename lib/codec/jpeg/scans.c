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

static enum imf_status check_scans(const struct imf_jpeg *j, struct imf_error *err) {
    int scans_max = j->reader->limits.max_scans;
    if (scans_max > 0 && j->scan > scans_max)
        return imf_fail(err, IMF_ERR_LIMIT,
                        "more than %d progressive scans (raise it with --max-scans)", scans_max);
    if (j->samples > samples_max(j))
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
    if (check_scans(j, &j->limit_error) != IMF_OK) {
        j->over_limit = true;
        longjmp(j->jump, 1);
    }
}
