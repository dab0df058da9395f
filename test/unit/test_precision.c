/*
 * test_precision.c - what floats on a device leave open is done again: small alphas, dark colours
 * in linear light, responses of little contrast
 *
 * Needs an OpenCL device; without one it checks nothing but that there is none.
 */
#include "check.h"
#include "imfilter.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 160
#define HEIGHT 120

static uint64_t state = 88172645463325252u;

/* xorshift64 (Marsaglia 2003) */
static unsigned draw(unsigned below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 32) % below);
}

struct precision_case {
    const char *spec;
    enum imf_backend backend;
    int channels, depth;
    bool linear, low; /* of low contrast */
    enum imf_range range;
};

#define ALIKE 2
static const struct precision_case cases[] = {
    /* Large samples cancel where alpha is small; pixels are done again, one by one. */
    {"kernel:.1,-.2,.1/-.2,1.4,-.2/.1,-.2,.1", IMF_BACKEND_DIRECT, 4, 16, false, false, 0},
    /* A transform's error is the same where alpha is small. */
    {"disk:4.5", IMF_BACKEND_FFT, 4, 16, false, false, 0},
    {"blur:2", IMF_BACKEND_FFT, 4, 16, true, false, 0},
    /* No single pixel of a transfer function can be done again. */
    {"lowpass:0.1", IMF_BACKEND_FFT, 4, 16, false, false, 0},
    {"blur:4", IMF_BACKEND_DIRECT, 1, 8, false, true, IMF_RANGE_NORMALIZE},
    /* Like others, with programs of their own. */
    {"blur:2", IMF_BACKEND_FFT, 3, 8, true, false, 0},
    {"blur:4", IMF_BACKEND_DIRECT, 3, 16, false, true, IMF_RANGE_NORMALIZE},
};

/* Alphas that are 0 or nearly, full, or what a kernel's taps make of them; colours of nearly one
 * value beside it, which large sums keep. */
static unsigned sample(const struct precision_case *k, size_t i) {
    unsigned full = k->depth == 16 ? 65535 : 255;
    const unsigned alphas[] = {full / 3, full - 1, full};
    size_t channel = i % (size_t)k->channels;
    if (k->low)
        return 100 + draw(4);
    if (k->channels % 2 == 0 && channel == (size_t)k->channels - 1)
        return k->backend == IMF_BACKEND_FFT && draw(40) ? draw(2) : alphas[draw(3)];
    if (k->channels % 2 == 0)
        return full / 5 + (unsigned)channel * full / 7 + draw(4);
    return draw(2) ? draw(full / 64) : draw(full + 1);
}

static void check_case(struct imf_context *ctx, const struct precision_case *k) {
    const struct imf_info info = {.width = WIDTH,
                                  .height = HEIGHT,
                                  .channels = k->channels,
                                  .depth = k->depth,
                                  .color = k->channels < 3 ? IMF_COLOR_GRAY : IMF_COLOR_RGB,
                                  .alpha = k->channels % 2 == 0};
    const struct imf_settings settings = {
        .backend = k->backend, .linear = k->linear, .range = k->range};
    const struct imf_run_options options = {.verify = true};
    size_t stride = (size_t)(WIDTH * k->channels * k->depth / 8), n = stride * HEIGHT;
    unsigned char *src = malloc(n), *dst = malloc(n);
    struct imf_filter *filter = NULL;
    struct imf_plan *plan = NULL;
    struct imf_report r = {0};
    struct imf_error err = {.text = ""};
    if (!src || !dst)
        abort();
    for (size_t i = 0; i < n * 8 / (size_t)k->depth; i++) {
        uint16_t v = (uint16_t)sample(k, i);
        if (k->depth == 16)
            memcpy(src + 2 * i, &v, 2);
        else
            src[i] = (unsigned char)v;
    }
    bool ok = !imf_filter_parse(&filter, &k->spec, 1, &err) &&
              !imf_plan_create(&plan, ctx, filter, &info, &settings, &err) &&
              !imf_plan_run_memory(plan, src, stride, dst, stride, &options, &r, &err);
    CHECK(ok && r.verify_ok, "%s%s, %d channels of %d bits, %s: %llu of %llu wrong, by up to %g %s",
          k->spec, k->linear ? " linear" : "", k->channels, k->depth,
          plan ? imf_plan_choice(plan)->chosen->algorithm : "-",
          (unsigned long long)r.verify_unexcused, (unsigned long long)r.verify_samples,
          r.verify_max, err.text);
    imf_plan_free(&plan);
    imf_filter_free(&filter);
    free(src);
    free(dst);
}

int main(void) {
    struct imf_context *ctx = NULL;
    CHECK(!imf_context_create(&ctx, NULL, NULL), "a context");
    size_t count = sizeof cases / sizeof *cases - (check_thorough() ? 0 : ALIKE);
    for (size_t i = 0; i < count && imf_device_list(NULL, 0) > 0; i++)
        check_case(ctx, &cases[i]);
    imf_context_free(&ctx);
    return check_done("test_precision");
}
