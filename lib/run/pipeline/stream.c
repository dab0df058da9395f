/*
 * stream.c - an image from one end to another, its rows read, filtered and written at the same time
 *
 * Three stages, each a band ahead of the next: a thread that decodes into the storage that the next
 * band's rows will be read from, this thread and the device, and a thread that encodes the rows of
 * the band before from where they were made. There are two storages at either end, so that each
 * stage waits for its neighbours, and memory is bounded. A stage that fails stops the others.
 *
 * To a device with memory of its own rows are sent, and results fetched: where the next band's rows
 * are there already, it is given that before the result of the last one is here, so that both ways
 * and the computing go on at once. Where it has to wait for rows anyway, it waits for the result
 * first.
 *
 * A device that fails leaves the rows that the band is made of in the host's memory, and so the
 * host goes on from there, whatever the input is.
 */
#include "run/pipeline/stream.h"

#include "base/clock.h"
#include "run/executor/executor.h"
#include "run/pipeline/worker.h"

struct stream {
    struct imf_stream_run *run;
    struct imf_report *report;
    int bands;
    struct imf_worker decode, encode;
    struct imf_rows in[IMF_ENDS], out[IMF_ENDS];
    int lent, taken;       /* bands whose rows the reader was told to read, and gave back */
    int settled;           /* bands whose results the writer was told to write */
    int results[IMF_ENDS]; /* bands whose results are the host's to read, or -1 */
    int rows;              /* of these results */
    bool failed;           /* the device */
};

static enum imf_status decode(void *data, int band, struct imf_error *err) {
    const struct stream *s = data;
    return s->run->read(s->run->ends, &s->in[band % IMF_ENDS], err);
}

static enum imf_status encode(void *data, int band, struct imf_error *err) {
    const struct stream *s = data;
    return s->run->write(s->run->ends, &s->out[band % IMF_ENDS], band == s->bands - 1, err);
}

/* Let the reader read the rows of band n. */
static enum imf_status lend(struct stream *s, int n, struct imf_error *err) {
    if (n >= s->bands || n < s->lent)
        return IMF_OK;
    enum imf_status st = imf_exec_lend(s->run->exec, n, &s->in[n % IMF_ENDS], err);
    if (!st) {
        s->lent = n + 1;
        imf_worker_give(&s->decode);
    }
    return st;
}

static enum imf_status release(struct stream *s, int which, struct imf_error *err) {
    int n = s->results[which];
    s->results[which] = -1;
    return n < 0 ? IMF_OK : imf_exec_release(s->run->exec, n, err);
}

/* Let the writer have the rows of band n once they are here. */
static enum imf_status settle(struct stream *s, int n, struct imf_error *err) {
    if (n < s->settled)
        return IMF_OK;
    struct imf_exec *x = s->run->exec;
    enum imf_status st = imf_exec_settle(x, n, s->report, err);
    if (!st && s->run->look)
        st = s->run->look(s->run->data, x, &s->out[n % IMF_ENDS], err);
    if (!st) {
        s->settled = n + 1;
        s->rows += s->out[n % IMF_ENDS].count;
        imf_worker_give(&s->encode);
    }
    return st;
}

/* Bring the rows of band n to the executor's place, and let the reader go on. */
static enum imf_status take(struct stream *s, int n, struct imf_error *err) {
    double begin = imf_now_ms();
    enum imf_status st = release(s, n % IMF_ENDS, err);
    s->taken = n + 1;
    if (!st)
        st = imf_exec_take(s->run->exec, n, err);
    s->report->upload_ms += imf_now_ms() - begin;
    if (!st)
        st = settle(s, n - 1, err);
    return st ? st : lend(s, n + 1, err);
}

/* Band n on the executor's place, or a beginning of it; whatever fails is the device. */
static enum imf_status run_band(struct stream *s, int n, struct imf_error *err) {
    struct imf_exec *x = s->run->exec;
    struct imf_report *r = s->report;
    enum imf_status st = take(s, n, err);
    double taken = imf_now_ms();
    if (!st)
        st = imf_exec_band(x, n, err);
    double made = imf_now_ms();
    if (!st)
        st = imf_exec_result(x, n, &s->out[n % IMF_ENDS], err);
    r->compute_ms += made - taken;
    r->download_ms += imf_now_ms() - made;
    if (st)
        return st;
    s->results[n % IMF_ENDS] = n;
    bool more = imf_exec_overlaps(x) && imf_worker_did(&s->decode, n + 2);
    return more ? IMF_OK : settle(s, n, err);
}

/* The same by the host, after a failure. */
static enum imf_status run_band_on_host(struct stream *s, int n, struct imf_error *err) {
    struct imf_exec *x = s->run->exec, *slice = NULL;
    struct imf_rows image, *rows = &s->out[n % IMF_ENDS];
    enum imf_status st = imf_exec_take(x, n, err);
    if (!st)
        st = lend(s, n + 1, err);
    if (st)
        return st;
    double begin = imf_now_ms();
    imf_exec_image(x, n, &image);
    imf_exec_band_rows(x, n, rows);
    if (rows->count > 0)
        st = imf_exec_slice(&slice, s->run->plain, s->run->host, &image, rows->first, rows->count,
                            err);
    s->report->compute_ms += imf_now_ms() - begin;
    if (st)
        return st;
    if (slice) {
        const struct imf_surface *out = imf_exec_map_output(slice, err);
        rows->at = imf_surface_row(out, 0);
        rows->stride = out->pitch * imf_sample_size(out->sample);
        if (s->run->look)
            st = s->run->look(s->run->data, slice, rows, err);
    }
    if (st) {
        imf_exec_free(&slice);
        return st;
    }
    s->settled = n + 1;
    s->rows += rows->count;
    imf_worker_give(&s->encode);
    st = imf_worker_wait(&s->encode, n + 1, &s->report->compute_wait_ms, err);
    imf_exec_free(&slice);
    return st;
}

/* The device failed: may the host go on? */
static enum imf_status fall_back(struct stream *s, const struct imf_error *failure,
                                 struct imf_error *err) {
    if (!s->run->fall_back || !s->run->fall_back(s->run->data, failure)) {
        if (err)
            *err = *failure;
        return failure->status;
    }
    s->failed = true;
    imf_exec_give_up(s->run->exec);
    return IMF_OK;
}

static enum imf_status run_bands(struct stream *s, struct imf_error *err) {
    struct imf_error failure;
    double *waited = &s->report->compute_wait_ms;
    enum imf_status st = IMF_OK;
    if (lend(s, 0, &failure)) {
        st = fall_back(s, &failure, err);
        st = st ? st : lend(s, 0, err);
    }
    for (int n = 0; n < s->bands && !st; n++) {
        st = imf_worker_wait(&s->decode, n + 1, waited, err);
        if (!st)
            st = imf_worker_wait(&s->encode, n + 1 - IMF_ENDS, waited, err);
        if (!st)
            st = s->run->tell(s->run->data, s->rows, err);
        if (!st && !s->failed && run_band(s, n, &failure)) {
            st = fall_back(s, &failure, err);
            n = s->settled;
        }
        if (!st && s->failed)
            st = run_band_on_host(s, n, err);
    }
    if (!st)
        st = imf_worker_wait(&s->encode, s->bands, waited, err);
    return st ? st : s->run->tell(s->run->data, s->rows, err);
}

/* Nothing stays lent. The pixels are right whatever a device says to that now. */
static enum imf_status wind_up(struct stream *s, enum imf_status st, struct imf_error *err) {
    struct imf_error failure;
    enum imf_status released = IMF_OK;
    for (int k = 0; k < IMF_ENDS && !s->failed; k++)
        if (release(s, k, &failure))
            released = failure.status;
    if (s->lent > s->taken && !s->failed)
        (void)imf_exec_take(s->run->exec, s->taken, NULL);
    s->run->spent = st || s->failed || released;
    if (st || !released || s->run->fall_back)
        return st;
    if (err)
        *err = failure;
    return released;
}

enum imf_status imf_stream(struct imf_stream_run *run, struct imf_report *r,
                           struct imf_error *err) {
    struct stream s = {
        .run = run, .report = r, .bands = imf_exec_bands(run->exec), .results = {-1, -1}};
    enum imf_status st = imf_worker_open(&s.decode, !run->alone, decode, &s, err);
    if (!st)
        st = imf_worker_open(&s.encode, !run->alone, encode, &s, err);
    if (!st)
        st = run_bands(&s, err);
    imf_worker_close(&s.decode);
    imf_worker_close(&s.encode);
    r->bands = s.bands > 1 ? s.bands : 0;
    r->decode_ms = s.decode.busy_ms;
    r->encode_ms = s.encode.busy_ms;
    r->decode_wait_ms = s.decode.idle_ms;
    r->encode_wait_ms = s.encode.idle_ms;
    return wind_up(&s, st, err);
}
