/*
 * explain.h - what is said of a plan: each pass's ways, the whole chain, warnings
 */
#ifndef IMF_PLAN_EXPLAIN_H
#define IMF_PLAN_EXPLAIN_H

#include "plan/planner.h"

/* Sets of backends. */
#define IMF_BACKEND_BIT(backend) (1u << (backend))
#define IMF_HOST_BACKENDS (IMF_BACKEND_BIT(IMF_BACKEND_VECTOR) | IMF_BACKEND_BIT(IMF_BACKEND_CPU))
#define IMF_DEVICE_BACKENDS                                                                        \
    (IMF_BACKEND_BIT(IMF_BACKEND_DIRECT) | IMF_BACKEND_BIT(IMF_BACKEND_SEPARABLE) |                \
     IMF_BACKEND_BIT(IMF_BACKEND_FFT))

/* What a plan is asked for, and what its searches found out. */
struct imf_planning_request {
    enum imf_backend backend;
    bool device_asked, opened;
    unsigned host_backends, device_backends; /* the backends that may be taken */
    struct imf_path_options options;
    const char *opencl_failure;         /* why OpenCL is, or NULL */
    char no_memory_for_driver[IMF_WHY]; /* why there is none for the driver, or "" */
    struct imf_error failure;
};

/* Fill p->way: of each pass, what each backend proposes and why it was taken or not. */
enum imf_status imf_explain_passes(struct imf_planning *p, struct imf_proposals *all,
                                   const struct imf_planning_request *r, struct imf_error *err);
/* Fill p->chosen and p->note. */
void imf_explain_whole(struct imf_planning *p, struct imf_proposals *all,
                       const struct imf_planning_request *r);

#endif
