/*
 * progress.c - how far a batch is: a line on a terminal, or lines of a log
 *
 * A thread of its own checks ten times a second whether there is anything new to show.
 */
#include "batch/progress.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report/clock.h"
#include "report/message.h"
#include "report/terminal.h"

#define TICK_MS 100
#define DELAY_MS 500    /* a batch that takes no longer shows no line */
#define REFRESH_MS 1000 /* another program may have written over the line */
#define LOG_EVERY_MS 10000
#define LINE_MAX_BYTES 160

/* A run has one batch. */
static struct progress {
    bool running, terminal;
    double begun, due; /* ms; due: the next line at the earliest */
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t ending;
    bool ended, shown;
    size_t total, done[3]; /* images, by enum progress_kind */
    uint64_t pixels;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t all_done(const struct progress *p) {
    return p->done[PROGRESS_FILTERED] + p->done[PROGRESS_SKIPPED] + p->done[PROGRESS_FAILED];
}

/* Append a part unless it makes the line longer than so many columns. */
static void add_part(char *line, int columns, const char *part) {
    size_t used = strlen(line);
    if (used + strlen(part) + (used ? 2 : 0) <= (size_t)columns)
        snprintf(line + used, LINE_MAX_BYTES - used, "%s%s", used ? ", " : "", part);
}

/* The parts in the order of their importance. Only images that were filtered count for the time
 * left: the others take none. */
static void make_line(char line[LINE_MAX_BYTES], const struct progress *p, int columns) {
    char part[64];
    double seconds = (now_ms() - p->begun) / 1000, filtered = (double)p->done[PROGRESS_FILTERED];
    size_t left = p->total - all_done(p);
    *line = '\0';
    snprintf(part, sizeof part, p->terminal ? "%zu/%zu" : "%zu of %zu images", all_done(p),
             p->total);
    add_part(line, columns, part);
    if (filtered > 0 && (p->terminal || left)) {
        double each = seconds / filtered * (double)left;
        unsigned long s = each < 1e7 ? (unsigned long)(each + 0.5) : 9999999;
        if (s < 3600)
            snprintf(part, sizeof part, "%lu:%02lu left", s / 60, s % 60);
        else
            snprintf(part, sizeof part, "%lu:%02lu:%02lu left", s / 3600, s / 60 % 60, s % 60);
        add_part(line, columns, part);
    }
    if (p->done[PROGRESS_FAILED]) {
        snprintf(part, sizeof part, "%zu failed", p->done[PROGRESS_FAILED]);
        add_part(line, columns, part);
    }
    if (filtered > 0 && seconds > 0) {
        double rate = (double)p->pixels / seconds / 1e6;
        snprintf(part, sizeof part, "%.*f MP/s", rate < 0.995 ? 2 : rate < 9.95, rate);
        add_part(line, columns, part);
    }
}

/* Print a line, with the lock held, which is released meanwhile: printing may block. */
static void print(struct progress *p) {
    char line[LINE_MAX_BYTES];
    int columns = p->terminal ? terminal_columns() : LINE_MAX_BYTES - 1;
    bool shown = true;
    make_line(line, p, columns);
    pthread_mutex_unlock(&p->lock);
    if (p->terminal)
        shown = terminal_show(line, columns);
    else
        complain("%s", line);
    pthread_mutex_lock(&p->lock);
    p->shown = p->shown || shown;
}

static void wait_tick(struct progress *p) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TICK_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&p->ending, &p->lock, &until);
}

static void *show(void *data) {
    struct progress *p = &progress;
    (void)data;
    size_t last = 0;
    double refresh = p->due;
    int columns = 0;
    pthread_mutex_lock(&p->lock);
    while (!p->ended) {
        double time = now_ms();
        bool changed =
            !p->terminal || all_done(p) != last || time >= refresh || terminal_columns() != columns;
        if (time >= p->due && changed) {
            last = all_done(p);
            columns = p->terminal ? terminal_columns() : 0;
            refresh = time + REFRESH_MS;
            p->due += p->terminal ? 0 : LOG_EVERY_MS;
            print(p);
        }
        if (!p->ended)
            wait_tick(p);
    }
    /* The last line of a log tells how the batch ended. */
    if (!p->terminal && (!p->shown || all_done(p) != last))
        print(p);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* A pipe that takes results may lead to a program that writes on the same terminal. */
static bool prints_to_pipe(const struct options *o) {
    struct stat st;
    const struct report_options *r = &o->report;
    return (r->json || r->explain || o->verify || r->bench || r->spectrum) &&
           fstat(STDOUT_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static bool is_wanted(const struct reporter *r, const struct options *o, size_t total) {
    if (o->progress == PROGRESS_NEVER || r->json_alone || o->dry_run || total == 0)
        return false;
    return o->progress == PROGRESS_ALWAYS ||
           (terminal_is_usable() && o->report.verbosity >= 0 && total > 1 && !prints_to_pipe(o));
}

void progress_begin(const struct reporter *r, const struct options *o, size_t total) {
    struct progress *p = &progress;
    pthread_condattr_t attributes;
    if (!is_wanted(r, o, total))
        return;
    p->terminal = terminal_is_usable();
    terminal_begin();
    p->begun = now_ms();
    p->due = p->begun + (o->progress == PROGRESS_ALWAYS ? 0 : DELAY_MS);
    p->total = total;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&p->ending, &attributes);
    pthread_condattr_destroy(&attributes);
    p->running = pthread_create(&p->thread, NULL, show, NULL) == 0;
}

void progress_finished(enum progress_kind kind, uint64_t pixels) {
    pthread_mutex_lock(&progress.lock);
    progress.done[kind]++;
    progress.pixels += pixels;
    pthread_mutex_unlock(&progress.lock);
}

bool progress_end(void) {
    if (!progress.running)
        return false;
    pthread_mutex_lock(&progress.lock);
    progress.ended = true;
    pthread_cond_signal(&progress.ending);
    pthread_mutex_unlock(&progress.lock);
    pthread_join(progress.thread, NULL);
    terminal_end();
    return progress.shown;
}
