/*
 * response.h - frequency responses of the linear parts of a filter, on one grid
 */
#ifndef IMF_PICTURE_RESPONSE_H
#define IMF_PICTURE_RESPONSE_H

#include "filter/filter.h"
#include "imfilter_program.h"

/* Frequencies k / IMF_RESPONSE for k = -128..127 in both directions; rows of v, u to the right. */
#define IMF_RESPONSE 256
#define IMF_RESPONSE_SIZE ((size_t)IMF_RESPONSE * IMF_RESPONSE)

/* |H| of the kernel, scale included. gain has IMF_RESPONSE_SIZE values. */
enum imf_status imf_response_kernel(double *gain, const struct imf_kernel *k,
                                    struct imf_error *err);
void imf_response_transfer(double *gain, const struct imf_transfer *t);

/* The kernel of an unsharp mask, without its threshold. */
enum imf_status imf_response_unsharp(struct imf_kernel **out, const struct imf_stage *s,
                                     struct imf_error *err);

/* The kernel of bilateral or guided where the image is flat, divided by its sum; *out is NULL for
 * other window operations. */
enum imf_status imf_response_flat(struct imf_kernel **out, const struct imf_stage *s,
                                  struct imf_error *err);

/* The taps around the origin of a transfer function's impulse response, size x size (odd). */
enum imf_status imf_response_impulse(struct imf_kernel **out, const struct imf_transfer *t,
                                     int size, struct imf_error *err);

/* The spec of stage `index`, cut to fit buffer. */
#define IMF_STAGE_SPEC 128
const char *imf_stage_spec(char buffer[IMF_STAGE_SPEC], const struct imf_filter *f, size_t index);

/* Describe a stage that has no taps of its own: "lowpass, gaussian, cutoff 0.1". */
#define IMF_STAGE_WORDS 160
const char *imf_stage_words(char buffer[IMF_STAGE_WORDS], const struct imf_stage *s);

#endif
