/*
 * checkcl_spectral_filter.c - transfer functions on the device against the reference, at odd shapes
 *
 * Results stay floating point, so that the error itself is held against what the solver proposed.
 */
#include "checkcl_material.h"
#include "fourier/plan.h"
#include "solver/fft/extend.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define CANARY 0xa5

static const struct imf_transfer transfers[] = {
    {.kind = IMF_LOWPASS, .type = IMF_GAUSSIAN, .low = 0.1},
    {.kind = IMF_LOWPASS, .type = IMF_IDEAL, .low = 0.25},
    {.kind = IMF_LOWPASS, .type = IMF_GAUSSIAN, .low = 0.004},
    {.kind = IMF_HIGHPASS, .type = IMF_GAUSSIAN, .low = 0.7},
    {.kind = IMF_HIGHPASS, .type = IMF_BUTTERWORTH, .low = 0.05, .order = 2},
    {.kind = IMF_BANDPASS, .type = IMF_BUTTERWORTH, .low = 0.1, .high = 0.15, .order = 12},
    {.kind = IMF_BANDPASS, .type = IMF_IDEAL, .low = 0.1, .high = 0.2},
    {.kind = IMF_BANDSTOP, .type = IMF_GAUSSIAN, .low = 0.2, .high = 0.21},
    {.kind = IMF_NOTCH, .type = IMF_GAUSSIAN, .u = 0.25, .v = -0.1, .radius = 0.05},
    {.kind = IMF_BANDPASS, .type = IMF_GAUSSIAN, .low = 0.05, .high = 0.2, .keeps_mean = true},
    {.kind = IMF_HIGHPASS, .type = IMF_BUTTERWORTH, .low = 0.1, .order = 2, .keeps_mean = true},
    {.kind = IMF_NOTCH, .type = IMF_GAUSSIAN, .u = 0.5, .v = 0.5, .radius = 0.2},
    {.kind = IMF_NOTCH, .type = IMF_GAUSSIAN, .u = 0.02, .v = 0.03, .radius = 0.05},
};

static const struct shape shapes[] = {{1, 1, 0},   {1, 17, 0},  {23, 1, 0},  {2, 3, 0},
                                      {31, 29, 0}, {50, 64, 0}, {97, 61, 0}, {130, 75, 0}};

/* Bytes before the first row's pixels, or behind any row's slack, that lost the pattern. */
static unsigned long overwritten(const struct imf_surface *s) {
    unsigned long broken = 0;
    size_t size = imf_sample_size(s->sample), row = (size_t)s->width * (size_t)s->channels;
    const unsigned char *bytes = s->host;
    for (size_t i = 0; i < s->size; i++) {
        bool pixels = i >= s->origin && (i - s->origin) % s->pitch < row + IMF_SLACK &&
                      (i - s->origin) / s->pitch < (size_t)s->height;
        for (size_t b = 0; b < size && !pixels; b++)
            broken += bytes[i * size + b] != CANARY;
    }
    return broken;
}

static double largest_error(const struct imf_surface *want, const struct imf_surface *got) {
    double largest = 0;
    for (int y = 0; y < want->height; y++)
        for (size_t i = 0; i < (size_t)want->width * (size_t)want->channels; i++) {
            double e = fabs(checkcl_sample(want, y, i) - checkcl_sample(got, y, i));
            largest = e <= largest ? largest : e; /* NaN is kept */
        }
    return largest;
}

static void check_transfer(struct checkcl *c, const struct imf_solver *s,
                           const struct imf_transfer *t, struct shape z, enum imf_sample sample,
                           enum imf_edge edge) {
    static const char *const kind[] = {"lowpass", "highpass", "bandpass", "bandstop", "notch"};
    static const char *const type[] = {"gaussian", "butterworth", "ideal"};
    static const char *const samples[] = {"u8", "u16", "f32"};
    double full = sample == IMF_U16 ? 65535 : 255;
    char name[100];
    bool gpu = s == &imf_solver_spectral_filter_gpu;
    snprintf(name, sizeof name, "spectral_filter%s/%s-%s/%s-f32/%dch", gpu ? "_gpu" : "",
             kind[t->kind], type[t->type], samples[sample], z.channels);
    if (!checkcl_wanted(c, name))
        return;
    int nx = imf_extend_period(t, z.width, edge), ny = imf_extend_period(t, z.height, edge);
    bool fits =
        !gpu || (nx % 2 == 0 && imf_fft_largest_prime(nx) <= 7 && imf_fft_largest_prime(ny) <= 7);
    struct imf_device device = *imf_queue_device(c->queue);
    device.gpu = device.gpu || gpu;
    struct imf_problem p = {
        .width = z.width,
        .height = z.height,
        .channels = z.channels,
        .in = sample,
        .out = IMF_F32,
        .epilogue = {.scale = 1, .multiply = -1, .offset = 3, .full = full},
        .edge = edge,
        .outside = {CHECKCL_CONSTANT, CHECKCL_CONSTANT, CHECKCL_CONSTANT, CHECKCL_CONSTANT},
        .in_max = full,
        .tolerance = sample == IMF_U16 ? 31.0 / 32 : 1.0 / 32};
    p.tolerance_even = p.tolerance;
    imf_problem_transfer(&p, t);
    struct imf_proposal proposal;
    imf_propose(&proposal, s, &p, &device);
    if (!fits || !proposal.feasible) {
        if (!fits)
            checkcl_result(c, !proposal.feasible, "%s %dx%d edge %d: %dx%d is proposed", name,
                           z.width, z.height, (int)edge, nx, ny);
        else
            checkcl_refused(c, "%s %dx%d: %s", name, z.width, z.height, proposal.why);
        return;
    }
    struct imf_margin none = {0, 0, 0, 0}, around = {80, 80, 2, 2};
    struct imf_surface in = checkcl_surface(sample, z, none), out, want;
    struct imf_error err = {.text = ""};
    uint64_t random = 77;
    struct imf_job *job = NULL;
    out = checkcl_surface(IMF_F32, z, around);
    want = checkcl_surface(IMF_F64, z, none);
    memset(out.host, CANARY, imf_surface_bytes(&out));
    checkcl_fill(&in, MIXED, &random);
    struct imf_problem reference = p;
    reference.out = IMF_F64;
    struct imf_proposal host;
    imf_propose_host(&host, &reference);
    bool ok =
        !imf_job_make(&job, &reference, &host, NULL, &err) && !imf_job_run(job, &in, &want, &err);
    imf_job_free(&job);
    in.mem = checkcl_upload(c, &in);
    out.mem = checkcl_upload(c, &out);
    ok = ok && !imf_job_make(&job, &p, &proposal, c->queue, &err) &&
         !imf_job_run(job, &in, &out, &err) && !imf_queue_finish(c->queue, &err) &&
         checkcl_download(c, &out);
    unsigned long broken = ok ? overwritten(&out) : 0;
    double error = ok ? largest_error(&want, &out) : INFINITY;
    ok = ok && !broken && error <= proposal.error;
    checkcl_result(c, ok, "%s %dx%d edge %d: off by %g of %g, %lu bytes overwritten %s%s", name,
                   z.width, z.height, (int)edge, error, proposal.error, broken, proposal.why,
                   err.text);
    imf_job_free(&job);
    imf_buffer_free(&in.mem);
    imf_buffer_free(&out.mem);
    imf_surface_free(&in);
    imf_surface_free(&out);
    imf_surface_free(&want);
    if (ok && c->bench)
        checkcl_time(c, s, name, &p, MIXED);
}

static void check_all(struct checkcl *c, const struct imf_solver *s) {
    static const enum imf_sample samples[] = {IMF_U8, IMF_U16, IMF_F32};
    bool gpu = s == &imf_solver_spectral_filter_gpu, slow = gpu && !imf_queue_device(c->queue)->gpu;
    unsigned every = c->tiny ? 37 : c->quick ? 5 : 1, n = 0;
    if (gpu && c->tiny)
        every = 262;
    else if (slow && !c->full) /* a compilation each, of seconds */
        every = c->quick ? UINT_MAX : 53;
    for (size_t t = 0; t < COUNT(transfers); t++)
        for (size_t z = 0; z < COUNT(shapes); z++)
            for (int edge = 0; edge < 5; edge++, n++) {
                struct shape shape = shapes[z];
                /* One of one channel is read and written as the convolutions' are. */
                shape.channels = c->quick && !c->tiny ? 2 + (int)(n / every % 3) : 1 + (int)n % 4;
                if (n % every == 0)
                    check_transfer(c, s, &transfers[t], shape,
                                   samples[c->tiny    ? 0
                                           : c->quick ? (unsigned)(shape.channels - 1) % 3
                                                      : n % 3],
                                   (enum imf_edge)edge);
            }
    /* Columns in two steps. */
    if (gpu)
        check_transfer(c, s, &transfers[8], (struct shape){5, 205, 2}, IMF_U8, IMF_EDGE_CLAMP);
    if (c->quick)
        return;
    /* Long axes, and a plane that outgrows the caches. */
    check_transfer(c, s, &transfers[4], (struct shape){801, 603, 3}, IMF_U8, IMF_EDGE_REFLECT);
    if (gpu)
        return;
    check_transfer(c, s, &transfers[4], (struct shape){70001, 1, 1}, IMF_U8, IMF_EDGE_CLAMP);
    check_transfer(c, s, &transfers[0], (struct shape){1, 40000, 3}, IMF_U8, IMF_EDGE_WRAP);
}

void checkcl_spectral_filter(struct checkcl *c) {
    check_all(c, &imf_solver_spectral_filter);
    check_all(c, &imf_solver_spectral_filter_gpu);
}
