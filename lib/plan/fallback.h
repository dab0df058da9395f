/* fallback.h - what is said of a plan whose device failed: that, and that the host did the work */
#ifndef IMF_PLAN_FALLBACK_H
#define IMF_PLAN_FALLBACK_H

#include "plan/planner.h"

/* Where work is done without a device, and the note that says why. */
#define IMF_HOST "host"
#define IMF_HOST_NOTE "%.210s; filtering on the host"

/* Instead of the planning's own. */
struct imf_fallback {
    struct imf_candidate candidate[IMF_MAX_CANDIDATES]; /* as many */
    size_t chosen;
    char note[256];
};

/* False if the host cannot do it. */
bool imf_planning_fall_back(const struct imf_planning *planning, const char *why,
                            struct imf_fallback *out);

#endif
