/*
 * checkcl_chains.c - whole filters with every option, through the public interface
 *
 * Each chain runs on the device and is verified against the reference by the contract's exactness.
 * Also here: the timing of single filters.
 */
#include "checkcl.h"

#include <stdlib.h>
#include <string.h>

struct chain_case {
    const char *spec[3];
    enum imf_range range;
    enum imf_alpha alpha;
    bool linear;
    int depth;
};

/* The quick run has every second one. */
static const struct chain_case cases[] = {
    {{"disk:2"}, 0, 0, true, 0},
    {{"blur:1.3"}, 0, 0, false, 0},
    {{"blur:1.3"}, 0, IMF_ALPHA_FILTER, false, 0},
    {{"sharpen"}, 0, 0, false, 0},
    {{"box:3"}, 0, IMF_ALPHA_KEEP, true, 0},
    {{"sobel"}, 0, 0, false, 0},
    {{"prewitt:dir=y"}, IMF_RANGE_ABS, IMF_ALPHA_FILTER, false, 0},
    {{"scharr:dir=x"}, 0, 0, false, 0},
    {{"laplacian"}, IMF_RANGE_NORMALIZE, 0, false, 0},
    {{"emboss"}, 0, 0, false, 0},
    {{"unsharp:threshold=0.05"}, 0, 0, false, 0},
    {{"unsharp:sigma=2:amount=0.5"}, 0, 0, false, 0},
    {{"blur:1", "sobel"}, 0, 0, false, 0},
    {{"sharpen", "laplacian"}, 0, 0, false, 0},
    {{"kernel:1,2,3/4,5,6", "sharpen"}, 0, 0, false, 0},
    {{"kernel:1,2,1/2,4,2/1,2,1:scale=16", "sobel"}, 0, 0, false, 0},
    {{"emboss:20", "box:3"}, 0, IMF_ALPHA_FILTER, false, 0},
    {{"gray"}, 0, 0, false, 0},
    {{"gray", "sobel"}, 0, 0, false, 0},
    {{"laplacian", "invert"}, 0, 0, false, 0},
    {{"sharpen", "threshold:0.5"}, 0, 0, false, 0},
    {{"invert"}, 0, 0, false, 0},
    {{"levels:0.1:0.8:gamma=1.5"}, 0, 0, false, 0},
    {{"gamma:0.4"}, 0, 0, false, 16},
    {{"curve:0,0/0.3,0.5/1,1"}, 0, 0, false, 0},
    {{"blur:1", "curve:0,0/0.5,0.3/1,1", "curve:0,0.1/1,0.9"}, 0, 0, false, 0},
    {{"sharpen", "levels:0.1:0.9", "invert"}, 0, 0, false, 0},
    {{"blur:1", "gamma:2.2"}, 0, IMF_ALPHA_PREMULTIPLY, true, 0},
    {{"blur:1"}, 0, 0, false, 16},
    {{"sharpen"}, 0, 0, false, 8},
    {{"motion:5:30", "invert", "sharpen:0.5"}, 0, 0, false, 0},
    {{"median:1"}, 0, 0, false, 0},
    {{"percentile:30:2:shape=disk", "sharpen"}, 0, IMF_ALPHA_FILTER, false, 8},
    {{"blur:1", "median:5x2", "invert"}, 0, 0, false, 0},
    {{"gradient:3:shape=cross"}, 0, IMF_ALPHA_PREMULTIPLY, true, 16},
    {{"gray", "tophat:2"}, 0, 0, false, 0},
    {{"flatten:3"}, 0, 0, false, 0},
    {{"flatten:2", "invert"}, 0, 0, false, 0},
    {{"sharpen", "threshold:local:2:0.05", "box:3"}, 0, 0, true, 0},
    {{"blur:1", "blend:overlay:0.7"}, 0, 0, false, 0},
    {{"sharpen", "blend:hardlight", "blend:normal:0.5"}, 0, IMF_ALPHA_FILTER, false, 16},
    {{"gray", "sobel", "blend:multiply:0.8"}, 0, 0, false, 0},
    {{"sharpen", "blend:softlight", "blur:1"}, 0, IMF_ALPHA_PREMULTIPLY, false, 0},
    {{"median:1", "blend:lighten", "laplacian"}, 0, 0, false, 8},
    {{"blur:2", "blend:normal:0.5"}, 0, 0, true, 0},
    {{"invert", "blend:difference:0.5", "blend:add"}, 0, 0, false, 0},
    {{"box:3", "blend:screen", "blend:darken:0.5"}, 0, IMF_ALPHA_KEEP, false, 0},
    {{"median:1", "blend:hue:0.5", "blend:color:0.7"}, 0, 0, false, 0},
    {{"invert", "blend:saturation:0.6", "blend:luminosity"}, 0, 0, true, 0},
};

/* Frequency-domain filters: each kind with each type of response, and every option somewhere, in the first of
 * them at that, which the quick run has. */
enum { QUICK_TRANSFERS = 9 };
static const struct chain_case transfers[] = {
    {{"lowpass:0.02:type=butterworth:order=4"}, 0, IMF_ALPHA_FILTER, false, 0},
    {{"lowpass:0.25:type=ideal"}, 0, IMF_ALPHA_PREMULTIPLY, false, 0},
    {{"highpass:0.2:type=butterworth"}, IMF_RANGE_ABS, 0, false, 16},
    {{"highpass:0.1:type=ideal"}, IMF_RANGE_NORMALIZE, 0, false, 0},
    {{"bandpass:0.05:0.2"}, 0, IMF_ALPHA_KEEP, false, 8},
    {{"bandstop:0.1:0.2"}, 0, 0, true, 0},
    {{"notch:0.25:-0.1:0.05"}, 0, 0, false, 0},
    {{"lowpass:0.2", "invert", "threshold:0.5"}, 0, 0, false, 0},
    {{"blur:1", "highpass:0.1", "sharpen"}, 0, 0, false, 8},
    {{"lowpass:0.1"}, 0, 0, false, 0},
    {{"highpass:0.05"}, 0, 0, false, 0},
    {{"bandpass:0.1:0.11:type=butterworth:order=3"}, IMF_RANGE_CLIP, 0, false, 0},
    {{"bandpass:0.1:0.3:type=ideal"}, 0, 0, false, 0},
    {{"bandstop:0.05:0.5:type=butterworth:order=1"}, 0, 0, false, 0},
    {{"bandstop:0.1:0.2:type=ideal"}, 0, 0, false, 0},
    {{"notch:0.5:0.1:0.1"}, IMF_RANGE_OFFSET, 0, false, 0},
};

/* The luma, red, green, blue, chroma or alpha of an image, in turn. */
static const struct chain_case channels[] = {
    {{"sharpen", "blend:overlay:0.7"}, 0, 0, false, 0},
    {{"sharpen"}, 0, IMF_ALPHA_FILTER, false, 16},
    {{"blur:1", "invert"}, 0, 0, true, 0},
    {{"median:1", "laplacian"}, 0, IMF_ALPHA_KEEP, false, 0},
    {{"blur:1.3", "blend:normal:0.5"}, 0, IMF_ALPHA_PREMULTIPLY, false, 8},
    {{"sobel", "blend:screen", "sharpen"}, IMF_RANGE_NORMALIZE, 0, false, 0},
    {{"unsharp", "blend:multiply"}, 0, IMF_ALPHA_FILTER, true, 0},
    {{"gray", "emboss"}, 0, 0, false, 0},
};

static const struct imf_info shapes[] = {
    SHAPE(37, 23, 1, 8, IMF_COLOR_GRAY, false), SHAPE(29, 31, 3, 8, IMF_COLOR_RGB, false),
    SHAPE(41, 19, 4, 8, IMF_COLOR_RGB, true),   SHAPE(17, 40, 2, 16, IMF_COLOR_GRAY, true),
    SHAPE(33, 27, 3, 16, IMF_COLOR_RGB, false),
};

/* The lower half's alpha, at 8 bits, is of few steps: many colours are quotients at a tie. */
static void *random_pixels(const struct imf_info *info, size_t *stride) {
    uint64_t r = 5;
    *stride = (size_t)info->width * (size_t)info->channels * (size_t)(info->depth / 8);
    unsigned char *p = malloc(*stride * (size_t)info->height);
    for (size_t i = 0; i < *stride * (size_t)info->height; i++)
        p[i] = (unsigned char)(checkcl_random(&r) >> 32);
    size_t pixel = (size_t)info->channels;
    if (info->alpha && info->depth == 8)
        for (int y = info->height / 2; y < info->height; y++)
            for (size_t i = pixel - 1; i < *stride; i += pixel)
                p[(size_t)y * *stride + i] &= 14;
    return p;
}

static void check_chain(struct checkcl *c, const struct chain_case *k, const struct imf_info *info,
                        enum imf_channels which, enum imf_backend backend, enum imf_edge edge) {
    static const char *const backend_name[] = {"auto", "direct", "fft", "cpu"};
    struct imf_error err = {.text = ""};
    struct imf_filter *filter = NULL;
    struct imf_plan *plan = NULL;
    size_t specs = 0, stride;
    while (specs < 3 && k->spec[specs])
        specs++;
    struct imf_settings settings = {.edge = edge,
                                    .edge_value = 0.3,
                                    .range = k->range,
                                    .alpha = k->alpha,
                                    .linear = k->linear,
                                    .channels = which,
                                    .backend = backend,
                                    .depth = k->depth};
    bool ok = !imf_filter_parse(&filter, k->spec, specs, &err);
    if (ok && imf_plan_create(&plan, c->ctx, filter, info, &settings, &err)) {
        /* A backend may decline (tiny tolerances): it must say why. */
        bool said = err.status == IMF_ERR_ARGUMENT && strlen(err.text) > 30;
        bool coarse = said && strstr(err.text, "too coarse"); /* the host's float64 is for it */
        void (*count)(struct checkcl *, const char *, ...) =
            coarse || (said && backend == IMF_BACKEND_FFT) ? checkcl_skip : checkcl_refused;
        count(c, "chain %s on %s: %s", imf_filter_text(filter), backend_name[backend], err.text);
        imf_filter_free(&filter);
        return;
    }
    struct imf_report report = {0};
    if (ok) {
        const struct imf_info *out = imf_plan_output(plan);
        void *src = random_pixels(info, &stride);
        size_t out_stride = (size_t)out->width * (size_t)out->channels * (size_t)(out->depth / 8);
        void *dst = malloc(out_stride * (size_t)out->height);
        struct imf_run_options options = {.verify = true};
        struct imf_workspace *ws = NULL;
        ok = !imf_workspace_create(&ws, plan, &err) &&
             !imf_workspace_run_memory(ws, src, stride, dst, out_stride, &options, &report, &err);
        imf_workspace_free(&ws);
        free(src);
        free(dst);
    }
    checkcl_result(c, ok && report.verify_ok,
                   "chain %s%s range %d alpha %d channels %d depth %d->%d, %d channels on %s (%s): "
                   "%llu of %llu "
                   "differ, %llu unexcused, by %g %s",
                   filter ? imf_filter_text(filter) : k->spec[0], k->linear ? " linear" : "",
                   (int)k->range, (int)k->alpha, (int)which, info->depth, k->depth, info->channels,
                   backend_name[backend], plan ? imf_plan_choice(plan)->chosen->algorithm : "-",
                   (unsigned long long)report.verify_differing,
                   (unsigned long long)report.verify_samples,
                   (unsigned long long)report.verify_unexcused, report.verify_max, err.text);
    imf_plan_free(&plan);
    imf_filter_free(&filter);
}

static void check_transfers(struct checkcl *c) {
    size_t n = c->quick ? QUICK_TRANSFERS : sizeof transfers / sizeof *transfers;
    size_t shape_count = sizeof shapes / sizeof *shapes;
    for (size_t i = 0; i < n; i += c->tiny ? 7 : 1)
        for (size_t s = 0; s < shape_count; s++) {
            /* Quick: small programs differ by their samples and channels, not by the response. */
            size_t other = i % 4 == 2 ? 2 + i / 4 % 3 : 1 - i % 2;
            if (c->quick && !c->tiny ? s != other : (i + s) % (c->tiny ? 3 : 2))
                continue;
            check_chain(c, &transfers[i], &shapes[s], IMF_CHANNELS_RGB, IMF_BACKEND_FFT,
                        (enum imf_edge)((i + s) % 5));
        }
}

static void check_channels(struct checkcl *c) {
    static const int colored[] = {1, 2, 4};
    for (int i = 0; i < (int)(sizeof channels / sizeof *channels); i += c->tiny ? 4 : 1)
        for (int s = 0; s < 3; s++) {
            enum imf_channels which = (enum imf_channels)(
                IMF_CHANNELS_LUMA + (i + s) % (shapes[colored[s]].alpha ? 6 : 5));
            if (c->full || (i + s) % 3 == 0)
                check_chain(c, &channels[i], &shapes[colored[s]], which, IMF_BACKEND_DIRECT,
                            (enum imf_edge)((i + s) % 5));
        }
}

void checkcl_chains(struct checkcl *c) {
    size_t n = sizeof cases / sizeof *cases, shape_count = sizeof shapes / sizeof *shapes;
    for (size_t i = 0; i < n; i += c->tiny ? 4 : 1)
        for (size_t s = 0; s < shape_count; s++) {
            size_t specs = cases[i].spec[1] ? cases[i].spec[2] ? 3 : 2 : 1;
            enum imf_edge edge = (enum imf_edge)((specs + (size_t)shapes[s].channels) % 5);
            if (c->quick && !c->tiny ? i % 2 || s != i / 2 % shape_count
                                     : (i + s) % (c->full   ? 1
                                                  : c->tiny ? 4
                                                            : 2))
                continue;
            check_chain(c, &cases[i], &shapes[s], IMF_CHANNELS_RGB, IMF_BACKEND_DIRECT, edge);
            if (!c->quick && s % 2)
                check_chain(c, &cases[i], &shapes[s], IMF_CHANNELS_RGB, IMF_BACKEND_FFT, edge);
        }
    check_transfers(c);
    check_channels(c);
}
