/*
 * test_deblur_gpu.c - undoing a blur as GPUs do it, on any device, beside the host's float64: sizes of every
 * kind, samples of every type, alpha, a blur that is found
 */
#include "canary_util.h"
#include "check.h"
#include "device/buffer.h"
#include "filter/filter.h"
#include "solver/solver.h"

#include <math.h>
#include <string.h>

extern const struct imf_solver imf_solver_deblur_host, imf_solver_deblur_gpu;

static const enum imf_deblur_method methods[] = {IMF_DEBLUR_WIENER, IMF_DEBLUR_TV, IMF_DEBLUR_RL};
static const char *const names[] = {"wiener", "tv", "rl"};

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

/* Steps of brightness and some noise. */
static void draw(const struct imf_surface *s, double full) {
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width * s->channels; x++) {
            int pixel = x / s->channels, step = (pixel / 9 + y / 7) % 3;
            double v = 40 + 70 * step + (int)(noise() % 9);
            imf_sample_put(imf_surface_row(s, y), s->sample, x, rint(v * full / 255));
        }
}

static double difference(const struct imf_surface *a, const struct imf_surface *b) {
    double most = 0;
    for (int y = 0; y < a->height; y++)
        for (int x = 0; x < a->width * a->channels; x++) {
            double d = fabs(imf_sample_get(imf_surface_row(a, y), a->sample, x) -
                            imf_sample_get(imf_surface_row(b, y), b->sample, x));
            most = d <= most ? most : d; /* NaN is kept */
        }
    return most;
}

static void run_host(const struct imf_problem *p, const struct imf_surface *in,
                     const struct imf_surface *out) {
    struct imf_problem reference = *p;
    reference.out = IMF_F64;
    run_whole(&imf_solver_deblur_host, &reference, in, out);
}

/* Twice, as nothing is left over from the first time. */
static void run_device(struct imf_queue *queue, const struct imf_problem *p, struct imf_surface *in,
                       struct imf_surface *out, char *found, size_t size) {
    const struct imf_solver *solver = &imf_solver_deblur_gpu;
    struct imf_device device = *imf_queue_device(queue);
    struct imf_proposal proposal;
    struct imf_error err = {.text = ""};
    struct imf_job *job = NULL;
    device.gpu = true;
    imf_propose(&proposal, solver, p, &device);
    CHECK(proposal.feasible && proposal.bands == IMF_BANDS_WHOLE, "%s", proposal.why);
    bool ran = proposal.feasible &&
               !imf_buffer_table(&in->mem, queue, in->host, imf_surface_bytes(in), &err) &&
               !imf_buffer_make(&out->mem, queue, IMF_BUFFER_WORK, imf_surface_bytes(out), &err) &&
               !imf_buffer_upload(queue, out->mem, 0, out->host, imf_surface_bytes(out), &err) &&
               !imf_job_make(&job, p, &proposal, queue, &err);
    for (int i = 0; i < 2; i++)
        ran = ran && !imf_job_run(job, in, out, &err);
    ran = ran && !imf_buffer_download(queue, out->mem, 0, out->host, imf_surface_bytes(out), &err);
    CHECK(ran, "%s", err.text);
    if (job) {
        imf_job_tell(job, found, size);
        imf_job_free(&job);
    }
    imf_buffer_free(&in->mem);
    imf_buffer_free(&out->mem);
}

static void compare(struct imf_queue *queue, const struct imf_problem *p, const char *name,
                    double allowed) {
    struct imf_surface in = surface(p, p->in), want = surface(p, IMF_F64), got = surface(p, p->out);
    char found[128] = "";
    draw(&in, p->unit);
    run_host(p, &in, &want);
    run_device(queue, p, &in, &got, found, sizeof found);
    double most = difference(&want, &got);
    CHECK(most <= allowed, "%s, %dx%d, %d channels: off by %g of %g", name, p->width, p->height,
          p->channels, most, allowed);
    CHECK(spoilt(&got, 0) == 0, "%s: beside the pixels", name);
    CHECK(strstr(found, "sigma") || strstr(found, "no blur"), "%s: told \"%s\"", name, found);
    imf_surface_free(&in);
    imf_surface_free(&want);
    imf_surface_free(&got);
}

/* A kernel of positive taps without symmetry. */
static struct imf_kernel *kernel_of(int width, int height) {
    struct imf_kernel *k;
    if (imf_kernel_create(&k, width, height, NULL))
        abort();
    for (int i = 0; i < width * height; i++)
        k->taps[i] = 1 + noise() % 7;
    return k;
}

static void test_sizes(struct imf_queue *queue) {
    static const struct {
        int width, height, channels;
    } sizes[] = {{1, 1, 1}, {31, 29, 4}, {106, 141, 3}, {1, 19, 2}, {23, 1, 1}, {130, 201, 1}};
    struct imf_kernel *k = kernel_of(7, 6);
    size_t count = sizeof sizes /
                   sizeof *sizes; /* each is compiled; planes of the tests below are like these */
    for (size_t z = 0; z < (check_thorough() ? count : 3); z++)
        for (int m = 0; m < 3; m++) {
            const struct imf_deblur d = {methods[m], k, -1, 0, 1, 1};
            int channels = sizes[z].channels, colors = channels - (channels % 2 == 0);
            const struct imf_problem p =
                problem_of(&d, sizes[z].width, sizes[z].height, channels, colors, IMF_U8, IMF_F32);
            compare(queue, &p, names[m], p.tolerance);
        }
    imf_kernel_free(&k);
}

static void test_samples(struct imf_queue *queue) {
    static const enum imf_sample in[] = {IMF_U8, IMF_U16, IMF_F32},
                                 out[] = {IMF_U8, IMF_U16, IMF_U8};
    struct imf_kernel *k = kernel_of(4, 5);
    for (int i = 0; i < 3; i++) {
        const struct imf_deblur d = {methods[i], k, 0.01, i == 2 ? 7 : 2, 1, 1};
        struct imf_problem p = problem_of(&d, 34, 30, 2, 1, in[i], out[i]);
        p.epilogue.multiply = -1;
        p.epilogue.offset = p.unit;
        struct imf_surface source = surface(&p, p.in), want = surface(&p, IMF_F64),
                           got = surface(&p, p.out);
        char found[128];
        draw(&source, p.unit);
        run_host(&p, &source, &want);
        run_device(queue, &p, &source, &got, found, sizeof found);
        for (int y = 0; y < p.height; y++)
            for (int x = 0; x < 2 * p.width; x++) {
                double *v = (double *)imf_surface_row(&want, y) + x;
                *v = fmin(fmax(*v, 0), p.unit);
            }
        CHECK(difference(&want, &got) <= 0.5 + p.tolerance, "rounded, %s: %g", names[i],
              difference(&want, &got));
        imf_surface_free(&source);
        imf_surface_free(&want);
        imf_surface_free(&got);
    }
    imf_kernel_free(&k);
}

/* Steps are sharp, so that nothing is undone, or little. */
static void test_found(struct imf_queue *queue) {
    const struct imf_deblur d = {.method = IMF_DEBLUR_WIENER, .noise = -1};
    const struct imf_problem p = problem_of(&d, 31, 72, 2, 1, IMF_U8, IMF_F32);
    compare(queue, &p, "auto", p.tolerance);
}

/* What is left to the host. */
static void test_refused(struct imf_queue *queue) {
    struct imf_kernel *k = kernel_of(3, 3);
    struct imf_device device = *imf_queue_device(queue);
    struct imf_proposal proposal;
    struct imf_deblur d = {IMF_DEBLUR_WIENER, k, -1, 0, 1, 1};
    struct imf_problem p = problem_of(&d, 60, 50, 3, 3, IMF_U8, IMF_U8);
    device.gpu = false;
    imf_propose(&proposal, &imf_solver_deblur_gpu, &p, &device);
    CHECK(!proposal.feasible && strstr(proposal.why, "for GPUs"), "%s", proposal.why);
    device.gpu = true;
    imf_propose(&proposal, &imf_solver_deblur_gpu, &p, &device);
    CHECK(proposal.feasible && proposal.ms > 0 && proposal.bytes > 0, "%s", proposal.why);
    p.width = 20000;
    imf_propose(&proposal, &imf_solver_deblur_gpu, &p, &device);
    CHECK(!proposal.feasible && strstr(proposal.why, "local memory"), "%s", proposal.why);
    d.noise = 1e-4;
    imf_propose(&proposal, &imf_solver_deblur_gpu, &p, &device);
    CHECK(!proposal.feasible && strstr(proposal.why, "float64"), "%s", proposal.why);
    imf_kernel_free(&k);
}

int main(void) {
    struct imf_context_options options = {0};
    struct imf_runtime *rt = NULL;
    struct imf_queue *queue = NULL;
    struct imf_error err;
    if (imf_runtime_open(&rt, &options, NULL, &err) || imf_queue_open(&queue, rt, &err)) {
        CHECK(!queue, "no queue");
        printf("test_deblur_gpu: no device was asked: %s\n", err.text);
    } else if (imf_queue_device(queue)->max_group < 256) {
        printf("test_deblur_gpu: groups are too small\n");
        CHECK(queue != NULL, "a queue");
    } else {
        test_refused(queue);
        test_sizes(queue);
        test_samples(queue);
        test_found(queue);
    }
    imf_queue_close(&queue);
    imf_runtime_close(&rt);
    return check_done("test_deblur_gpu");
}
