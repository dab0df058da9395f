/* cores.c - a solver's work on the host's cores */
#include "solver/common/cores.h"

#include "device/tuning.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 64 /* bytes: a cache line, and the longest vector */

double imf_cores_ms(double ms, int cores) {
    return ms < IMF_ALONE_MS || cores == 1 ? ms : ms / cores + imf_vector_rates.start_ms;
}

struct pass {
    const struct imf_items *items;
    atomic_bool failed;
};

static void run_item(void *data, int item) {
    struct pass *pass = data;
    const struct imf_items *i = pass->items;
    size_t bytes = (i->bytes + ALIGN - 1) / ALIGN * ALIGN;
    void *memory = bytes ? aligned_alloc(ALIGN, bytes) : NULL;
    if (bytes && !memory) {
        atomic_store(&pass->failed, true);
        return;
    }
    if (i->zeroed)
        memset(memory, 0, bytes);
    i->work(i->data, item, memory);
    free(memory);
}

enum imf_status imf_work(const struct imf_items *items, struct imf_error *err) {
    struct pass pass = {.items = items};
    int threads = items->threads ? items->threads : imf_pool_threads(items->pool);
    imf_parallel_on(items->pool, threads, items->count, run_item, &pass);
    return pass.failed ? imf_fail_memory(err, items->bytes) : IMF_OK;
}
