/*
 * places.c - the files that a run reads and writes, allowed in a rule set
 */
#include "sandbox/places.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sandbox/landlock.h"

enum { READ = LANDLOCK_READ, READ_WRITE = LANDLOCK_READ | LANDLOCK_WRITE };

/* Cut off the last name; false: it is a name in "." or "/". */
static bool go_up(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash || (slash == path && !slash[1]))
        return false;
    slash[slash == path] = '\0';
    return true;
}

char *places_directory(const char *path) {
    struct stat st;
    char *at = realpath(path, NULL);
    if (!at && !(at = strdup(path)))
        return NULL;
    while (stat(at, &st) != 0 || !S_ISDIR(st.st_mode)) {
        if (go_up(at))
            continue;
        free(at);
        return strdup(path[0] == '/' ? "/" : ".");
    }
    return at;
}

/* ---- images --------------------------------------------------------------------------------- */

/* The directory of a file to be written; of `last`, freed and replaced, it is not added again. */
static bool allow_output(int rules, const char *path, char **last) {
    struct stat st;
    if (!path || strcmp(path, "-") == 0)
        return true;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return landlock_allow(rules, path, LANDLOCK_WRITE);
    char *directory = places_directory(path);
    if (!directory)
        return false;
    bool done =
        (*last && strcmp(*last, directory) == 0) || landlock_allow(rules, directory, READ_WRITE);
    free(*last);
    *last = directory;
    return done;
}

/* Where the walk that found it began. The names below it are read when their turn comes. */
static bool allow_tree(int rules, const struct job *job, unsigned use, char **last) {
    size_t length = strlen(job->input) - strlen(job->name);
    char *root = length ? strndup(job->input, length) : strdup(".");
    if (!root)
        return false;
    bool done = (*last && strcmp(*last, root) == 0) || landlock_allow(rules, root, use);
    free(*last);
    *last = root;
    return done;
}

bool places_allow_images(int rules, const struct options *o, const struct job_list *b) {
    char *read = NULL, *written = NULL;
    bool in_place = o->in_place, done = true;
    /* Of names that come later nothing is known, but where outputs go to a directory. */
    if (b->streams)
        done =
            landlock_allow(rules, "/", o->output || !(in_place || o->suffix) ? READ : READ_WRITE);
    for (size_t i = 0; i < b->count && done; i++) {
        const struct job *job = &b->jobs[i];
        if (job->in_tree)
            done = allow_tree(rules, job, in_place ? READ_WRITE : READ, &read);
        else if (strcmp(job->input, "-") != 0)
            done = landlock_allow(rules, job->input, READ);
        if (done && in_place && !job->in_tree)
            done = allow_output(rules, job->input, &written);
        /* Below a directory that -o names no link is followed. */
        if (done && !in_place && !b->to_directory)
            done = allow_output(rules, job->output, &written);
    }
    if (done && b->to_directory)
        done = allow_output(rules, o->output, &written);
    done = done && allow_output(rules, o->kernel_file, &written) &&
           allow_output(rules, o->report.spectrum, &written);
    free(read);
    free(written);
    return done;
}

/* ---- filters -------------------------------------------------------------------------------- */

static bool is_filter_file(const char *name) {
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 4 && strcmp(name + length - 4, ".flt") == 0);
}

/* A name begins here; a colon ends it, or is one of its letters: whatever exists may be meant. */
static bool allow_names(int rules, const char *at, bool any) {
    char *name = strdup(at);
    bool done = name != NULL;
    for (size_t end = 0; done; end++) {
        struct stat st;
        end += strcspn(at + end, ":");
        name[end] = '\0';
        if (end && (any || is_filter_file(name)) && stat(name, &st) == 0 && !S_ISDIR(st.st_mode))
            done = landlock_allow(rules, name, LANDLOCK_READ);
        if (!at[end])
            break;
        name[end] = at[end];
    }
    free(name);
    return done;
}

static bool allow_spec(int rules, const char *spec) {
    bool done = allow_names(rules, spec, false);
    for (const char *at = spec; done && (at = strchr(at, '@')) != NULL;)
        done = allow_names(rules, ++at, true);
    return done;
}

/* Below a directory that a variable names; a relative one counts where any does. */
static bool allow_below(int rules, const char *base, const char *name) {
    char path[4096];
    if (!base || base[0] != '/' || strlen(base) + strlen(name) >= sizeof path)
        return true;
    strcpy(path, base);
    strcat(path, name);
    return landlock_allow(rules, path, READ);
}

bool places_allow_filters(int rules, const struct options *o) {
    bool done = !o->mask || landlock_allow(rules, o->mask, READ);
    for (size_t i = 0; i < o->spec_count && done; i++)
        done = allow_spec(rules, o->specs[i]);
    const char *list = getenv("IMFILTER_PATH");
    char *copy = strdup(list ? list : ""), *rest = copy;
    for (char *at; copy && done && (at = strsep(&rest, ":")) != NULL;)
        done = !*at || landlock_allow(rules, at, READ);
    free(copy);
    return done && copy && allow_below(rules, getenv("XDG_CONFIG_HOME"), "/imfilter") &&
           allow_below(rules, getenv("HOME"), "/.config/imfilter");
}

/* ---- the system ----------------------------------------------------------------------------- */

bool places_allow_system(int rules) {
    /* Libraries that others load later, cores and control groups, random numbers. */
    static const char *const paths[] = {
        "/usr",           "/lib",  "/lib32", "/lib64",       "/etc/ld.so.cache",
        "/etc/localtime", "/proc", "/sys",   "/dev/urandom", "/dev/random"};
    bool done = landlock_allow(rules, "/dev/null", READ_WRITE);
    for (size_t i = 0; i < sizeof paths / sizeof *paths && done; i++)
        done = landlock_allow(rules, paths[i], READ);
    return done;
}
