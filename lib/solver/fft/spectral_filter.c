/*
 * spectral_filter.c - a whole image times a transfer function, in the frequency domain
 *
 * cl/spectral_filter.cl describes the passes, extend.h how the image is made periodic.
 */
#include "solver/fft/spectral_filter.h"
#include "device/tuning.h"
#include "fourier/tables.h"
#include "solver/fft/args.h"
#include "solver/fft/error.h"
#include "solver/fft/extend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct layout {
    struct imf_fft_plan x, y;
    int bands;  /* of IMF_FFT_VEC frequencies of y */
    int groups; /* work-items */
    int work;   /* scratch elements of each work-item */
    size_t plane, gains, scratch;
};

enum phase { GAINS, FITS, COLUMNS, ROWS, RESULT };

_Static_assert(sizeof(struct layout) <= IMF_SHAPE, "a proposal holds it");

struct spectral_filter_job {
    struct imf_queue *queue;
    struct layout layout;
    struct imf_spectral_filter_sizes sizes;
    struct imf_spectral_gain gain;
    int channels;
    struct imf_program *program;
    struct imf_buffer *plane, *gains, *scratch, *twiddles, *order, *blends, *taps, *fits, *squares;
};

/* Work-items for each compute unit, so that units end at about the same time. */
#define ITEMS_A_UNIT 4

static bool layout_make(struct layout *l, const struct imf_problem *p, const struct imf_device *d,
                        struct imf_proposal *out) {
    int nx = imf_extend_period(p->transfer, p->width, p->edge);
    int ny = imf_extend_period(p->transfer, p->height, p->edge);
    if (!imf_fft_plan_any(&l->x, nx) || !imf_fft_plan_any(&l->y, ny)) {
        imf_extend_too_long(out->why, sizeof out->why, p);
        return false;
    }
    int spare_x = imf_fft_prime_spare(&l->x), spare_y = imf_fft_prime_spare(&l->y);
    l->work = ny + (spare_x > spare_y ? spare_x : spare_y);
    size_t element = 2 * IMF_FFT_VEC * sizeof(float), total;
    l->bands = ny / 2 / IMF_FFT_VEC + 1;
    l->groups = ITEMS_A_UNIT * (d->compute_units > 0 ? (int)d->compute_units : 1);
    l->scratch = element * (size_t)l->work * (size_t)l->groups;
    l->gains = element / 2 * (size_t)nx * (size_t)l->bands;
    if (imf_size_mul(2, l->gains, &l->plane) &&
        imf_size_add(l->plane, l->gains + l->scratch, &total) && l->plane <= d->max_alloc &&
        l->scratch <= d->max_alloc && total <= d->global_memory / 2)
        return true;
    imf_proposal_refuse(out, "a transform of %dx%d needs %.0f MiB, more than the device's memory",
                        nx, ny, (double)l->plane / 1048576);
    return false;
}

/* samples * (doublings + sample + primes) / units. For each sample and axis half of a forward and half of an
 * inverse transform is computed. Lengths of 31 * 43 * 3 and of the prime 2999 take three times as long
 * as others. */
static double cost(const struct imf_problem *p, const struct imf_device *d,
                   const struct layout *l) {
    double samples = (double)l->x.length * l->y.length * p->channels;
    const struct imf_tuning *t = imf_tuning(d);
    double doublings = log2((double)l->x.length * l->y.length + 1);
    double primes = t->fft_stages * (imf_fft_primes_ns(&l->x) + imf_fft_primes_ns(&l->y));
    return samples * (t->spectral_doubling * doublings + t->spectral_sample + primes) * 1e-6 /
           imf_tuning_units(d);
}

static void spectral_filter_propose(const struct imf_problem *p, const struct imf_device *d,
                                    struct imf_proposal *out) {
    struct layout *l = (struct layout *)out->shape.bytes;
    if (!layout_make(l, p, d, out))
        return;
    out->feasible = imf_spectral_accurate(
        out, p, imf_fft_plan_doublings(&l->x) + imf_fft_plan_doublings(&l->y));
    if (!out->feasible)
        return;
    out->ms = cost(p, d, l);
    out->bytes = (double)l->plane + (double)l->gains + (double)l->scratch;
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "fft %dx%d", l->x.length, l->y.length);
}

/* ---- tables ------------------------------------------------------------------------------- */

/* Squared distances of each frequency of y, in vectors, then of each position along x. */
static enum imf_status make_squares(struct spectral_filter_job *j, const struct imf_transfer *t,
                                    struct imf_error *err) {
    const struct layout *l = &j->layout;
    size_t nx = (size_t)l->x.length, ny = (size_t)l->bands * IMF_FFT_VEC;
    size_t bytes = IMF_SQUARES * (nx + ny) * sizeof(int64_t);
    int64_t *squares = malloc(bytes);
    int *order = malloc(nx * sizeof *order);
    enum imf_status status = squares && order ? IMF_OK : imf_fail_memory(err, bytes);
    if (status == IMF_OK) {
        int64_t *along_x = squares + IMF_SQUARES * ny;
        imf_fft_order(&l->x, order);
        for (size_t i = 0; i < nx; i++)
            imf_frequency_squares(along_x + IMF_SQUARES * i, (double)order[i] / l->x.length, t->u);
        for (size_t k = 0; k < ny; k++) {
            int64_t of[IMF_SQUARES];
            imf_frequency_squares(of, (double)k / l->y.length, t->v);
            size_t band = k / IMF_FFT_VEC, lane = k % IMF_FFT_VEC;
            for (size_t i = 0; i < IMF_SQUARES; i++)
                squares[(IMF_SQUARES * band + i) * IMF_FFT_VEC + lane] = of[i];
        }
        status = imf_buffer_table(&j->squares, j->queue, squares, bytes, err);
    }
    free(squares);
    free(order);
    return status;
}

/* The positions at which the transform leaves frequencies k and -k of y; padded by the last. */
static enum imf_status make_order(struct spectral_filter_job *j, struct imf_error *err) {
    const struct layout *l = &j->layout;
    size_t n = (size_t)l->y.length, count = (size_t)l->bands * IMF_FFT_VEC;
    size_t bytes = 2 * count * sizeof(int32_t);
    int32_t *pairs = malloc(bytes), *order = malloc(2 * n * sizeof *order);
    enum imf_status status = pairs && order ? IMF_OK : imf_fail_memory(err, bytes);
    if (status == IMF_OK) {
        int32_t *position = order + n;
        imf_fft_order(&l->y, order);
        for (size_t i = 0; i < n; i++)
            position[order[i]] = (int32_t)i;
        for (size_t k = 0; k < count; k++) {
            size_t at = k > n / 2 ? n / 2 : k;
            pairs[2 * k] = position[at];
            pairs[2 * k + 1] = position[(n - at) % n];
        }
        status = imf_buffer_table(&j->order, j->queue, pairs, bytes, err);
    }
    free(pairs);
    free(order);
    return status;
}

/* ---- making and running ------------------------------------------------------------------- */

static void spectral_filter_destroy(void **job) {
    struct spectral_filter_job *j = *job;
    if (!j)
        return;
    struct imf_buffer **buffers[] = {&j->plane,  &j->gains, &j->scratch, &j->twiddles, &j->order,
                                     &j->blends, &j->taps,  &j->fits,    &j->squares};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        imf_buffer_free(buffers[i]);
    imf_program_free(&j->program);
    free(j);
    *job = NULL;
}

static enum imf_status launch(struct spectral_filter_job *j, const struct imf_buffer *in,
                              const struct imf_buffer *out, enum phase phase,
                              struct imf_error *err) {
    const struct imf_arg args[] = {imf_arg_buffer(in),
                                   imf_arg_buffer(out),
                                   imf_arg_buffer(j->plane),
                                   imf_arg_buffer(j->gains),
                                   imf_arg_buffer(j->scratch),
                                   imf_arg_buffer(j->twiddles),
                                   imf_arg_buffer(j->order),
                                   imf_arg_buffer(j->blends),
                                   imf_arg_buffer(j->taps),
                                   imf_arg_buffer(j->fits),
                                   imf_arg_buffer(j->squares),
                                   imf_arg_block(&j->sizes, sizeof j->sizes),
                                   imf_arg_block(&j->gain, sizeof j->gain),
                                   imf_arg_int(phase)};
    const struct imf_grid grid = {(size_t)j->layout.groups, 1, 1};
    return imf_program_launch(j->queue, j->program, grid, args, err);
}

static const char *const all[] = {"fft_stages.cl",   "fft_primes.cl", "common.cl",
                                  "fft_channels.cl", "transfer.cl",   NULL};
static const char *const smooth[] = {"fft_stages.cl", "common.cl", "fft_channels.cl", "transfer.cl",
                                     NULL};

static enum imf_status make_kernel(struct spectral_filter_job *j, const struct imf_problem *p,
                                   struct imf_error *err) {
    struct imf_defines d = {0};
    imf_problem_defines(&d, p);
    imf_define(&d, "CHANNELS", "%d", p->channels);
    bool primes = j->layout.x.primes || j->layout.y.primes;
    const struct imf_program_source source = {
        .file = "spectral_filter.cl", .parts = primes ? all : smooth, .defines = &d};
    enum imf_status status =
        imf_program_make(&j->program, j->queue, &source, "spectral_filter", err);
    imf_defines_free(&d);
    return status;
}

static enum imf_status make_buffers(struct spectral_filter_job *j, const struct imf_problem *p,
                                    struct imf_error *err) {
    const struct layout *l = &j->layout;
    enum imf_status status =
        imf_fft_twiddle_buffer(j->queue, &l->x, &l->y, &j->sizes.x, &j->sizes.y, &j->twiddles, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&j->plane, j->queue, IMF_BUFFER_WORK, l->plane, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&j->gains, j->queue, IMF_BUFFER_WORK, l->gains, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&j->scratch, j->queue, IMF_BUFFER_WORK, l->scratch, err);
    if (status == IMF_OK)
        status = make_squares(j, p->transfer, err);
    if (status == IMF_OK)
        status = make_order(j, err);
    if (status == IMF_OK)
        status = imf_spectral_gaps(&j->blends, &j->taps, j->sizes.taps, j->queue, p, l->x.length,
                                   l->y.length, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&j->fits, j->queue, IMF_BUFFER_WORK,
                                 (size_t)p->height * 4 * sizeof(float), err);
    return status;
}

static enum imf_status spectral_filter_make(void **job, const struct imf_problem *p,
                                            const struct imf_proposal *proposal,
                                            struct imf_queue *queue, struct imf_error *err) {
    struct spectral_filter_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->queue = queue;
    memcpy(&j->layout, proposal->shape.bytes, sizeof j->layout);
    struct imf_spectral_filter_sizes *z = &j->sizes;
    double middle = imf_fft_middle(p->in);
    z->middle = (float)middle;
    z->mean = (float)(middle * imf_transfer_gain(p->transfer, 0, 0));
    for (int c = 0; c < p->channels; c++)
        z->outside[c] = (float)(p->outside[c] - middle);
    z->width = p->width;
    z->height = p->height;
    j->channels = p->channels;
    z->bands = j->layout.bands;
    z->work = j->layout.work;
    imf_fft_axis_set(&z->x, &j->layout.x);
    imf_fft_axis_set(&z->y, &j->layout.y);
    imf_spectral_gain_set(&j->gain, p->transfer, (double)j->layout.x.length * j->layout.y.length);
    enum imf_status status = make_kernel(j, p, err);
    if (status == IMF_OK)
        status = make_buffers(j, p, err);
    /* This phase does not read the images: the plane is passed for them. */
    if (status == IMF_OK)
        status = launch(j, j->plane, j->plane, GAINS, err);
    if (status != IMF_OK)
        spectral_filter_destroy(job);
    return status;
}

static enum imf_status spectral_filter_run(void *job, const struct imf_surface *in,
                                           const struct imf_surface *out, struct imf_error *err) {
    struct spectral_filter_job *j = job;
    struct imf_spectral_filter_sizes *z = &j->sizes;
    z->in_origin = (int64_t)in->origin;
    z->in_pitch = (int64_t)in->pitch;
    z->out_origin = (int64_t)out->origin;
    z->out_pitch = (int64_t)out->pitch;
    enum imf_status status = IMF_OK;
    for (z->channel = 0; z->channel < j->channels; z->channel++)
        for (enum phase phase = z->taps[0] ? FITS : COLUMNS; phase <= RESULT && status == IMF_OK;
             phase++)
            status = launch(j, in->mem, out->mem, phase, err);
    return status;
}

const struct imf_solver imf_solver_spectral_filter = {
    .name = "fft",
    .backend = IMF_BACKEND_FFT,
    .program = "spectral_filter",
    .kinds = 1u << IMF_TRANSFER,
    .propose = spectral_filter_propose,
    .old_make = spectral_filter_make,
    .old_run = spectral_filter_run,
    .old_destroy = spectral_filter_destroy,
};
