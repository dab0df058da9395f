/* checkcl.h - shared by the parts of checkcl */
#ifndef CHECKCL_H
#define CHECKCL_H

#include "base/image/surface.h"
#include "device/buffer.h"
#include "gles/runtime.h"

/* An imf_info of WIDTH, HEIGHT, CHANNELS, DEPTH, COLOR, ALPHA. */
#define SHAPE(w, h, n, d, c, a)                                                                    \
    { .width = (w), .height = (h), .channels = (n), .depth = (d), .color = (c), .alpha = (a) }

struct checkcl {
    struct imf_runtime *rt;    /* NULL: host only */
    struct imf_queue *queue;   /* of that; NULL: host only */
    struct imf_gles *gles;     /* while its group runs */
    struct imf_context *ctx;   /* the same device through the public interface */
    bool quick, full, verbose; /* a diagonal of the matrix; more draws from it */
    bool tiny;                 /* a handful of small cases, for oclgrind */
    const char *only;          /* a pattern of names, or NULL for all */
    bool met;                  /* by one name at least */
    const char *part;          /* spatial, gles, transforms or chains, or NULL for all */
    unsigned long passed, failed, skipped; /* skipped: a solver's refusals */
    bool lacking; /* the device is less than what everything runs on: refusals are no failures */
    bool bench;   /* time each variant once it is right, on an image of this size */
    int bench_width, bench_height;
    char **timed; /* names of variants that have been */
    size_t timed_count;
};

/* Is this name, or the beginning of it up to a '/', among those asked for? */
bool checkcl_wanted(struct checkcl *c, const char *name);

/* Count one check; a failure prints the formatted detail. */
void checkcl_result(struct checkcl *c, bool ok, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Count one that a solver refuses: not applicable. */
void checkcl_skip(struct checkcl *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same where the device is to blame, else a failure. */
void checkcl_refused(struct checkcl *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reproducible random numbers (splitmix64). */
uint64_t checkcl_random(uint64_t *state);

void checkcl_edges(struct checkcl *c);     /* margins: host and device against the definition */
void checkcl_reference(struct checkcl *c); /* the host solver against a loop over the definition */
void checkcl_spatial(struct checkcl *c);   /* every device solver against the host solver */
void checkcl_fft(struct checkcl *c);       /* the same for those by transforms */
void checkcl_gles(struct checkcl *c);      /* kernels by OpenGL ES, where there is one */
void checkcl_windows(struct checkcl *c);   /* those of windows against the plain one */
void checkcl_filters(struct checkcl *c);   /* those of all that is neither a sum nor a rank */
void checkcl_exact(struct checkcl *c);     /* transforms at the edge of their error bound */
void checkcl_spectral_filter(struct checkcl *c); /* transfer functions, by the host */
void checkcl_chains(struct checkcl *c); /* whole filters with every option, by --verify's rule */
void checkcl_bands(struct checkcl *c);  /* chains in bands against chains at once */

#endif
