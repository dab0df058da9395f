/* deblur_util.h - for tests of undoing a blur: problems, pictures, and a solver beside the host's float64 */
#ifndef DEBLUR_UTIL_H
#define DEBLUR_UTIL_H

#include "device/buffer.h"
#include "solver_check.h"

#include <math.h>

extern const struct imf_solver imf_solver_deblur, imf_solver_deblur_host, imf_solver_deblur_gpu;

static const enum imf_deblur_method methods[] = {IMF_DEBLUR_WIENER, IMF_DEBLUR_TV, IMF_DEBLUR_RL};
static const char *const names[] = {"wiener", "tv", "rl"};

/* A kernel of positive taps without symmetry, or of one tap. */
static struct imf_kernel *kernel_of(int width, int height) {
    struct imf_kernel *k;
    if (imf_kernel_create(&k, width, height, NULL))
        abort();
    for (int i = 0; i < width * height; i++)
        k->taps[i] = 1 + noise() % 7;
    return k;
}

static struct imf_problem problem_of(const struct imf_deblur *d, int width, int height,
                                     int channels, int colors, enum imf_sample in,
                                     enum imf_sample out) {
    double full = in == IMF_U16 ? 65535 : 255;
    struct imf_problem p = {.width = width,
                            .height = height,
                            .channels = channels,
                            .in = in,
                            .out = out,
                            .epilogue = {.scale = 1, .multiply = 1, .full = full},
                            .in_max = full,
                            .unit = full,
                            .grain = sqrt(1 / 12.0) * full / 255,
                            .tolerance = full / 255 / 32};
    imf_problem_deblur(&p, d, colors);
    return p;
}

/* Steps of brightness and some noise, whole values. */
static void draw(const struct imf_surface *s, double full) {
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width * s->channels; x++) {
            int pixel = x / s->channels, step = (pixel / 9 + y / 7) % 3;
            double v = 40 + 70 * step + (int)(noise() % 9);
            imf_sample_put(imf_surface_row(s, y), s->sample, x, rint(v * full / 255));
        }
}

static double value(const struct imf_surface *s, int x, int y) {
    return imf_sample_get(imf_surface_row(s, y), s->sample, x);
}

/* Of the channels from..to - 1. */
static double difference(const struct imf_surface *a, const struct imf_surface *b, int from,
                         int to) {
    double most = 0;
    for (int y = 0; y < a->height; y++)
        for (int x = 0; x < a->width * a->channels; x++) {
            double d = fabs(value(a, x, y) - value(b, x, y));
            if (x % a->channels >= from && x % a->channels < to)
                most = d <= most ? most : d; /* NaN is kept */
        }
    return most;
}

/* Twice, as nothing is left over from the first time. queue: a device's, which passes for a GPU, or NULL. */
static void run_on(struct imf_queue *queue, const struct imf_solver *solver,
                   const struct imf_problem *p, struct imf_surface *in, struct imf_surface *out,
                   char *found, size_t size) {
    struct imf_device device = queue ? *imf_queue_device(queue) : (struct imf_device){0};
    struct imf_proposal proposal;
    struct imf_error err = {.text = ""};
    struct imf_job *job = NULL;
    size_t bytes = imf_surface_bytes(out);
    device.gpu = true;
    imf_propose(&proposal, solver, p, queue ? &device : NULL);
    CHECK(proposal.feasible && proposal.bands == IMF_BANDS_WHOLE, "%s", proposal.why);
    bool ran =
        proposal.feasible &&
        (!queue || (!imf_buffer_table(&in->mem, queue, in->host, imf_surface_bytes(in), &err) &&
                    !imf_buffer_make(&out->mem, queue, IMF_BUFFER_WORK, bytes, &err) &&
                    !imf_buffer_upload(queue, out->mem, 0, out->host, bytes, &err))) &&
        !imf_job_make(&job, p, &proposal, queue, &err);
    for (int i = 0; i < 2; i++)
        ran = ran && !imf_job_run(job, in, out, &err);
    ran = ran && (!queue || !imf_buffer_download(queue, out->mem, 0, out->host, bytes, &err));
    CHECK(ran, "%s", err.text);
    if (job)
        imf_job_tell(job, found, size);
    imf_job_free(&job);
    imf_buffer_free(&in->mem);
    imf_buffer_free(&out->mem);
}

/* Results are as near to float64, clipped and rounded as samples are, as the problem has it; pixels alone are written. */
static inline void compare(struct imf_queue *queue, const struct imf_solver *solver,
                           const struct imf_problem *p, const char *name) {
    struct imf_problem reference = *p;
    reference.out = IMF_F64;
    struct imf_surface in = surface(p, p->in), want = surface(p, IMF_F64), got = surface(p, p->out);
    char found[128] = "";
    draw(&in, p->unit);
    run_whole(&imf_solver_deblur_host, &reference, &in, &want);
    run_on(queue, solver, p, &in, &got, found, sizeof found);
    bool rounded = p->out != IMF_F32;
    for (int y = 0; y < p->height && rounded; y++)
        for (int x = 0; x < p->width * p->channels; x++)
            imf_sample_put(imf_surface_row(&want, y), IMF_F64, x,
                           fmin(fmax(value(&want, x, y), 0), p->unit));
    double most = difference(&want, &got, 0, p->channels);
    CHECK(most <= p->tolerance + (rounded ? 0.5 : 0), "%s, %dx%d, %d channels: off by %g", name,
          p->width, p->height, p->channels, most);
    CHECK(spoilt(&got, 0) == 0, "%s: beside the pixels", name);
    CHECK(strstr(found, "sigma") || strstr(found, "no blur"), "%s: told \"%s\"", name, found);
    imf_surface_free(&in);
    imf_surface_free(&want);
    imf_surface_free(&got);
}

#endif
