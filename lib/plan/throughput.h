/*
 * throughput.h - what a picture costs as one of many: the time from one result to the next
 *
 * A picture that is alone is worth the time from its start to its end. Of a batch whose pictures run side by side, the
 * host's cores read, filter and write some while a device with memory of its own filters others: the slower of the two
 * sets the pace. A device's start is shared by all pictures.
 */
#ifndef IMF_PLAN_THROUGHPUT_H
#define IMF_PLAN_THROUGHPUT_H

#include "device/runtime.h"
#include "imfilter.h"

struct imf_throughput {
    int pictures, workers; /* that are filtered, and at once; 0: one */
    double coding_ms;      /* of reading and writing one of them, by all workers together */
};

/* By settings->pictures and workers; the output is taken to be of the input's format. */
struct imf_throughput imf_throughput_of(const struct imf_settings *settings,
                                        const struct imf_info *input);

/* Does the device work while the host's cores do other things? NULL: there is none. */
bool imf_throughput_overlaps(const struct imf_throughput *t, const struct imf_device *d);

/* A picture's share of what all pay for once. */
double imf_throughput_share(const struct imf_throughput *t, double ms);

/* Milliseconds that a picture takes of the host, of a device's kernels, to bring surfaces to the device and back, and, for
 * all pictures, to open it. */
struct imf_spent {
    double host_ms, kernels_ms, copies_ms, start_ms;
};
/* Milliseconds a picture. d: the device, or NULL. */
double imf_throughput_ms(const struct imf_throughput *t, const struct imf_device *d,
                         const struct imf_spent *spent);

#endif
