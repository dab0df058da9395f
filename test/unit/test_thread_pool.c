/* test_thread_pool.c - every item once, whatever the number of items, and from several threads */
#include "base/thread_pool.h"
#include "check.h"
#include "run/pipeline/worker.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#define MOST 1000

static void mark(void *data, int item) {
    atomic_int *seen = data;
    atomic_fetch_add(&seen[item], 1);
}

static struct imf_pool *pool; /* NULL: none is lent */

static void *all_counts(void *data) {
    int *wrong = data;
    static const int counts[] = {0, 1, 2, 3, 63, 64, 65, MOST};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        atomic_int seen[MOST] = {0};
        imf_parallel(pool, counts[k], mark, seen);
        for (int i = 0; i < MOST; i++)
            *wrong += seen[i] != (i < counts[k]);
    }
    return NULL;
}

static void elsewhere(void *data, int item) {
    pthread_t *caller = data;
    CHECK(pthread_equal(*caller, pthread_self()), "item %d on another thread", item);
}

static bool masked(void) {
    sigset_t set;
    return !pthread_sigmask(SIG_SETMASK, NULL, &set) && sigismember(&set, SIGTERM) == 1 &&
           sigismember(&set, SIGCHLD) == 1;
}

static void *look(void *data) {
    *(bool *)data = masked();
    return NULL;
}

static enum imf_status look_once(void *data, int item, struct imf_error *err) {
    (void)item, (void)err;
    look(data);
    return IMF_OK;
}

/* Signals are for the program's own threads, and the caller's mask stays. */
static void test_signals(void) {
    bool thread_masked = false, worker_masked = false;
    double waited = 0;
    pthread_t thread;
    struct imf_worker worker;
    CHECK(!imf_thread_start(&thread, look, &thread_masked), "a thread");
    pthread_join(thread, NULL);
    CHECK(!imf_worker_open(&worker, true, look_once, &worker_masked, NULL), "a worker");
    imf_worker_submit(&worker);
    CHECK(!imf_worker_wait(&worker, 1, &waited, NULL), "its work");
    imf_worker_close(&worker);
    CHECK(thread_masked && worker_masked, "signals reach a thread (%d) or a worker (%d)",
          !thread_masked, !worker_masked);
    CHECK(!masked(), "the caller's mask has changed");
}

int main(void) {
    test_signals();
    int wrong = 0, wrongs[4] = {0};
    pthread_t thread[4];
    cpu_set_t one;
    all_counts(&wrong);
    CHECK(!wrong, "%d items", wrong);
    /* More threads than cores, by all the threads below. */
    CHECK(!imf_pool_open(&pool, 5, NULL) && imf_pool_threads(pool) == 5, "a pool");
    for (int i = 0; i < 100; i++)
        all_counts(&wrong);
    CHECK(!wrong, "%d items of a pool", wrong);
    CHECK(imf_cores() >= 1 && imf_cores() <= 64, "%d", imf_cores());
    for (int i = 0; i < 4; i++)
        CHECK(!pthread_create(&thread[i], NULL, all_counts, &wrongs[i]), "thread %d", i);
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        CHECK(!wrongs[i], "thread %d: %d items", i, wrongs[i]);
    }
    pthread_t caller = pthread_self();
    imf_parallel_on(pool, 1, 50, elsewhere, &caller);
    imf_pool_close(&pool);
    CHECK(!imf_pool_open(&pool, 1, NULL), "a pool of one");
    imf_parallel(pool, 50, elsewhere, &caller);
    imf_pool_close(&pool);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    CHECK(!sched_setaffinity(0, sizeof one, &one), "affinity");
    CHECK(imf_cores() == 1, "%d cores on one", imf_cores());
    all_counts(&wrong);
    CHECK(!wrong, "%d items on one core", wrong);
    return check_done("test_thread_pool");
}
