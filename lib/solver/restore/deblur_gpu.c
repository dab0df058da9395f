/*
 * deblur_gpu.c - the solver that undoes a blur on GPUs, in floats
 *
 * The parameters are found on the host, in the rows that it looks at: a few windows of the picture. The plane has
 * the sides that the host's has, so that results are the same but for rounding; sizes that
 * fourier/gpu_plane.h has no transforms of, and what needs float64, are left to the host.
 */
#include "device/tuning.h"
#include "solver/restore/device.h"
#include "solver/restore/powers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct own {
    char found[IMF_DEBLUR_TEXT]; /* in the last picture */
    struct imf_deblur_device device;
};
_Static_assert(sizeof(struct imf_gpu_plane_layout) <= IMF_SHAPE, "a proposal holds it");

/* Passes over a plane of a product, and of what lies between two. */
#define PASSES 5
#define BETWEEN 2
/* Of the host, for a sample of a window: nanoseconds until the model is found, and the blur. 35 and 20 ms of a core of
 * an EPYC for the 27 windows of a large picture in colour. */
#define FIND_NS 20
#define BLIND_NS 11

/* Milliseconds that finding the parameters takes. */
static double find_ms(const struct imf_problem *p) {
    int starts[IMF_WINDOWS_GRID], rows, columns;
    double count = imf_windows_rows(p->height, starts, &rows);
    count *= imf_windows_rows(p->width, starts, &columns);
    double samples = count * rows * columns * p->colors;
    return samples * (p->deblur->kernel ? FIND_NS : FIND_NS + BLIND_NS) * 1e-6;
}

/* finding + launches + elements * passes over the plane / units. */
static double cost(const struct imf_problem *p, const struct imf_device *d,
                   const struct imf_gpu_plane_layout *l) {
    const struct imf_tuning *t = imf_tuning(d);
    double passes = imf_deblur_transforms(p->deblur) * (PASSES + BETWEEN) * p->colors;
    double elements = (double)l->pitch * l->ny;
    return find_ms(p) + t->launch_ms * (1 + imf_deblur_transforms(p->deblur) * p->colors) +
           passes * t->next_ms + passes * elements * t->gpu.plane * 1e-6 / imf_tuning_units(d);
}

static void gpu_propose(const struct imf_problem *p, const struct imf_device *d,
                        struct imf_proposal *out) {
    struct imf_gpu_plane_layout *l = (struct imf_gpu_plane_layout *)out->shape.bytes;
    size_t bytes[IMF_DEBLUR_BUFFERS] = {0};
    int nx, ny;
    imf_deblur_plane_size(p, &nx, &ny);
    if (!d->gpu || d->max_group < IMF_GPU_GROUP)
        imf_proposal_refuse(out, "transforms in local memory are for GPUs");
    else if (!imf_deblur_floats_do(p))
        imf_proposal_refuse(out, "16 bits, noise this low or so many iterations need float64");
    else if (nx > IMF_FFT_MAX || ny > IMF_FFT_MAX || !imf_gpu_plane_fit(l, nx, ny) ||
             !imf_deblur_device_bytes(bytes, p, l))
        imf_proposal_refuse(out, "%dx%d is no size for transforms in local memory", nx, ny);
    else {
        out->feasible = true;
        out->ms = cost(p, d, l);
        for (int i = 0; i < IMF_DEBLUR_BUFFERS; i++) {
            out->bytes += (double)bytes[i];
            out->largest = fmax(out->largest, (double)bytes[i]);
        }
        out->local = imf_gpu_plane_local(l);
        out->bands = IMF_BANDS_WHOLE;
        imf_deblur_describe(out->description, p->deblur, nx, ny, "rows in local memory");
    }
}

static enum imf_status gpu_prepare(struct imf_job *job, struct imf_error *err) {
    struct own *own = job->own;
    struct imf_gpu_plane_layout layout;
    memcpy(&layout, job->proposal.shape.bytes, sizeof layout);
    return imf_deblur_device_make(&own->device, &job->p, &layout, job->queue, err);
}

static void gpu_release(struct imf_job *job) {
    imf_deblur_device_free(&((struct own *)job->own)->device);
}

/* A copy on the host, of which only the windows' rows are fetched: others are never touched, and take no memory. */
static enum imf_status fetch_windows(struct imf_surface *host, struct imf_queue *queue,
                                     const struct imf_surface *in, struct imf_error *err) {
    int starts[IMF_WINDOWS_GRID], side, count = imf_windows_rows(in->height, starts, &side);
    size_t size = imf_sample_size(in->sample);
    *host = *in;
    host->mem = NULL;
    if (!(host->host = malloc(imf_surface_bytes(in))))
        return imf_fail_memory(err, imf_surface_bytes(in));
    enum imf_status status = IMF_OK;
    for (int i = 0; i < count && status == IMF_OK; i++) {
        size_t from = (in->origin + (size_t)starts[i] * in->pitch) * size;
        size_t samples = (size_t)(side - 1) * in->pitch + (size_t)in->width * (size_t)in->channels;
        status = imf_buffer_download(queue, in->mem, from, (char *)host->host + from,
                                     samples * size, err);
    }
    return status;
}

static enum imf_status gpu_run(struct imf_job *job, const struct imf_surface *in,
                               const struct imf_surface *out, struct imf_error *err) {
    struct own *own = job->own;
    struct imf_deblur_found found = {.blur = NULL};
    struct imf_surface host;
    enum imf_status status = fetch_windows(&host, job->queue, in, err);
    if (status == IMF_OK)
        status = imf_deblur_find(&found, &job->p, &host, job->pool, err);
    free(host.host);
    memcpy(own->found, found.text, sizeof own->found);
    if (status == IMF_OK)
        status = imf_deblur_device_run(&own->device, in, out, &found, err);
    imf_kernel_free(&found.owned);
    return status;
}

const struct imf_solver imf_solver_deblur_gpu = {
    .name = "fft",
    .backend = IMF_BACKEND_FFT,
    .program = "deblur_gpu",
    .kinds = 1u << IMF_DEBLURRING,
    .propose = gpu_propose,
    .own = sizeof(struct own),
    .prepare = gpu_prepare,
    .release = gpu_release,
    .run = gpu_run,
    .tell = imf_deblur_tell,
};
