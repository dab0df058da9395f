/*
 * terminal.c - a status line at the bottom of a terminal, on standard error
 *
 * The cursor stays at the line's beginning. When the window becomes narrower, terminals wrap the line
 * or cut it. Either way the line lies between the cursor and the end of the screen.
 */
#include "report/terminal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ERASE "\r\033[J"
#define ERASE_REST "\033[K"
#define USUAL_COLUMNS 80

static struct {
    pthread_mutex_t lock;
    bool shown, ended;
    int columns; /* of the terminal when the line was shown */
} state = {PTHREAD_MUTEX_INITIALIZER, false, true, 0};
static _Thread_local int depth; /* of this thread's pauses */

void terminal_begin(void) {
    terminal_pause();
    state.ended = false;
    terminal_resume();
}

bool terminal_is_usable(void) {
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
}

/* One column less than there are: some terminals wrap after the last one. */
int terminal_columns(void) {
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return USUAL_COLUMNS - 1;
    return size.ws_col - 1;
}

/* One write(), so that no other output comes in between. */
static void put(const char *text) {
    (void)!write(STDERR_FILENO, text, strlen(text));
}

static void erase(void) {
    if (state.shown)
        put(ERASE);
    state.shown = false;
}

static bool in_background(void) {
    pid_t front = tcgetpgrp(STDERR_FILENO);
    return front > 0 && front != getpgrp();
}

bool terminal_show(const char *line, int columns) {
    char *text = NULL;
    bool done = false;
    pthread_mutex_lock(&state.lock);
    int now = terminal_columns();
    const char *before = state.shown && state.columns != now ? ERASE : "\r";
    if (!state.ended && columns <= now && !in_background() &&
        asprintf(&text, "%s%s" ERASE_REST "\r", before, line) >= 0) {
        put(text);
        state.shown = done = true;
        state.columns = now;
        free(text);
    }
    pthread_mutex_unlock(&state.lock);
    return done;
}

void terminal_pause(void) {
    if (depth++ > 0)
        return;
    pthread_mutex_lock(&state.lock);
    erase();
}

void terminal_resume(void) {
    if (--depth == 0)
        pthread_mutex_unlock(&state.lock);
}

void terminal_end(void) {
    terminal_pause();
    state.ended = true;
    terminal_resume();
}
