/* error.h - filling a caller's struct imf_error */
#ifndef IMF_ERROR_H
#define IMF_ERROR_H

#include "imfilter.h"

/* Format one line into err (which may be NULL) and return status. */
enum imf_status imf_fail(struct imf_error *err, enum imf_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for allocation failures, which all read alike. */
enum imf_status imf_fail_memory(struct imf_error *err, size_t bytes);

#endif
