/*
 * explain.h - the report of a plan: candidates for each pass, the chosen path, warnings
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

/* What the user asked for, and what the searches found out. */
struct imf_planning_request {
    enum imf_backend backend;
    bool device_asked, opened, explain, pace_known;
    unsigned host_backends, device_backends; /* sets of the backends that may be chosen */
    struct imf_path_options options;
    const char *opencl_failure;         /* why OpenCL is not usable, or NULL */
    char no_memory_for_driver[IMF_WHY]; /* why the driver exceeds the limit, or "" */
    struct imf_error failure;           /* holds the text of opencl_failure */
};

/* Fill p->candidates: for each pass what each backend proposes, and why it was chosen or not. */
enum imf_status imf_explain_passes(struct imf_planning *p, struct imf_proposals *all,
                                   const struct imf_planning_request *r, struct imf_error *err);
/* Fill p->chosen and p->note. */
void imf_explain_whole(struct imf_planning *p, struct imf_proposals *all,
                       const struct imf_planning_request *r);

#endif
