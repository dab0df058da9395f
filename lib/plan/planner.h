/*
 * planner.h - which solver does each pass of a chain, and where
 */
#ifndef IMF_PLAN_PLANNER_H
#define IMF_PLAN_PLANNER_H

#include "device/open/context.h"
#include "plan/cheapest_path.h"

/* The device's name in the report of a run by the host. */
#define IMF_HOST_NAME "host"

/* The process without images, filters and driver: measured 6.5 to 7.3 MB. */
#define IMF_PROCESS_BYTES 7.5e6

struct imf_planning {
    const struct imf_chain *chain;
    struct imf_path path; /* as the chain is run */
    struct imf_path
        host; /* by the host alone, for when the device fails; chosen is NULL if the host
                               cannot do it */
    struct imf_runtime *rt;           /* borrowed: path.on_device */
    struct imf_gles *gles;            /* borrowed: path.on_gles */
    struct imf_candidate *candidates; /* owned: for each pass, what each backend proposes */
    size_t count;
    struct imf_candidate chosen; /* sums up `path` */
    struct imf_throughput throughput;
    double pace;       /* the host's, as it is known, */
    bool wants_pace;   /* and it would be well to know it */
    char note[416];    /* a warning, or "" */
    char limited[320]; /* which way the limit of memory keeps the chain from, or "" */
};

/* What is known of runs beside the settings. */
struct imf_planning_beside {
    const struct imf_info *input; /* as files of a batch have it */
    double pace;                  /* the host's, by imf_pace(); 0: it is not known */
    double filter;                /* bytes of kernels and masks */
    bool verify;                  /* results are compared with the reference */
    bool
        explain; /* the plan is shown: by the proposals of the device that is there, though none may
                      be opened for this image */
};

/* Find the cheapest path for this chain, within settings->backend and max_memory. Opens the device
 * only if that may pay or the user asked for it. On success the caller frees with
 * imf_planning_clear(). */
enum imf_status imf_planning_make(struct imf_planning *out, struct imf_context *ctx,
                                  const struct imf_chain *chain,
                                  const struct imf_settings *settings,
                                  const struct imf_planning_beside *beside, struct imf_error *err);
/* IMF_ERR_LIMIT, with both numbers. */
enum imf_status imf_planning_over_limit(const struct imf_chain *chain, double bytes, double limit,
                                        struct imf_error *err);
void imf_planning_clear(struct imf_planning *p);

/* The report of a run that the host does after the device failed. */
struct imf_fallback {
    struct imf_candidate *candidates; /* owned; as many as the planning's */
    struct imf_candidate chosen;
    char note[416];
};

/* False if the host cannot do it, or without memory. The caller frees out->candidates. */
bool imf_planning_fall_back(const struct imf_planning *planning, const char *why,
                            struct imf_fallback *out);

#endif
