/* transfer_queue.c - rows that stream to a device's own memory and back, while it computes */
#include "run/executor/transfer_queue.h"

#include "base/clock.h"

enum imf_status imf_link_open(struct imf_link *t, struct imf_queue *queue, struct imf_runtime *rt,
                              struct imf_error *err) {
    *t = (struct imf_link){.queue = queue};
    enum imf_status st = imf_queue_open(&t->up, rt, err);
    return st ? st : imf_queue_open(&t->down, rt, err);
}

void imf_link_close(struct imf_link *t) {
    for (int k = 0; k < IMF_ENDS; k++) {
        struct imf_event **events[] = {&t->sent[k], &t->made[k], &t->fetched[k]};
        for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
            (void)imf_event_wait(*events[i], NULL);
            imf_event_free(events[i]);
        }
    }
    imf_event_free(&t->carried);
    imf_queue_close(&t->up);
    imf_queue_close(&t->down);
}

static enum imf_status mark(struct imf_queue *queue, struct imf_event **event,
                            struct imf_error *err) {
    imf_event_free(event);
    return imf_queue_mark(queue, event, err);
}

/* What `to` is given from now on comes after what `from` was given so far. */
static enum imf_status hand_over(struct imf_queue *from, struct imf_queue *to,
                                 struct imf_event **event, struct imf_error *err) {
    enum imf_status st = mark(from, event, err);
    return st ? st : imf_queue_after(to, *event, err);
}

static size_t row_bytes(const struct imf_surface *s) {
    return s->pitch * imf_sample_size(s->sample);
}

enum imf_status imf_link_send(struct imf_link *t, int which, const struct imf_exec_input *from,
                              const struct imf_surface *s, int first, int count,
                              struct imf_error *err) {
    size_t row = row_bytes(s), at = (size_t)first * row;
    enum imf_status st = imf_queue_after(t->up, t->carried, err);
    if (!st)
        st = imf_buffer_send(t->up, s->mem, at, (const char *)from->host + at, (size_t)count * row,
                             err);
    return st ? st : hand_over(t->up, t->queue, &t->sent[which], err);
}

enum imf_status imf_link_carried(struct imf_link *t, struct imf_error *err) {
    return mark(t->queue, &t->carried, err);
}

enum imf_status imf_link_fetch(struct imf_link *t, int which, const struct imf_exec_input *to,
                               const struct imf_surface *s, int first, int count,
                               struct imf_error *err) {
    size_t row = row_bytes(s), at = (size_t)first * row;
    enum imf_status st = hand_over(t->queue, t->down, &t->made[which], err);
    if (!st)
        st = imf_buffer_fetch(t->down, s->mem, at, (char *)to->host + at, (size_t)count * row, err);
    return st ? st : mark(t->down, &t->fetched[which], err);
}

enum imf_status imf_link_settle(struct imf_link *t, int which, struct imf_report *r,
                                struct imf_error *err) {
    struct imf_event *events[] = {t->sent[which], t->made[which], t->fetched[which]};
    double *waited[] = {&r->upload_ms, &r->compute_ms, &r->download_ms};
    enum imf_status st = IMF_OK;
    for (size_t i = 0; i < sizeof events / sizeof *events && !st; i++) {
        double begin = imf_now_ms();
        st = imf_event_wait(events[i], err);
        *waited[i] += imf_now_ms() - begin;
    }
    return st;
}
