/*
 * kernel_file.h - kernels in pictures, and in PFM files
 */
#ifndef IMF_RUN_KERNEL_FILE_H
#define IMF_RUN_KERNEL_FILE_H

#include "filter/filter.h"

/* imf_kernel_files.read: a gray picture of any format that can be read, or a PFM. */
enum imf_status imf_kernel_file_read(struct imf_kernel **out, char note[IMF_NOTE],
                                     const void *bytes, size_t size,
                                     const struct imf_limits *limits, uint64_t held,
                                     struct imf_error *err);

#endif
