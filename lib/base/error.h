/* error.h - filling a caller's struct imf_error */
#ifndef IMF_BASE_ERROR_H
#define IMF_BASE_ERROR_H

#include "imfilter.h"

/* Format one line into err (which may be NULL) and return status. */
enum imf_status imf_fail(struct imf_error *err, enum imf_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failed allocation of `bytes`, with one text for all. */
enum imf_status imf_fail_memory(struct imf_error *err, size_t bytes);

/* IMF_ERR_IO with strerror's text for an errno. */
enum imf_status imf_fail_io(struct imf_error *err, int number);

/* Format an amount of memory for people, "1.5 GiB", into the caller's buffer; returns it. */
#define IMF_BYTES_TEXT 24
const char *imf_bytes_text(char text[IMF_BYTES_TEXT], double bytes);

/* IMF_ERR_LIMIT when `bytes` are more than a limit on memory; limit 0: none. */
enum imf_status imf_memory_fits(uint64_t limit, uint64_t bytes, const char *what,
                                struct imf_error *err);

#endif
