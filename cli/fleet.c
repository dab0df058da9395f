/*
 * fleet.c - what a run's images are filtered on: the device that was asked for or, with
 * --device=all, each that there is
 */
#include "fleet.h"

#include <pthread.h>
#include <stdlib.h>

#include "clock.h"
#include "machine.h"
#include "report.h"

enum { FLEET_MOST = 64 };

struct member {
    char index[12], name[160]; /* "0", "0 (NAME)" */
    const char *trial[4];      /* the command that tries it */
    int busy;                  /* images under way */
    bool failed;               /* it gets none any more */
    double ms;                 /* that all images before took it */
};

struct fleet {
    struct imf_context *first; /* where there are several: what tried OpenCL at all */
    struct plans *plans;
    pthread_mutex_t lock; /* of members' last three lines */
    int count;
    struct imf_context *context[FLEET_MOST]; /* members' */
    struct member member[FLEET_MOST];
};

/* ---- making --------------------------------------------------------------------------------- */

static enum imf_status out_of_memory(struct imf_error *err) {
    *err = (struct imf_error){.status = IMF_ERR_MEMORY, .text = "out of memory"};
    return err->status;
}

/* Each usable device, tried by itself; one that fails is told, and not taken. */
static enum imf_status find_all(struct fleet *f, const struct options *o, struct imf_error *err) {
    struct imf_device_info *list = calloc(FLEET_MOST, sizeof *list);
    if (!list)
        return out_of_memory(err);
    enum imf_status status = imf_context_create(&f->first, &o->context, err);
    if (status == IMF_OK)
        status = imf_context_prepare(f->first, err);
    size_t count = status == IMF_OK ? imf_device_list(list, FLEET_MOST) : 0;
    count = count < FLEET_MOST ? count : FLEET_MOST;
    for (size_t i = 1; i < count; i++) /* an image alone is for the one that --device=auto takes */
        if (list[i].automatic) {
            struct imf_device_info best = list[i];
            list[i] = list[0];
            list[0] = best;
        }
    for (size_t i = 0; i < count && status == IMF_OK; i++) {
        struct member *m = &f->member[f->count];
        struct imf_context_options options = o->context;
        if (list[i].failed)
            complain("device %d (%s) is not used: %s", list[i].index, list[i].name, list[i].why);
        if (!list[i].usable)
            continue;
        snprintf(m->index, sizeof m->index, "%d", list[i].index);
        snprintf(m->name, sizeof m->name, "%d (%s)", list[i].index, list[i].name);
        m->trial[0] = o->trial[0];
        m->trial[1] = o->trial[1];
        m->trial[2] = m->index;
        options.device = IMF_DEVICE_INDEX;
        options.index = list[i].index;
        options.probe = options.probe ? m->trial : NULL;
        struct imf_context **context = &f->context[f->count];
        status = imf_context_create(context, &options, err);
        struct imf_error failure;
        if (status == IMF_OK && imf_context_prepare(*context, &failure) != IMF_OK) {
            complain("device %s is not used: %s", m->name, failure.text);
            imf_context_free(context);
        }
        f->count += *context != NULL;
    }
    free(list);
    if (status == IMF_OK && f->count == 0) {
        *err = (struct imf_error){.status = IMF_ERR_NO_DEVICE,
                                  .text = "there is no usable OpenCL device"};
        status = err->status;
    }
    return status;
}

enum imf_status fleet_create(struct fleet **out, const struct options *o,
                             const struct imf_filter *filter, int jobs, struct imf_error *err) {
    struct fleet *f = *out = calloc(1, sizeof *f);
    enum imf_status status;
    if (!f)
        return out_of_memory(err);
    pthread_mutex_init(&f->lock, NULL);
    bool host = o->settings.backend == IMF_BACKEND_CPU ||
                o->settings.backend == IMF_BACKEND_VECTOR ||
                o->settings.backend == IMF_BACKEND_GLES;
    if (o->all_devices && filter && !host) {
        status = find_all(f, o, err);
    } else {
        status = imf_context_create(&f->context[0], &o->context, err);
        f->count = status == IMF_OK;
    }
    /* Half of what there is is left to others; an image that needs more is alone then. */
    uint64_t most = o->settings.max_memory ? o->settings.max_memory : machine_memory();
    uint64_t memory = o->memory_given && o->settings.max_memory ? most : most / 2;
    if (status == IMF_OK) {
        f->plans =
            plans_create(f->context, f->count, filter, &o->settings, jobs, machine_cores(), memory);
        status = f->plans ? IMF_OK : out_of_memory(err);
    }
    if (status != IMF_OK)
        fleet_free(out);
    return status;
}

void fleet_free(struct fleet **fleet) {
    struct fleet *f = *fleet;
    *fleet = NULL;
    if (!f)
        return;
    plans_free(&f->plans);
    for (int i = 0; i < f->count; i++)
        imf_context_free(&f->context[i]);
    imf_context_free(&f->first);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

/* ---- running -------------------------------------------------------------------------------- */

static int choose(const struct fleet *f) {
    int best = -1;
    for (int i = 0; i < f->count; i++) {
        const struct member *m = &f->member[i], *other = &f->member[best < 0 ? 0 : best];
        bool sooner = m->busy == other->busy ? m->ms < other->ms : m->busy < other->busy;
        if (!m->failed && (best < 0 || sooner))
            best = i;
    }
    return best;
}

enum imf_status fleet_take(struct fleet *f, const struct shape *shape, struct berth *berth,
                           struct imf_error *err) {
    pthread_mutex_lock(&f->lock);
    int device = choose(f);
    f->member[device].busy++;
    pthread_mutex_unlock(&f->lock);
    *berth = (struct berth){.device = device};
    enum imf_status status = plans_take(f->plans, device, shape, &berth->lease, err);
    berth->since = now_ms();
    if (status != IMF_OK) {
        pthread_mutex_lock(&f->lock);
        f->member[device].busy--;
        pthread_mutex_unlock(&f->lock);
    }
    return status;
}

void fleet_give(struct fleet *f, struct berth *berth) {
    struct member *m = &f->member[berth->device];
    if (!berth->lease.entry)
        return;
    double ms = now_ms() - berth->since;
    plans_give(f->plans, &berth->lease);
    pthread_mutex_lock(&f->lock);
    m->busy--;
    m->ms += ms;
    pthread_mutex_unlock(&f->lock);
}

bool fleet_leave(struct fleet *f, int device, const struct imf_error *failure,
                 const struct reporter *reporter) {
    struct member *m = &f->member[device];
    int others = 0;
    if (failure->status != IMF_ERR_DEVICE && failure->status != IMF_ERR_NO_DEVICE)
        return false;
    pthread_mutex_lock(&f->lock);
    for (int i = 0; i < f->count; i++)
        others += &f->member[i] != m && !f->member[i].failed;
    bool news = others && !m->failed;
    m->failed = m->failed || others;
    pthread_mutex_unlock(&f->lock);
    if (news) {
        char text[sizeof failure->text + sizeof m->name + 40];
        snprintf(text, sizeof text, "device %s is not used any more: %s", m->name, failure->text);
        report_warning(reporter, NULL, text);
    }
    return others > 0;
}
