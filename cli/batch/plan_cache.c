/*
 * plan_cache.c - plans by device and shape of the image, and their workspaces, shared by jobs
 */
#include "batch/plan_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "batch/device_pool.h"
#include "options/machine.h"

/* Plans that are kept although no job uses them. */
#define IDLE_PLANS 16

/* The plan of a key on a device; in the list as soon as its planning begins. */
struct plan_entry {
    int device;
    struct plan_key key;
    struct imf_plan *plan;   /* NULL: it is being made */
    uint64_t bytes;          /* of one workspace */
    int users;               /* leases, and jobs that wait for one */
    struct plan_entry *next; /* used less recently */
};

struct plan_cache {
    const struct imf_filter *filter;
    struct imf_settings settings;
    bool explain;
    int jobs, cores, kept; /* kept: workspaces at most, used and idle */
    uint64_t memory;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct device_pool pool;
    struct plan_entry *first; /* used most recently */
    uint64_t used, shared;    /* bytes of all workspaces, and of the filter */
    int leased, idle_count;   /* workspaces, at most `kept` */
    struct {
        struct plan_entry *entry;
        struct imf_workspace *workspace;
    } idle[JOBS_MAX + DEVICES_MAX]; /* that no job uses, the newest last */
    unsigned long ticket, serving;
};

static enum imf_status out_of_memory(struct imf_error *err) {
    *err = (struct imf_error){.status = IMF_ERR_MEMORY, .text = "out of memory"};
    return err->status;
}

enum imf_status plan_cache_create(struct plan_cache **out, const struct options *o,
                                  const struct imf_filter *filter, int jobs,
                                  struct imf_error *err) {
    struct plan_cache *p = *out = calloc(1, sizeof *p);
    if (!p)
        return out_of_memory(err);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->filter = filter;
    p->settings = o->settings;
    p->explain = o->report.explain;
    p->jobs = jobs;
    p->cores = machine_cores();
    /* Without --max-memory half of the machine's memory is left to other programs. */
    uint64_t most = o->settings.max_memory ? o->settings.max_memory : machine_memory();
    p->memory = o->memory_given && o->settings.max_memory ? most : most / 2;
    enum imf_status status = device_pool_open(&p->pool, o, filter != NULL, err);
    int devices = p->pool.count;
    if (status == IMF_OK)
        p->kept = (jobs + devices - 1) / devices * devices;
    else
        plan_cache_free(out);
    return status;
}

/* ---- entries; all with the lock held -------------------------------------------------------- */

static bool same_key(const struct plan_key *a, const struct plan_key *b) {
    const struct imf_info *i = &a->info, *j = &b->info;
    return i->width == j->width && i->height == j->height && i->channels == j->channels &&
           i->depth == j->depth && i->color == j->color && i->alpha == j->alpha &&
           i->format == j->format && i->bits == j->bits && i->maxval == j->maxval &&
           i->orientation == j->orientation && a->held == b->held && a->whole == b->whole &&
           a->verify == b->verify && a->twice == b->twice && imf_curve_same(a->curve, b->curve);
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

/* The newest idle workspace of an entry, or -1. */
static int find_idle(const struct plan_cache *p, const struct plan_entry *e) {
    int i = p->idle_count - 1;
    while (i >= 0 && p->idle[i].entry != e)
        i--;
    return i;
}

static struct imf_workspace *take_idle(struct plan_cache *p, int i) {
    struct imf_workspace *workspace = p->idle[i].workspace;
    p->idle_count--;
    memmove(&p->idle[i], &p->idle[i + 1], (size_t)(p->idle_count - i) * sizeof p->idle[0]);
    return workspace;
}

static void drop_idle(struct plan_cache *p, int i) {
    p->used -= p->idle[i].entry->bytes;
    struct imf_workspace *workspace = take_idle(p, i);
    imf_workspace_free(&workspace);
}

static void drop_entry(struct plan_cache *p, struct plan_entry **at) {
    struct plan_entry *e = *at;
    *at = e->next;
    for (int i; (i = find_idle(p, e)) >= 0;)
        drop_idle(p, i);
    imf_plan_free(&e->plan);
    free(e);
}

/* Free the oldest idle workspace, but none of `keep`; false: there is none. */
static bool drop_oldest_idle(struct plan_cache *p, const struct plan_entry *keep) {
    int i = 0;
    while (i < p->idle_count && p->idle[i].entry == keep)
        i++;
    if (i == p->idle_count)
        return false;
    drop_idle(p, i);
    return true;
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
    device_pool_close(&p->pool);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* Make the plan of a new entry. The lock is released meanwhile, so that only jobs with the same key
 * wait. */
static enum imf_status make_plan(struct plan_cache *p, struct plan_entry *e,
                                 struct imf_error *err) {
    struct imf_settings settings = p->settings;
    struct imf_context *context = p->pool.devices[e->device].context;
    struct imf_plan *plan;
    settings.held = e->key.held;
    settings.whole = e->key.whole;
    settings.twice = e->key.twice;
    settings.curve = e->key.curve;
    pthread_mutex_unlock(&p->lock);
    const struct imf_run_options runs = {.verify = e->key.verify};
    enum imf_status status = imf_plan_create_for(&plan, context, p->filter, &e->key.info, &settings,
                                                 &runs, p->explain, err);
    pthread_mutex_lock(&p->lock);
    e->plan = plan;
    if (plan) { /* kernels and masks are shared */
        uint64_t bytes = imf_plan_choice(plan)->chosen->bytes;
        p->shared = imf_filter_held(p->filter);
        e->bytes = bytes > p->shared ? bytes - p->shared : 0;
    }
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
    if (!e)
        return out_of_memory(err);
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
    while ((p->used + p->shared + e->bytes > p->memory || p->leased + p->idle_count >= p->kept) &&
           drop_oldest_idle(p, e))
        ;
    return p->used + p->shared + e->bytes <= p->memory || !p->leased;
}

/* In the order of requests: small images must not keep a large one waiting. */
static void wait_for_memory(struct plan_cache *p, const struct plan_entry *e) {
    unsigned long mine = p->ticket++;
    while (p->serving != mine || !(find_idle(p, e) >= 0 || fits(p, e)))
        pthread_cond_wait(&p->changed, &p->lock);
    p->serving++;
    pthread_cond_broadcast(&p->changed);
}

/* As many as fill the cores when as many images run as fit in memory. */
static int threads_for(const struct plan_cache *p, const struct plan_entry *e) {
    uint64_t fit = e->bytes ? p->memory / e->bytes : (uint64_t)p->jobs;
    int at_once = fit < 1 ? 1 : fit < (uint64_t)p->jobs ? (int)fit : p->jobs;
    if (at_once == 1)
        return 0; /* as many as pay */
    return at_once < p->cores ? (p->cores + at_once - 1) / at_once : 1;
}

static void leave(struct plan_cache *p, struct plan_entry *e) {
    e->users--;
    drop_old_plans(p);
    pthread_cond_broadcast(&p->changed);
}

/* Each image gets a device that has not failed; the last one never counts as failed. */
static int choose_device(struct plan_cache *p) {
    struct device *best = NULL;
    for (int i = 0; i < p->pool.count; i++) {
        struct device *d = &p->pool.devices[i];
        bool less = best && (d->in_flight == best->in_flight ? d->total < best->total
                                                             : d->in_flight < best->in_flight);
        if (!d->failed && (!best || less))
            best = d;
    }
    best->in_flight++;
    best->total++;
    return (int)(best - p->pool.devices);
}

/* A workspace of the entry, when there is memory for it; the entry has one more user. */
static enum imf_status lease_workspace(struct plan_cache *p, struct plan_entry *e,
                                       struct plan_lease *lease, struct imf_error *err) {
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

enum imf_status plan_cache_acquire(struct plan_cache *p, const struct plan_key *key,
                                   struct plan_lease *lease, struct imf_error *err) {
    struct plan_entry *e;
    pthread_mutex_lock(&p->lock);
    *lease = (struct plan_lease){.device = choose_device(p)};
    enum imf_status status = enter(p, lease->device, key, &e, err);
    if (status == IMF_OK)
        status = lease_workspace(p, e, lease, err);
    if (status != IMF_OK)
        p->pool.devices[lease->device].in_flight--;
    pthread_mutex_unlock(&p->lock);
    return status;
}

void plan_cache_release(struct plan_cache *p, struct plan_lease *lease) {
    struct plan_entry *e = lease->entry;
    if (!e)
        return;
    pthread_mutex_lock(&p->lock);
    p->leased--;
    p->idle[p->idle_count].entry = e;
    p->idle[p->idle_count++].workspace = lease->workspace;
    p->pool.devices[lease->device].in_flight--;
    leave(p, e);
    pthread_mutex_unlock(&p->lock);
    *lease = (struct plan_lease){0};
}

bool plan_cache_drop_device(struct plan_cache *p, int device, const struct imf_error *failure,
                            const struct reporter *reporter) {
    struct device *d = &p->pool.devices[device];
    bool others = false;
    if (failure->status != IMF_ERR_DEVICE && failure->status != IMF_ERR_NO_DEVICE)
        return false;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < p->pool.count; i++)
        others = others || (i != device && !p->pool.devices[i].failed);
    bool first = others && !d->failed;
    d->failed = d->failed || others;
    pthread_mutex_unlock(&p->lock);
    if (first) {
        char text[sizeof failure->text + sizeof d->name + 40];
        snprintf(text, sizeof text, "device %s is not used any more: %s", d->name, failure->text);
        report_warning(reporter, NULL, text);
    }
    return others;
}
