/*
 * transfer_queue.h - rows that stream to a device's own memory and back, while it computes
 *
 * Two queues beside the one that computes, so that a band's rows are sent and the result of the one
 * before is fetched meanwhile. Events between queues keep the order: a band is computed when its
 * rows are there and fetched when it is computed, and what a band has of the one before is copied
 * before that one's storage is written again. Storages of both ends are numbered as in
 * struct imf_exec_stream; the host's side of them is pinned (exec_input.h).
 */
#ifndef IMF_RUN_EXECUTOR_TRANSFER_QUEUE_H
#define IMF_RUN_EXECUTOR_TRANSFER_QUEUE_H

#include "run/executor/executor.h"
#include "run/executor/input.h"

struct imf_link {
    struct imf_queue *queue, *up, *down; /* that computes: borrowed; NULL: none of this is used */
    struct imf_event *sent[IMF_ENDS], *made[IMF_ENDS], *fetched[IMF_ENDS];
    struct imf_event *carried; /* the last time, from one storage to the other */
};

/* Close is due whatever this returns. */
enum imf_status imf_link_open(struct imf_link *t, struct imf_queue *queue, struct imf_runtime *rt,
                              struct imf_error *err);
/* Waits for what is under way. */
void imf_link_close(struct imf_link *t);

/* Send `count` rows of storage `which` of the image, s, from row `first` on; what is computed from
 * now on sees them. */
enum imf_status imf_link_send(struct imf_link *t, int which, const struct imf_exec_input *from,
                              const struct imf_surface *s, int first, int count,
                              struct imf_error *err);
/* What was just given to the computing queue reads the other storage of the image. */
enum imf_status imf_link_carried(struct imf_link *t, struct imf_error *err);
/* Fetch `count` rows of storage from storage `which` of the result, s, from row `first` on, when
 * what was given to the computing queue so far is done. */
enum imf_status imf_link_fetch(struct imf_link *t, int which, const struct imf_exec_input *to,
                               const struct imf_surface *s, int first, int count,
                               struct imf_error *err);
/* Wait until the storages numbered so may be used by the host. Told are the milliseconds until rows
 * were there, until the result was made, and until it was here. */
enum imf_status imf_link_settle(struct imf_link *t, int which, struct imf_report *report,
                                struct imf_error *err);

#endif
