/*
 * deblur.c - the solvers that undo a blur: in floats, and in float64 as the reference
 *
 * The blur and what is known of scene and noise make one operator for all colours. Its parameters are
 * found in the whole picture (whittle.c), so that there is one band.
 */
#include "solver/restore/field.h"

#include "device/tuning.h"
#include "fourier/plan.h"
#include "solver/common/channels.h"

#include <math.h>
#include <string.h>

struct shape {
    int nx, ny;
    bool floats;
};

static const struct {
    const char *words;
    double planes; /* real ones beside the spectra */
    int most;      /* iterations with which floats suffice */
} methods[] = {[IMF_DEBLUR_WIENER] = {"least squares", 2.5, 4},
               [IMF_DEBLUR_TV] = {"total variation", 6.5, 1000},
               [IMF_DEBLUR_RL] = {"Richardson-Lucy", 7.5, 30}};

void imf_deblur_describe(char text[IMF_DESCRIPTION], const struct imf_deblur *b, int nx, int ny,
                         const char *how) {
    char less[32] = "";
    if (b->kernel && b->kernel->background != 0)
        snprintf(less, sizeof less, ", kernel less %.4g", b->kernel->background);
    snprintf(text, IMF_DESCRIPTION, "%s%s, %dx%d, %s", methods[b->method].words, less, nx, ny, how);
}

double imf_deblur_transforms(const struct imf_deblur *b) {
    int n = b->iterations;
    switch (b->method) {
    case IMF_DEBLUR_TV:
        return 6 + (n ? n : IMF_DEBLUR_TV_ROUNDS) * 1.3;
    case IMF_DEBLUR_RL:
        return 1 + 2 * (n ? n : IMF_DEBLUR_RL_ROUNDS);
    default:
        return 2.5 + (n ? n : IMF_DEBLUR_STEPS);
    }
}

/* Noise, and what results may be off by, as parts of full scale. The operator magnifies rounding by 0.4 over the noise at
 * most; of 500 drawn pictures the worst, by Richardson's and Lucy's rounds, was off by 7.5e-5 of its largest result, and of
 * white noise, which no blur leaves, one by 3.8e-4 of full scale. */
#define FLOATS_NOISE 1e-3
#define FLOATS_ERROR 8e-5

/* Not for pictures of floats, which may exceed full scale. Steps of conjugate gradients that are not needed follow the
 * rounding, and so do later rounds of Richardson's and Lucy's, which fit noise. */
bool imf_deblur_floats_do(const struct imf_problem *p) {
    const struct imf_deblur *d = p->deblur;
    double noise = d->noise < 0 ? p->grain / p->unit : d->noise;
    return !p->local && p->in != IMF_F64 && p->out != IMF_F64 &&
           d->iterations <= methods[d->method].most && noise >= FLOATS_NOISE &&
           p->tolerance >= FLOATS_ERROR * p->unit;
}

void imf_deblur_plane_size(const struct imf_problem *p, int *nx, int *ny) {
    const struct imf_kernel *k = p->deblur->kernel;
    int width = k ? k->width : 2 * (5 * IMF_BLIND_SIGMA) + 1, height = k ? k->height : width;
    *nx = imf_fft_length(p->width + width - 1 + IMF_DEBLUR_GAP, 2);
    *ny = imf_fft_length(p->height + height - 1 + IMF_DEBLUR_GAP, 2);
}

/* Rows and tables of the transforms, and what the noise is measured in: 3.1, 8.3 and 10.7 MB more than the
 * planes of 600x400, 2000x1500 and 4000x3000 pixels. */
#define ROWS_BYTES 3000
#define ROWS_MOST 12e6

/* Milliseconds: points * channels * transforms * (doubling * doublings + values) * 1e-6 / cores, half of
 * it in floats. */
static void propose(const struct imf_problem *p, const struct imf_device *d,
                    struct imf_proposal *out) {
    struct shape *s = (struct shape *)out->shape.bytes;
    struct imf_fft_plan x, y;
    bool floats = out->backend == IMF_BACKEND_VECTOR && imf_deblur_floats_do(p);
    (void)d;
    imf_deblur_plane_size(p, &s->nx, &s->ny);
    if (s->nx > IMF_FFT_MAX || s->ny > IMF_FFT_MAX || !imf_fft_plan_any(&x, s->nx) ||
        !imf_fft_plan_any(&y, s->ny)) {
        imf_proposal_refuse(out, "an image of %dx%d is too long to be transformed", p->width,
                            p->height);
        return;
    }
    double points = (double)s->nx * s->ny, share = floats ? 0.5 : 1;
    double each = imf_host_rates.doubling * log2(points) + 2 * imf_host_rates.values;
    out->feasible = true;
    out->ms =
        points * p->colors * imf_deblur_transforms(p->deblur) * each * share * 1e-6 / imf_cores();
    out->bytes = points * sizeof(double) * methods[p->deblur->method].planes * share +
                 fmin(ROWS_BYTES * ((double)s->nx + s->ny), ROWS_MOST);
    out->bands = IMF_BANDS_WHOLE;
    s->floats = floats;
    imf_deblur_describe(out->description, p->deblur, s->nx, s->ny, floats ? "floats" : "float64");
}

/* With the blur and the model that were found. */
static enum imf_status restore(const struct imf_job *job, const struct imf_surface *in,
                               const struct imf_surface *out, const struct imf_deblur_found *f,
                               struct imf_error *err) {
    const struct shape *s = (const struct shape *)job->proposal.shape.bytes;
    struct imf_field field = {.p = &job->p,
                              .in = in,
                              .out = out,
                              .pool = job->pool,
                              .blur = f->blur,
                              .model = f->model,
                              .nx = s->nx,
                              .ny = s->ny,
                              .iterations = job->p.deblur->iterations};
    return s->floats ? imf_deblur_do_f32(&field, err) : imf_deblur_do_f64(&field, err);
}

static enum imf_status run(struct imf_job *job, const struct imf_surface *in,
                           const struct imf_surface *out, struct imf_error *err) {
    struct imf_deblur_found found;
    enum imf_status status = imf_deblur_find(&found, &job->p, in, job->pool, err);
    memcpy(job->own, found.text, sizeof found.text);
    if (status == IMF_OK && found.blur)
        status = restore(job, in, out, &found, err);
    if (status == IMF_OK)
        imf_channels_copy(&job->p, in, out, found.blur ? job->p.colors : 0, job->pool);
    imf_kernel_free(&found.owned);
    return status;
}

void imf_deblur_tell(const struct imf_job *job, char *text, size_t size) {
    snprintf(text, size, "%s", (const char *)job->own);
}

#define SOLVER(called, of)                                                                         \
    {                                                                                              \
        .name = called, .backend = of, .float64 = true, .local = true,                             \
        .kinds = 1u << IMF_DEBLURRING, .propose = propose, .own = IMF_DEBLUR_TEXT, .run = run,     \
        .tell = imf_deblur_tell                                                                    \
    }

const struct imf_solver imf_solver_deblur = SOLVER("vector", IMF_BACKEND_VECTOR);
const struct imf_solver imf_solver_deblur_host = SOLVER("cpu", IMF_BACKEND_CPU);
