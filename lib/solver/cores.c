/* cores.c - a solver's work on the host's cores */
#include "solver/cores.h"

#include "device/tuning.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define ALIGN 64 /* bytes: a cache line, and the longest vector */

double imf_cores_ms(double ms, int cores) {
    return ms < IMF_ALONE_MS || cores == 1 ? ms : ms / cores + imf_vector_rates.start_ms;
}

struct pass {
    size_t bytes;
    void (*work)(void *data, int item, void *memory);
    void *data;
    atomic_bool failed;
};

static void run_item(void *data, int item) {
    struct pass *pass = data;
    /* Not aligned_alloc(), whose freed blocks glibc 2.36 does not always use again: for disk:40 it held
     * 7 MiB more. */
    char *block = pass->bytes ? malloc(pass->bytes + ALIGN - 1) : NULL;
    if (pass->bytes && !block)
        atomic_store(&pass->failed, true);
    else
        pass->work(pass->data, item, block ? block + (-(uintptr_t)block & (ALIGN - 1)) : NULL);
    free(block);
}

enum imf_status imf_work_on(struct imf_pool *pool, int threads, int count, size_t bytes,
                            void (*work)(void *data, int item, void *memory), void *data,
                            struct imf_error *err) {
    struct pass pass = {.bytes = bytes, .work = work, .data = data};
    imf_parallel_on(pool, threads, count, run_item, &pass);
    return pass.failed ? imf_fail_memory(err, bytes) : IMF_OK;
}

enum imf_status imf_work(struct imf_pool *pool, int count, size_t bytes,
                         void (*work)(void *data, int item, void *memory), void *data,
                         struct imf_error *err) {
    return imf_work_on(pool, imf_pool_threads(pool), count, bytes, work, data, err);
}
