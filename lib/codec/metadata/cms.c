/* cms.c - Little CMS for one thread and one profile */
#include <stdlib.h>
#ifdef IMF_WITH_LCMS2
#include "codec/metadata/cms.h"

#include <lcms2_plugin.h>

#define CONTEXTS 2060                        /* the version of Little CMS that has them */
#define HEAP_MAX ((cmsUInt32Number)32 << 20) /* what Little CMS may ask for at once */

static void *note(cmsContext context, void *memory, cmsUInt32Number size) {
    struct imf_cms_heap *heap = cmsGetContextUserData(context);
    if (!memory && size <= HEAP_MAX && heap)
        heap->out_of_memory = true;
    return memory;
}

static void *allocate(cmsContext context, cmsUInt32Number size) {
    return note(context, size <= HEAP_MAX ? malloc(size) : NULL, size);
}

static void *reallocate(cmsContext context, void *memory, cmsUInt32Number size) {
    return note(context, size <= HEAP_MAX ? realloc(memory, size) : NULL, size);
}

static void release(cmsContext context, void *memory) {
    (void)context;
    free(memory);
}

/* No lock is needed: a context is used by one thread. (Little CMS's own mutexes crash where memory is
 * short.) */
static void *make_mutex(cmsContext context) {
    return context;
}

static void ignore_mutex(cmsContext context, void *mutex) {
    (void)context;
    (void)mutex;
}

static cmsBool lock_mutex(cmsContext context, void *mutex) {
    ignore_mutex(context, mutex);
    return TRUE;
}

cmsContext imf_cms_open(struct imf_cms_heap *heap) {
    cmsPluginMutex mutex = {.base = {cmsPluginMagicNumber, CONTEXTS, cmsPluginMutexSig, NULL},
                            .CreateMutexPtr = make_mutex,
                            .DestroyMutexPtr = ignore_mutex,
                            .LockMutexPtr = lock_mutex,
                            .UnlockMutexPtr = ignore_mutex};
    cmsPluginMemHandler memory = {
        .base = {cmsPluginMagicNumber, CONTEXTS, cmsPluginMemHandlerSig, &mutex.base},
        .MallocPtr = allocate,
        .FreePtr = release,
        .ReallocPtr = reallocate};
    *heap = (struct imf_cms_heap){.out_of_memory = false};
    return cmsCreateContext(&memory, heap); /* with a handler of errors that prints nothing */
}
#endif
