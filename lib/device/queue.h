/*
 * queue.h - a device's command queue, in order
 *
 * A queue belongs to a job or a workspace, one thread at a time; several queues of one runtime may
 * be used at once. Commands (launches, fills, copies, unmapping) may still be running when a call returns: buffers and
 * programs may be freed then, but host memory that a command reads or writes must stay until the
 * call's comment or imf_queue_finish() says that it is done.
 */
#ifndef IMF_DEVICE_QUEUE_H
#define IMF_DEVICE_QUEUE_H

#include "device/runtime.h"

struct imf_queue;
struct imf_event; /* a point in a queue's order of commands */

/* The runtime must outlive the queue. */
enum imf_status imf_queue_open(struct imf_queue **out, struct imf_runtime *rt,
                               struct imf_error *err);
/* Of host memory so many bytes are left (INFINITY, until this is called): programs that are not in the
 * cache are not compiled for this queue where that takes more. */
void imf_queue_limit(struct imf_queue *queue, double spare);
/* Waits for commands in progress. */
void imf_queue_close(struct imf_queue **queue);

/* Wait until all work is done. A failure of the device may be told only here. */
enum imf_status imf_queue_finish(struct imf_queue *queue, struct imf_error *err);

/* An event for the completion of all commands so far. Flushes the queue, so that other queues may
 * wait for it. */
enum imf_status imf_queue_mark(struct imf_queue *queue, struct imf_event **out,
                               struct imf_error *err);
/* Commands queued from now on start after the event of another queue; NULL: at once. */
enum imf_status imf_queue_after(struct imf_queue *queue, const struct imf_event *event,
                                struct imf_error *err);
/* Wait for the event, on any thread; NULL: returns at once. Fails if a command before it failed. */
enum imf_status imf_event_wait(const struct imf_event *event, struct imf_error *err);
/* Commands that wait for it keep waiting. */
void imf_event_free(struct imf_event **event);

const struct imf_device *imf_queue_device(const struct imf_queue *queue);

#endif
