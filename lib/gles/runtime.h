/*
 * runtime.h - a context of OpenGL ES 2, without a window
 *
 * Raspberry Pis before the fourth and old phones have no OpenCL, but a GPU that draws. A runtime is
 * one such device. Nothing calls EGL or OpenGL before one is opened; the libraries are loaded then.
 *
 * A context is current on one thread at a time. Threads share a runtime: a call locks it, and restores
 * the thread's own context, if it had one.
 */
#ifndef IMF_GLES_RUNTIME_H
#define IMF_GLES_RUNTIME_H

#include "base/error.h"

struct imf_gles;

/* Fails with IMF_ERR_NO_DEVICE where there are no such libraries or no device. */
enum imf_status imf_gles_open(struct imf_gles **out, struct imf_error *err);
/* After everything that was made from it. */
void imf_gles_close(struct imf_gles **gles);

/* Names of the renderer and its version; valid as long as the runtime. */
const char *imf_gles_name(const struct imf_gles *gles);
const char *imf_gles_version(const struct imf_gles *gles);
/* Why it is unsuitable (its fragment shaders have no floats of 24 bits), or NULL. */
const char *imf_gles_why_not(const struct imf_gles *gles);
/* The side of the largest square kernel that fits its uniforms, at most IMF_GLES_KERNEL_MOST. */
#define IMF_GLES_KERNEL_MOST 31
int imf_gles_kernel_side(const struct imf_gles *gles);
/* It draws on the processor, for which the host's solvers are faster. */
bool imf_gles_on_processor(const struct imf_gles *gles);
/* Limit textures to `side` texels, for tests. */
void imf_gles_limit(struct imf_gles *gles, int side);

#endif
