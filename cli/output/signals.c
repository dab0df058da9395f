/*
 * signals.c - signals that end the program: unfinished files are removed first
 */
#include "output/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* SIGPIPE goes to the thread that writes, even while a watcher thread runs. */
static const int fatal[] = {SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGTERM, SIGXCPU, SIGPIPE};
#define FATAL (sizeof fatal / sizeof *fatal)

static void (*remove_files)(void); /* async-signal-safe */
static atomic_int holding;
static volatile sig_atomic_t pending;
static bool caught[FATAL]; /* not ignored when the program started */
/* The watcher thread, if there is one. */
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
        caught[i] = true; /* a driver may put its own handler before ours */
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESTART;
        sigfillset(&action.sa_mask);
        sigaction(fatal[i], &action, NULL);
    }
    /* A file over the size limit then fails with EFBIG, which gives a proper message. */
    signal(SIGXFSZ, SIG_IGN);
}

/* ---- critical sections ----------------------------------------------------------- */

static struct {
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    int inside; /* threads between hold and release */
    bool closed;
} sections = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, false};
static _Thread_local int depth;

/* Once sections are closed this does not return: the program is about to end. */
void signals_hold(void) {
    if (depth++ > 0)
        return;
    pthread_mutex_lock(&sections.lock);
    while (sections.closed)
        pthread_cond_wait(&sections.changed, &sections.lock);
    sections.inside++;
    pthread_mutex_unlock(&sections.lock);
    atomic_fetch_add(&holding, 1);
}

void signals_release(void) {
    if (--depth > 0)
        return;
    if (atomic_fetch_sub(&holding, 1) == 1 && pending)
        raise(pending);
    pthread_mutex_lock(&sections.lock);
    sections.inside--;
    pthread_cond_broadcast(&sections.changed);
    pthread_mutex_unlock(&sections.lock);
}

/* A thread that takes longer is blocked by a disk, or by a reader of its output. */
#define PATIENCE_SECONDS 3

static void close_sections(void) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_SECONDS;
    pthread_mutex_lock(&sections.lock);
    sections.closed = true;
    while (sections.inside && pthread_cond_timedwait(&sections.changed, &sections.lock, &end) == 0)
        ;
    pthread_mutex_unlock(&sections.lock);
}

/* ---- watching ------------------------------------------------------------------------------- */

static struct {
    pthread_t thread;
    sigset_t set, before;
    void (*report)(void *data);
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

/* An alarm limits the time for the last messages: their reader may have stopped. */
static void die_of(int number) {
    sigset_t alarms;
    close_sections();
    remove_files();
    ending = number;
    signal(SIGALRM, end_now);
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    alarm(2);
    if (number != SIGPIPE)
        watch.report(watch.data);
    end_now(0);
}

/* Wakes the watcher at the end; ignored by default. */
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

bool signals_watch(void (*report)(void *data), void *data) {
    watch.report = report;
    watch.data = data;
    atomic_store(&watch.over, false);
    sigemptyset(&watch.set);
    sigaddset(&watch.set, WAKE);
    for (size_t i = 0; i < FATAL; i++) {
        if (fatal[i] != SIGPIPE && caught[i])
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
