/*
 * worker.h - a thread that works on items 0, 1, ... as they are submitted
 */
#ifndef IMF_RUN_PIPELINE_WORKER_H
#define IMF_RUN_PIPELINE_WORKER_H

#include "base/error.h"

#include <pthread.h>

struct imf_worker {
    enum imf_status (*work)(void *data, int item, struct imf_error *err);
    void *data;
    bool threaded; /* otherwise imf_worker_submit() does the item */
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    int submitted, done; /* items */
    bool stop;
    enum imf_status status; /* of the item that failed, the last one done */
    struct imf_error error;
    double busy_ms, idle_ms; /* at work, and waiting for items before the last */
};

/* Start a worker that calls work(data, item); close is due whatever this returns. The calling thread
 * does the work if no other can be started or `threaded` is false. */
enum imf_status imf_worker_open(struct imf_worker *worker, bool threaded,
                                enum imf_status (*work)(void *data, int item,
                                                        struct imf_error *err),
                                void *data, struct imf_error *err);
/* Submit the next item. */
void imf_worker_submit(struct imf_worker *worker);
/* Wait until `items` are done; *waited_ms grows. Fails with the failure of an item. */
enum imf_status imf_worker_wait(struct imf_worker *worker, int items, double *waited_ms,
                                struct imf_error *err);
/* Have `items` been done without failure? */
bool imf_worker_is_done(struct imf_worker *worker, int items);
/* Let it finish the item that it works on, and end. */
void imf_worker_close(struct imf_worker *worker);

#endif
