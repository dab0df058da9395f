/*
 * parallel.c - an idle thread takes the next item
 */
#include "base/parallel.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* More threads would wait for memory, or cost more to start than they gain. */
#define MOST_THREADS 64

struct share {
    void (*work)(void *data, int item);
    void *data;
    int count;
    atomic_int next;
};

int imf_cores(void) {
    cpu_set_t set;
    long cores =
        sched_getaffinity(0, sizeof set, &set) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
    return cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (int)cores;
}

int imf_thread_start(pthread_t *out, void *(*work)(void *data), void *data) {
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGPIPE); /* for the thread that writes to the pipe */
    int failed = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (failed)
        return failed;
    failed = pthread_create(out, NULL, work, data);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static void *run(void *data) {
    struct share *s = data;
    for (int item; (item = atomic_fetch_add(&s->next, 1)) < s->count;)
        s->work(s->data, item);
    return NULL;
}

void imf_parallel_on(int threads, int count, void (*work)(void *data, int item), void *data) {
    struct share s = {.work = work, .data = data, .count = count};
    pthread_t thread[MOST_THREADS];
    int most = threads > 0 && threads < MOST_THREADS ? threads : imf_cores();
    int wanted = count > 1 ? most - 1 : 0;
    int started = 0;
    if (wanted > count - 1)
        wanted = count - 1;
    while (started < wanted && !imf_thread_start(&thread[started], run, &s))
        started++;
    run(&s);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
}

void imf_parallel(int count, void (*work)(void *data, int item), void *data) {
    imf_parallel_on(0, count, work, data);
}
