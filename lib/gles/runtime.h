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

/* Fails with IMF_ERR_NO_DEVICE where there are no such libraries or no device. */
enum imf_status imf_gles_open(struct imf_gles **out, struct imf_error *err);
/* After everything that was made from it. */
void imf_gles_close(struct imf_gles **gles);

/* What it and its version call themselves; as long as the runtime. */
const char *imf_gles_name(const struct imf_gles *gles);
const char *imf_gles_version(const struct imf_gles *gles);
/* Why it will not do, or NULL: its fragment shaders have no floats with 24 bits. */
const char *imf_gles_why_not(const struct imf_gles *gles);
/* The side of the largest square kernel that its uniforms have room for, up to that of any. */
#define IMF_GLES_KERNEL_MOST 31
int imf_gles_kernel_side(const struct imf_gles *gles);
/* It is no GPU: it draws on the processor, which has faster ways of its own. */
bool imf_gles_on_processor(const struct imf_gles *gles);
/* Textures have at most so many texels a side, if it can do with fewer than it has; for tests. */
void imf_gles_limit(struct imf_gles *gles, int side);

#endif
