/* state.h - what a runtime holds: for this room, and for tests that let a call fail */
#ifndef IMF_GLES_STATE_H
#define IMF_GLES_STATE_H

#include "gles/calls.h"
#include "gles/runtime.h"

#include <pthread.h>

struct imf_gles {
    struct imf_gles_calls call;
    void *egl, *gl; /* libraries, which stay loaded: drivers leave threads and destructors */
    void *display, *config, *context, *surface; /* surface NULL: it needs none */
    char name[128], version[64];
    int side;                          /* texels of a texture or picture, at most */
    int vectors;                       /* uniforms of a fragment shader */
    bool coarse;                       /* its floats have no 24 bits */
    struct imf_gles_program *programs; /* the one that was taken last is the first */
    pthread_mutex_t lock;
};

/* Make the context this thread's, and give back the one that it had. */
struct imf_gles_saved {
    unsigned api;
    void *display, *draw, *read, *context;
};
enum imf_status imf_gles_enter(struct imf_gles *gles, struct imf_gles_saved *saved,
                               struct imf_error *err);
void imf_gles_leave(struct imf_gles *gles, const struct imf_gles_saved *saved);

/* That this failed, by OpenGL's code; and what failed since the last time. */
enum imf_status imf_gles_failed(const struct imf_gles *gles, const char *what, unsigned code,
                                struct imf_error *err);
enum imf_status imf_gles_check(const struct imf_gles *gles, const char *what,
                               struct imf_error *err);

#endif
