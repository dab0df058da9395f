/* failures.c - errors that reading and writing have in common */
#include "codec/failures.h"

#include "base/surface.h"

#include <string.h>

enum imf_status imf_fail_io(struct imf_error *err, int number) {
    return imf_fail(err, IMF_ERR_IO, "%s", number ? strerror(number) : "input/output error");
}

enum imf_status imf_metadata_complete(bool out_of_memory, struct imf_error *err) {
    return out_of_memory
               ? imf_fail(err, IMF_ERR_MEMORY,
                          "out of memory for what the image carries (EXIF, ICC and the like)")
               : IMF_OK;
}
