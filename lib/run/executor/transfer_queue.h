/*
 * transfer_queue.h - rows that stream to a device's own memory and back, while it computes
 *
 * Two queues beside the computing one: while it computes a band, the rows of the next are uploaded and
 * the result of the one before is downloaded. Events between the queues keep the order: a band is
 * computed after its rows are uploaded and downloaded after it is computed, and a band's halo is copied
 * before the buffer that it comes from is written again.
 */
#ifndef IMF_RUN_EXECUTOR_TRANSFER_QUEUE_H
#define IMF_RUN_EXECUTOR_TRANSFER_QUEUE_H

#include "run/executor/ops.h"

struct imf_transfer_queue {
    struct imf_queue *queue;     /* the computing one, borrowed; NULL: nothing is transferred */
    struct imf_queue *up, *down; /* owned */
    /* The last time that each buffer was so, or NULL. */
    struct imf_event *uploaded[IMF_EXEC_SLOTS], *computed[IMF_EXEC_SLOTS],
        *downloaded[IMF_EXEC_SLOTS];
    struct imf_event *halo; /* the last copy of a halo */
};

/* Close is due whatever this returns. */
enum imf_status imf_transfer_open(struct imf_transfer_queue *t, struct imf_queue *queue,
                                  struct imf_runtime *rt, struct imf_error *err);
/* Waits for what is under way. */
void imf_transfer_close(struct imf_transfer_queue *t);

/* Upload `count` rows, from row `first` of storage on, from `host` to s, buffer `slot` of the image,
 * before all that the computing queue is given from now on. */
enum imf_status imf_transfer_upload(struct imf_transfer_queue *t, int slot, const void *host,
                                    const struct imf_surface *s, int first, int count,
                                    struct imf_error *err);
/* A halo was just given to the computing queue, which reads the image's other buffer: let later
 * uploads wait for it. */
enum imf_status imf_transfer_halo_copied(struct imf_transfer_queue *t, struct imf_error *err);
/* Download `count` rows, from row `first` of storage on, from s, buffer `slot` of the result, to
 * `host`, after all that the computing queue was given so far. */
enum imf_status imf_transfer_download(struct imf_transfer_queue *t, int slot, void *host,
                                      const struct imf_surface *s, int first, int count,
                                      struct imf_error *err);
/* Wait until the host may use the buffers `slot`. The report's times grow by the milliseconds until
 * the rows were uploaded, until the result was computed, and until it was downloaded. */
enum imf_status imf_transfer_wait(struct imf_transfer_queue *t, int slot, struct imf_report *report,
                                  struct imf_error *err);

#endif
