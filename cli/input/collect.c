/*
 * collect.c - the inputs: operands, --files-from, and images below directories
 */
#include "input/collect.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/directory_walk.h"
#include "input/path.h"
#include "report/message.h"

/* ---- operands and lists ------------------------------------------------------------------- */

static bool add_input(struct job_list *b, const struct options *o, const char *input) {
    struct stat st;
    if (!*input)
        return complain("the name of an input is empty");
    if (o->recursive && strcmp(input, "-") != 0 && stat(input, &st) == 0 && S_ISDIR(st.st_mode))
        return directory_walk(b, o, input);
    return job_list_add(b, input, path_base(input), NULL, false);
}

/* Append what the list's next name, if it has one, stands for. False: it has none, or not *good. */
static bool add_next(struct job_list *b, const struct options *o, FILE *stream, bool *good) {
    const char *list = o->files_from;
    char *line = NULL;
    size_t capacity = 0;
    int end = o->null_separated ? '\0' : '\n';
    ssize_t length = getdelim(&line, &capacity, end, stream);
    *good = length > 0 || feof(stream); /* there may be no memory for a name without an end */
    if (!*good)
        complain_about(list, "cannot read: %s", strerror(errno));
    if (length > 0 && line[length - 1] == end)
        line[--length] = '\0';
    if (length > 0 && strlen(line) != (size_t)length)
        *good = complain_about(list, "a name holds a NUL (where names end in NUL, add -0)");
    else if (length > 0)
        *good =
            b->streams && strcmp(line, "-") == 0
                ? job_list_add(b, line, line, strdup("standard input is the list of inputs"), false)
                : add_input(b, o, line);
    free(line);
    return *good && length >= 0;
}

static bool add_from(struct job_list *b, const struct options *o) {
    const char *list = o->files_from;
    bool standard = strcmp(list, "-") == 0, good;
    FILE *stream = standard ? stdin : fopen(list, "r");
    if (!stream)
        return complain_about(list, "cannot read: %s", strerror(errno));
    while (add_next(b, o, stream, &good))
        continue;
    if (!standard)
        fclose(stream);
    return good;
}

bool collect_next(struct job_list *b, const struct options *o, bool *good) {
    size_t before = b->count;
    while (b->count == before)
        if (!add_next(b, o, stdin, good))
            return false;
    return true;
}

/* Are names taken as they come on standard input? Not from a file, which has all of them, nor where the options need to know all:
 * which outputs there are, or what may be read. */
static bool may_stream(const struct options *o) {
    struct stat st;
    bool outputs = !o->output || (strcmp(o->output, "-") != 0 && path_is_directory(o->output));
    return o->files_from && strcmp(o->files_from, "-") == 0 && outputs && !o->shards &&
           !o->report.spectrum && o->sandbox != SANDBOX_ON && fstat(STDIN_FILENO, &st) == 0 &&
           !S_ISREG(st.st_mode);
}

bool collect_inputs(struct job_list *b, const struct options *o) {
    for (size_t i = 0; i < o->input_count; i++) {
        if (!add_input(b, o, o->inputs[i]))
            return false;
    }
    b->streams = may_stream(o);
    if (o->files_from && !b->streams) {
        if (!add_from(b, o))
            return false;
        if (!b->count && !o->input_count && o->report.verbosity >= 0)
            complain_about(o->files_from, "warning: the list names no input");
    } else if (!o->input_count && !b->streams) {
        if (isatty(STDIN_FILENO))
            return complain("no input given (name a file, or - for standard input)");
        return job_list_add(b, "-", "-", NULL, false);
    }
    size_t standard = o->files_from && strcmp(o->files_from, "-") == 0;
    for (size_t i = 0; i < b->count; i++)
        standard += strcmp(b->jobs[i].input, "-") == 0;
    if (standard > 1)
        return complain("standard input is asked for more than once");
    return true;
}

/* ---- --shard --------------------------------------------------------------------- */

static int by_input(const void *a, const void *b) {
    return strcmp(((const struct job *)a)->input, ((const struct job *)b)->input);
}

/* Every Nth input of the list sorted by name, so that shares do not depend on the order in which names
 * were found. Neighbours, which are likely to be of the same size, go to different shares. */
bool collect_share(struct job_list *b, const struct options *o) {
    for (size_t i = 0; i < b->count; i++) {
        if (strcmp(b->jobs[i].input, "-") == 0)
            return complain("--shard divides files among runs, and standard input is not a file");
    }
    bool *others = calloc(b->count + 1, sizeof *others);
    if (!others)
        return complain("out of memory");
    if (b->count)
        qsort(b->jobs, b->count, sizeof *b->jobs, by_input);
    for (size_t i = 0; i < b->count; i++)
        others[i] = i % o->shards != o->shard - 1;
    job_list_remove(b, others);
    free(others);
    return true;
}
