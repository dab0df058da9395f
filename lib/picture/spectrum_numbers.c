/* spectrum_numbers.c - a plane of powers as PFM, or its mean over rings of frequencies as CSV */
#include "base/image/surface.h"
#include "picture/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A ring is as wide as the finer side's grid; the corners' is the last. */
static enum imf_status write_rings(FILE *stream, const struct imf_picture *p,
                                   struct imf_error *err) {
    int finest = imf_max(p->width, p->height), count = (int)ceil(finest * sqrt(0.5)) + 2;
    struct ring {
        double power;
        long bins;
    } *rings = calloc((size_t)count, sizeof *rings);
    if (!rings)
        return imf_fail_memory(err, (size_t)count * sizeof *rings);
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            double u = (double)(x - p->width / 2) / p->width;
            double v = (double)(y - p->height / 2) / p->height;
            struct ring *ring = &rings[lrint(hypot(u, v) * finest)];
            ring->power += p->power[(size_t)y * (size_t)p->width + (size_t)x];
            ring->bins++;
        }
    errno = 0;
    fputs("frequency,power,bins\n", stream);
    for (int k = 0; k < count; k++)
        if (rings[k].bins > 0)
            fprintf(stream, "%.9g,%.9g,%ld\n", (double)k / finest,
                    rings[k].power / (double)rings[k].bins, rings[k].bins);
    free(rings);
    return fflush(stream) != 0 || ferror(stream) ? imf_fail_io(err, errno) : IMF_OK;
}

enum imf_status imf_spectrum_write(FILE *stream, const struct imf_picture *plane, bool csv,
                                   struct imf_error *err) {
    return csv ? write_rings(stream, plane, err)
               : imf_picture_pfm(stream, plane->width, plane->height, plane->power, err);
}
