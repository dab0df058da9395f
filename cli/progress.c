/*
 * progress.c - how far a batch is: a line on a terminal, or lines of a log
 *
 * A thread of its own looks ten times a second whether there is anything new to be shown. Nothing
 * waits for it.
 */
#include "progress.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "plain.h"
#include "terminal.h"

#define TICK_MS 100
#define PATIENCE_MS 500 /* what takes no longer is over before anybody has read the line */
#define REFRESH_MS 1000 /* somebody else may have written over it */
#define LOG_EVERY_MS 10000
#define NAME_LEAST 8 /* columns; of less of a name nobody makes anything */

/* What there is to be said. */
struct standing {
    size_t total, filtered, skipped, failed;
    uint64_t pixels;
    const char *input; /* the one that was begun last, or NULL */
};

struct progress {
    bool terminal;
    double begun, patience; /* ms */
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t ending;
    bool ended, shown;
    struct standing now;
};

/* ---- what is said ------------------------------------------------------------------------- */

enum part { COUNT, FAILED, RATE, LEFT, PARTS };

static size_t dealt_with(const struct standing *s) {
    return s->filtered + s->skipped + s->failed;
}

static void time_text(char *text, size_t size, double seconds) {
    unsigned long long s = seconds < 1e7 ? (unsigned long long)(seconds + 0.5) : 9999999;
    if (s < 3600)
        snprintf(text, size, "%llu:%02llu left", s / 60, s % 60);
    else
        snprintf(text, size, "%llu:%02llu:%02llu left", s / 3600, s / 60 % 60, s % 60);
}

/* What was skipped or failed took no time to speak of, and says nothing of what is to come: as if
 * all the others were to be filtered, at the pace so far. */
static void describe(const struct standing *s, double ms, bool log, char parts[PARTS][40]) {
    memset(parts, 0, PARTS * sizeof *parts);
    snprintf(parts[COUNT], sizeof parts[0], log ? "%zu of %zu images" : "%zu/%zu", dealt_with(s),
             s->total);
    if (s->failed)
        snprintf(parts[FAILED], sizeof parts[0], "%zu failed", s->failed);
    if (!s->filtered || ms <= 0)
        return;
    double rate = (double)s->pixels / ms / 1000;
    snprintf(parts[RATE], sizeof parts[0], "%.*f MP/s", rate < 0.995 ? 2 : rate < 9.95, rate);
    if (!log || dealt_with(s) < s->total)
        time_text(parts[LEFT], sizeof parts[0],
                  ms / 1000 * (double)(s->total - dealt_with(s)) / (double)s->filtered);
}

/* The parts that have room, the most important ones first, in their order. */
static size_t join(char *line, size_t size, char parts[PARTS][40], int columns) {
    static const enum part importance[PARTS] = {COUNT, LEFT, FAILED, RATE};
    bool has[PARTS] = {false};
    size_t used = 0;
    for (int i = 0; i < PARTS; i++) {
        size_t length = strlen(parts[importance[i]]), between = used ? 2 : 0;
        has[importance[i]] = length && used + between + length <= (size_t)columns;
        if (has[importance[i]])
            used += between + length;
    }
    *line = '\0';
    for (int i = 0; i < PARTS; i++) {
        if (has[i])
            list_word(line, size, parts[i], ", ");
    }
    return used;
}

/* The end of a name tells more than its beginning. */
static void add_name(FILE *out, const char *name, int room) {
    static const char cut[] = "...";
    char *plain = NULL;
    const char *tail;
    size_t size;
    FILE *text = open_memstream(&plain, &size);
    if (!text)
        return;
    plain_put(text, strcmp(name, "-") == 0 ? "standard input" : name);
    bool good = fclose(text) == 0;
    if (good && terminal_fit(plain, room, &tail) > 0 && tail == plain)
        fprintf(out, ", %s", plain);
    else if (good && room >= NAME_LEAST && terminal_fit(plain, room - 3, &tail) > 0)
        fprintf(out, ", %s%s", cut, tail);
    free(plain);
}

static char *make_line(const struct standing *s, double ms, int columns) {
    char parts[PARTS][40], head[PARTS * 42], *line = NULL;
    size_t size;
    describe(s, ms, false, parts);
    int used = (int)join(head, sizeof head, parts, columns);
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return NULL;
    fputs(head, out);
    if (s->input && used && used + 2 < columns)
        add_name(out, s->input, columns - used - 2);
    if (fclose(out) == 0)
        return line;
    free(line);
    return NULL;
}

/* ---- where it is shown -------------------------------------------------------------------- */

static bool draw(const struct standing *s, double ms) {
    int columns = terminal_columns();
    char *line = make_line(s, ms, columns);
    bool shown = line && terminal_show(line, columns);
    free(line);
    return shown;
}

static bool print_log(const struct standing *s, double ms) {
    char parts[PARTS][40], line[PARTS * 42];
    describe(s, ms, true, parts);
    join(line, sizeof line, parts, (int)sizeof line);
    complain("%s", line);
    return true;
}

static bool changed(const struct standing *a, const struct standing *b) {
    return dealt_with(a) != dealt_with(b) || a->input != b->input;
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
    struct progress *p = data;
    struct standing last = {0};
    double due = p->begun + p->patience, refresh = due;
    int columns = 0;
    pthread_mutex_lock(&p->lock);
    while (!p->ended) {
        struct standing now = p->now;
        double time = now_ms();
        bool news = p->terminal &&
                    (changed(&now, &last) || time >= refresh || terminal_columns() != columns);
        if (time >= due && (news || !p->terminal)) {
            pthread_mutex_unlock(&p->lock);
            columns = p->terminal ? terminal_columns() : 0;
            bool shown = (p->terminal ? draw : print_log)(&now, time - p->begun);
            pthread_mutex_lock(&p->lock);
            p->shown = p->shown || shown;
            due += p->terminal ? 0 : LOG_EVERY_MS;
            refresh = time + REFRESH_MS;
            last = now;
        }
        if (!p->ended)
            wait_tick(p);
    }
    /* The last line of a log says how it ended. */
    if (!p->terminal && (!p->shown || dealt_with(&p->now) != dealt_with(&last)))
        p->shown = print_log(&p->now, now_ms() - p->begun);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- whether it is shown ------------------------------------------------------------------ */

/* A pipe that takes results leads to somebody who may write on the same terminal. */
static bool would_spoil(const struct options *o) {
    struct stat st;
    return (o->json || o->explain || o->verify || o->bench || o->spectrum) &&
           fstat(STDOUT_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static bool is_wanted(const struct reporter *r, size_t total) {
    const struct options *o = r->options;
    if (o->progress == PROGRESS_NEVER || r->json_alone || o->dry_run || total == 0)
        return false;
    return o->progress == PROGRESS_ALWAYS ||
           (terminal_able() && o->verbosity >= 0 && total > 1 && !would_spoil(o));
}

struct progress *progress_begin(const struct reporter *r, size_t total) {
    struct progress *p = is_wanted(r, total) ? calloc(1, sizeof *p) : NULL;
    pthread_condattr_t attributes;
    if (!p)
        return NULL;
    p->terminal = terminal_able();
    terminal_begin();
    p->begun = now_ms();
    p->patience = r->options->progress == PROGRESS_ALWAYS ? 0 : PATIENCE_MS;
    p->now.total = total;
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&p->ending, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&p->thread, NULL, show, p) == 0)
        return p;
    pthread_cond_destroy(&p->ending);
    pthread_mutex_destroy(&p->lock);
    free(p);
    return NULL;
}

void progress_started(struct progress *p, const char *input) {
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->now.input = input;
    pthread_mutex_unlock(&p->lock);
}

void progress_finished(struct progress *p, enum progress_kind kind, uint64_t pixels) {
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->now.filtered += kind == PROGRESS_FILTERED;
    p->now.skipped += kind == PROGRESS_SKIPPED;
    p->now.failed += kind == PROGRESS_FAILED;
    p->now.pixels += pixels;
    pthread_mutex_unlock(&p->lock);
}

bool progress_end(struct progress **progress) {
    struct progress *p = *progress;
    *progress = NULL;
    if (!p)
        return false;
    pthread_mutex_lock(&p->lock);
    p->ended = true;
    pthread_cond_signal(&p->ending);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    terminal_end();
    bool shown = p->shown;
    pthread_cond_destroy(&p->ending);
    pthread_mutex_destroy(&p->lock);
    free(p);
    return shown;
}
