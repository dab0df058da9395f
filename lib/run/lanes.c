/*
 * lanes.c - the parts of one image, each made by whichever of several executors is free for it
 *
 * A thread decodes into places that go round: each holds the rows that one part is made of, of which
 * the first are copied from the place before. Every lane, on a thread of its own, takes the next
 * part that is read, copies its rows to where its device wants them, and the result back to the
 * place, from where one more thread encodes the parts in order. So each lane does as much as it is
 * fast enough for, and memory is bounded by the number of places.
 *
 * The rows of a part stay in its place until the result is there: what a lane leaves undone, as its
 * device fails, another does. A lane that is sent rows while it computes (imf_exec_overlaps) takes a
 * part before it has done the last.
 */
#include "run/team.h"

#include "base/clock.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parts under way: those that the lanes are at, that are read ahead, that wait for an older one, and
 * that are written. One lane may be about as many times as fast as another before it has to wait. */
#define PLACES_EACH 3
#define PLACES_MORE 2

static int places_of(const struct imf_lanes_run *run) {
    return imf_min(PLACES_EACH * run->count + PLACES_MORE, imf_exec_bands(run->lane[0].exec));
}

/* Of each part, in whichever lane, from above downwards; *most: rows of the largest. */
static enum imf_status find_ranges(const struct imf_lanes_run *run, struct imf_team_rows **out,
                                   int *most, struct imf_error *err) {
    int bands = imf_exec_bands(run->lane[0].exec);
    struct imf_team_rows *list = *out = malloc((size_t)bands * sizeof *list);
    *most = 0;
    if (!list)
        return imf_fail_memory(err, (size_t)bands * sizeof *list);
    for (int n = 0; n < bands; n++) {
        list[n] = (struct imf_team_rows){INT_MAX, n ? list[n - 1].end : 0};
        for (int i = 0; i < run->count; i++) {
            struct imf_rows rows;
            imf_exec_band_image(run->lane[i].exec, n, &rows);
            list[n].first = imf_min(list[n].first, rows.first);
            list[n].end = imf_max(list[n].end, rows.first + rows.count);
        }
    }
    for (int n = bands - 1; n >= 0; n--) {
        if (n + 1 < bands)
            list[n].first = imf_min(list[n].first, list[n + 1].first);
        *most = imf_max(*most, list[n].end - list[n].first);
    }
    return IMF_OK;
}

static size_t in_row(const struct imf_chain *c) {
    return (size_t)c->width * (size_t)c->channels_in * imf_sample_size(c->in);
}

static size_t out_row(const struct imf_chain *c) {
    return (size_t)c->width * (size_t)c->channels_out * imf_sample_size(c->out);
}

static int part_rows(const struct imf_lanes_run *run) {
    struct imf_rows rows;
    imf_exec_band_rows(run->lane[0].exec, 0, &rows);
    return rows.count;
}

enum imf_status imf_lanes_bytes(const struct imf_lanes_run *run, double *bytes,
                                struct imf_error *err) {
    const struct imf_chain *c = run->lane[0].plain;
    struct imf_team_rows *range;
    int rows;
    enum imf_status st = find_ranges(run, &range, &rows, err);
    free(range);
    *bytes = places_of(run) * ((double)in_row(c) * rows + (double)out_row(c) * part_rows(run));
    return st;
}

/* ---- ends ----------------------------------------------------------------------------------- */

static enum imf_status decode(void *data, int n, struct imf_error *err) {
    struct imf_team *t = data;
    struct imf_place *p = imf_team_place(t, n);
    const struct imf_team_rows *range = &t->range[n];
    int have = 0;
    if (n > 0) {
        const struct imf_team_rows *before = range - 1;
        have = imf_max(before->end - range->first, 0);
        memcpy(p->in,
               imf_team_place(t, n - 1)->in + (size_t)(range->first - before->first) * t->in_row,
               (size_t)have * t->in_row);
    }
    const struct imf_rows rows = {p->in + (size_t)have * t->in_row, t->in_row, range->first + have,
                                  range->end - range->first - have};
    enum imf_status st = rows.count > 0 ? t->run->read(t->run->ends, &rows, err) : IMF_OK;
    if (st) {
        imf_team_stop(t, err);
        return st;
    }
    pthread_mutex_lock(&t->lock);
    p->state = IMF_PLACE_READ;
    t->read = n + 1;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    return IMF_OK;
}

static enum imf_status encode(void *data, int n, struct imf_error *err) {
    struct imf_team *t = data;
    struct imf_place *p = imf_team_place(t, n);
    struct imf_rows rows;
    imf_exec_band_rows(t->run->lane[0].exec, n, &rows);
    rows.at = p->out;
    rows.stride = t->out_row;
    enum imf_status st = t->run->write(t->run->ends, &rows, n == t->bands - 1, err);
    if (st) {
        imf_team_stop(t, err);
        return st;
    }
    pthread_mutex_lock(&t->lock);
    p->state = IMF_PLACE_EMPTY;
    pthread_mutex_unlock(&t->lock);
    if (n + t->places < t->bands)
        imf_worker_give(&t->decode);
    return IMF_OK;
}

/* ---- a lane's work, without the lock -------------------------------------------------------- */

static void copy_rows(char *to, size_t to_stride, const char *from, size_t from_stride,
                      size_t bytes, int rows) {
    for (int y = 0; y < rows; y++)
        memcpy(to + (size_t)y * to_stride, from + (size_t)y * from_stride, bytes);
}

/* Part n on the lane's place, or a beginning of it. */
static enum imf_status begin_part(struct imf_member *m, int n, struct imf_error *err) {
    const struct imf_team *t = m->team;
    const struct imf_place *p = imf_team_place(t, n);
    struct imf_exec *x = m->lane->exec;
    struct imf_rows rows;
    double begin = imf_now_ms();
    if (m->holds == 1)
        m->last = begin;
    enum imf_status st = imf_exec_lend(x, n, &rows, err);
    if (st)
        return st;
    copy_rows(rows.at, rows.stride, p->in + (size_t)(rows.first - t->range[n].first) * t->in_row,
              t->in_row, t->in_row, rows.count);
    st = imf_exec_take(x, n, err);
    double taken = imf_now_ms();
    if (!st)
        st = imf_exec_band(x, m->lane->plain, n, err);
    m->report.upload_ms += taken - begin;
    m->report.compute_ms += imf_now_ms() - taken;
    return st;
}

/* The rest, when its result is asked for: `rows` is where that will be. */
static enum imf_status end_part(struct imf_member *m, int n, const struct imf_rows *rows,
                                struct imf_error *err) {
    const struct imf_team *t = m->team;
    struct imf_exec *x = m->lane->exec;
    enum imf_status st = imf_exec_settle(x, n, &m->report, err);
    if (st)
        return st;
    double begin = imf_now_ms();
    copy_rows(imf_team_place(t, n)->out, t->out_row, rows->at, rows->stride, t->out_row,
              rows->count);
    st = imf_exec_release(x, n, err);
    m->report.download_ms += imf_now_ms() - begin;
    return st;
}

static enum imf_status make_parts(struct imf_member *m, struct imf_error *err) {
    struct imf_exec *x = m->lane->exec;
    struct imf_rows rows[IMF_ENDS];
    enum imf_status st = IMF_OK;
    while (!st) {
        int n = imf_team_take(m);
        if (n < 0 && !m->holds)
            return IMF_OK;
        if (n >= 0)
            st = begin_part(m, n, err);
        if (!st && n >= 0)
            st = imf_exec_result(x, n, &rows[m->holds - 1], err);
        /* One more may be sent before this one is done. */
        if (st || (m->holds == 1 && n >= 0 && imf_exec_overlaps(x)))
            continue;
        st = end_part(m, m->held[0], &rows[0], err);
        if (!st) {
            rows[0] = rows[1];
            imf_team_hand_over(m);
        }
    }
    return st;
}

static void *work(void *data) {
    struct imf_member *m = data;
    if (make_parts(m, &m->lane->failure))
        imf_team_leave(m, &m->lane->failure);
    return NULL;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static enum imf_status make_places(struct imf_team *t, struct imf_error *err) {
    int rows;
    enum imf_status st = find_ranges(t->run, &t->range, &rows, err);
    if (st)
        return st;
    size_t in = t->in_row * (size_t)rows, out = t->out_row * (size_t)part_rows(t->run);
    t->place = calloc((size_t)t->places, sizeof *t->place);
    t->member = calloc((size_t)t->run->count, sizeof *t->member);
    bool ok = t->place && t->member;
    for (int i = 0; i < t->places && ok; i++) {
        t->place[i].in = malloc(in);
        t->place[i].out = malloc(out);
        ok = t->place[i].in && t->place[i].out;
    }
    for (int i = 0; i < t->run->count && ok; i++) {
        t->member[i] =
            (struct imf_member){.team = t, .lane = &t->run->lane[i], .least_ms = INFINITY};
        t->run->lane[i].parts = 0;
        t->run->lane[i].failure = (struct imf_error){.status = IMF_OK};
        imf_team_wait(&t->member[i]);
    }
    return ok ? IMF_OK : imf_fail_memory(err, (size_t)t->places * (in + out));
}

static void free_places(struct imf_team *t) {
    for (int i = 0; t->place && i < t->places; i++) {
        free(t->place[i].in);
        free(t->place[i].out);
    }
    free(t->place);
    free(t->member);
    free(t->range);
}

/* The first lane is this thread's. Where no others can be had it does everything. */
static void run_members(struct imf_team *t) {
    bool threads = t->decode.threaded && t->encode.threaded;
    for (int i = 1; i < t->run->count; i++) {
        struct imf_member *m = &t->member[i];
        m->started = threads && pthread_create(&m->thread, NULL, work, m) == 0;
        if (!m->started)
            imf_team_leave(m, NULL);
    }
    for (int n = 0; n < t->places && n < t->bands; n++)
        imf_worker_give(&t->decode);
    work(&t->member[0]);
    for (int i = 1; i < t->run->count; i++)
        if (t->member[i].started)
            pthread_join(t->member[i].thread, NULL);
}

static void report(const struct imf_team *t, struct imf_report *r) {
    r->bands = t->bands;
    r->decode_ms = t->decode.busy_ms;
    r->encode_ms = t->encode.busy_ms;
    r->decode_wait_ms = t->decode.idle_ms;
    r->encode_wait_ms = t->encode.idle_ms;
    for (int i = 0; i < t->run->count; i++) {
        const struct imf_report *one = &t->member[i].report;
        r->upload_ms += one->upload_ms;
        r->compute_ms += one->compute_ms;
        r->download_ms += one->download_ms;
        r->compute_wait_ms += one->compute_wait_ms;
    }
}

/* With a lock. */
static enum imf_status run_team(struct imf_team *t, struct imf_report *r, struct imf_error *err) {
    enum imf_status st = make_places(t, err);
    if (!st)
        st = imf_worker_open(&t->decode, true, decode, t, err);
    if (!st)
        st = imf_worker_open(&t->encode, true, encode, t, err);
    if (!st) {
        run_members(t);
        double waited = 0;
        if (t->handed == t->bands) /* no lane is left that might change that */
            (void)imf_worker_wait(&t->encode, t->bands, &waited, NULL);
    }
    imf_worker_close(&t->encode);
    imf_worker_close(&t->decode); /* to which the encoder gives places */
    if (!st && t->stop) {
        st = t->failure.status;
        if (err)
            *err = t->failure;
    }
    if (t->member)
        report(t, r);
    return st;
}

enum imf_status imf_lanes(const struct imf_lanes_run *run, struct imf_report *r,
                          struct imf_error *err) {
    const struct imf_chain *c = run->lane[0].plain;
    struct imf_team t = {.run = run,
                         .bands = imf_exec_bands(run->lane[0].exec),
                         .places = places_of(run),
                         .in_row = in_row(c),
                         .out_row = out_row(c)};
    if (pthread_mutex_init(&t.lock, NULL))
        return imf_fail_memory(err, sizeof t.lock);
    if (pthread_cond_init(&t.changed, NULL)) {
        pthread_mutex_destroy(&t.lock);
        return imf_fail_memory(err, sizeof t.changed);
    }
    enum imf_status st = run_team(&t, r, err);
    free_places(&t);
    pthread_cond_destroy(&t.changed);
    pthread_mutex_destroy(&t.lock);
    return st;
}
