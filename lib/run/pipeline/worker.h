/*
 * worker.h - a thread that does one thing to items 0, 1, ... as they are given to it
 */
#ifndef IMF_RUN_PIPELINE_WORKER_H
#define IMF_RUN_PIPELINE_WORKER_H

#include "base/error.h"

#include <pthread.h>

struct imf_worker {
    enum imf_status (*work)(void *data, int item, struct imf_error *err);
    void *data;
    bool threaded; /* otherwise an item is done when it is given */
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    int given, done; /* items */
    bool stop;
    enum imf_status status; /* of the item that failed, the last one done */
    struct imf_error error;
    double busy_ms, idle_ms; /* at work, and waiting for items before the last */
};

/* Start a worker that calls work(data, item); close is due whatever this returns. Where no thread
 * can be had, or none is wanted, the calling one does the work. */
enum imf_status imf_worker_open(struct imf_worker *worker, bool threaded,
                                enum imf_status (*work)(void *data, int item,
                                                        struct imf_error *err),
                                void *data, struct imf_error *err);
/* Let it do one item more. */
void imf_worker_give(struct imf_worker *worker);
/* Wait until `items` are done; *waited_ms grows. Fails as the item did. */
enum imf_status imf_worker_wait(struct imf_worker *worker, int items, double *waited_ms,
                                struct imf_error *err);
/* Are `items` done already, and well? */
bool imf_worker_did(struct imf_worker *worker, int items);
/* Let it end the item that it is at, and no other. */
void imf_worker_close(struct imf_worker *worker);

#endif
