/* fuzz_flt.c - any bytes as a .flt file: kernels or an error that names line and column */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "filter/flt/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct imf_flt flt = {0};
    struct imf_error err = {0};
    /* A copy of exactly its size: the parser has no terminator to rely on. */
    char *text = malloc(size > 0 ? size : 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    enum imf_status status = imf_flt_parse(&flt, "fuzz.flt", text, size, &err);
    if (status == IMF_OK) {
        FUZZ_ASSERT(flt.kernel[0] != NULL);
        for (int i = 0; i < 2; i++)
            if (flt.kernel[i]) {
                FUZZ_ASSERT(flt.kernel[i]->width >= 1 && flt.kernel[i]->width <= IMF_KERNEL_MAX);
                FUZZ_ASSERT(flt.kernel[i]->height >= 1 && flt.kernel[i]->height <= IMF_KERNEL_MAX);
            }
        const struct imf_scaling none = {0};
        imf_flt_scale(&flt, &none);
        imf_flt_free(&flt);
    } else {
        FUZZ_ASSERT(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    }
    free(text);
    return 0;
}
