/*
 * device_pool.c - the devices that a run's images are filtered on
 */
#include "batch/device_pool.h"

#include "options/devices.h"
#include "report/message.h"

static void name_device(struct device *d, const struct imf_device_info *info) {
    snprintf(d->index, sizeof d->index, "%d", info->index);
    snprintf(d->name, sizeof d->name, "%d (%s)", info->index, info->name);
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
    name_device(d, info);
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

/* The first device is the one that --device=auto takes. Beside a GPU the host's cores are no second one: they read and
 * write. */
static int open_others(void *pool) {
    struct device_pool *p = pool;
    struct imf_device_info list[DEVICES_MAX] = {{0}};
    struct imf_error failure;
    enum imf_status status = imf_context_prepare(p->contexts[0], &failure);
    size_t count = status == IMF_OK ? imf_device_list(list, DEVICES_MAX) : 0;
    bool gpu = false;
    for (size_t i = 0; i < count && i < DEVICES_MAX; i++)
        if (list[i].automatic) {
            name_device(&p->devices[0], &list[i]);
            gpu = list[i].gpu;
        }
    for (size_t i = 0; i < count && i < DEVICES_MAX; i++)
        if (!list[i].automatic && (list[i].gpu || !gpu) &&
            add_device(p, p->options, &list[i], &failure) != IMF_OK)
            complain("device %d (%s) is not used: %s", list[i].index, list[i].name, failure.text);
    return p->count;
}

enum imf_status device_pool_open(struct device_pool *p, const struct options *o, bool filters,
                                 struct imf_error *err) {
    bool host = o->settings.backend == IMF_BACKEND_CPU ||
                o->settings.backend == IMF_BACKEND_VECTOR ||
                o->settings.backend == IMF_BACKEND_GLES;
    *p = (struct device_pool){.options = o, .all = o->all_devices && filters && !host};
    enum imf_status status = devices_context(&p->contexts[0], o, err);
    p->count = status == IMF_OK;
    return status;
}

void device_pool_lend(struct device_pool *p, struct imf_batch *batch) {
    batch->contexts = p->contexts;
    batch->devices = p->count;
    batch->most_devices = DEVICES_MAX;
    batch->open_others = p->all ? open_others : NULL;
    batch->pool = p;
}

bool device_pool_drop(const struct device_pool *p, struct imf_plan_cache *plans, int device,
                      const struct imf_error *failure, const struct reporter *reporter) {
    const struct device *d = &p->devices[device];
    enum imf_drop dropped = imf_plan_cache_drop(plans, device, failure);
    if (dropped == IMF_DROP_NOT) /* names may be being written */
        return false;
    char text[sizeof failure->text + sizeof d->name + 40];
    snprintf(text, sizeof text, "device %s is not used any more: %s", d->name, failure->text);
    if (dropped == IMF_DROP_FIRST)
        report_warning(reporter, NULL, text);
    return true;
}

void device_pool_close(struct device_pool *p) {
    for (int i = 0; i < p->count; i++)
        imf_context_free(&p->contexts[i]);
}
