/*
 * bands.c - running a chain while the image's rows come and the result's go
 *
 * The storage of a band's image begins with rows that the band before had, copied from its storage:
 * what passes reach back to. They are in the host's memory, too, whatever becomes of the device.
 */
#include "run/executor/bands.h"

#include "run/executor/executor.h"

#include <stdlib.h>
#include <string.h>

enum imf_status imf_exec_stream_open(struct imf_exec *x, struct imf_error *err) {
    const struct imf_window *in = &x->bands->window[0];
    const struct imf_window *out = &x->bands->window[x->chain->count];
    const struct imf_segment *s = &x->bands->segment[0];
    struct imf_exec_stream *t = x->stream = calloc(1, sizeof *t);
    int bands = x->bands->streams ? s->bands : 1;
    size_t bytes = (size_t)bands * sizeof *t->band;
    if (!t || !(t->band = malloc(bytes)))
        return imf_fail_memory(err, bytes);
    t->storages = bands > 1 ? IMF_ENDS : 1;
    for (int n = 0; n < bands; n++) {
        if (x->bands->streams)
            imf_bands_go(x->bands, s, n);
        t->band[n] = (struct imf_exec_band){.kept = in->kept,
                                            .before = in->before,
                                            .done = in->done,
                                            .from = out->before,
                                            .to = out->done};
        if (!x->bands->streams && !x->bands->slice) /* all of it */
            t->band[n] = (struct imf_exec_band){.done = x->chain->height, .to = x->chain->height};
    }
    return IMF_OK;
}

int imf_exec_bands(const struct imf_exec *x) {
    return x->bands->streams ? x->bands->segment[0].bands : 1;
}

/* Where the image's row `row` lies in storage that begins with row `kept`. */
static char *address(const struct imf_surface *s, void *storage, int row, int kept) {
    ptrdiff_t at = (ptrdiff_t)s->origin + ((ptrdiff_t)row - kept) * (ptrdiff_t)s->pitch;
    return (char *)storage + at * (ptrdiff_t)imf_sample_size(s->sample);
}

static size_t stride(const struct imf_surface *s) {
    return s->pitch * imf_sample_size(s->sample);
}

/* Rows of storage that a band has from the one before. */
static int carried(const struct imf_exec *x, int n) {
    const struct imf_exec_band *b = &x->stream->band[n];
    return n ? imf_bands_end(x->bands, 0, b->before) - b->kept : 0;
}

static int carried_from(const struct imf_exec *x, int n) {
    return n ? x->stream->band[n].kept - x->stream->band[n - 1].kept : 0;
}

enum imf_status imf_exec_lend(struct imf_exec *x, int n, struct imf_rows *rows,
                              struct imf_error *err) {
    struct imf_exec_stream *t = x->stream;
    const struct imf_exec_band *b = &t->band[n];
    int which = n % IMF_ENDS;
    const struct imf_surface *s = &t->in[which];
    void *storage = t->failed ? x->place->host(x, which) : x->place->lend(x, which, err);
    if (!storage)
        return IMF_ERR_DEVICE;
    t->ahead = n;
    *rows = (struct imf_rows){address(s, storage, b->before, b->kept), stride(s), b->before,
                              b->done - b->before};
    return IMF_OK;
}

/* In the host's memory, unless the other storage was lent since, and so the rows were there. */
static void carry_on_host(struct imf_exec *x, int n) {
    const struct imf_surface *s = &x->stream->in[n % IMF_ENDS];
    char *to = x->place->host(x, n % IMF_ENDS), *from = x->place->host(x, (n + 1) % IMF_ENDS);
    if (x->stream->ahead <= n && carried(x, n) > 0)
        memcpy(to, from + (size_t)carried_from(x, n) * stride(s),
               (size_t)carried(x, n) * stride(s));
}

enum imf_status imf_exec_take(struct imf_exec *x, int n, struct imf_error *err) {
    const struct imf_exec_band *b = &x->stream->band[n];
    int which = n % IMF_ENDS;
    enum imf_status st = IMF_OK;
    if (x->stream->failed) {
        carry_on_host(x, n);
        return IMF_OK;
    }
    const struct imf_surface *s = &x->stream->in[which];
    int top = (int)(s->origin / s->pitch); /* rows of the margin above */
    st = x->place->take(x, which, top + b->before - b->kept, b->done - b->before, err);
    if (!st && carried(x, n) > 0)
        st = x->place->carry(x, which, carried_from(x, n), carried(x, n), err);
    x->surface[0] = x->stream->in[which];
    return st;
}

enum imf_status imf_exec_band(struct imf_exec *x, int n, struct imf_error *err) {
    const struct imf_segment *s = &x->bands->segment[0];
    x->surface[x->chain->count] = x->stream->out[n % IMF_ENDS];
    if (!x->bands->streams)
        return imf_exec_run_segments(x, err);
    imf_bands_go(x->bands, s, n);
    enum imf_status st = imf_exec_run_band(x, s, err);
    /* What is sent later is told of when it settles. */
    return st || x->stream->sends ? st : x->place->finish(x, err);
}

void imf_exec_band_rows(const struct imf_exec *x, int n, struct imf_rows *rows) {
    const struct imf_exec_band *b = &x->stream->band[n];
    *rows = (struct imf_rows){.first = b->from, .count = b->to - b->from};
}

enum imf_status imf_exec_result(struct imf_exec *x, int n, struct imf_rows *rows,
                                struct imf_error *err) {
    int which = n % IMF_ENDS;
    struct imf_surface *s = &x->stream->lent[which];
    imf_exec_band_rows(x, n, rows);
    *s = x->stream->out[which];
    enum imf_status st = x->place->fetch(x, which, s, rows->count, err);
    if (!st && rows->count) {
        rows->at = imf_surface_row(s, 0);
        rows->stride = stride(s);
    }
    return st;
}

bool imf_exec_overlaps(const struct imf_exec *x) {
    return x->stream->sends;
}

enum imf_status imf_exec_settle(struct imf_exec *x, int n, struct imf_report *r,
                                struct imf_error *err) {
    return x->place->settle(x, n % IMF_ENDS, r, err);
}

enum imf_status imf_exec_release(struct imf_exec *x, int n, struct imf_error *err) {
    int which = n % IMF_ENDS;
    return x->place->release(x, which, &x->stream->lent[which], err);
}

void imf_exec_give_up(struct imf_exec *x) {
    x->stream->failed = true;
}

void imf_exec_image(struct imf_exec *x, int n, struct imf_rows *image) {
    const struct imf_exec_band *b = &x->stream->band[n];
    const struct imf_surface *s = &x->stream->in[n % IMF_ENDS];
    int first = imf_max(b->kept, 0);
    *image = (struct imf_rows){address(s, x->place->host(x, n % IMF_ENDS), first, b->kept),
                               stride(s), first, b->done - first};
}

enum imf_status imf_exec_slice(struct imf_exec **out, const struct imf_chain *c,
                               const struct imf_path *path, const struct imf_rows *image, int first,
                               int count, struct imf_error *err) {
    enum imf_status st = imf_exec_make_slice(out, c, path, first, first + count, err);
    if (st)
        return st;
    struct imf_exec *x = *out;
    const struct imf_window *w = &x->bands->window[0];
    if (w->before < image->first || w->done > image->first + image->count) {
        imf_exec_free(out);
        return imf_fail(err, IMF_ERR_LIMIT, "rows %d to %d of the image are not there", w->before,
                        w->done);
    }
    x->surface[0] = x->stream->in[0];
    struct imf_surface to = imf_exec_view(x, 0, w->before, w->done);
    size_t row = (size_t)to.width * (size_t)to.channels * imf_sample_size(to.sample);
    for (int y = 0; y < to.height; y++)
        memcpy(imf_surface_row(&to, y),
               image->at + (size_t)(w->before + y - image->first) * image->stride, row);
    st = imf_exec_run(x, err);
    if (st)
        imf_exec_free(out);
    return st;
}
