/* verify.h - compare a result with the reference, by the contract's exactness */
#ifndef IMF_RUN_PIPELINE_VERIFY_H
#define IMF_RUN_PIPELINE_VERIFY_H

#include "run/executor/exec.h"

/* Run the reference on all rows of an image and compare with those of the result; fills the report's
 * verify fields. An exact chain must not differ at all. Otherwise an 8-bit sample may differ by 1
 * where the reference lies within 1/32 of a rounding tie, a 16-bit sample by 1 or 2 anywhere
 * (imf_contract_error()). */
enum imf_status imf_verify(const struct imf_chain *chain, const struct imf_rows *image,
                           const struct imf_rows *result, struct imf_report *report,
                           struct imf_error *err);

#endif
