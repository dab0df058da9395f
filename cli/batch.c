/*
 * batch.c - collecting the inputs: operands, --files-from and what walk.c finds
 */
#include "batch.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collide.h"
#include "naming.h"
#include "report.h"
#include "walk.h"

bool batch_add(struct batch *b, const char *input, const char *name, char *error, bool in_tree) {
    if (b->count == b->room) {
        size_t room = b->room ? b->room * 2 : 16;
        struct job *grown =
            room > SIZE_MAX / sizeof *grown ? NULL : realloc(b->jobs, room * sizeof *grown);
        if (!grown) {
            free(error);
            complain("out of memory");
            return false;
        }
        b->jobs = grown;
        b->room = room;
    }
    struct job *job = &b->jobs[b->count++];
    *job = (struct job){strdup(input), NULL, strdup(name), error, in_tree};
    if (!job->input || !job->name) {
        complain("out of memory");
        return false;
    }
    return true;
}

/* ---- operands and lists ------------------------------------------------------------------- */

static bool add_input(struct batch *b, const struct options *o, const char *input) {
    struct stat st;
    if (!*input) {
        complain("the name of an input is empty");
        return false;
    }
    if (o->recursive && strcmp(input, "-") != 0 && stat(input, &st) == 0 && S_ISDIR(st.st_mode))
        return walk_root(b, o, input);
    return batch_add(b, input, name_base(input), NULL, false);
}

static bool add_from(struct batch *b, const struct options *o) {
    const char *list = o->files_from;
    bool standard = strcmp(list, "-") == 0;
    FILE *stream = standard ? stdin : fopen(list, "r");
    if (!stream) {
        complain_about(list, "cannot read: %s", strerror(errno));
        return false;
    }
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int end = o->null_separated ? '\0' : '\n';
    bool good = true;
    while (good && (length = getdelim(&line, &room, end, stream)) > 0) {
        if (line[length - 1] == end)
            line[--length] = '\0';
        if (strlen(line) != (size_t)length) {
            complain_about(list, "a name holds a NUL (where names end in NUL, add -0)");
            good = false;
        } else if (*line) {
            good = add_input(b, o, line);
        }
    }
    if (good && ferror(stream)) {
        complain_about(list, "cannot read: %s", strerror(errno));
        good = false;
    }
    free(line);
    if (!standard)
        fclose(stream);
    return good;
}

static bool collect(struct batch *b, const struct options *o) {
    for (size_t i = 0; i < o->input_count; i++) {
        if (!add_input(b, o, o->inputs[i]))
            return false;
    }
    if (o->files_from) {
        if (!add_from(b, o))
            return false;
        if (!b->count && !o->input_count && o->verbosity >= 0)
            complain_about(o->files_from, "warning: the list names no input");
    } else if (!o->input_count) {
        if (isatty(STDIN_FILENO)) {
            complain("no input given (name a file, or - for standard input)");
            return false;
        }
        return batch_add(b, "-", "-", NULL, false);
    }
    size_t standard = o->files_from && strcmp(o->files_from, "-") == 0;
    for (size_t i = 0; i < b->count; i++)
        standard += strcmp(b->jobs[i].input, "-") == 0;
    if (standard > 1) {
        complain("standard input is asked for more than once");
        return false;
    }
    return true;
}

/* ---- what is left out --------------------------------------------------------------------- */

static void free_job(struct job *job) {
    free(job->input);
    free(job->output);
    free(job->name);
    free(job->error);
}

void batch_remove(struct batch *b, const bool *which) {
    size_t kept = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (which[i])
            free_job(&b->jobs[i]);
        else
            b->jobs[kept++] = b->jobs[i];
    }
    b->count = kept;
}

static int by_input(const void *a, const void *b) {
    return strcmp(((const struct job *)a)->input, ((const struct job *)b)->input);
}

/* Every Nth input of the list sorted by name, so that the shares are the same in whatever order the
 * names come. Neighbours, which are likely to be alike, go to different shares. */
static bool take_share(struct batch *b, const struct options *o) {
    for (size_t i = 0; i < b->count; i++) {
        if (strcmp(b->jobs[i].input, "-") == 0) {
            complain("--shard divides files among runs, and standard input is none");
            return false;
        }
    }
    bool *others = calloc(b->count + 1, sizeof *others);
    if (!others) {
        complain("out of memory");
        return false;
    }
    if (b->count)
        qsort(b->jobs, b->count, sizeof *b->jobs, by_input);
    for (size_t i = 0; i < b->count; i++)
        others[i] = i % o->shards != o->shard - 1;
    batch_remove(b, others);
    free(others);
    return true;
}

bool batch_create(struct batch *b, const struct options *o) {
    memset(b, 0, sizeof *b);
    return collect(b, o) && name_outputs(b, o) && collide_pass_over(b, o) && collide_check(b, o) &&
           (!o->shards || take_share(b, o));
}

void batch_free(struct batch *b) {
    for (size_t i = 0; i < b->count; i++)
        free_job(&b->jobs[i]);
    free(b->jobs);
    *b = (struct batch){0};
}
