/* share.c - a device's share of a batch */
#include "run/share.h"

#include "base/clock.h"

#include <math.h>

double imf_share_factor(const struct imf_share *shares, int count, int i) {
    double least = INFINITY;
    if (shares[i].factor > 0)
        return shares[i].factor;
    for (int k = 0; k < count; k++)
        if (shares[k].factor > 0)
            least = fmin(least, shares[k].factor);
    return isfinite(least) ? least : 1;
}

void imf_share_learn(struct imf_share *share, double begun, double estimate_ms) {
    double now = imf_now_ms();
    double ratio = fmax((now - fmax(begun, share->done)) / fmax(estimate_ms, 1e-6), 1e-6);
    share->done = now;
    share->factor = share->factor > 0 ? (share->factor + ratio) / 2 : ratio;
}
