/*
 * signals.c - signals that end the program: what was begun is removed first
 */
#include "output/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* SIGPIPE is the thread's that writes, whoever watches. */
static const int fatal[] = {SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGTERM, SIGXCPU, SIGPIPE};
#define FATAL (sizeof fatal / sizeof *fatal)

static void (*remove_files)(void); /* async-signal-safe */
static atomic_int holding;
static volatile sig_atomic_t pending;
static bool ours[FATAL];
/* Who watches, if anybody does. */
static atomic_bool watched;
static pthread_t watcher;

static void on_signal(int number) {
    if (atomic_load(&watched)) {
        pthread_kill(watcher, number);
        return;
    }
    if (atomic_load(&holding)) {
        pending = number;
        return;
    }
    remove_files();
    signal(number, SIG_DFL);
    raise(number); /* delivered when the handler returns */
}

void signals_catch(void (*cleanup)(void)) {
    remove_files = cleanup;
    for (size_t i = 0; i < FATAL; i++) {
        struct sigaction action, old;
        if (sigaction(fatal[i], NULL, &old) != 0 || old.sa_handler == SIG_IGN)
            continue;
        ours[i] = true; /* a driver may put its own handler before ours */
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESTART;
        sigfillset(&action.sa_mask);
        sigaction(fatal[i], &action, NULL);
    }
    /* A file over the size limit then fails with EFBIG, which gives a proper message. */
    signal(SIGXFSZ, SIG_IGN);
}

/* ---- names that are being changed ----------------------------------------------------------- */

static struct {
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    int inside; /* threads between hold and release */
    bool closed;
} gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, false};
static _Thread_local int depth;

/* Once the gate is closed nobody comes back from here. */
void signals_hold(void) {
    if (depth++ > 0)
        return;
    pthread_mutex_lock(&gate.lock);
    while (gate.closed)
        pthread_cond_wait(&gate.changed, &gate.lock);
    gate.inside++;
    pthread_mutex_unlock(&gate.lock);
    atomic_fetch_add(&holding, 1);
}

void signals_release(void) {
    if (--depth > 0)
        return;
    if (atomic_fetch_sub(&holding, 1) == 1 && pending)
        raise(pending);
    pthread_mutex_lock(&gate.lock);
    gate.inside--;
    pthread_cond_broadcast(&gate.changed);
    pthread_mutex_unlock(&gate.lock);
}

/* Whoever takes longer than that waits for a disk, or for a reader of what it prints. */
#define PATIENCE_SECONDS 3

static void close_gate(void) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_SECONDS;
    pthread_mutex_lock(&gate.lock);
    gate.closed = true;
    while (gate.inside && pthread_cond_timedwait(&gate.changed, &gate.lock, &end) == 0)
        ;
    pthread_mutex_unlock(&gate.lock);
}

/* ---- watching ------------------------------------------------------------------------------- */

static struct {
    pthread_t thread;
    sigset_t set, before;
    void (*tell)(void *data);
    void *data;
    atomic_bool over;
} watch;

static volatile sig_atomic_t ending;

static void end_now(int number) {
    sigset_t all;
    (void)number;
    signal(ending, SIG_DFL);
    sigfillset(&all);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);
    raise(ending);
}

/* What follows waits for nobody for longer than a moment: whoever was to read may have stopped. */
static void die_of(int number) {
    sigset_t alarms;
    close_gate();
    remove_files();
    ending = number;
    signal(SIGALRM, end_now);
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    alarm(2);
    if (number != SIGPIPE)
        watch.tell(watch.data);
    end_now(0);
}

/* Ends the watch; by default it does nothing. */
#define WAKE SIGURG

static void *wait_for_one(void *data) {
    int number;
    (void)data;
    sigaddset(&watch.set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &watch.set, NULL);
    while (sigwait(&watch.set, &number) == 0) {
        if (number != WAKE)
            die_of(number);
        if (atomic_load(&watch.over))
            break;
    }
    return NULL;
}

bool signals_watch(void (*tell)(void *data), void *data) {
    watch.tell = tell;
    watch.data = data;
    atomic_store(&watch.over, false);
    sigemptyset(&watch.set);
    sigaddset(&watch.set, WAKE);
    for (size_t i = 0; i < FATAL; i++) {
        if (fatal[i] != SIGPIPE && ours[i])
            sigaddset(&watch.set, fatal[i]);
    }
    if (pthread_sigmask(SIG_BLOCK, &watch.set, &watch.before) != 0)
        return false;
    if (pthread_create(&watch.thread, NULL, wait_for_one, NULL) == 0) {
        watcher = watch.thread;
        atomic_store(&watched, true);
        return true;
    }
    pthread_sigmask(SIG_SETMASK, &watch.before, NULL);
    return false;
}

void signals_unwatch(void) {
    atomic_store(&watched, false);
    atomic_store(&watch.over, true);
    pthread_kill(watch.thread, WAKE);
    pthread_join(watch.thread, NULL);
    pthread_sigmask(SIG_SETMASK, &watch.before, NULL);
}
