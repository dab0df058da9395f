/*
 * device_pool.c - the devices that a run's images are filtered on
 */
#include "batch/device_pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "options/devices.h"
#include "options/machine.h"
#include "report/message.h"

enum { DEVICES_MAX = 64 };

struct device {
    char index[12], name[160]; /* "0", "0 (NAME)" */
    const char *trial[4];      /* the command that tries it in a child process */
    int in_flight, total;      /* images */
    bool failed;
};

struct device_pool {
    struct imf_context *probe; /* with --device=all: shows whether OpenCL works at all */
    struct plan_cache *plans;
    pthread_mutex_t lock; /* of in_flight, total and failed */
    int count;
    struct imf_context *contexts[DEVICES_MAX]; /* of the devices */
    struct device devices[DEVICES_MAX];
};

static enum imf_status out_of_memory(struct imf_error *err) {
    *err = (struct imf_error){.status = IMF_ERR_MEMORY, .text = "out of memory"};
    return err->status;
}

/* Each device is tried by itself. One that fails is left out, with a message. */
static enum imf_status add_device(struct device_pool *p, const struct options *o,
                                  const struct imf_device_info *info, struct imf_error *err) {
    struct device *d = &p->devices[p->count];
    struct imf_context **context = &p->contexts[p->count];
    struct imf_context_options options = o->context;
    struct imf_driver_guard guard = o->guard;
    struct imf_error failure;
    if (info->failed)
        complain("device %d (%s) is not used: %s", info->index, info->name, info->why);
    if (!info->usable)
        return IMF_OK;
    snprintf(d->index, sizeof d->index, "%d", info->index);
    snprintf(d->name, sizeof d->name, "%d (%s)", info->index, info->name);
    d->trial[0] = o->trial[0];
    d->trial[1] = o->trial[1];
    d->trial[2] = d->index;
    options.device = IMF_DEVICE_INDEX;
    options.index = info->index;
    guard.probe = guard.probe ? d->trial : NULL;
    if (imf_context_create(context, &options, err) != IMF_OK)
        return err->status;
    imf_context_guard(*context, &guard);
    if (imf_context_prepare(*context, &failure) == IMF_OK) {
        p->count++;
    } else {
        complain("device %s is not used: %s", d->name, failure.text);
        imf_context_free(context);
    }
    return IMF_OK;
}

static enum imf_status add_all(struct device_pool *p, const struct options *o,
                               struct imf_error *err) {
    struct imf_device_info list[DEVICES_MAX] = {{0}};
    enum imf_status status = devices_context(&p->probe, o, err);
    if (status == IMF_OK)
        status = imf_context_prepare(p->probe, err);
    size_t count = status == IMF_OK ? imf_device_list(list, DEVICES_MAX) : 0;
    /* First the one that --device=auto takes, then the others. */
    for (int automatic = 1; automatic >= 0; automatic--) {
        for (size_t i = 0; i < count && i < DEVICES_MAX && status == IMF_OK; i++)
            if (list[i].automatic == (automatic == 1))
                status = add_device(p, o, &list[i], err);
    }
    if (status == IMF_OK && p->count == 0) {
        *err = (struct imf_error){.status = IMF_ERR_NO_DEVICE,
                                  .text = "there is no usable OpenCL device"};
        status = err->status;
    }
    return status;
}

enum imf_status device_pool_create(struct device_pool **out, const struct options *o,
                                   const struct imf_filter *filter, int jobs,
                                   struct imf_error *err) {
    struct device_pool *p = *out = calloc(1, sizeof *p);
    enum imf_status status;
    if (!p)
        return out_of_memory(err);
    pthread_mutex_init(&p->lock, NULL);
    bool host = o->settings.backend == IMF_BACKEND_CPU ||
                o->settings.backend == IMF_BACKEND_VECTOR ||
                o->settings.backend == IMF_BACKEND_GLES;
    if (o->all_devices && filter && !host) {
        status = add_all(p, o, err);
    } else {
        status = devices_context(&p->contexts[0], o, err);
        p->count = status == IMF_OK;
    }
    /* Without --max-memory half of the machine's memory is left to other programs. */
    uint64_t most = o->settings.max_memory ? o->settings.max_memory : machine_memory();
    uint64_t memory = o->memory_given && o->settings.max_memory ? most : most / 2;
    if (status == IMF_OK) {
        p->plans = plan_cache_create(p->contexts, p->count, filter, &o->settings, jobs,
                                     machine_cores(), memory);
        status = p->plans ? IMF_OK : out_of_memory(err);
    }
    if (status != IMF_OK)
        device_pool_free(out);
    return status;
}

void device_pool_free(struct device_pool **pool) {
    struct device_pool *p = *pool;
    *pool = NULL;
    if (!p)
        return;
    plan_cache_free(&p->plans);
    for (int i = 0; i < p->count; i++)
        imf_context_free(&p->contexts[i]);
    imf_context_free(&p->probe);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static void leave(struct device_pool *p, int device) {
    pthread_mutex_lock(&p->lock);
    p->devices[device].in_flight--;
    pthread_mutex_unlock(&p->lock);
}

enum imf_status device_pool_acquire(struct device_pool *p, const struct plan_key *key,
                                    struct plan_lease *lease, struct imf_error *err) {
    struct device *best = NULL;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < p->count; i++) {
        struct device *d = &p->devices[i];
        bool less = best && (d->in_flight == best->in_flight ? d->total < best->total
                                                             : d->in_flight < best->in_flight);
        if (!d->failed && (!best || less))
            best = d;
    }
    best->in_flight++;
    best->total++;
    pthread_mutex_unlock(&p->lock);
    int device = (int)(best - p->devices);
    enum imf_status status = plan_cache_acquire(p->plans, device, key, lease, err);
    if (status != IMF_OK)
        leave(p, device);
    return status;
}

void device_pool_release(struct device_pool *p, struct plan_lease *lease) {
    int device = lease->device;
    if (!lease->entry)
        return;
    plan_cache_release(p->plans, lease);
    leave(p, device);
}

bool device_pool_drop(struct device_pool *p, int device, const struct imf_error *failure,
                      const struct reporter *reporter) {
    struct device *d = &p->devices[device];
    bool others = false;
    if (failure->status != IMF_ERR_DEVICE && failure->status != IMF_ERR_NO_DEVICE)
        return false;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < p->count; i++)
        others = others || (i != device && !p->devices[i].failed);
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
