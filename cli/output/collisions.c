/*
 * collisions.c - files that are an input or an output twice
 *
 * Every file that is read or written has a key, its canonical path. In the sorted list the keys of one
 * file are neighbours.
 */
#include "output/collisions.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "input/path.h"
#include "output/canonical.h"
#include "report/message.h"

/* ---- keys --------------------------------------------------------------------------------- */

enum role { OUTPUT, BACKUP, INPUT };

struct key {
    char *path;
    size_t job;
    enum role role;
};

struct keys {
    struct key *list; /* owned, with the paths; sorted once they are all there */
    size_t count;
};

static void free_keys(struct keys *keys) {
    for (size_t k = 0; k < keys->count; k++)
        free(keys->list[k].path);
    free(keys->list);
    *keys = (struct keys){0};
}

static bool add_key(struct keys *keys, char *path, size_t job, enum role role) {
    if (path)
        keys->list[keys->count++] = (struct key){path, job, role};
    return path != NULL;
}

/* Outputs before inputs, earlier jobs before later ones. */
static int by_role(const struct key *x, const struct key *y) {
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

/* Paths that are equal, or that only the case of letters distinguishes, become neighbours. */
static int by_path(const void *a, const void *b) {
    const struct key *x = a, *y = b;
    int order = strcasecmp(x->path, y->path);
    if (!order)
        order = strcmp(x->path, y->path);
    return order ? order : by_role(x, y);
}

/* The keys of all jobs in these roles, sorted; false after a message without memory. */
static bool make_keys(struct keys *keys, const struct job_list *b, const struct options *o,
                      const bool roles[]) {
    struct canonical inputs = {0}, outputs = {0};
    *keys =
        (struct keys){b->count > SIZE_MAX / 3 ? NULL : calloc(3 * b->count, sizeof(struct key)), 0};
    bool good = keys->list || complain("out of memory");
    for (size_t i = 0; good && i < b->count; i++) {
        const struct job *job = &b->jobs[i];
        if (!job->output || !canonical_applies(job->output))
            continue;
        char *made = canonical_path(&outputs, job->output);
        good = made != NULL;
        if (good && roles[BACKUP])
            good = add_key(keys, format_text("%s%s", made, o->backup), i, BACKUP);
        if (good && roles[OUTPUT])
            add_key(keys, made, i, OUTPUT);
        else
            free(made);
        if (good && roles[INPUT] && strcmp(job->input, "-") != 0)
            good = add_key(keys, canonical_path(&inputs, job->input), i, INPUT);
    }
    canonical_free(&inputs);
    canonical_free(&outputs);
    if (good && keys->count)
        qsort(keys->list, keys->count, sizeof *keys->list, by_path);
    else
        free_keys(keys);
    return good;
}

/* ---- outputs and backups of earlier runs --------------------------------------------------------------- */

/* Mark the inputs that are an output or a backup of another input. An older file that this run would
 * replace may be an original, so it stays in the list, and is refused as a collision. */
static void find_made(const struct keys *keys, const struct job_list *b, const struct options *o,
                      bool *made) {
    const struct key *maker = NULL; /* the first key of this path, if it is no input */
    for (size_t k = 0; k < keys->count; k++) {
        const struct key *key = &keys->list[k];
        if (maker && strcmp(maker->path, key->path) != 0)
            maker = NULL;
        if (!maker && key->role != INPUT)
            maker = key;
        if (key->role != INPUT || !maker || maker->job == key->job || !b->jobs[key->job].in_tree)
            continue;
        if (maker->role == OUTPUT && !o->no_clobber &&
            path_is_older(b->jobs[key->job].input, b->jobs[maker->job].input))
            continue;
        made[key->job] = true;
        if (o->report.verbosity > 0)
            complain_about(b->jobs[key->job].input, "skipped: the %s of \"%s\"",
                           maker->role == BACKUP ? "backup" : "output", b->jobs[maker->job].input);
    }
}

bool collisions_drop_results(struct job_list *b, const struct options *o) {
    const bool roles[] = {
        [OUTPUT] = !o->in_place && (o->skip_existing || o->no_clobber),
        [BACKUP] = o->backup != NULL,
        [INPUT] = true,
    };
    if (!b->has_tree || (!roles[OUTPUT] && !roles[BACKUP]))
        return true;
    struct keys keys;
    if (!make_keys(&keys, b, o, roles))
        return false;
    bool *made = calloc(b->count, sizeof *made);
    if (made) {
        find_made(&keys, b, o, made);
        job_list_remove(b, made);
    }
    bool good = made || complain("out of memory");
    free(made);
    free_keys(&keys);
    return good;
}

/* ---- collisions --------------------------------------------------------------------------- */

static bool complain_collision(const struct job_list *b, const struct options *o,
                               const struct key *x, const struct key *y, bool folded) {
    const struct job *first = &b->jobs[x->job], *second = &b->jobs[y->job];
    const char *why = folded ? ": its file system ignores the case of letters" : "";
    if (y->role == INPUT)
        return complain_about(
            second->input, "is an input, and the output of \"%s\" too%s (choose another output%s)",
            first->input, why,
            !second->in_tree   ? ""
            : o->skip_existing ? ", or move it away if it is an older result"
                               : ", or keep those that exist with --skip-existing");
    if (strcmp(first->input, second->input) == 0)
        return complain_about(second->input, "is named twice (name each input once)");
    if (path_same_file(first->input, second->input))
        return complain_about(second->input, "is the same file as \"%s\" (name each input once)",
                              first->input);
    return complain_about(y->role == BACKUP ? path_base(x->path) : first->output,
                          "would be the output of both \"%s\" and \"%s\"%s", first->input,
                          second->input, why);
}

/* Within a group of equal paths, or of paths that are equal but for case, an output may belong to one
 * job only, and be no other job's input. */
static bool check_keys(const struct job_list *b, const struct options *o, const struct keys *keys,
                       bool folded) {
    int (*compare)(const char *, const char *) = folded ? strcasecmp : strcmp;
    const struct key *list = keys->list;
    for (size_t k = 0, end; k < keys->count; k = end) {
        const struct key *maker = NULL;
        for (end = k; end < keys->count && compare(list[k].path, list[end].path) == 0; end++) {
            if (list[end].role != INPUT && (!maker || by_role(&list[end], maker) < 0))
                maker = &list[end];
        }
        for (size_t i = k; maker && i < end; i++) {
            if (list[i].job != maker->job && (!folded || canonical_folds_case(maker->path)))
                return complain_collision(b, o, maker, &list[i], folded);
        }
    }
    return true;
}

bool collisions_check(const struct job_list *b, const struct options *o) {
    const bool roles[] = {
        [OUTPUT] = true,
        [BACKUP] = o->backup != NULL,
        [INPUT] = !o->in_place && !o->no_clobber,
    };
    for (size_t i = 0; i < b->count && roles[INPUT]; i++) {
        const struct job *job = &b->jobs[i];
        if (job->output && path_same_file(job->input, job->output))
            return complain_about(job->input,
                                  "is both the input and the output (to replace it use "
                                  "--in-place)");
    }
    /* A single job can only collide with itself, which was checked above. */
    struct keys keys;
    if (b->count < 2)
        return true;
    if (!make_keys(&keys, b, o, roles))
        return false;
    bool good = check_keys(b, o, &keys, false) && check_keys(b, o, &keys, true);
    free_keys(&keys);
    return good;
}
