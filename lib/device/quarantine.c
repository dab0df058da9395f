/*
 * quarantine.c - programs that a driver was seen to crash in, or to do wrong
 * One row for each failure, by the beginnings of the device's name and the driver's version. Newer
 * drivers are tried: probe.c catches one that crashes at once.
 */
#include "device/quarantine.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *device, *driver; /* how they begin */
    const char *program;
    const char *what;
    bool others; /* the same of programs whose names begin with it */
} rows[] = {
    /* Bookworm's Mesa with LLVM 15, whatever the tiles. */
    {"llvmpipe ", "22.3.", "fft", "the driver crashes", false},
    {"llvmpipe ", "22.3.", "spectral_filter", "the driver refuses an argument", true},
    {"llvmpipe ", "22.3.", "canny", "the driver makes wrong samples", false},
    /* Trixie's Mesa with LLVM 19, where checkcl runs a GPU's solvers on a processor. */
    {"llvmpipe ", "25.0.", "erode_dilate_gpu", "the driver crashes", false},
};

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static bool concerns(size_t row, const struct imf_device *d) {
    return begins(d->name, rows[row].device) && begins(d->driver, rows[row].driver);
}

const char *imf_quarantine(const struct imf_device *d, const char *program) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((rows[i].others ? begins(program, rows[i].program)
                            : strcmp(program, rows[i].program) == 0) &&
            concerns(i, d))
            return rows[i].what;
    return NULL;
}

void imf_quarantine_list(const struct imf_device *d, char *text, size_t size) {
    size_t n = 0;
    if (size > 0)
        text[0] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof *rows && n < size; i++)
        if (concerns(i, d))
            n += (size_t)snprintf(text + n, size - n, "%s%s.cl (%s)", n ? ", " : "",
                                  rows[i].program, rows[i].what);
}
