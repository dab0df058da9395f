/*
 * jobs.c - the images of a batch, several at once, reported in their order
 *
 * Worker threads take the images in order. The messages of an image are kept until those of all
 * images before it have been printed; a ring of slots holds them, and a full ring stops the workers.
 * One more thread, the committer, flushes finished outputs to the disk and renames them. It takes all
 * that have been finished while it was busy, because flushing many files together costs a disk little
 * more than flushing one.
 *
 * Where inputs come one by one, each is taken as it comes and reported when it is done.
 *
 * With one job at a time all of this happens on the calling thread, image by image.
 */
#include "batch/jobs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "batch/progress.h"
#include "input/collect.h"
#include "options/machine.h"
#include "output/collisions.h"
#include "output/names.h"
#include "output/signals.h"
#include "report/clock.h"
#include "report/message.h"
#include "report/terminal.h"

#define SLOTS 1024

struct slot {
    const struct job *job;
    struct job own; /* with lists that stream: the job */
    struct message_buffer messages;
    enum result result;
    bool finished, printed;
};

/* A run has one batch. */
static struct jobs {
    struct session *s;
    struct job_list *batch;
    size_t taken; /* of the batch's jobs; where the list streams, of those that have come */
    pthread_mutex_t
        reading; /* the list, which may take long; of `taken`, and of the batch if it streams */
    bool serial; /* one image at a time, on the calling thread */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t printed_more, finished_more, emptied;
    size_t next;    /* the image to begin next */
    size_t printed; /* so many have been */
    struct slot slots[SLOTS];
    struct tally tally;
    bool noted;                                  /* the plan's note has been printed */
    bool no_device;                              /* give up */
    bool all_done;                               /* no worker will add to waiting */
    struct unfinished waiting[PROCESS_TOGETHER]; /* for the committer */
    size_t waiting_count, waiting_max;
    struct unfinished committing[PROCESS_TOGETHER]; /* the committer's own */
} jobs = {.reading = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .printed_more = PTHREAD_COND_INITIALIZER,
          .finished_more = PTHREAD_COND_INITIALIZER,
          .emptied = PTHREAD_COND_INITIALIZER};

int jobs_at_once(const struct options *o, const struct job_list *batch) {
    int cores = machine_cores();
    /* Measurements must not disturb each other. */
    int most = o->jobs ? o->jobs : o->report.bench ? 1 : cores < JOBS_MAX ? cores : JOBS_MAX;
    return batch->streams || (size_t)most < batch->count ? most
           : batch->count                                ? (int)batch->count
                                                         : 1;
}

/* ---- results, with the lock held ------------------------------------------------------------ */

static void count(struct tally *t, const char *input, enum result result, uint64_t pixels) {
    bool failed = result != RESULT_DONE && result != RESULT_SKIPPED;
    if (failed && t->failed < sizeof t->failure / sizeof *t->failure)
        t->failure[t->failed] = strdup(input);
    t->failed += failed;
    t->bad_usage += result == RESULT_BAD_USAGE;
    t->skipped += result == RESULT_SKIPPED;
    t->done += result == RESULT_DONE;
    t->pixels += result == RESULT_DONE ? pixels : 0;
}

static void print(struct jobs *j, size_t i) {
    struct slot *at = &j->slots[i % SLOTS];
    if (!at->finished || at->printed)
        return;
    at->printed = true;
    if (j->no_device) {
        message_buffer_free(&at->messages);
        return;
    }
    uint64_t pixels = at->messages.pixels;
    message_buffer_print(&at->messages, &j->s->reporter, &j->noted);
    j->no_device = at->result == RESULT_NO_DEVICE;
    count(&j->tally, at->job->input, at->result, pixels);
}

static void finish(struct jobs *j, size_t i, enum result result) {
    struct slot *at = &j->slots[i % SLOTS];
    message_buffer_close(&at->messages);
    at->result = result;
    at->finished = true;
    if (result != RESULT_DONE)
        process_forget(j->s, at->job);
    progress_finished(result == RESULT_DONE      ? PROGRESS_FILTERED
                      : result == RESULT_SKIPPED ? PROGRESS_SKIPPED
                                                 : PROGRESS_FAILED,
                      result == RESULT_DONE ? at->messages.pixels : 0);
    if (j->s->streams)
        print(j, i);
    for (; j->printed < j->next && j->slots[j->printed % SLOTS].finished; j->printed++) {
        struct slot *done = &j->slots[j->printed % SLOTS];
        print(j, j->printed);
        done->finished = done->printed = false;
        job_free(&done->own);
        done->own = (struct job){.input = NULL};
    }
    pthread_cond_broadcast(&j->printed_more);
}

/* A signal ends the run: print the messages of all finished images, in order. A thread that holds the
 * lock for longer than a second is blocked printing, so that nobody would read these messages. */
static void report_interrupted(void *data) {
    struct jobs *j = data;
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    if (pthread_mutex_timedlock(&j->lock, &soon) != 0)
        return;
    terminal_end();
    for (size_t i = j->printed; i < j->next; i++)
        print(j, i);
    if (j->s->streams)
        j->tally.count = j->next;
    summary_interrupted(&j->s->reporter, j->s->options, &j->tally, &j->batch->others);
}

/* ---- threads -------------------------------------------------------------------------------- */

/* Wait for more inputs on a list that streams; false: none will come. */
static bool read_more(struct jobs *j) {
    struct job_list *b = j->batch;
    const struct options *o = j->s->options;
    while (b->streams && j->taken == b->count) {
        bool good = true;
        b->count = j->taken = 0;
        if (!collect_next(b, o, &good) || !names_derive(b, o) || !collisions_drop_results(b, o)) {
            b->streams = false;
            j->tally.unread = !good || b->count > 0;
            for (; b->count > 0; b->count--)
                job_free(&b->jobs[b->count - 1]);
        }
    }
    return j->taken < b->count;
}

static bool take_next(struct jobs *j, size_t *i) {
    pthread_mutex_lock(&j->reading);
    bool more = read_more(j);
    pthread_mutex_lock(&j->lock);
    while (!j->no_device && more && j->next - j->printed >= SLOTS)
        pthread_cond_wait(&j->printed_more, &j->lock);
    more = more && !j->no_device;
    if (more) {
        struct slot *at = &j->slots[(*i = j->next++) % SLOTS];
        at->job = &j->batch->jobs[j->taken++];
        if (j->s->streams) {
            at->own = *at->job;
            at->own.number = *i;
            j->batch->jobs[j->taken - 1] = (struct job){.input = NULL};
            at->job = &at->own;
        }
    }
    pthread_mutex_unlock(&j->lock);
    pthread_mutex_unlock(&j->reading);
    return more;
}

static void hand_to_committer(struct jobs *j, const struct unfinished *u) {
    pthread_mutex_lock(&j->lock);
    while (j->waiting_count >= j->waiting_max)
        pthread_cond_wait(&j->emptied, &j->lock);
    j->waiting[j->waiting_count++] = *u;
    pthread_cond_signal(&j->finished_more);
    pthread_mutex_unlock(&j->lock);
}

static void *work(void *data) {
    struct jobs *j = data;
    struct unfinished unfinished;
    for (size_t i; take_next(j, &i);) {
        struct message_buffer *messages = &j->slots[i % SLOTS].messages;
        const struct job *job = j->slots[i % SLOTS].job;
        enum result result = RESULT_FAILED;
        if (message_buffer_open(messages, &j->s->reporter))
            result = process_image(j->s, job, messages, &unfinished);
        else
            complain_about(job->input, "out of memory");
        unfinished.place = i;
        if (result == RESULT_UNFINISHED && !j->serial) {
            hand_to_committer(j, &unfinished);
            continue;
        }
        signals_hold(); /* an image is renamed and reported, or neither */
        if (result == RESULT_UNFINISHED)
            process_finish(j->s, &unfinished, &result, 1);
        pthread_mutex_lock(&j->lock);
        finish(j, i, result);
        pthread_mutex_unlock(&j->lock);
        signals_release();
    }
    return NULL;
}

/* Wait for finished outputs: how many there are; 0: there will be none. */
static size_t take_waiting(struct jobs *j) {
    pthread_mutex_lock(&j->lock);
    while (!j->waiting_count && !j->all_done)
        pthread_cond_wait(&j->finished_more, &j->lock);
    size_t n = j->waiting_count;
    for (size_t i = 0; i < n; i++)
        j->committing[i] = j->waiting[i];
    j->waiting_count = 0;
    pthread_cond_broadcast(&j->emptied);
    pthread_mutex_unlock(&j->lock);
    return n;
}

static void *commit_outputs(void *data) {
    struct jobs *j = data;
    enum result results[PROCESS_TOGETHER];
    for (size_t n; (n = take_waiting(j)) > 0;) {
        signals_hold(); /* an image is renamed and reported, or neither */
        process_finish(j->s, j->committing, results, n);
        pthread_mutex_lock(&j->lock);
        for (size_t i = 0; i < n; i++)
            finish(j, j->committing[i].place, results[i]);
        pthread_mutex_unlock(&j->lock);
        signals_release();
    }
    return NULL;
}

/* The calling thread is a worker, too. Where no thread can be made, those that run do all the work. */
static void run_threads(struct jobs *j, int at_once) {
    pthread_t worker[JOBS_MAX], committer;
    int started = 0;
    j->serial = at_once == 1 || pthread_create(&committer, NULL, commit_outputs, j) != 0;
    while (!j->serial && started < at_once - 1 &&
           pthread_create(&worker[started], NULL, work, j) == 0)
        started++;
    work(j);
    for (int i = 0; i < started; i++)
        pthread_join(worker[i], NULL);
    if (j->serial)
        return;
    pthread_mutex_lock(&j->lock);
    j->all_done = true;
    pthread_cond_signal(&j->finished_more);
    pthread_mutex_unlock(&j->lock);
    pthread_join(committer, NULL);
}

/* Raise the limit of open files. A job has some six open, a finished output three. Returns how many
 * finished outputs may wait. */
static size_t allow_files(int at_once) {
    struct rlimit limit;
    rlim_t own = (rlim_t)(64 + 16 * at_once), each = 2 * 3;
    rlim_t wanted = own + each * PROCESS_TOGETHER;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return PROCESS_TOGETHER;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur < own + each ? 1 : (size_t)((limit.rlim_cur - own) / each);
}

bool jobs_run(struct session *s, struct job_list *batch, int at_once, struct tally *tally) {
    struct jobs *j = &jobs;
    j->s = s;
    j->batch = batch;
    j->tally = (struct tally){.count = batch->count, .begun = now_ms()};
    j->waiting_max = allow_files(at_once);
    if (batch->count > 1 || s->streams)
        signals_report(report_interrupted, j);
    progress_begin(&s->reporter, s->options, s->streams ? 0 : batch->count);
    run_threads(j, at_once);
    j->tally.watched = progress_end();
    signals_report(NULL, NULL);
    j->tally.count = s->streams ? j->next : batch->count;
    if (s->streams && !j->next && !j->tally.unread && s->options->report.verbosity >= 0)
        complain_about(s->options->files_from, "warning: the list names no input");
    *tally = j->tally;
    return !j->no_device;
}
