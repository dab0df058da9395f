/* window_gpu.c - shared by the solvers of window operations for GPUs */
#include "solver/common/window_gpu.h"

#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/strips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values of PTX in subword.cl: plain OpenCL C, and PTX for compute capability 9.0. */
enum { PLAIN_C, NEWEST = 2 };

bool imf_window_for_gpu(const struct imf_problem *p, const struct imf_device *d, size_t group,
                        struct imf_proposal *out) {
    if (!d->gpu || d->max_group < group)
        imf_proposal_refuse(out, "this variant is for GPUs with work-groups of %zu", group);
    else if ((double)p->width * p->channels > INT32_MAX - 65536)
        imf_proposal_refuse(out, "rows are too long");
    else
        return true;
    return false;
}

bool imf_window_box(struct imf_window_box *out, const struct imf_window_op *window) {
    const struct imf_window w = imf_window_measure(window);
    *out = (struct imf_window_box){w.left, w.right, w.top, w.bottom, w.box};
    return true;
}

int imf_window_runs_down(const struct imf_window_op *window, int channels, int32_t *all) {
    int count;
    struct imf_run *runs = imf_window_runs(window, true, channels, &count);
    if (runs && all)
        memcpy(all, runs, (size_t)count * sizeof *runs);
    free(runs);
    return runs ? count : -1;
}

enum imf_status imf_window_program(struct imf_program **out, struct imf_queue *queue,
                                   const char *file, const char *entry, const struct imf_problem *p,
                                   void (*define)(struct imf_defines *d, const void *shape),
                                   const void *shape, struct imf_error *err) {
    static const char *const parts[] = {"subword.cl", "common.cl", NULL};
    const struct imf_device *device = imf_queue_device(queue);
    struct imf_problem floats = *p;
    floats.exact = false; /* floats hold a sample and its epilogue exactly */
    bool newest = device->gpu && strncmp(device->name, "NVIDIA", 6) == 0;
    for (int ptx = newest ? NEWEST : PLAIN_C;; ptx = PLAIN_C) {
        struct imf_defines d = {0};
        imf_define(&d, "PTX", "%d", ptx);
        imf_define(&d, "CHANNELS", "%d", p->channels);
        imf_define(&d, "IDENTITY", "%d", imf_epilogue_is_identity(p));
        imf_problem_defines(&d, &floats);
        define(&d, shape);
        const struct imf_program_source source = {.file = file, .parts = parts, .defines = &d};
        enum imf_status st = imf_program_make(out, queue, &source, entry, err);
        imf_defines_free(&d);
        if (!st || ptx == PLAIN_C)
            return st;
    }
}

double imf_window_ms(const struct imf_problem *p, const struct imf_device *d, double instructions,
                     double bytes) {
    const struct imf_tuning *t = imf_tuning(d);
    double samples = (double)p->width * p->height * p->channels;
    double busy = instructions / (t->gpu.instructions * imf_tuning_units(d));
    double memory = bytes / imf_tuning_bandwidth(d, t->gpu.bandwidth);
    return t->launch_ms + samples * fmax(busy, memory) * 1e-6;
}
