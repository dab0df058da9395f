/* worker.c - a thread that works on items 0, 1, ... as they are submitted */
#include "run/pipeline/worker.h"

#include "base/clock.h"
#include "base/thread_pool.h"

static void do_item(struct imf_worker *s, int item) {
    struct imf_error failure = {.status = IMF_OK};
    double begin = imf_now_ms();
    enum imf_status st = s->work(s->data, item, &failure);
    double end = imf_now_ms();
    pthread_mutex_lock(&s->lock);
    s->busy_ms += end - begin;
    s->done = item + 1;
    s->status = st;
    s->error = failure;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void *run(void *data) {
    struct imf_worker *s = data;
    for (int item = 0;; item++) {
        double begin = imf_now_ms();
        pthread_mutex_lock(&s->lock);
        while (s->submitted <= item && !s->stop)
            pthread_cond_wait(&s->changed, &s->lock);
        bool more = s->submitted > item && !s->stop && !s->status;
        if (more)
            s->idle_ms += imf_now_ms() - begin;
        pthread_mutex_unlock(&s->lock);
        if (!more)
            return NULL;
        do_item(s, item);
    }
}

enum imf_status imf_worker_open(struct imf_worker *s, bool threaded,
                                enum imf_status (*work)(void *data, int item,
                                                        struct imf_error *err),
                                void *data, struct imf_error *err) {
    *s = (struct imf_worker){.work = work, .data = data};
    if (pthread_mutex_init(&s->lock, NULL)) {
        s->work = NULL;
        return imf_fail_memory(err, sizeof s->lock);
    }
    if (pthread_cond_init(&s->changed, NULL)) {
        pthread_mutex_destroy(&s->lock);
        s->work = NULL;
        return imf_fail_memory(err, sizeof s->changed);
    }
    s->threaded = threaded && imf_thread_start(&s->thread, run, s) == 0;
    return IMF_OK;
}

void imf_worker_submit(struct imf_worker *s) {
    pthread_mutex_lock(&s->lock);
    int item = s->submitted++;
    bool mine = !s->threaded && !s->status;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (mine)
        do_item(s, item);
}

enum imf_status imf_worker_wait(struct imf_worker *s, int items, double *waited_ms,
                                struct imf_error *err) {
    double begin = imf_now_ms();
    pthread_mutex_lock(&s->lock);
    while (s->done < items && !s->status)
        pthread_cond_wait(&s->changed, &s->lock);
    enum imf_status st = s->status;
    if (st && err)
        *err = s->error;
    pthread_mutex_unlock(&s->lock);
    *waited_ms += imf_now_ms() - begin;
    return st;
}

bool imf_worker_is_done(struct imf_worker *s, int items) {
    pthread_mutex_lock(&s->lock);
    bool did = s->done >= items && !s->status;
    pthread_mutex_unlock(&s->lock);
    return did;
}

void imf_worker_close(struct imf_worker *s) {
    if (!s->work)
        return;
    if (s->threaded) {
        pthread_mutex_lock(&s->lock);
        s->stop = true;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
    }
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    s->work = NULL;
}
