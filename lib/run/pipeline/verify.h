/* verify.h - compare a result with the reference, by the contract's exactness */
#ifndef IMF_RUN_PIPELINE_VERIFY_H
#define IMF_RUN_PIPELINE_VERIFY_H

#include "run/executor/exec.h"

/* Makes the values that decisions are made by again, as the result's solvers did. */
struct imf_witness {
    /* Make an executor of one band for a chain of the result's first passes, which outlives it. */
    enum imf_status (*make)(void *data, const struct imf_chain *first, struct imf_exec **out,
                            struct imf_error *err);
    void *data;
    bool float64; /* samples between passes are */
};

/* Run the reference on all rows of an image and compare with those of the result; fills the
 * report's verify fields. An exact chain must not differ at all. Otherwise an 8-bit sample may
 * differ by 1 where the reference lies within 1/32 of a rounding tie, a 16-bit sample by 1 or 2
 * anywhere (imf_contract_error()).
 *
 * Equalization, edges and thresholds decide, by values that may be off by as much. Where a result differs
 * by more, the values are made again, up to each decision, and held to the same; then the reference goes on
 * with them. What it decides has to be the result. A value near a threshold may lie on either side. NULL as
 * witness: decisions are held to those of the reference's own values. */
enum imf_status imf_verify(const struct imf_chain *chain, const struct imf_rows *image,
                           const struct imf_rows *result, const struct imf_witness *witness,
                           struct imf_report *report, struct imf_error *err);

#endif
