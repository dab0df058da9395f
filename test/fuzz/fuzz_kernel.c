/* fuzz_kernel.c - any bytes as the file of "kernel:@FILE": a kernel, a text, or an error */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "run/kernel_file.h"

static void read_kernel(const uint8_t *data, size_t size, bool lenient) {
    const struct imf_limits limits = {
        .max_pixels = 1 << 20, .max_memory = 64 << 20, .max_scans = 20, .lenient = lenient};
    struct imf_error err = {0};
    struct imf_kernel *kernel = NULL;
    char note[IMF_NOTE] = "";
    enum imf_status status = imf_kernel_file_read(&kernel, note, data, size, &limits, 0, &err);
    FUZZ_ASSERT(status == IMF_OK || (!kernel && err.text[0] && !strchr(err.text, '\n')));
    FUZZ_ASSERT(!kernel || (kernel->width % 2 && kernel->height % 2 && imf_kernel_nonzero(kernel)));
    FUZZ_ASSERT(!kernel || kernel->width * kernel->height <= 1 << 20);
    FUZZ_ASSERT(strlen(note) < IMF_NOTE);
    imf_kernel_free(&kernel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* A copy of exactly its size, so that a sanitizer sees a byte too many. */
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    if (!bytes)
        return 0;
    if (size > 0)
        memcpy(bytes, data, size);
    read_kernel(bytes, size, false);
    read_kernel(bytes, size, true);
    free(bytes);
    return 0;
}
