/* transfer_queue.c - rows that stream to a device's own memory and back, while it computes */
#include "run/executor/transfer_queue.h"

#include "base/clock.h"

enum imf_status imf_transfer_open(struct imf_transfer_queue *t, struct imf_queue *queue,
                                  struct imf_runtime *rt, struct imf_error *err) {
    *t = (struct imf_transfer_queue){.queue = queue};
    enum imf_status st = imf_queue_open(&t->up, rt, err);
    return st ? st : imf_queue_open(&t->down, rt, err);
}

void imf_transfer_close(struct imf_transfer_queue *t) {
    for (int k = 0; k < IMF_EXEC_SLOTS; k++) {
        struct imf_event **events[] = {&t->uploaded[k], &t->computed[k], &t->downloaded[k]};
        for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
            (void)imf_event_wait(*events[i], NULL);
            imf_event_free(events[i]);
        }
    }
    imf_event_free(&t->halo);
    imf_queue_close(&t->up);
    imf_queue_close(&t->down);
}

static enum imf_status mark(struct imf_queue *queue, struct imf_event **event,
                            struct imf_error *err) {
    imf_event_free(event);
    return imf_queue_mark(queue, event, err);
}

/* Let all that `to` is given from now on run after what `from` was given so far. */
static enum imf_status order(struct imf_queue *from, struct imf_queue *to, struct imf_event **event,
                             struct imf_error *err) {
    enum imf_status st = mark(from, event, err);
    return st ? st : imf_queue_after(to, *event, err);
}

static size_t row_bytes(const struct imf_surface *s) {
    return s->pitch * imf_sample_size(s->sample);
}

enum imf_status imf_transfer_upload(struct imf_transfer_queue *t, int slot, const void *host,
                                    const struct imf_surface *s, int first, int count,
                                    struct imf_error *err) {
    size_t row = row_bytes(s), at = (size_t)first * row;
    enum imf_status st = imf_queue_after(t->up, t->halo, err);
    if (!st)
        st = imf_buffer_send(t->up, s->mem, at, (const char *)host + at, (size_t)count * row, err);
    return st ? st : order(t->up, t->queue, &t->uploaded[slot], err);
}

enum imf_status imf_transfer_halo_copied(struct imf_transfer_queue *t, struct imf_error *err) {
    return mark(t->queue, &t->halo, err);
}

enum imf_status imf_transfer_download(struct imf_transfer_queue *t, int slot, void *host,
                                      const struct imf_surface *s, int first, int count,
                                      struct imf_error *err) {
    size_t row = row_bytes(s), at = (size_t)first * row;
    enum imf_status st = order(t->queue, t->down, &t->computed[slot], err);
    if (!st)
        st = imf_buffer_fetch(t->down, s->mem, at, (char *)host + at, (size_t)count * row, err);
    return st ? st : mark(t->down, &t->downloaded[slot], err);
}

enum imf_status imf_transfer_wait(struct imf_transfer_queue *t, int slot, struct imf_report *r,
                                  struct imf_error *err) {
    struct imf_event *events[] = {t->uploaded[slot], t->computed[slot], t->downloaded[slot]};
    double *waited[] = {&r->upload_ms, &r->compute_ms, &r->download_ms};
    enum imf_status st = IMF_OK;
    for (size_t i = 0; i < sizeof events / sizeof *events && !st; i++) {
        double begin = imf_now_ms();
        st = imf_event_wait(events[i], err);
        *waited[i] += imf_now_ms() - begin;
    }
    return st;
}
