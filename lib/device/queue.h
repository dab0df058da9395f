/*
 * queue.h - work for a device, done in the order in which it was given
 *
 * A queue belongs to a job or a workspace, one thread at a time; several queues of one runtime may
 * be used at once. What is given to a queue (launches, fills, copies, unmapping) may still be under
 * way when a call returns: buffers and programs may be freed then, but memory that a call reads or
 * writes is done with only when the call's comment or imf_queue_finish() says so.
 */
#ifndef IMF_DEVICE_QUEUE_H
#define IMF_DEVICE_QUEUE_H

#include "device/runtime.h"

struct imf_queue;
struct imf_event; /* a moment in a queue's work */

/* The runtime must outlive the queue. */
enum imf_status imf_queue_open(struct imf_queue **out, struct imf_runtime *rt,
                               struct imf_error *err);
/* Waits for what is under way. */
void imf_queue_close(struct imf_queue **queue);

/* Wait until all work is done. A failure of the device may be told only here. */
enum imf_status imf_queue_finish(struct imf_queue *queue, struct imf_error *err);

/* The moment when all that was given to the queue so far is done. It is begun at once, for other
 * queues may wait for it. */
enum imf_status imf_queue_mark(struct imf_queue *queue, struct imf_event **out,
                               struct imf_error *err);
/* What is given to the queue from now on begins after a moment in another's; NULL: whenever. */
enum imf_status imf_queue_after(struct imf_queue *queue, const struct imf_event *event,
                                struct imf_error *err);
/* Wait for it, on any thread; NULL is over. Fails where work before it did. */
enum imf_status imf_event_wait(const struct imf_event *event, struct imf_error *err);
/* Whatever waits for it still does. */
void imf_event_free(struct imf_event **event);

const struct imf_device *imf_queue_device(const struct imf_queue *queue);

#endif
