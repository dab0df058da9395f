/* fuzz_spec.c - any text as filter specs, one a line: a filter or an error with its column */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "imfilter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *spec[8];
    size_t count = 0;
    struct imf_filter *filter = NULL;
    struct imf_error err = {0};
    char *text = malloc(size + 1);
    if (!text || size > 4096) {
        free(text);
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = strtok(text, "\n"); line && count < 8; line = strtok(NULL, "\n"))
        /* Names and kernel:@FILE would open whatever file a mutation names. */
        if (!strchr(line, '@') && !strchr(line, '/'))
            spec[count++] = line;
        else if (strncmp(line, "kernel:", 7) == 0 && !strchr(line, '@'))
            spec[count++] = line;
    if (count > 0) {
        enum imf_status status = imf_filter_parse(&filter, spec, count, &err);
        FUZZ_ASSERT((status == IMF_OK) == (filter != NULL));
        FUZZ_ASSERT(status == IMF_OK || err.text[0] != '\0');
        FUZZ_ASSERT(status == IMF_OK || strchr(err.text, '\n') == NULL);
        if (filter)
            FUZZ_ASSERT(imf_filter_text(filter)[0] != '\0');
        imf_filter_free(&filter);
    }
    free(text);
    return 0;
}
