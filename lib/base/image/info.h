/* info.h - what an image's shape says of its rows and samples */
#ifndef IMF_BASE_IMAGE_INFO_H
#define IMF_BASE_IMAGE_INFO_H

#include "base/error.h"
#include "base/image/samples.h"

/* Of the rows. */
enum imf_sample imf_info_sample(const struct imf_info *info);
static inline size_t imf_info_row_bytes(const struct imf_info *info) {
    return (size_t)info->width * (size_t)info->channels * ((size_t)info->depth / 8);
}

/* All samples are integers. */
bool imf_info_integer(const struct imf_info *info);
/* The least and the largest sample that the file can have: floats have no limits. */
void imf_info_limits(const struct imf_info *info, double *low, double *high);

#endif
