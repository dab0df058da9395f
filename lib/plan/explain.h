/*
 * explain.h - what is said of a plan: each pass's ways, the whole chain, warnings
 */
#ifndef IMF_PLAN_EXPLAIN_H
#define IMF_PLAN_EXPLAIN_H

#include "plan/planner.h"

/* Sets of backends. */
#define IMF_SET(backend) (1u << (backend))
#define IMF_HOST_SET (IMF_SET(IMF_BACKEND_VECTOR) | IMF_SET(IMF_BACKEND_CPU))
#define IMF_DEVICE_SET                                                                             \
    (IMF_SET(IMF_BACKEND_DIRECT) | IMF_SET(IMF_BACKEND_SEPARABLE) | IMF_SET(IMF_BACKEND_FFT))

/* What a plan is asked for, and what its searches found out. */
struct imf_request {
    enum imf_backend backend;
    bool device_asked, opened;
    unsigned hosts, devices; /* the backends that may be taken */
    struct imf_path_ask ask;
    const char *unusable;  /* why OpenCL is, or NULL */
    char no_room[IMF_WHY]; /* why there is none for the driver, or "" */
    struct imf_error failure;
};

/* Fill p->way: of each pass, what each backend proposes and why it was taken or not. */
enum imf_status imf_explain_passes(struct imf_planning *p, struct imf_proposals *all,
                                   const struct imf_request *r, struct imf_error *err);
/* Fill p->chosen and p->note. */
void imf_explain_whole(struct imf_planning *p, struct imf_proposals *all,
                       const struct imf_request *r);

#endif
