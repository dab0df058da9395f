/*
 * runtime.h - a context of OpenGL ES 2, without a window
 *
 * Raspberry Pis before the fourth and old phones have no OpenCL, but a GPU that draws. A runtime is
 * one such device. Nothing calls EGL or OpenGL before one is opened; the libraries are loaded then.
 *
 * A context is current on one thread at a time. Threads share a runtime: whoever works with it has
 * it to himself, and leaves the thread's own context, if it had one, as it was.
 */
#ifndef IMF_GLES_RUNTIME_H
#define IMF_GLES_RUNTIME_H

#include "base/error.h"

struct imf_gles;

/* Fails with IMF_ERR_NO_DEVICE where there are no such libraries, no device, or one whose fragment
 * shaders have no floats with 24 bits. */
enum imf_status imf_gles_open(struct imf_gles **out, struct imf_error *err);
/* After everything that was made from it. */
void imf_gles_close(struct imf_gles **gles);

/* What it calls itself; as long as the runtime. */
const char *imf_gles_name(const struct imf_gles *gles);
/* It is no GPU: it draws on the processor, which has faster ways of its own. */
bool imf_gles_on_processor(const struct imf_gles *gles);
/* Textures have at most so many texels a side, if it can do with fewer than it has; for tests. */
void imf_gles_limit(struct imf_gles *gles, int side);

#endif
