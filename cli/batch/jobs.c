/*
 * jobs.c - the images of a batch, several at once, reported in their order
 *
 * Worker threads take the images in order. What is said of one is kept until all before it have
 * been printed; workers run no further ahead than there are places to keep that. One more thread
 * brings outputs to the disk and names them, all that have come in while it did the same for those
 * before: together that costs a disk little more than for one, and no worker waits for it.
 *
 * One at a time is done on the calling thread, and is on the disk before the next begins.
 */
#include "batch/jobs.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "batch/progress.h"
#include "options/machine.h"
#include "output/signals.h"
#include "report/clock.h"
#include "report/message.h"
#include "report/terminal.h"

#define AHEAD 1024

struct slot {
    struct message_buffer messages;
    enum result result;
    bool finished;
};

struct jobs {
    struct session *s;
    const struct job_list *batch;
    struct progress *progress;
    bool one;             /* at a time */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t moved, unnamed, named;
    size_t next;    /* to be begun */
    size_t printed; /* in order */
    struct slot slots[AHEAD];
    struct tally tally;
    bool no_device, filtered; /* by all workers */
    struct unfinished waiting[PROCESS_TOGETHER];
    size_t waiting_count, together;             /* as many as files may be open for */
    struct unfinished naming[PROCESS_TOGETHER]; /* the naming thread's own */
};

int jobs_at_once(const struct options *o, const struct job_list *batch) {
    int cores = machine_cores();
    /* Measurements are not to disturb each other. */
    int jobs = o->jobs ? o->jobs : o->report.bench ? 1 : cores < JOBS_MAX ? cores : JOBS_MAX;
    return (size_t)jobs < batch->count ? jobs : batch->count ? (int)batch->count : 1;
}

/* ---- results, with the lock held ------------------------------------------------------------ */

static void count(struct tally *t, const char *input, enum result result, uint64_t pixels) {
    bool failed = result != RESULT_DONE && result != RESULT_SKIPPED;
    if (failed && t->failed < sizeof t->failure / sizeof *t->failure)
        t->failure[t->failed] = input;
    t->failed += failed;
    t->hopeless += result == RESULT_HOPELESS;
    t->skipped += result == RESULT_SKIPPED;
    t->done += result == RESULT_DONE;
    t->pixels += result == RESULT_DONE ? pixels : 0;
}

static void print(struct jobs *j, size_t i) {
    struct slot *at = &j->slots[i % AHEAD];
    if (!at->finished)
        return;
    at->finished = false;
    if (j->no_device) {
        message_buffer_free(&at->messages);
        return;
    }
    uint64_t pixels = at->messages.pixels;
    message_buffer_print(&at->messages, &j->s->reporter);
    j->no_device = at->result == RESULT_NO_DEVICE;
    count(&j->tally, j->batch->jobs[i].input, at->result, pixels);
}

static void finish(struct jobs *j, size_t i, enum result result) {
    struct slot *at = &j->slots[i % AHEAD];
    message_buffer_close(&at->messages);
    at->result = result;
    at->finished = true;
    progress_finished(j->progress,
                      result == RESULT_DONE      ? PROGRESS_FILTERED
                      : result == RESULT_SKIPPED ? PROGRESS_SKIPPED
                                                 : PROGRESS_FAILED,
                      result == RESULT_DONE ? at->messages.pixels : 0);
    for (; j->printed < j->next && j->slots[j->printed % AHEAD].finished; j->printed++)
        print(j, j->printed);
    pthread_cond_broadcast(&j->moved);
}

/* A signal ends the run: whatever is finished is told, in order. Who has the lock for longer waits
 * for somebody who does not read what is printed. */
static void tell_interrupted(void *data) {
    struct jobs *j = data;
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    if (pthread_mutex_timedlock(&j->lock, &soon) != 0)
        return;
    terminal_end();
    for (size_t i = j->printed; i < j->next; i++)
        print(j, i);
    summary_interrupted(&j->s->reporter, j->s->options, &j->tally, &j->batch->others);
}

/* ---- threads -------------------------------------------------------------------------------- */

static bool begin_next(struct jobs *j, size_t *i) {
    pthread_mutex_lock(&j->lock);
    while (!j->no_device && j->next < j->batch->count && j->next - j->printed >= AHEAD)
        pthread_cond_wait(&j->moved, &j->lock);
    bool more = !j->no_device && j->next < j->batch->count;
    if (more)
        *i = j->next++;
    pthread_mutex_unlock(&j->lock);
    return more;
}

static void leave_to_be_named(struct jobs *j, const struct unfinished *u) {
    pthread_mutex_lock(&j->lock);
    while (j->waiting_count >= j->together)
        pthread_cond_wait(&j->named, &j->lock);
    j->waiting[j->waiting_count++] = *u;
    pthread_cond_signal(&j->unnamed);
    pthread_mutex_unlock(&j->lock);
}

static void *work(void *data) {
    struct jobs *j = data;
    struct unfinished later;
    bool several = j->batch->count > 1;
    for (size_t i; begin_next(j, &i);) {
        struct message_buffer *messages = &j->slots[i % AHEAD].messages;
        enum result result = RESULT_FAILED;
        if (message_buffer_open(messages, &j->s->reporter, &j->s->noted, several || j->progress))
            result = process_image(j->s, &j->batch->jobs[i], messages, several ? &later : NULL);
        else
            complain_about(j->batch->jobs[i].input, "out of memory");
        if (result == RESULT_UNFINISHED && !j->one) {
            leave_to_be_named(j, &later);
            continue;
        }
        signals_hold(); /* what has its name is told */
        if (result == RESULT_UNFINISHED)
            process_finish(j->s, &later, &result, 1);
        pthread_mutex_lock(&j->lock);
        finish(j, i, result);
        pthread_mutex_unlock(&j->lock);
        signals_release();
    }
    return NULL;
}

/* How many there are to be named; 0: none will come. */
static size_t take_waiting(struct jobs *j) {
    pthread_mutex_lock(&j->lock);
    while (!j->waiting_count && !j->filtered)
        pthread_cond_wait(&j->unnamed, &j->lock);
    size_t n = j->waiting_count;
    for (size_t i = 0; i < n; i++)
        j->naming[i] = j->waiting[i];
    j->waiting_count = 0;
    pthread_cond_broadcast(&j->named);
    pthread_mutex_unlock(&j->lock);
    return n;
}

static void *name_outputs(void *data) {
    struct jobs *j = data;
    enum result results[PROCESS_TOGETHER];
    for (size_t n; (n = take_waiting(j)) > 0;) {
        signals_hold(); /* what has its name is told */
        process_finish(j->s, j->naming, results, n);
        pthread_mutex_lock(&j->lock);
        for (size_t i = 0; i < n; i++)
            finish(j, (size_t)(j->naming[i].job - j->batch->jobs), results[i]);
        pthread_mutex_unlock(&j->lock);
        signals_release();
    }
    return NULL;
}

/* Where no thread can be had, those that run do all. */
static void run_threads(struct jobs *j, int at_once) {
    pthread_t worker[JOBS_MAX], naming;
    int started = 0;
    j->one = at_once == 1 || pthread_create(&naming, NULL, name_outputs, j) != 0;
    while (!j->one && started < at_once - 1 && pthread_create(&worker[started], NULL, work, j) == 0)
        started++;
    work(j);
    for (int i = 0; i < started; i++)
        pthread_join(worker[i], NULL);
    if (j->one)
        return;
    pthread_mutex_lock(&j->lock);
    j->filtered = true;
    pthread_cond_signal(&j->unnamed);
    pthread_mutex_unlock(&j->lock);
    pthread_join(naming, NULL);
}

/* A job has some six files open, an output that waits for its name, or gets it, three. Returns how
 * many may wait. */
static size_t allow_files(int at_once) {
    struct rlimit limit;
    rlim_t jobs = (rlim_t)(64 + 16 * at_once), each = 2 * 3;
    rlim_t wanted = jobs + each * PROCESS_TOGETHER;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return PROCESS_TOGETHER;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur < jobs + each ? 1 : (size_t)((limit.rlim_cur - jobs) / each);
}

bool jobs_run(struct session *s, const struct job_list *batch, int at_once, struct tally *tally) {
    struct jobs *j = calloc(1, sizeof *j);
    *tally = (struct tally){.count = batch->count, .begun = now_ms()};
    if (!j) {
        complain("out of memory");
        for (size_t i = 0; i < batch->count; i++)
            count(tally, batch->jobs[i].input, RESULT_FAILED, 0);
        return true;
    }
    j->s = s;
    j->batch = batch;
    j->tally = *tally;
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->moved, NULL);
    pthread_cond_init(&j->unnamed, NULL);
    pthread_cond_init(&j->named, NULL);
    j->together = allow_files(at_once);
    bool watched = batch->count > 1 && signals_watch(tell_interrupted, j);
    j->progress = progress_begin(&s->reporter, s->options, batch->count);
    run_threads(j, at_once);
    j->tally.watched = progress_end(&j->progress);
    if (watched)
        signals_unwatch();
    *tally = j->tally;
    bool device = !j->no_device;
    pthread_cond_destroy(&j->named);
    pthread_cond_destroy(&j->unnamed);
    pthread_cond_destroy(&j->moved);
    pthread_mutex_destroy(&j->lock);
    free(j);
    return device;
}
