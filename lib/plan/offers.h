/* offers.h - what the device solvers say of a chain's passes, each asked once and only when needed
 */
#ifndef IMF_PLAN_OFFERS_H
#define IMF_PLAN_OFFERS_H

#include "plan/compose.h"

struct imf_offer;

struct imf_offers {
    const struct imf_chain *chain;
    const struct imf_device *device;
    struct imf_offer *list; /* owned */
};

/* Chain and device must outlive the offers. */
enum imf_status imf_offers_open(struct imf_offers *out, const struct imf_chain *chain,
                                const struct imf_device *d, struct imf_error *err);
void imf_offers_close(struct imf_offers *offers);

/* The cheapest of a backend's solvers for a convolution pass (AUTO: of all) and its milliseconds;
 * NULL when none is able, and then `why` (IMF_WHY bytes) is the last one's reason. */
const struct imf_solver *imf_offers_cheapest(struct imf_offers *offers, int pass,
                                             enum imf_backend backend, double *ms, char *why);

/* What imf_chain_compose() asks. */
struct imf_prices imf_offers_prices(struct imf_offers *offers);

#endif
