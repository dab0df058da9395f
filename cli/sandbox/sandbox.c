/*
 * sandbox.c - a run confined to its own files
 *
 * A decoder that a hostile file has taken over can then read the inputs and what is installed, write
 * where the outputs go, and make no connection; where no driver is used it runs no program either.
 */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/message.h"
#include "sandbox/drivers.h"
#include "sandbox/landlock.h"
#include "sandbox/places.h"
#include "sandbox/seccomp.h"

static bool wanted(const struct options *o) {
    const char *variable = getenv("IMFILTER_SANDBOX");
    if (o->sandbox != SANDBOX_AUTO)
        return o->sandbox == SANDBOX_ON;
    return !variable || strcmp(variable, "0") != 0;
}

/* Not set, or not all of it: an error only where --sandbox asks for it. */
static bool without(const struct options *o, const char *why) {
    if (o->sandbox == SANDBOX_ON)
        return complain("--sandbox: %s", why);
    if (o->report.verbosity > 0)
        complain("no sandbox: %s", why);
    return true;
}

static bool confine_files(const struct options *o, const struct job_list *b, bool drivers) {
    int rules = landlock_begin();
    if (rules < 0)
        return false;
    if (places_allow_system(rules) && places_allow_filters(rules, o) &&
        places_allow_images(rules, o, b) &&
        (drivers ? drivers_allow(rules, o) : drivers_allow_cache(rules, o)))
        return landlock_enforce(rules);
    int error = errno;
    close(rules);
    errno = error;
    return false;
}

bool sandbox_enter(const struct options *o, const struct job_list *b) {
    char why[DRIVERS_WHY];
    bool drivers = drivers_used(o);
    if (!wanted(o))
        return true;
    if (drivers && drivers_why_not(o, why))
        return without(o, why);
    if (!confine_files(o, b, drivers)) {
        if (errno == ENOMEM)
            return complain("out of memory");
        bool missing = errno == ENOSYS || errno == EOPNOTSUPP;
        snprintf(why, sizeof why, "%s: %s",
                 missing ? "this system has no Landlock, which Linux has from 5.13 on"
                         : "Landlock cannot be used",
                 strerror(errno));
        if (!without(o, why))
            return false;
    }
    if (seccomp_enforce(drivers))
        return true;
    snprintf(why, sizeof why, "seccomp cannot be used, so that sockets are not refused: %s",
             strerror(errno));
    return without(o, why);
}
