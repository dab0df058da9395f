/*
 * path.h - the cheapest way through a chain: for each pass a solver, on the host or on a device
 *
 * A pass costs what its solver proposes. A surface whose reader works elsewhere than its writer
 * costs a transfer, and the device's start is paid once. The least sum is found by dynamic
 * programming over passes and places.
 */
#ifndef IMF_PLAN_PATH_H
#define IMF_PLAN_PATH_H

#include "plan/proposals.h"

/* What a search may use. */
struct imf_path_options {
    unsigned backends;   /* a set of 1u << enum imf_backend */
    bool prefers_device; /* the host does only what the device cannot */
    bool opened;         /* the device's start is paid already */
    bool whole;          /* the image and the result are to be held, though rows could stream */
    double base, limit; /* bytes of the process without surfaces, buffers and driver; and at most */
};

struct imf_path {
    struct imf_proposal *chosen; /* owned; for each pass: of a point pass without a solver. NULL:
                                   there is no way, and why */
    double *transfer_ms;         /* of bringing a pass what it reads; the last: the result back */
    double start_ms, ms;         /* of the device; of all */
    double bytes;                /* that the process takes */
    bool on_device;              /* a pass is done there, or */
    bool on_gles;                /* by shaders */
    bool float64;                /* samples between passes are float64: all is plain C */
    const char *whole_image_reason; /* why the image is held whole, or NULL: its rows stream */
    /* Of the cheapest way that only the limit forbids; or INFINITY. */
    double over_ms, over_bytes;
    char over_backend[16];
    char why[IMF_WHY];
};

/* On success the caller frees with imf_path_clear(), also where there is no way. Proposals that
 * would be over the limit are refused from then on. */
enum imf_status imf_path_find(struct imf_path *out, struct imf_proposals *proposals,
                              const struct imf_path_options *options, struct imf_error *err);
void imf_path_clear(struct imf_path *path);

/* The algorithms of a path, joined by " + " as far as there is room, and its backend's name:
 * "mixed" where there are several. */
void imf_path_describe(const struct imf_path *path, const struct imf_chain *chain,
                       struct imf_candidate *out);

#endif
