/* failures.h - errors that reading and writing have in common */
#ifndef IMF_CODEC_FAILURES_H
#define IMF_CODEC_FAILURES_H

#include "base/error.h"

/* IMF_ERR_IO with strerror's text for an errno. */
enum imf_status imf_fail_io(struct imf_error *err, int number);
/* IMF_ERR_MEMORY when metadata are incomplete because memory ran out: an image that silently lacks
 * its profile or its orientation is worse than none. */
enum imf_status imf_metadata_complete(bool out_of_memory, struct imf_error *err);

#endif
