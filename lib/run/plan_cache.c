/*
 * plan_cache.c - plans by device and shape of the image, and their workspaces, shared by jobs
 */
#include "imfilter_program.h"

#include "base/error.h"
#include "base/image/curve.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Plans that are kept although no job uses them. */
#define IDLE_PLANS 16

/* The plan of a key on a device; in the list as soon as its planning begins. */
struct imf_plan_entry {
    int device;
    struct imf_plan_key key;
    struct imf_plan *plan;       /* NULL: it is being made */
    uint64_t bytes;              /* of one workspace */
    int users;                   /* leases, and jobs that wait for one */
    struct imf_plan_entry *next; /* used less recently */
};

/* A device, and what it has got. */
struct place {
    int in_flight, total; /* images */
    bool failed;          /* it gets no more images */
};

struct imf_plan_cache {
    struct imf_batch batch;
    int kept;             /* workspaces at most, used and idle */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct imf_plan_entry *first; /* used most recently */
    uint64_t used, shared;        /* bytes of all workspaces, and of the filter */
    int leased, idle_count;       /* workspaces, at most `kept` */
    struct {
        struct imf_plan_entry *entry;
        struct imf_workspace *workspace;
    } * idle; /* kept: that no job uses, the newest last */
    unsigned long ticket, serving;
    struct place places[]; /* batch.devices */
};

enum imf_status imf_plan_cache_create(struct imf_plan_cache **out, const struct imf_batch *batch,
                                      struct imf_error *err) {
    size_t devices = (size_t)batch->devices, jobs = (size_t)batch->jobs;
    size_t kept = (jobs + devices - 1) / devices * devices;
    struct imf_plan_cache *p = *out = calloc(1, sizeof *p + devices * sizeof *p->places);
    if (!p || !(p->idle = calloc(kept, sizeof *p->idle))) {
        free(p);
        *out = NULL;
        return imf_fail_memory(err, kept * sizeof *p->idle);
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->batch = *batch;
    p->kept = (int)kept;
    return IMF_OK;
}

/* ---- entries; all with the lock held -------------------------------------------------------- */

static bool same_key(const struct imf_plan_key *a, const struct imf_plan_key *b) {
    const struct imf_info *i = &a->info, *j = &b->info;
    return i->width == j->width && i->height == j->height && i->channels == j->channels &&
           i->depth == j->depth && i->type == j->type && i->type_bits == j->type_bits &&
           i->color == j->color && i->alpha == j->alpha && i->format == j->format &&
           i->bits == j->bits && i->maxval == j->maxval && i->orientation == j->orientation &&
           i->spectral == j->spectral && a->held == b->held && a->whole == b->whole &&
           a->verify == b->verify && a->twice == b->twice && a->full == b->full &&
           a->missing == b->missing && a->depth == b->depth && imf_curve_same(a->curve, b->curve);
}

/* The link to the entry; *link is NULL if there is none. */
static struct imf_plan_entry **find(struct imf_plan_cache *p, int device,
                                    const struct imf_plan_key *key) {
    struct imf_plan_entry **at = &p->first;
    while (*at && !((*at)->device == device && same_key(&(*at)->key, key)))
        at = &(*at)->next;
    return at;
}

static void put_first(struct imf_plan_cache *p, struct imf_plan_entry *e) {
    e->next = p->first;
    p->first = e;
}

/* The newest idle workspace of an entry, or -1. */
static int find_idle(const struct imf_plan_cache *p, const struct imf_plan_entry *e) {
    int i = p->idle_count - 1;
    while (i >= 0 && p->idle[i].entry != e)
        i--;
    return i;
}

static struct imf_workspace *take_idle(struct imf_plan_cache *p, int i) {
    struct imf_workspace *workspace = p->idle[i].workspace;
    p->idle_count--;
    memmove(&p->idle[i], &p->idle[i + 1], (size_t)(p->idle_count - i) * sizeof p->idle[0]);
    return workspace;
}

static void drop_idle(struct imf_plan_cache *p, int i) {
    p->used -= p->idle[i].entry->bytes;
    struct imf_workspace *workspace = take_idle(p, i);
    imf_workspace_free(&workspace);
}

static void drop_entry(struct imf_plan_cache *p, struct imf_plan_entry **at) {
    struct imf_plan_entry *e = *at;
    *at = e->next;
    for (int i; (i = find_idle(p, e)) >= 0;)
        drop_idle(p, i);
    imf_plan_free(&e->plan);
    free(e);
}

/* Free the oldest idle workspace, but none of `keep`; false: there is none. */
static bool drop_oldest_idle(struct imf_plan_cache *p, const struct imf_plan_entry *keep) {
    int i = 0;
    while (i < p->idle_count && p->idle[i].entry == keep)
        i++;
    if (i == p->idle_count)
        return false;
    drop_idle(p, i);
    return true;
}

static void drop_old_plans(struct imf_plan_cache *p) {
    int unused = 0;
    for (struct imf_plan_entry **at = &p->first; *at;) {
        bool drop = !(*at)->users && ++unused > IDLE_PLANS;
        if (drop)
            drop_entry(p, at);
        else
            at = &(*at)->next;
    }
}

void imf_plan_cache_free(struct imf_plan_cache **cache) {
    struct imf_plan_cache *p = *cache;
    *cache = NULL;
    if (!p)
        return;
    while (p->first)
        drop_entry(p, &p->first);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p->idle);
    free(p);
}

/* Make the plan of a new entry. The lock is released meanwhile, so that only jobs with the same key
 * wait. */
static enum imf_status make_plan(struct imf_plan_cache *p, struct imf_plan_entry *e,
                                 struct imf_error *err) {
    struct imf_settings settings = p->batch.settings;
    struct imf_plan *plan;
    settings.held = e->key.held;
    settings.whole = e->key.whole;
    settings.twice = e->key.twice;
    settings.curve = e->key.curve;
    settings.full = e->key.full;
    settings.missing = e->key.missing;
    if (!settings.depth)
        settings.depth = e->key.depth;
    pthread_mutex_unlock(&p->lock);
    const struct imf_run_options runs = {.verify = e->key.verify};
    enum imf_status status =
        imf_plan_create_for(&plan, p->batch.contexts[e->device], p->batch.filter, &e->key.info,
                            &settings, &runs, p->batch.explain, err);
    pthread_mutex_lock(&p->lock);
    e->plan = plan;
    if (plan) { /* kernels and masks are shared */
        uint64_t bytes = imf_plan_choice(plan)->chosen->bytes;
        p->shared = imf_filter_held(p->batch.filter);
        e->bytes = bytes > p->shared ? bytes - p->shared : 0;
    }
    return status;
}

/* The entry of a key on a device, with its plan, and one more user. */
static enum imf_status enter(struct imf_plan_cache *p, int device, const struct imf_plan_key *key,
                             struct imf_plan_entry **out, struct imf_error *err) {
    struct imf_plan_entry **at;
    while (*(at = find(p, device, key)) && !(*at)->plan)
        pthread_cond_wait(&p->changed, &p->lock);
    struct imf_plan_entry *e = *out = *at;
    enum imf_status status = IMF_OK;
    if (e) {
        *at = e->next;
        put_first(p, e);
        e->users++;
        return status;
    }
    e = *out = calloc(1, sizeof *e);
    if (!e)
        return imf_fail_memory(err, sizeof *e);
    e->device = device;
    e->key = *key;
    e->users = 1;
    put_first(p, e);
    status = make_plan(p, e, err);
    if (status != IMF_OK) {
        drop_entry(p, find(p, device, key));
        *out = NULL;
    }
    pthread_cond_broadcast(&p->changed);
    return status;
}

/* ---- leases --------------------------------------------------------------------------------- */

static bool fits(struct imf_plan_cache *p, const struct imf_plan_entry *e) {
    while ((p->used + p->shared + e->bytes > p->batch.memory ||
            p->leased + p->idle_count >= p->kept) &&
           drop_oldest_idle(p, e))
        ;
    return p->used + p->shared + e->bytes <= p->batch.memory || !p->leased;
}

/* In the order of requests: small images must not keep a large one waiting. */
static void wait_for_memory(struct imf_plan_cache *p, const struct imf_plan_entry *e) {
    unsigned long mine = p->ticket++;
    while (p->serving != mine || !(find_idle(p, e) >= 0 || fits(p, e)))
        pthread_cond_wait(&p->changed, &p->lock);
    p->serving++;
    pthread_cond_broadcast(&p->changed);
}

/* As many as fill the cores when as many images run as fit in memory. */
static int threads_for(const struct imf_plan_cache *p, const struct imf_plan_entry *e) {
    uint64_t fit = e->bytes ? p->batch.memory / e->bytes : (uint64_t)p->batch.jobs;
    int at_once = fit < 1 ? 1 : fit < (uint64_t)p->batch.jobs ? (int)fit : p->batch.jobs;
    if (at_once == 1)
        return 0; /* as many as pay */
    return at_once < p->batch.cores ? (p->batch.cores + at_once - 1) / at_once : 1;
}

static void leave(struct imf_plan_cache *p, struct imf_plan_entry *e) {
    e->users--;
    drop_old_plans(p);
    pthread_cond_broadcast(&p->changed);
}

/* Each image gets a device that has not failed; the last one never counts as failed. */
static int choose_device(struct imf_plan_cache *p) {
    struct place *best = NULL;
    for (int i = 0; i < p->batch.devices; i++) {
        struct place *d = &p->places[i];
        bool less = best && (d->in_flight == best->in_flight ? d->total < best->total
                                                             : d->in_flight < best->in_flight);
        if (!d->failed && (!best || less))
            best = d;
    }
    best->in_flight++;
    best->total++;
    return (int)(best - p->places);
}

/* A workspace of the entry, when there is memory for it; the entry has one more user. */
static enum imf_status lease_workspace(struct imf_plan_cache *p, struct imf_plan_entry *e,
                                       struct imf_lease *lease, struct imf_error *err) {
    enum imf_status status = IMF_OK;
    wait_for_memory(p, e);
    int idle = find_idle(p, e);
    lease->reused = idle >= 0;
    if (lease->reused) {
        lease->workspace = take_idle(p, idle);
    } else {
        status = imf_workspace_create(&lease->workspace, e->plan, err);
        p->used += status == IMF_OK ? e->bytes : 0;
    }
    if (status != IMF_OK) {
        leave(p, e);
        return status;
    }
    p->leased++;
    lease->entry = e;
    lease->plan = e->plan;
    lease->threads = threads_for(p, e);
    return status;
}

enum imf_status imf_plan_cache_acquire(struct imf_plan_cache *p, const struct imf_plan_key *key,
                                       struct imf_lease *lease, struct imf_error *err) {
    struct imf_plan_entry *e;
    pthread_mutex_lock(&p->lock);
    *lease = (struct imf_lease){.device = choose_device(p)};
    enum imf_status status = enter(p, lease->device, key, &e, err);
    if (status == IMF_OK)
        status = lease_workspace(p, e, lease, err);
    if (status != IMF_OK)
        p->places[lease->device].in_flight--;
    pthread_mutex_unlock(&p->lock);
    return status;
}

void imf_plan_cache_release(struct imf_plan_cache *p, struct imf_lease *lease) {
    struct imf_plan_entry *e = lease->entry;
    if (!e)
        return;
    pthread_mutex_lock(&p->lock);
    p->leased--;
    p->idle[p->idle_count].entry = e;
    p->idle[p->idle_count++].workspace = lease->workspace;
    p->places[lease->device].in_flight--;
    leave(p, e);
    pthread_mutex_unlock(&p->lock);
    *lease = (struct imf_lease){0};
}

enum imf_drop imf_plan_cache_drop(struct imf_plan_cache *p, int device,
                                  const struct imf_error *failure) {
    struct place *d = &p->places[device];
    bool others = false;
    if (failure->status != IMF_ERR_DEVICE && failure->status != IMF_ERR_NO_DEVICE)
        return IMF_DROP_NOT;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < p->batch.devices; i++)
        others = others || (i != device && !p->places[i].failed);
    bool first = others && !d->failed;
    d->failed = d->failed || others;
    pthread_mutex_unlock(&p->lock);
    return first ? IMF_DROP_FIRST : others ? IMF_DROP_AGAIN : IMF_DROP_NOT;
}
