/*
 * device_trial.c - trying devices in a child process before they are used
 *
 * Drivers of OpenCL and OpenGL ES may abort, hang or crash. The library tries them in a child process
 * first, which is this program with an internal option.
 */
#include "options/device_trial.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#define TRIAL_SECONDS 20

/* PoCL compiles a kernel for the local size that it is launched with, and once more, for any size,
 * when its binary is asked for. Ours are as fast without the former, and built 0.15 to 0.4 s
 * sooner. */
static void build_kernels_once(void) {
    setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 0);
}

/* $IMFILTER_TRIAL_SECONDS; 0: no trial. */
static unsigned trial_seconds(void) {
    const char *text = getenv("IMFILTER_TRIAL_SECONDS");
    char *end;
    unsigned long n = text ? strtoul(text, &end, 10) : 0;
    return text && end > text && !*end && n <= 3600 ? (unsigned)n : TRIAL_SECONDS;
}

static atomic_int mark = -1;

void device_mark_crash(void) {
    int file = atomic_load(&mark);
    if (file >= 0)
        (void)!fchmod(file, S_IRUSR);
}

void device_guard(struct options *o) {
    unsigned seconds = trial_seconds();
    build_kernels_once();
    /* The library sets this variable when a job first needs OpenCL. A new variable may move the
     * environment while codecs in other threads read it, so it is created here; an empty one counts as
     * none. PoCL sets the other one when it looks for devices. */
    setenv("POCL_CACHE_DIR", "", 0);
    setenv("HWLOC_PLUGINS_PATH", "/dev/null", 0);
    /* Mesa's messages about missing drivers. A failure has a message of ours. */
    setenv("EGL_LOG_LEVEL", "fatal", 0);
    setenv("MESA_LOG", "null", 0); /* later than Mesa 22.3 */
    signal(SIGCHLD, SIG_DFL);      /* if it is ignored, the status of children is lost */
    o->guard.pocl_cache = true;
    o->guard.mark = &mark;
    o->trial[0] = "/proc/self/exe";
    o->trial[1] = DEVICE_TRIAL;
    o->trial[2] = o->device;
    o->gles_trial[0] = o->trial[0];
    o->gles_trial[1] = GLES_TRIAL;
    o->guard.probe = seconds ? o->trial : NULL;
    o->guard.gles_probe = seconds ? o->gles_trial : NULL;
    o->guard.probe_seconds = seconds;
}

enum { WIDTH = 16, HEIGHT = 8, CHANNELS = 3, MOST = WIDTH * HEIGHT * CHANNELS };

/* Filter a small image by that backend on the device that the parent asks about. */
static bool use(const struct imf_context_options *options, enum imf_backend backend,
                const char *spec, int channels, unsigned char out[MOST]) {
    const struct imf_settings settings = {.backend = backend};
    const struct imf_info info = {
        .width = WIDTH, .height = HEIGHT, .channels = channels, .depth = 8};
    const size_t row = (size_t)(WIDTH * channels);
    unsigned char in[MOST];
    struct imf_context *context = NULL;
    struct imf_filter *filter = NULL;
    struct imf_plan *plan = NULL;
    struct imf_workspace *workspace = NULL;
    for (int i = 0; i < MOST; i++)
        in[i] = (unsigned char)(i * i * 31 % 251);
    bool ok = imf_context_create(&context, options, NULL) == IMF_OK &&
              imf_filter_parse(&filter, &spec, 1, NULL) == IMF_OK &&
              imf_plan_create(&plan, context, filter, &info, &settings, NULL) == IMF_OK &&
              imf_workspace_create(&workspace, plan, NULL) == IMF_OK &&
              imf_workspace_run_memory(workspace, in, row, out, row, NULL, NULL, NULL) == IMF_OK;
    imf_workspace_free(&workspace);
    imf_plan_free(&plan);
    imf_filter_free(&filter);
    imf_context_free(&context);
    return ok;
}

int device_try(const char *device) {
    char name[] = "imfilter", option[] = "--device", value[256], list[] = "--list-devices";
    char *argv[] = {name, list, option, value, NULL};
    struct options o;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* end with the parent */
    snprintf(value, sizeof value, "%s", device ? device : "auto");
    build_kernels_once();
    if (!options_parse(&o, 4, argv))
        return EXIT_USAGE;
    o.context.cache_dir = "";
    unsigned char out[MOST];
    /* A filter of one OpenCL program, so that the trial is short. */
    bool ok = o.all_devices ? imf_device_list(NULL, 0) > 0
                            : use(&o.context, IMF_BACKEND_DIRECT, "invert", 1, out);
    options_free(&o);
    return ok ? EXIT_DONE : EXIT_NO_DEVICE;
}

int device_try_gles(void) {
    const struct imf_context_options options = {.cache_dir = ""};
    unsigned char got[MOST] = {0}, want[MOST] = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Textures of one channel and of four. */
    for (int channels = 1; channels <= CHANNELS; channels += 2) {
        const char *const spec = "kernel:1,-2,0/3,4,-5/0,1,2:scale=7";
        if (!use(&options, IMF_BACKEND_GLES, spec, channels, got) ||
            !use(&options, IMF_BACKEND_CPU, spec, channels, want))
            return EXIT_NO_DEVICE;
        if (memcmp(got, want, sizeof got) != 0)
            return IMF_PROBE_WRONG;
    }
    return EXIT_DONE;
}
