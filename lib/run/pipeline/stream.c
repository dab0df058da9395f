/*
 * stream.c - an image from its source to its destination: rows are read, filtered and written at
 * the same time
 *
 * Three stages, each a band ahead of the next: a thread decodes into the buffer that the next band
 * will be computed from, this thread and the device compute, and a thread encodes the rows of the
 * band before from where they were made. Two buffers on either side let each stage wait for its
 * neighbours and bound the memory. A stage that fails stops the others.
 *
 * A device with memory of its own transfers rows while it computes. If the rows of the next band
 * are decoded already, the device gets that band before this thread waits for the result of the
 * last one; if not, this thread waits for the result first.
 *
 * If the device fails, the rows that a band is made of are still in the host's memory, and the host
 * takes over from that band on.
 */
#include "run/pipeline/stream.h"

#include "base/clock.h"
#include "run/pipeline/worker.h"

enum { SLOTS = 2 }; /* buffers of the executor, used in turn */

struct stream {
    struct imf_stream_run *run;
    struct imf_report *report;
    int bands;
    struct imf_worker decode, encode;
    struct imf_rows in[SLOTS], out[SLOTS];
    int decoding;      /* bands given to the decoding thread, */
    int submitted;     /* to the executor, */
    int encoding;      /* and to the encoding thread, with */
    int rows;          /* so many rows of the result */
    int mapped[SLOTS]; /* the band whose output is mapped, or -1 */
    bool failed;       /* the device */
};

static enum imf_status decode(void *data, int band, struct imf_error *err) {
    const struct stream *s = data;
    return imf_pixel_io_read(s->run->pixels, &s->in[band % SLOTS], err);
}

static enum imf_status encode(void *data, int band, struct imf_error *err) {
    const struct stream *s = data;
    return imf_pixel_io_write(s->run->pixels, &s->out[band % SLOTS], band == s->bands - 1, err);
}

/* Let the decoding thread read the rows of band n. */
static enum imf_status start_decoding(struct stream *s, int n, struct imf_error *err) {
    if (n >= s->bands || n < s->decoding)
        return IMF_OK;
    enum imf_status st = imf_exec_map_input(s->run->exec, n, &s->in[n % SLOTS], err);
    if (!st) {
        s->decoding = n + 1;
        imf_worker_submit(&s->decode);
    }
    return st;
}

static void start_encoding(struct stream *s, int n) {
    s->encoding = n + 1;
    s->rows += s->out[n % SLOTS].count;
    imf_worker_submit(&s->encode);
}

static enum imf_status unmap_output(struct stream *s, int slot, struct imf_error *err) {
    int n = s->mapped[slot];
    s->mapped[slot] = -1;
    return n < 0 ? IMF_OK : imf_exec_unmap_output(s->run->exec, n, err);
}

/* Wait for the result of band n, and let the encoding thread write it. */
static enum imf_status wait_for(struct stream *s, int n, struct imf_error *err) {
    if (n < s->encoding)
        return IMF_OK;
    struct imf_exec *x = s->run->exec;
    enum imf_status st = imf_exec_wait(x, n, s->report, err);
    if (!st && s->run->inspect)
        st = s->run->inspect(s->run->data, x, &s->out[n % SLOTS], err);
    if (!st)
        start_encoding(s, n);
    return st;
}

/* Submit the rows of band n, and let the decoding thread go on. */
static enum imf_status submit(struct stream *s, int n, struct imf_error *err) {
    double begin = imf_now_ms();
    enum imf_status st = unmap_output(s, n % SLOTS, err);
    s->submitted = n + 1;
    if (!st)
        st = imf_exec_submit_input(s->run->exec, n, err);
    s->report->upload_ms += imf_now_ms() - begin;
    if (!st)
        st = wait_for(s, n - 1, err);
    return st ? st : start_decoding(s, n + 1, err);
}

/* Compute band n, or enqueue that. What fails here is the device. */
static enum imf_status run_band(struct stream *s, int n, struct imf_error *err) {
    struct imf_exec *x = s->run->exec;
    struct imf_report *r = s->report;
    enum imf_status st = submit(s, n, err);
    double begin = imf_now_ms();
    if (!st)
        st = imf_exec_run_band(x, n, err);
    double computed = imf_now_ms();
    if (!st)
        st = imf_exec_map_output(x, n, &s->out[n % SLOTS], err);
    r->compute_ms += computed - begin;
    r->download_ms += imf_now_ms() - computed;
    if (st)
        return st;
    s->mapped[n % SLOTS] = n;
    bool more = imf_exec_overlaps(x) && imf_worker_is_done(&s->decode, n + 2);
    return more ? IMF_OK : wait_for(s, n, err);
}

/* The same by the host, after a failure: an executor of these rows alone. */
static enum imf_status run_band_on_host(struct stream *s, int n, struct imf_error *err) {
    struct imf_exec *x = s->run->exec, *slice = NULL;
    struct imf_rows image, *rows = &s->out[n % SLOTS];
    enum imf_status st = imf_exec_submit_input(x, n, err);
    if (!st)
        st = start_decoding(s, n + 1, err);
    if (st)
        return st;
    double begin = imf_now_ms();
    imf_exec_input_rows(x, n, &image);
    imf_exec_output_range(x, n, rows);
    if (rows->count > 0) {
        st =
            imf_exec_make_slice(&slice, s->run->chain, s->run->host, rows->first, rows->count, err);
        if (!st) {
            imf_exec_use_pool(slice, s->run->pool);
            st = imf_exec_filter(slice, &image, rows, err);
        }
    }
    s->report->compute_ms += imf_now_ms() - begin;
    if (!st && slice && s->run->inspect)
        st = s->run->inspect(s->run->data, slice, rows, err);
    if (!st) {
        start_encoding(s, n);
        st = imf_worker_wait(&s->encode, n + 1, &s->report->compute_wait_ms, err);
    }
    imf_exec_free(&slice);
    return st;
}

/* The device failed: may the host take over? */
static enum imf_status fall_back(struct stream *s, const struct imf_error *failure,
                                 struct imf_error *err) {
    if (!s->run->fall_back || !s->run->fall_back(s->run->data, failure)) {
        if (err)
            *err = *failure;
        return failure->status;
    }
    s->failed = true;
    imf_exec_abandon_device(s->run->exec);
    return IMF_OK;
}

static enum imf_status run_bands(struct stream *s, struct imf_error *err) {
    struct imf_error failure;
    double *waited = &s->report->compute_wait_ms;
    enum imf_status st = IMF_OK;
    if (start_decoding(s, 0, &failure)) {
        st = fall_back(s, &failure, err);
        st = st ? st : start_decoding(s, 0, err);
    }
    for (int n = 0; n < s->bands && !st; n++) {
        st = imf_worker_wait(&s->decode, n + 1, waited, err);
        if (!st)
            st = imf_worker_wait(&s->encode, n + 1 - SLOTS, waited, err);
        if (!st)
            st = s->run->progress(s->run->data, s->rows, err);
        if (!st && !s->failed && run_band(s, n, &failure)) {
            st = fall_back(s, &failure, err);
            n = s->encoding;
        }
        if (!st && s->failed)
            st = run_band_on_host(s, n, err);
    }
    if (!st)
        st = imf_worker_wait(&s->encode, s->bands, waited, err);
    return st ? st : s->run->progress(s->run->data, s->rows, err);
}

/* Unmap what is mapped. The pixels are right, whatever a device reports of that. */
static enum imf_status clean_up(struct stream *s, enum imf_status st, struct imf_error *err) {
    struct imf_error failure;
    enum imf_status unmapped = IMF_OK;
    for (int k = 0; k < SLOTS && !s->failed; k++)
        if (unmap_output(s, k, &failure))
            unmapped = failure.status;
    if (s->decoding > s->submitted && !s->failed)
        (void)imf_exec_submit_input(s->run->exec, s->submitted, NULL);
    s->run->spent = st || s->failed || unmapped;
    if (st || !unmapped || s->run->fall_back)
        return st;
    if (err)
        *err = failure;
    return unmapped;
}

enum imf_status imf_stream(struct imf_stream_run *run, struct imf_report *r,
                           struct imf_error *err) {
    struct stream s = {
        .run = run, .report = r, .bands = imf_exec_bands(run->exec), .mapped = {-1, -1}};
    bool overlaps = !run->single_thread && s.bands > 1;
    enum imf_status st = imf_worker_open(&s.decode, overlaps, decode, &s, err);
    if (!st)
        st = imf_worker_open(&s.encode, overlaps, encode, &s, err);
    if (!st)
        st = run_bands(&s, err);
    imf_worker_close(&s.decode);
    imf_worker_close(&s.encode);
    r->bands = s.bands > 1 ? s.bands : 0;
    r->decode_ms = s.decode.busy_ms;
    r->encode_ms = s.encode.busy_ms;
    r->decode_wait_ms = s.decode.idle_ms;
    r->encode_wait_ms = s.encode.idle_ms;
    return clean_up(&s, st, err);
}
