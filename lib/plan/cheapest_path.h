/*
 * cheapest_path.h - the cheapest plan of a chain: for each pass a solver, on the host or on a device
 *
 * A pass costs what its solver proposes. A surface whose reader works elsewhere than its writer
 * costs a transfer, and the device's start is paid once. The least sum is found by dynamic
 * programming over passes and places; of a batch in which device and host work side by side, of what such sums
 * lead to, the path with the best throughput.
 */
#ifndef IMF_PLAN_CHEAPEST_PATH_H
#define IMF_PLAN_CHEAPEST_PATH_H

#include "plan/proposals.h"
#include "plan/throughput.h"

/* What a search may use. */
struct imf_path_options {
    unsigned backends;   /* a set of 1u << enum imf_backend */
    bool prefers_device; /* the host does only what the device cannot */
    bool opened;         /* the device is open: starting it costs nothing */
    bool whole;          /* hold the image and the result, though rows could stream */
    enum imf_twice twice;
    struct imf_throughput throughput;
    double base;  /* bytes of the process without surfaces, buffers and driver, */
    int times;    /* and surfaces and buffers are there so many times; 0: once */
    double limit; /* of the process's bytes */
};

/* The cheapest path that the limit alone forbids; ms is INFINITY if there is none. */
struct imf_path_over {
    double ms, bytes;
    char backend[16], algorithm[128]; /* as imf_path_describe() has them */
};

struct imf_path {
    struct imf_proposal *chosen; /* owned; one for each pass, a point pass's without a solver; NULL:
                                    there is no path, see `why` */
    double *transfer_ms;     /* owned; of bringing each pass what it reads, then of the result */
    double start_ms;         /* a picture's share of the device's start */
    double filter_ms;        /* of all passes and transfers */
    double ms;               /* imf_throughput_ms() */
    double bytes;            /* that the process takes */
    bool on_device, on_gles; /* a pass runs on the opened device, on OpenGL ES */
    bool float64;            /* samples between passes are float64: all is plain C */
    enum imf_twice twice;    /* of its bands' form, as is */
    int halved;
    const char *whole_image_reason; /* why the image is held whole, or NULL: its rows stream */
    struct imf_path_over over;
    char why[IMF_WHY];
};

/* Where a path exceeds the limit its bands are made lower; where that is not enough, what takes the
 * most memory is refused, from then on, and another path is searched for. On success the caller frees
 * with imf_path_clear(), also if there is no path. */
enum imf_status imf_path_find(struct imf_path *out, struct imf_proposals *proposals,
                              const struct imf_path_options *options, struct imf_error *err);
void imf_path_clear(struct imf_path *path);

/* Set out->algorithm to the path's algorithms, joined by " + " as far as they fit, and out->backend
 * to its backend's name, "mixed" if there are several. */
void imf_path_describe(const struct imf_path *path, const struct imf_chain *chain,
                       struct imf_candidate *out);
/* Remember a path that the limit forbids. */
void imf_path_pass_over(const struct imf_path *path, const struct imf_chain *chain,
                        struct imf_path_over *out);

#endif
