/*
 * plan_cache.c - plans by device and shape of the image, and their workspaces, shared by jobs
 */
#include "imfilter_program.h"

#include "base/clock.h"
#include "base/thread_pool.h"
#include "device/tuning.h"
#include "run/plan.h"
#include "run/share.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Plans of a device that are kept although no job uses them. */
#define IDLE_PLANS 16

/* The plan of a key on a device; in the list as soon as its planning begins. */
struct imf_plan_entry {
    int device;
    struct imf_plan_key key;
    struct imf_plan *plan;       /* NULL: it is being made */
    uint64_t bytes;              /* of one workspace, */
    uint64_t room;               /* of the device's own memory for them; UINT64_MAX: it has none */
    double ms;                   /* estimate of an image */
    int users;                   /* leases, and jobs that wait for one */
    struct imf_plan_entry *next; /* used less recently */
};

struct imf_plan_cache {
    struct imf_batch batch;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct imf_plan_entry *first; /* used most recently */
    uint64_t used, shared;        /* bytes of all workspaces, and of the filter */
    int leased, idle_count;       /* workspaces, at most kept() */
    struct {
        struct imf_plan_entry *entry;
        struct imf_workspace *workspace;
    } * idle; /* kept: that no job uses, the newest last */
    unsigned long ticket, serving;
    bool asked_others;   /* batch.open_others was called, */
    bool opening, joins; /* by this thread, and has not returned; nor been joined */
    pthread_t opener;
    struct imf_share shares[]; /* batch.most_devices */
};

enum imf_status imf_plan_cache_create(struct imf_plan_cache **out, const struct imf_batch *batch,
                                      struct imf_error *err) {
    size_t most = (size_t)batch->jobs + (size_t)batch->most_devices; /* and kept() is no more */
    struct imf_plan_cache *p = *out =
        calloc(1, sizeof *p + (size_t)batch->most_devices * sizeof *p->shares);
    if (!p || !(p->idle = calloc(most, sizeof *p->idle))) {
        free(p);
        *out = NULL;
        return imf_fail_memory(err, most * sizeof *p->idle);
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->batch = *batch;
    return IMF_OK;
}

/* ---- entries; all with the lock held -------------------------------------------------------- */

/* The link to the entry; *link is NULL if there is none. */
static struct imf_plan_entry **find(struct imf_plan_cache *p, int device,
                                    const struct imf_plan_key *key) {
    struct imf_plan_entry **at = &p->first;
    while (*at && !((*at)->device == device && imf_plan_key_same(&(*at)->key, key)))
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

/* A workspace of the entry was made, or freed. */
static void count_workspace(struct imf_plan_cache *p, const struct imf_plan_entry *e, bool made) {
    uint64_t change = made ? e->bytes : -e->bytes;
    p->used += change;
    p->shares[e->device].used += e->room < UINT64_MAX ? change : 0;
}

static void drop_idle(struct imf_plan_cache *p, int i) {
    count_workspace(p, p->idle[i].entry, false);
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

/* Free the oldest idle workspace, none of `keep`, if `room` of the same device's memory; false: there is none. */
static bool drop_oldest_idle(struct imf_plan_cache *p, const struct imf_plan_entry *keep,
                             bool room) {
    int i = 0;
    while (i < p->idle_count &&
           (p->idle[i].entry == keep || (room && (p->idle[i].entry->device != keep->device ||
                                                  p->idle[i].entry->room == UINT64_MAX))))
        i++;
    if (i == p->idle_count)
        return false;
    drop_idle(p, i);
    return true;
}

static void drop_old_plans(struct imf_plan_cache *p) {
    int unused = 0;
    for (struct imf_plan_entry **at = &p->first; *at;) {
        bool drop = !(*at)->users && ++unused > IDLE_PLANS * p->batch.devices;
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
    if (p->joins)
        pthread_join(p->opener, NULL);
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
        const struct imf_device *d =
            plan->planning.path.on_device ? imf_runtime_device(plan->planning.rt) : NULL;
        e->room = d && !d->unified ? d->global_memory / 10 * 9 : UINT64_MAX;
        e->ms = imf_plan_choice(plan)->chosen->estimate_ms;
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

/* ---- memory ---------------------------------------------------------------------------------- */

static bool has_memory(const struct imf_plan_cache *p, const struct imf_plan_entry *e) {
    return p->used + p->shared + e->bytes <= p->batch.memory;
}

/* The device's; the plan itself keeps to it, so that one workspace is always granted. */
static bool has_room(const struct imf_plan_cache *p, const struct imf_plan_entry *e) {
    return !p->shares[e->device].used || p->shares[e->device].used + e->bytes <= e->room;
}

/* Of workspaces, used and idle, each device may have as many. */
static int kept(const struct imf_plan_cache *p) {
    int devices = p->batch.devices;
    return (p->batch.jobs + devices - 1) / devices * devices;
}

static bool fits(struct imf_plan_cache *p, const struct imf_plan_entry *e) {
    while (!has_room(p, e) && drop_oldest_idle(p, e, true))
        ;
    while ((!has_memory(p, e) || p->leased + p->idle_count >= kept(p)) &&
           drop_oldest_idle(p, e, false))
        ;
    return (has_memory(p, e) && has_room(p, e)) || !p->leased;
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
    uint64_t most = p->batch.memory < e->room ? p->batch.memory : e->room;
    uint64_t fit = e->bytes ? most / e->bytes : (uint64_t)p->batch.jobs;
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

/* ---- devices -------------------------------------------------------------------------------- */

/* A device that a run failed on is of use only where there is no other. */
static bool may_have(struct imf_plan_cache *p, int device) {
    return !p->shares[device].failed && !imf_context_gave_up(p->batch.contexts[device]);
}

static int first_device(struct imf_plan_cache *p) {
    int first = 0;
    while (first < p->batch.devices && !may_have(p, first))
        first++;
    for (int i = 0; first == p->batch.devices && i < p->batch.devices; i++)
        first = p->shares[i].failed ? first : i;
    return first;
}

static void *open_devices(void *data) {
    struct imf_plan_cache *p = data;
    int devices = p->batch.open_others(p->batch.pool);
    struct imf_runtime *ignored; /* a failure is told again to who plans for it */
    for (int i = 1; i < devices; i++)
        imf_context_runtime(p->batch.contexts[i], &ignored, NULL);
    pthread_mutex_lock(&p->lock);
    p->batch.devices = devices;
    p->opening = false;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Beside the images that the first device filters meanwhile. Without a thread there are no others. */
static void open_others(struct imf_plan_cache *p) {
    if (p->batch.open_others && !p->asked_others)
        p->opening = !imf_thread_start(&p->opener, open_devices, p);
    p->joins = p->joins || p->opening;
    p->asked_others = true;
}

/* Opening a device with memory of its own takes long, and the host copies for all: another helps where kernels do. */
#define OPENS_WORTH 3
static bool others_may_pay(const struct imf_plan_cache *p, const struct imf_plan_entry *e) {
    const struct imf_planning *planning = &e->plan->planning;
    const struct imf_device *d = imf_runtime_device(planning->rt);
    double kernels_ms = 0, opening_ms = OPENS_WORTH * imf_tuning_open_ms(d);
    for (int i = 0; i < planning->chain->count; i++)
        if (planning->path.chosen[i].place == IMF_PLACE_DEVICE)
            kernels_ms += planning->path.chosen[i].ms;
    return p->batch.settings.pictures > 1 && p->batch.jobs > 1 &&
           (d->unified || (kernels_ms > planning->path.filter_ms - kernels_ms &&
                           kernels_ms > planning->throughput.coding_ms &&
                           kernels_ms * p->batch.settings.pictures > opening_ms));
}

static double factor(const struct imf_plan_cache *p, int device) {
    return imf_share_factor(p->shares, p->batch.devices, device);
}

/* The image's entry on the device that will have filtered it first. A plan for the first device tells whether devices
 * are of use at all: others are opened only then. On failure lease->device is the one that failed. */
static enum imf_status choose(struct imf_plan_cache *p, const struct imf_plan_key *key,
                              struct imf_lease *lease, struct imf_plan_entry **out,
                              struct imf_error *err) {
    int first = lease->device = first_device(p);
    enum imf_status status = enter(p, first, key, out, err);
    if (status || !(*out)->plan->planning.path.on_device)
        return status;
    if (others_may_pay(p, *out))
        open_others(p);
    double soonest = p->shares[first].queued_ms + (*out)->ms * factor(p, first);
    for (int i = first + 1; i < p->batch.devices && !status; i++) {
        struct imf_plan_entry *e = *find(p, i, key);
        if (!may_have(p, i) || (e && !e->plan)) /* not to wait until it is open */
            continue;
        status = enter(p, i, key, &e, err);
        if (status && status != IMF_ERR_DEVICE && status != IMF_ERR_NO_DEVICE) {
            status = IMF_OK; /* it cannot do this, and the first one can */
            continue;
        }
        double ms = status ? 0 : p->shares[i].queued_ms + e->ms * factor(p, i);
        if (status || ms < soonest) {
            leave(p, *out);
            *out = e;
            soonest = ms;
            lease->device = i;
        } else {
            leave(p, e);
        }
    }
    return status;
}

static void begin(struct imf_plan_cache *p, struct imf_lease *lease,
                  const struct imf_plan_entry *e) {
    lease->queued_ms = e->ms * factor(p, lease->device);
    p->shares[lease->device].queued_ms += lease->queued_ms;
}

static void end(struct imf_plan_cache *p, const struct imf_lease *lease, bool done) {
    struct imf_share *share = &p->shares[lease->device];
    share->queued_ms -= lease->queued_ms;
    if (done && p->batch.devices > 1)
        imf_share_learn(share, lease->begun, lease->entry->ms);
}

/* ---- leases --------------------------------------------------------------------------------- */

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
        if (status == IMF_OK)
            count_workspace(p, e, true);
    }
    if (status != IMF_OK) {
        leave(p, e);
        return status;
    }
    p->leased++;
    lease->entry = e;
    lease->begun = imf_now_ms();
    lease->plan = e->plan;
    lease->threads = threads_for(p, e);
    return status;
}

enum imf_status imf_plan_cache_acquire(struct imf_plan_cache *p, const struct imf_plan_key *key,
                                       struct imf_lease *lease, struct imf_error *err) {
    struct imf_plan_entry *e;
    pthread_mutex_lock(&p->lock);
    *lease = (struct imf_lease){0};
    enum imf_status status = choose(p, key, lease, &e, err);
    if (status == IMF_OK) {
        begin(p, lease, e);
        status = lease_workspace(p, e, lease, err);
        if (status != IMF_OK)
            end(p, lease, false);
    }
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
    end(p, lease, lease->done);
    leave(p, e);
    pthread_mutex_unlock(&p->lock);
    *lease = (struct imf_lease){0};
}

enum imf_drop imf_plan_cache_drop(struct imf_plan_cache *p, int device,
                                  const struct imf_error *failure) {
    struct imf_share *d = &p->shares[device];
    bool others = false;
    if (failure->status != IMF_ERR_DEVICE && failure->status != IMF_ERR_NO_DEVICE)
        return IMF_DROP_NOT;
    pthread_mutex_lock(&p->lock);
    open_others(p);
    while (p->opening)
        pthread_cond_wait(&p->changed, &p->lock);
    for (int i = 0; i < p->batch.devices; i++)
        others = others || (i != device && !p->shares[i].failed);
    bool first = others && !d->failed;
    d->failed = d->failed || others;
    pthread_mutex_unlock(&p->lock);
    return first ? IMF_DROP_FIRST : others ? IMF_DROP_AGAIN : IMF_DROP_NOT;
}
