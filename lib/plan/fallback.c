/* fallback.c - what is said of a plan whose device failed: that, and that the host did the work */
#include "plan/fallback.h"

#include <string.h>

bool imf_planning_fall_back(const struct imf_planning *p, const char *why,
                            struct imf_fallback *out) {
    if (!p->candidate[p->host].eligible)
        return false;
    memcpy(out->candidate, p->candidate, sizeof out->candidate);
    struct imf_candidate *failed = &out->candidate[p->chosen], *taken = &out->candidate[p->host];
    failed->chosen = false;
    snprintf(failed->why, sizeof failed->why, "failed: %.140s", why);
    taken->chosen = true;
    snprintf(taken->why, sizeof taken->why, "taken after the device failed");
    snprintf(out->note, sizeof out->note, IMF_HOST_NOTE, why);
    out->chosen = p->host;
    return true;
}
