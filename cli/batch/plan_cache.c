/*
 * plan_cache.c - plans by device and shape of the image, and their workspaces, shared by jobs
 */
#include "batch/plan_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Plans that are kept although no job uses them. */
#define IDLE_PLANS 16

struct idle_workspace {
    struct imf_workspace *workspace;
    struct idle_workspace *next;
};

/* The plan of a key on a device; in the list as soon as its planning begins. */
struct plan_entry {
    int device;
    struct plan_key key;
    struct imf_plan *plan;       /* NULL: it is being made */
    uint64_t bytes;              /* of one workspace */
    struct idle_workspace *idle; /* workspaces that no job uses */
    int users;                   /* leases, and jobs that wait for one */
    struct plan_entry *next;     /* used less recently */
};

struct plan_cache {
    struct imf_context *const *contexts; /* by device */
    const struct imf_filter *filter;
    struct imf_settings settings;
    int jobs, cores, kept; /* kept: workspaces at most, used and idle */
    uint64_t memory;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct plan_entry *first; /* used most recently */
    uint64_t used;            /* bytes of all workspaces */
    int leased, idle;         /* workspaces */
    unsigned long ticket, serving;
};

struct plan_cache *plan_cache_create(struct imf_context *const *contexts, int devices,
                                     const struct imf_filter *filter,
                                     const struct imf_settings *settings, int jobs, int cores,
                                     uint64_t memory) {
    struct plan_cache *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->contexts = contexts;
    p->filter = filter;
    p->settings = *settings;
    p->jobs = jobs;
    p->cores = cores;
    p->kept = (jobs + devices - 1) / devices * devices;
    p->memory = memory;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    return p;
}

/* ---- entries; all with the lock held -------------------------------------------------------- */

static bool same_key(const struct plan_key *a, const struct plan_key *b) {
    const struct imf_info *i = &a->info, *j = &b->info;
    return i->width == j->width && i->height == j->height && i->channels == j->channels &&
           i->depth == j->depth && i->color == j->color && i->alpha == j->alpha &&
           i->format == j->format && i->bits == j->bits && i->orientation == j->orientation &&
           a->held == b->held && a->whole == b->whole && imf_curve_same(a->curve, b->curve);
}

/* The link to the entry; *link is NULL if there is none. */
static struct plan_entry **find(struct plan_cache *p, int device, const struct plan_key *key) {
    struct plan_entry **at = &p->first;
    while (*at && !((*at)->device == device && same_key(&(*at)->key, key)))
        at = &(*at)->next;
    return at;
}

static void put_first(struct plan_cache *p, struct plan_entry *e) {
    e->next = p->first;
    p->first = e;
}

static void drop_idle(struct plan_cache *p, struct plan_entry *e) {
    struct idle_workspace *idle = e->idle;
    e->idle = idle->next;
    imf_workspace_free(&idle->workspace);
    free(idle);
    p->used -= e->bytes;
    p->idle--;
}

static void drop_entry(struct plan_cache *p, struct plan_entry **at) {
    struct plan_entry *e = *at;
    *at = e->next;
    while (e->idle)
        drop_idle(p, e);
    imf_plan_free(&e->plan);
    free(e);
}

/* Free the least recently used idle workspace, but none of `keep`; false: there is none. */
static bool drop_oldest_idle(struct plan_cache *p, const struct plan_entry *keep) {
    struct plan_entry *oldest = NULL;
    for (struct plan_entry *e = p->first; e; e = e->next) {
        if (e->idle && e != keep)
            oldest = e;
    }
    if (oldest)
        drop_idle(p, oldest);
    return oldest != NULL;
}

static void drop_old_plans(struct plan_cache *p) {
    int unused = 0;
    for (struct plan_entry **at = &p->first; *at;) {
        bool drop = !(*at)->users && ++unused > IDLE_PLANS;
        if (drop)
            drop_entry(p, at);
        else
            at = &(*at)->next;
    }
}

void plan_cache_free(struct plan_cache **cache) {
    struct plan_cache *p = *cache;
    *cache = NULL;
    if (!p)
        return;
    while (p->first)
        drop_entry(p, &p->first);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* Make the plan of a new entry. The lock is released meanwhile, so that only jobs with the same key
 * wait. */
static enum imf_status make_plan(struct plan_cache *p, struct plan_entry *e,
                                 struct imf_error *err) {
    struct imf_settings settings = p->settings;
    struct imf_plan *plan;
    settings.held = e->key.held;
    settings.whole = e->key.whole;
    settings.curve = e->key.curve;
    pthread_mutex_unlock(&p->lock);
    enum imf_status status =
        imf_plan_create(&plan, p->contexts[e->device], p->filter, &e->key.info, &settings, err);
    pthread_mutex_lock(&p->lock);
    e->plan = plan;
    if (plan)
        e->bytes = imf_plan_choice(plan)->chosen->bytes;
    return status;
}

/* The entry of a key on a device, with its plan, and one more user. */
static enum imf_status enter(struct plan_cache *p, int device, const struct plan_key *key,
                             struct plan_entry **out, struct imf_error *err) {
    struct plan_entry **at;
    while (*(at = find(p, device, key)) && !(*at)->plan)
        pthread_cond_wait(&p->changed, &p->lock);
    struct plan_entry *e = *out = *at;
    enum imf_status status = IMF_OK;
    if (e) {
        *at = e->next;
        put_first(p, e);
        e->users++;
        return status;
    }
    e = *out = calloc(1, sizeof *e);
    if (!e) {
        *err = (struct imf_error){.status = IMF_ERR_MEMORY, .text = "out of memory"};
        return err->status;
    }
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

static bool fits(struct plan_cache *p, const struct plan_entry *e) {
    while ((p->used + e->bytes > p->memory || p->leased + p->idle >= p->kept) &&
           drop_oldest_idle(p, e))
        ;
    return p->used + e->bytes <= p->memory || !p->leased;
}

/* In the order of requests: small images must not keep a large one waiting. */
static void wait_for_memory(struct plan_cache *p, const struct plan_entry *e) {
    unsigned long mine = p->ticket++;
    while (p->serving != mine || !(e->idle || fits(p, e)))
        pthread_cond_wait(&p->changed, &p->lock);
    p->serving++;
    pthread_cond_broadcast(&p->changed);
}

/* As many as fill the cores when as many images run as fit in memory. */
static int threads_for(const struct plan_cache *p, const struct plan_entry *e) {
    uint64_t fit = e->bytes ? p->memory / e->bytes : (uint64_t)p->jobs;
    int at_once = fit < 1 ? 1 : fit < (uint64_t)p->jobs ? (int)fit : p->jobs;
    return at_once < p->cores ? (p->cores + at_once - 1) / at_once : 1;
}

static void leave(struct plan_cache *p, struct plan_entry *e) {
    e->users--;
    drop_old_plans(p);
    pthread_cond_broadcast(&p->changed);
}

enum imf_status plan_cache_acquire(struct plan_cache *p, int device, const struct plan_key *key,
                                   struct plan_lease *lease, struct imf_error *err) {
    struct plan_entry *e;
    *lease = (struct plan_lease){.device = device};
    pthread_mutex_lock(&p->lock);
    enum imf_status status = enter(p, device, key, &e, err);
    if (status == IMF_OK) {
        wait_for_memory(p, e);
        *lease = (struct plan_lease){
            .entry = e, .device = device, .plan = e->plan, .threads = threads_for(p, e)};
        if (e->idle) {
            struct idle_workspace *idle = e->idle;
            e->idle = idle->next;
            lease->workspace = idle->workspace;
            lease->reused = true;
            free(idle);
            p->idle--;
        } else {
            status = imf_workspace_create(&lease->workspace, e->plan, err);
            p->used += status == IMF_OK ? e->bytes : 0;
        }
        p->leased += status == IMF_OK;
        if (status != IMF_OK) {
            *lease = (struct plan_lease){.device = device};
            leave(p, e);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

void plan_cache_release(struct plan_cache *p, struct plan_lease *lease) {
    struct plan_entry *e = lease->entry;
    if (!e)
        return;
    struct idle_workspace *idle = malloc(sizeof *idle);
    pthread_mutex_lock(&p->lock);
    p->leased--;
    if (idle) {
        *idle = (struct idle_workspace){lease->workspace, e->idle};
        e->idle = idle;
        p->idle++;
    } else {
        imf_workspace_free(&lease->workspace);
        p->used -= e->bytes;
    }
    leave(p, e);
    pthread_mutex_unlock(&p->lock);
    *lease = (struct plan_lease){0};
}
