/* share.h - a device's share of a batch: what it has got, and when it will have done another image */
#ifndef IMF_RUN_SHARE_H
#define IMF_RUN_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised: it has got nothing. */
struct imf_share {
    double queued_ms; /* of the images that it has, by estimates times imf_share_factor() */
    double factor;    /* of the time of an image to its estimate, lately; 0: it has done none */
    double done;      /* when it did the last one, by imf_now_ms() */
    uint64_t used;    /* bytes of workspaces */
    bool failed;      /* it gets no more images */
};

/* Of shares[i], one of `count`: a device that has done no image is taken to be as the best of the others. */
double imf_share_factor(const struct imf_share *shares, int count, int i);

/* An image of this estimate, begun at a time of imf_now_ms(), is done. Images that a device filters at once share it:
 * one took the time since it had done another. */
void imf_share_learn(struct imf_share *share, double begun, double estimate_ms);

#endif
