/* context.h - the device, opened when something first needs it */
#ifndef IMF_DEVICE_OPEN_CONTEXT_H
#define IMF_DEVICE_OPEN_CONTEXT_H

#include "device/runtime.h"
#include "gles/runtime.h"

struct imf_context;

/* Threads may call any of these at once. Only those that open something wait for a probe. */

/* The runtime, opened on the first call; a failure is remembered and told again. */
enum imf_status imf_context_runtime(struct imf_context *ctx, struct imf_runtime **out,
                                    struct imf_error *err);
/* The same of OpenGL ES, which has nothing to do with the device asked for. *broken, unless NULL: it is installed, but its trial failed. */
enum imf_status imf_context_gles(struct imf_context *ctx, struct imf_gles **out, bool *broken,
                                 struct imf_error *err);
/* OpenGL ES, opened likewise, even if it is unsuitable; NULL: it could not be opened. */
const struct imf_gles *imf_context_gles_found(struct imf_context *ctx);
bool imf_context_opened(struct imf_context *ctx);
/* Tell the program, whose signal handlers a driver may have replaced. */
void imf_context_driver_loaded(const struct imf_context *ctx);
/* The device that automatic choice is expected to open, with its rates, as it was opened before; NULL:
 * it is not known. It stays as long as the context. */
const struct imf_device *imf_context_expected_device(struct imf_context *ctx);
/* Where programs and rates are kept, or NULL. */
const char *imf_context_cache_dir(const struct imf_context *ctx);
/* Did the user ask for a particular device? */
bool imf_context_device_asked(const struct imf_context *ctx);
/* A device failed while running: plans that may choose use the host from now on. */
void imf_context_give_up(struct imf_context *ctx, const struct imf_error *why);
/* The message of the first such failure, or NULL; valid as long as the context. */
const char *imf_context_gave_up(struct imf_context *ctx);
/* Milliseconds that opening took and that no report has told yet; resets to 0. */
double imf_context_take_setup_ms(struct imf_context *ctx);

#endif
