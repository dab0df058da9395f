/*
 * signals.c - signals that end the program: unfinished files are removed first
 */
#include "output/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Blocked in all threads but the watcher, so that drivers' handlers do not get them either. */
static const int fatal[] = {SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGTERM, SIGXCPU};

/* Of a fault in the program or in a library. Sent to the thread that has it, so that no other can wait
 * for them. */
static const int crashes[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
#define CRASHES (sizeof crashes / sizeof *crashes)

static struct {
    pthread_t thread;
    pid_t process;
    sigset_t set;
    void (*cleanup)(void), (*crashed)(void);
} watcher;

/* ---- critical sections ----------------------------------------------------------- */

static struct {
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    int inside; /* threads between hold and release */
    bool closed;
    void (*report)(void *data); /* of the batch, or NULL */
    void *data;
} sections = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
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
}

void signals_release(void) {
    if (--depth > 0)
        return;
    pthread_mutex_lock(&sections.lock);
    sections.inside--;
    pthread_cond_broadcast(&sections.changed);
    pthread_mutex_unlock(&sections.lock);
}

void signals_report(void (*report)(void *data), void *data) {
    signals_hold();
    sections.report = report;
    sections.data = data;
    signals_release();
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

/* ---- the end -------------------------------------------------------------------------------- */

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
    for (size_t i = 0; i < CRASHES; i++)
        if (crashes[i] == number)
            watcher.crashed();
    close_sections();
    watcher.cleanup();
    ending = number;
    signal(SIGALRM, end_now);
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    alarm(2);
    if (number != SIGPIPE && sections.report)
        sections.report(sections.data);
    end_now(0);
}

static void *watch(void *data) {
    int number;
    (void)data;
    while (sigwait(&watcher.set, &number) != 0)
        ;
    die_of(number);
    return NULL;
}

/* The thread that writes to a closed pipe waits for the end, unless that waits for its section. */
static void on_pipe(int number) {
    pthread_kill(watcher.thread, number);
    while (!depth)
        pause();
}

/* A thread that crashed waits for the end, too, unless it is the watcher, or in the child that another
 * library forked. */
static void on_crash(int number) {
    if (!pthread_equal(pthread_self(), watcher.thread) && getpid() == watcher.process &&
        pthread_kill(watcher.thread, number) == 0)
        for (;;)
            pause();
    signal(number, SIG_DFL);
    raise(number);
}

static bool caught[CRASHES];

static void catch_crash(size_t i) {
    struct sigaction action = {.sa_handler = on_crash};
    sigfillset(&action.sa_mask);
    sigaction(crashes[i], &action, NULL);
}

/* Whose handlers are there already keeps them: those of sanitizers report. */
static void catch_crashes(void) {
    struct sigaction old;
    for (size_t i = 0; i < CRASHES; i++) {
        caught[i] = sigaction(crashes[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL;
        if (caught[i])
            catch_crash(i);
    }
}

/* LLVM's come when PoCL is opened, and abort() would go on to the end behind them. PoCL's own of SIGFPE is for
 * divisions by zero in kernels. */
void signals_catch_again(void) {
    for (size_t i = 0; i < CRASHES; i++)
        if (caught[i] && crashes[i] != SIGFPE)
            catch_crash(i);
}

static bool over;

void signals_over(void) {
    over = true;
}

/* A library that calls exit() in the midst of a run ends it like a crash. */
static void at_exit(void) {
    if (over || getpid() != watcher.process)
        return;
    watcher.crashed();
    close_sections();
    watcher.cleanup();
}

void signals_catch(void (*cleanup)(void), void (*crashed)(void)) {
    struct sigaction old, action = {.sa_handler = on_pipe, .sa_flags = SA_RESTART};
    sigset_t before, blocked;
    watcher.cleanup = cleanup;
    watcher.crashed = crashed;
    sigemptyset(&watcher.set);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        if (sigaction(fatal[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaddset(&watcher.set, fatal[i]);
    }
    pthread_sigmask(SIG_BLOCK, &watcher.set, &before);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    sigaddset(&watcher.set, SIGPIPE); /* from on_pipe(), and from on_crash(): */
    for (size_t i = 0; i < CRASHES; i++)
        sigaddset(&watcher.set, crashes[i]);
    watcher.process = getpid();
    pthread_sigmask(SIG_BLOCK, &watcher.set, NULL);
    bool watched = pthread_create(&watcher.thread, NULL, watch, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, watched ? &blocked : &before, NULL);
    sigfillset(&action.sa_mask);
    if (watched && sigaction(SIGPIPE, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(SIGPIPE, &action, NULL);
    if (watched) {
        catch_crashes();
        (void)!atexit(at_exit);
    }
    /* A file over the size limit then fails with EFBIG, which gives a proper message. */
    signal(SIGXFSZ, SIG_IGN);
}
