/* measure.c - what is known of samples only once all of them were read */
#include "base/image/info.h"
#include "base/image/surface.h"
#include "codec/codec.h"
#include "codec/decoder.h"
#include "imfilter_program.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SOME 64 /* rows at once */

/* Most rows of floats are finite, which is quickly found. */
static void measure_row(struct imf_measured *m, const struct imf_info *info, bool most,
                        const void *row) {
    enum imf_sample sample = imf_info_sample(info);
    int channels = info->channels, colors = channels - info->alpha, width = info->width;
    bool floats = sample == IMF_F32 || sample == IMF_F64;
    if (floats && !most && imf_samples_finite(row, sample, width * channels) == width * channels)
        return;
    for (int x = 0; x < width; x++) {
        int missing = 0;
        for (int c = 0; c < colors; c++) {
            double v = imf_sample_get(row, sample, (ptrdiff_t)x * channels + c);
            missing += isnan(v);
            m->most = isfinite(v) && v > m->most ? v : m->most;
        }
        m->missing = m->missing || missing;
        m->partly = m->partly || (missing && missing < colors);
    }
}

static enum imf_status measure(struct imf_reader *r, struct imf_measured *m, bool most,
                               struct imf_error *err) {
    size_t row = imf_info_row_bytes(&r->info), bytes;
    char *rows = imf_size_mul(row, SOME, &bytes) ? malloc(bytes) : NULL;
    enum imf_status status = rows ? IMF_OK : imf_fail_memory(err, row);
    for (int y = 0, some; y < r->info.height && !status; y += some) {
        some = imf_min(SOME, r->info.height - y);
        status = imf_reader_rows(r, rows, row, some, err);
        for (int k = 0; k < some && !status; k++)
            measure_row(m, &r->info, most, rows + (size_t)k * row);
    }
    free(rows);
    return status;
}

static enum imf_status measure_all(struct imf_reader *r, struct imf_measured *m, bool most,
                                   struct imf_error *err) {
    enum imf_status status = measure(r, m, most, err);
    for (int i = 1; i < r->info.spectral && !status; i++) {
        status = imf_reader_channel(r, i, err);
        status = status ? status : measure(r, m, most, err);
    }
    return status;
}

enum imf_status imf_reader_measure(struct imf_reader *r, struct imf_measured *m, bool most,
                                   struct imf_error *err) {
    FILE *stream = r->source.stream;
    off_t at = ftello(stream);
    struct imf_reader *again;
    *m = (struct imf_measured){.most = -INFINITY};
    enum imf_status status = imf_reader_again(&again, r, err);
    if (!status)
        status = measure_all(again, m, most, err);
    imf_reader_close(&again);
    if (fseeko(stream, at, SEEK_SET) != 0 && !status)
        status = imf_fail_io(err, errno);
    return status;
}
