/*
 * plans.c - plans by device and shape of the image, and workspaces by plan, for jobs that share them
 */
#include "plans.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Plans of shapes that nobody has just now. */
#define IDLE_PLANS 16

struct idle {
    struct imf_workspace *workspace;
    struct idle *next;
};

/* A shape on a device; in the list from the first image that has it on. */
struct entry {
    int device;
    struct shape shape;
    struct imf_plan *plan; /* NULL: somebody is making it */
    uint64_t bytes;        /* that one workspace is counted as */
    struct idle *idle;     /* workspaces for the next */
    int users;             /* leases, and those who wait for one */
    struct entry *next;    /* of which the last use is longer ago */
};

struct plans {
    struct imf_context *const *contexts; /* by device */
    const struct imf_filter *filter;
    struct imf_settings settings;
    int jobs, cores, kept; /* kept: workspaces, with those that jobs have */
    uint64_t memory;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct entry *first; /* the entry that was used last */
    uint64_t used;       /* bytes of all workspaces */
    int leased, idle;    /* workspaces */
    unsigned long ticket, serving;
};

struct plans *plans_create(struct imf_context *const *contexts, int devices,
                           const struct imf_filter *filter, const struct imf_settings *settings,
                           int jobs, int cores, uint64_t memory) {
    struct plans *p = calloc(1, sizeof *p);
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

static bool same_shape(const struct shape *a, const struct shape *b) {
    const struct imf_info *i = &a->info, *j = &b->info;
    return i->width == j->width && i->height == j->height && i->channels == j->channels &&
           i->depth == j->depth && i->color == j->color && i->alpha == j->alpha &&
           i->format == j->format && i->bits == j->bits && i->orientation == j->orientation &&
           a->held == b->held && a->whole == b->whole && imf_curve_same(a->curve, b->curve);
}

/* Where the entry is linked; NULL there: it is in no list. */
static struct entry **find(struct plans *p, int device, const struct shape *shape) {
    struct entry **at = &p->first;
    while (*at && !((*at)->device == device && same_shape(&(*at)->shape, shape)))
        at = &(*at)->next;
    return at;
}

static void put_first(struct plans *p, struct entry *e) {
    e->next = p->first;
    p->first = e;
}

static void drop_idle(struct plans *p, struct entry *e) {
    struct idle *idle = e->idle;
    e->idle = idle->next;
    imf_workspace_free(&idle->workspace);
    free(idle);
    p->used -= e->bytes;
    p->idle--;
}

static void drop_entry(struct plans *p, struct entry **at) {
    struct entry *e = *at;
    *at = e->next;
    while (e->idle)
        drop_idle(p, e);
    imf_plan_free(&e->plan);
    free(e);
}

/* Free the idle workspace that was used longest ago, but not one of `keep`; false: there is none. */
static bool drop_oldest_idle(struct plans *p, const struct entry *keep) {
    struct entry *oldest = NULL;
    for (struct entry *e = p->first; e; e = e->next) {
        if (e->idle && e != keep)
            oldest = e;
    }
    if (oldest)
        drop_idle(p, oldest);
    return oldest != NULL;
}

static void drop_old_plans(struct plans *p) {
    int unused = 0;
    for (struct entry **at = &p->first; *at;) {
        bool drop = !(*at)->users && ++unused > IDLE_PLANS;
        if (drop)
            drop_entry(p, at);
        else
            at = &(*at)->next;
    }
}

void plans_free(struct plans **plans) {
    struct plans *p = *plans;
    *plans = NULL;
    if (!p)
        return;
    while (p->first)
        drop_entry(p, &p->first);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* The plan of a new entry. The lock is let go meanwhile: others wait for this shape alone. */
static enum imf_status make_plan(struct plans *p, struct entry *e, struct imf_error *err) {
    struct imf_settings settings = p->settings;
    struct imf_plan *plan;
    settings.held = e->shape.held;
    settings.whole = e->shape.whole;
    settings.curve = e->shape.curve;
    pthread_mutex_unlock(&p->lock);
    enum imf_status status =
        imf_plan_create(&plan, p->contexts[e->device], p->filter, &e->shape.info, &settings, err);
    pthread_mutex_lock(&p->lock);
    e->plan = plan;
    if (plan)
        e->bytes = imf_plan_choice(plan)->chosen->bytes;
    return status;
}

/* The entry of a shape on a device, with a plan, and one more user. */
static enum imf_status enter(struct plans *p, int device, const struct shape *shape,
                             struct entry **out, struct imf_error *err) {
    struct entry **at;
    while (*(at = find(p, device, shape)) && !(*at)->plan)
        pthread_cond_wait(&p->changed, &p->lock);
    struct entry *e = *out = *at;
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
    e->shape = *shape;
    e->users = 1;
    put_first(p, e);
    status = make_plan(p, e, err);
    if (status != IMF_OK) {
        /* It may be another image's turn to fail with this shape. */
        drop_entry(p, find(p, device, shape));
        *out = NULL;
    }
    pthread_cond_broadcast(&p->changed);
    return status;
}

/* ---- leases --------------------------------------------------------------------------------- */

static bool has_room(struct plans *p, const struct entry *e) {
    while ((p->used + e->bytes > p->memory || p->leased + p->idle >= p->kept) &&
           drop_oldest_idle(p, e))
        ;
    return p->used + e->bytes <= p->memory || !p->leased;
}

/* In turn, so that an image that needs much is not kept waiting by many that need little. */
static void wait_for_room(struct plans *p, const struct entry *e) {
    unsigned long mine = p->ticket++;
    while (p->serving != mine || !(e->idle || has_room(p, e)))
        pthread_cond_wait(&p->changed, &p->lock);
    p->serving++;
    pthread_cond_broadcast(&p->changed);
}

/* As many as leave none of the cores idle while as many images run as there is memory for. */
static int threads_for(const struct plans *p, const struct entry *e) {
    uint64_t fit = e->bytes ? p->memory / e->bytes : (uint64_t)p->jobs;
    int at_once = fit < 1 ? 1 : fit < (uint64_t)p->jobs ? (int)fit : p->jobs;
    return at_once < p->cores ? (p->cores + at_once - 1) / at_once : 1;
}

static void leave(struct plans *p, struct entry *e) {
    e->users--;
    drop_old_plans(p);
    pthread_cond_broadcast(&p->changed);
}

enum imf_status plans_take(struct plans *p, int device, const struct shape *shape,
                           struct lease *lease, struct imf_error *err) {
    struct entry *e;
    *lease = (struct lease){0};
    pthread_mutex_lock(&p->lock);
    enum imf_status status = enter(p, device, shape, &e, err);
    if (status == IMF_OK) {
        wait_for_room(p, e);
        *lease = (struct lease){.entry = e, .plan = e->plan, .threads = threads_for(p, e)};
        if (e->idle) {
            struct idle *idle = e->idle;
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
            *lease = (struct lease){0};
            leave(p, e);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

void plans_give(struct plans *p, struct lease *lease) {
    struct entry *e = lease->entry;
    if (!e)
        return;
    struct idle *idle = malloc(sizeof *idle);
    pthread_mutex_lock(&p->lock);
    p->leased--;
    if (idle) {
        *idle = (struct idle){lease->workspace, e->idle};
        e->idle = idle;
        p->idle++;
    } else {
        imf_workspace_free(&lease->workspace);
        p->used -= e->bytes;
    }
    leave(p, e);
    pthread_mutex_unlock(&p->lock);
    *lease = (struct lease){0};
}
