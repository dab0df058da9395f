/*
 * claims.c - what the jobs of a run read and write, where that is known only as they come
 *
 * A tree of canonical paths, in which those that the case of letters alone distinguishes are neighbours, as
 * a file system may take them for one.
 */
#include "output/claims.h"

#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "output/canonical.h"

struct claimed {
    struct claimed *next; /* whose path differs in case, or that reads the same file */
    char *path, *input;   /* owned; the job's input */
    size_t job;           /* its number */
    enum claim use;
};

struct claims {
    pthread_mutex_t lock; /* of what follows */
    void *tree;
    struct canonical cache;
};

struct claims *claims_new(void) {
    struct claims *c = calloc(1, sizeof *c);
    if (c)
        pthread_mutex_init(&c->lock, NULL);
    return c;
}

static void free_claimed(void *data) {
    for (struct claimed *at = data, *next; at; at = next) {
        next = at->next;
        free(at->path);
        free(at->input);
        free(at);
    }
}

void claims_free(struct claims **claims) {
    struct claims *c = *claims;
    if (!c)
        return;
    tdestroy(c->tree, free_claimed);
    canonical_free(&c->cache);
    pthread_mutex_destroy(&c->lock);
    free(c);
    *claims = NULL;
}

static int by_path(const void *a, const void *b) {
    return strcasecmp(((const struct claimed *)a)->path, ((const struct claimed *)b)->path);
}

static bool is_one(const struct claimed *a, const struct claimed *b) {
    return strcmp(a->path, b->path) == 0 || canonical_folds_case(a->path);
}

static void explain(char why[CLAIM_WHY], const struct claimed *mine, const struct claimed *other) {
    const char *what =
        other->use == CLAIM_BACKUP || mine->use == CLAIM_BACKUP ? "backup" : "output";
    const char *folded =
        strcmp(mine->path, other->path) ? ": its file system ignores the case of letters" : "";
    if (strcmp(mine->input, other->input) == 0)
        snprintf(why, CLAIM_WHY, "is named twice (name each input once)");
    else if (mine->use == CLAIM_INPUT || other->use == CLAIM_INPUT)
        snprintf(why, CLAIM_WHY, "is an input, and the %s of \"%.250s\" too%s", what,
                 mine->use == CLAIM_INPUT ? other->input : mine->input, folded);
    else
        snprintf(why, CLAIM_WHY, "is the %s of \"%.250s\" and would be that of \"%.250s\" too%s",
                 what, other->input, mine->input, folded);
}

/* With the lock held. */
static bool take(struct claims *c, struct claimed *mine, char why[CLAIM_WHY]) {
    struct claimed **at = tfind(mine, &c->tree, by_path);
    for (const struct claimed *e = at ? *at : NULL; e; e = e->next)
        if (e->job != mine->job && e->use != CLAIM_NONE &&
            (e->use != CLAIM_INPUT || mine->use != CLAIM_INPUT) && is_one(e, mine)) {
            explain(why, mine, e);
            return false;
        }
    if (at) {
        mine->next = (*at)->next;
        (*at)->next = mine;
        return true;
    }
    snprintf(why, CLAIM_WHY, "out of memory");
    return tsearch(mine, &c->tree, by_path) != NULL;
}

bool claims_take(struct claims *c, const struct job *job, const char *path, enum claim use,
                 char why[CLAIM_WHY]) {
    if (!canonical_applies(path))
        return true;
    struct claimed *mine = calloc(1, sizeof *mine);
    snprintf(why, CLAIM_WHY, "out of memory");
    if (!mine)
        return false;
    *mine = (struct claimed){.input = strdup(job->input), .job = job->number, .use = use};
    pthread_mutex_lock(&c->lock);
    mine->path = canonical_path(&c->cache, path);
    bool taken = mine->path && mine->input && take(c, mine, why);
    pthread_mutex_unlock(&c->lock);
    if (!taken)
        free_claimed(mine);
    return taken;
}

void claims_drop(struct claims *c, const struct job *job, const char *path) {
    struct claimed key = {.job = job->number};
    pthread_mutex_lock(&c->lock);
    key.path = canonical_path(&c->cache, path);
    struct claimed **at = key.path ? tfind(&key, &c->tree, by_path) : NULL;
    for (struct claimed *e = at ? *at : NULL; e; e = e->next)
        if (e->job == job->number)
            e->use = CLAIM_NONE;
    pthread_mutex_unlock(&c->lock);
    free(key.path);
}
