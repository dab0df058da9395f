/* state.h - a runtime's members, for this module and for tests that make calls fail */
#ifndef IMF_GLES_STATE_H
#define IMF_GLES_STATE_H

#include "gles/calls.h"
#include "gles/runtime.h"

#include <pthread.h>

struct imf_gles {
    struct imf_gles_calls call;
    void *egl, *gl; /* libraries; never unloaded, as drivers leave threads and destructors */
    void *display, *config, *context, *surface; /* surface NULL: it needs none */
    char name[128], version[64];
    int side;                          /* largest side of a texture, in texels */
    int vectors;                       /* uniform vectors of a fragment shader */
    bool coarse;                       /* its floats have fewer than 24 bits of mantissa */
    struct imf_gles_program *programs; /* most recently acquired first */
    pthread_mutex_t lock;
};

/* Make the context current on this thread, and restore the thread's own. */
struct imf_gles_saved {
    unsigned api;
    void *display, *draw, *read, *context;
};
enum imf_status imf_gles_enter(struct imf_gles *gles, struct imf_gles_saved *saved,
                               struct imf_error *err);
void imf_gles_leave(struct imf_gles *gles, const struct imf_gles_saved *saved);

/* Fail with OpenGL's error code; and fail if a call failed since the last check. */
enum imf_status imf_gles_failed(const struct imf_gles *gles, const char *what, unsigned code,
                                struct imf_error *err);
enum imf_status imf_gles_check(const struct imf_gles *gles, const char *what,
                               struct imf_error *err);

#endif
