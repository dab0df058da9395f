/* arguments.h - whether what a caller passed is what the public headers allow */
#ifndef IMF_BASE_ARGUMENTS_H
#define IMF_BASE_ARGUMENTS_H

#include "base/error.h"

/* IMF_ERR_ARGUMENT, with the member that is out of its range. Structs that say their size have been read by
 * imf_sized_read(). */
enum imf_status imf_check_info(const struct imf_info *info, struct imf_error *err);
enum imf_status imf_check_limits(const struct imf_limits *limits, struct imf_error *err);
enum imf_status imf_check_encode(const struct imf_encode *encode, struct imf_error *err);
enum imf_status imf_check_settings(const struct imf_settings *settings, struct imf_error *err);
enum imf_status imf_check_run(const struct imf_run_options *options, struct imf_error *err);
enum imf_status imf_check_context(const struct imf_context_options *options, struct imf_error *err);
enum imf_status imf_check_fft(const struct imf_fft_shape *shape, struct imf_error *err);
enum imf_status imf_check_direction(enum imf_fft_direction direction, struct imf_error *err);
/* Bytes between rows of the image. */
enum imf_status imf_check_stride(size_t stride, const struct imf_info *info, struct imf_error *err);

#endif
