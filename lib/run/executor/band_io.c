/*
 * band_io.c - a band's rows of the image in, and of the result out
 *
 * A buffer of the image begins with the halo: rows of the band before that passes still reach back
 * to. They are copied from the other buffer, in the host's memory as well as on the device, so that
 * the host can go on if the device fails.
 */
#include "run/executor/ops.h"

#include <string.h>

/* The segment's band. */
static int place_of(const struct imf_exec *x, int band) {
    return band % x->bands->segment[0].bands;
}

static int slot_of(int band) {
    return band % IMF_EXEC_SLOTS;
}

static size_t stride(const struct imf_surface *s) {
    return s->pitch * imf_sample_size(s->sample);
}

/* Where the image's row `row` lies in storage that begins with row `kept`. */
static char *address(const struct imf_surface *s, void *storage, int row, int kept) {
    ptrdiff_t at = (ptrdiff_t)s->origin + ((ptrdiff_t)row - kept) * (ptrdiff_t)s->pitch;
    return (char *)storage + at * (ptrdiff_t)imf_sample_size(s->sample);
}

enum imf_status imf_exec_map_input(struct imf_exec *x, int n, struct imf_rows *rows,
                                   struct imf_error *err) {
    const struct imf_exec_band *b = &x->band[n];
    int slot = slot_of(n);
    const struct imf_surface *s = &x->in[slot];
    bool device = x->ops->map_input && !x->abandoned;
    void *storage = device ? x->ops->map_input(x, slot, err) : x->host_input[slot];
    if (!storage)
        return IMF_ERR_DEVICE;
    x->last_input = n;
    *rows = (struct imf_rows){address(s, storage, b->before, b->kept), stride(s), b->before,
                              b->done - b->before};
    return IMF_OK;
}

/* Copy what band n needs of the band before. Once the other buffer was mapped for band n + 1, band
 * n has its halo. */
static enum imf_status copy_halo(struct imf_exec *x, int n, struct imf_error *err) {
    const struct imf_exec_band *b = &x->band[n];
    bool device = x->ops->copy_halo && !x->abandoned;
    int slot = slot_of(n),
        count = place_of(x, n) ? imf_bands_end(x->bands, 0, b->before) - b->kept : 0;
    if (count <= 0 || x->last_input > n)
        return IMF_OK;
    int from = b->kept - x->band[n - 1].kept;
    size_t row = stride(&x->in[slot]);
    if (!device || x->transfers)
        memcpy(x->host_input[slot], (char *)x->host_input[!slot] + (size_t)from * row,
               (size_t)count * row);
    return device ? x->ops->copy_halo(x, slot, from, count, err) : IMF_OK;
}

enum imf_status imf_exec_submit_input(struct imf_exec *x, int n, struct imf_error *err) {
    const struct imf_exec_band *b = &x->band[n];
    const struct imf_surface *s = &x->in[slot_of(n)];
    int margin = (int)(s->origin / s->pitch); /* rows of the margin above */
    enum imf_status st = IMF_OK;
    x->surface[0] = *s;
    if (x->ops->submit_input && !x->abandoned)
        st = x->ops->submit_input(x, slot_of(n), margin + b->before - b->kept, b->done - b->before,
                                  err);
    return st ? st : copy_halo(x, n, err);
}

enum imf_status imf_exec_run_band(struct imf_exec *x, int n, struct imf_error *err) {
    const struct imf_segment *s = &x->bands->segment[0];
    x->surface[x->chain->count] = x->out[slot_of(n)];
    if (!x->bands->streams)
        return imf_exec_run_segments(x, err);
    imf_bands_go(x->bands, s, place_of(x, n));
    x->measures = x->bands->twice && n < s->bands;
    enum imf_status st = imf_exec_run_passes(x, s, err);
    /* With transfers, imf_exec_wait() reports what fails later. */
    return st || x->transfers ? st : imf_exec_finish(x, err);
}

enum imf_status imf_exec_map_output(struct imf_exec *x, int n, struct imf_rows *rows,
                                    struct imf_error *err) {
    int slot = slot_of(n);
    struct imf_surface *s = &x->mapped[slot];
    enum imf_status st = IMF_OK;
    imf_exec_output_range(x, n, rows);
    *s = x->out[slot];
    if (x->ops->map_output)
        st = x->ops->map_output(x, slot, s, rows->count, err);
    if (!st && rows->count) {
        rows->at = imf_surface_row(s, 0);
        rows->stride = stride(s);
    }
    return st;
}

enum imf_status imf_exec_wait(struct imf_exec *x, int n, struct imf_report *r,
                              struct imf_error *err) {
    return x->ops->wait ? x->ops->wait(x, slot_of(n), r, err) : IMF_OK;
}

enum imf_status imf_exec_unmap_output(struct imf_exec *x, int n, struct imf_error *err) {
    return x->ops->unmap_output ? x->ops->unmap_output(x, &x->mapped[slot_of(n)], err) : IMF_OK;
}

bool imf_exec_overlaps(const struct imf_exec *x) {
    return x->transfers;
}

void imf_exec_input_rows(const struct imf_exec *x, int n, struct imf_rows *rows) {
    const struct imf_exec_band *b = &x->band[n];
    const struct imf_surface *s = &x->in[slot_of(n)];
    int first = imf_max(b->kept, 0);
    *rows = (struct imf_rows){address(s, x->host_input[slot_of(n)], first, b->kept), stride(s),
                              first, b->done - first};
}

int imf_exec_open_rows(const struct imf_exec *x) {
    int most = 0, bands = imf_exec_bands(x);
    for (int n = 0; n < bands; n++)
        most = imf_max(most, x->band[imf_min(n + 2, bands - 1)].done - x->band[n].from);
    return most;
}

void imf_exec_output_range(const struct imf_exec *x, int n, struct imf_rows *rows) {
    const struct imf_exec_band *b = &x->band[n];
    *rows = (struct imf_rows){.first = b->from, .count = b->to - b->from};
}

void imf_exec_abandon_device(struct imf_exec *x) {
    x->abandoned = true;
    /* Copies of halo rows that it was given before it failed write to buffers the host now uses. */
    (void)imf_exec_finish(x, NULL);
}

enum imf_status imf_exec_filter(struct imf_exec *x, const struct imf_rows *image,
                                struct imf_rows *result, struct imf_error *err) {
    const struct imf_surface *s = &x->in[0];
    size_t row = (size_t)s->width * (size_t)s->channels * imf_sample_size(s->sample);
    struct imf_report ignored = {0};
    struct imf_rows in;
    enum imf_status st = imf_exec_map_input(x, 0, &in, err);
    if (st)
        return st;
    if (in.first < image->first || in.first + in.count > image->first + image->count)
        return imf_fail(err, IMF_ERR_LIMIT, "rows %d to %d of the image are not there", in.first,
                        in.first + in.count);
    for (int y = 0; y < in.count; y++)
        memcpy(in.at + (size_t)y * in.stride,
               image->at + (size_t)(in.first + y - image->first) * image->stride, row);
    st = imf_exec_submit_input(x, 0, err);
    if (!st)
        st = imf_exec_run_band(x, 0, err);
    if (!st)
        st = imf_exec_map_output(x, 0, result, err);
    return st ? st : imf_exec_wait(x, 0, &ignored, err);
}
