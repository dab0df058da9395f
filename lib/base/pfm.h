/*
 * pfm.h - Portable FloatMap: a picture of 32-bit floats in a file
 *
 * "Pf" (gray) or "PF" (colour), width, height and a number, parted by white space; one more byte of
 * that, then the samples, the bottom row first. A negative number says that they are little-endian.
 * Its magnitude is a unit that readers may ignore. See pfm(5) of Netpbm.
 */
#ifndef IMF_BASE_PFM_H
#define IMF_BASE_PFM_H

#include "base/error.h"

struct imf_pfm {
    int width, height;
    bool little;
    const unsigned char *samples; /* width * height of them */
};

bool imf_pfm_recognise(const void *bytes, size_t size);
/* Read the header of a gray one, which was recognised. `out` points into bytes. Errors are phrases
 * that follow the file's name. IMF_ERR_FORMAT, IMF_ERR_DAMAGED. */
enum imf_status imf_pfm_open(struct imf_pfm *out, const void *bytes, size_t size,
                             struct imf_error *err);
/* The sample in column x of row y, counted from the top. */
float imf_pfm_sample(const struct imf_pfm *p, int x, int y);

/* Write a gray one, little-endian; values: height rows of width, the top one first. */
enum imf_status imf_pfm_write(FILE *stream, int width, int height, const float *values,
                              struct imf_error *err);

#endif
